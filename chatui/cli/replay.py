"""`chatui replay`: shows a recorded turn again, with its timing or at once."""

import argparse
import asyncio

from chatui.cli.ask import TurnPrinter
from chatui.cli.launch_options import not_negative
from chatui.cli.messages import need_stdout


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "replay",
        help="show a recorded turn again",
        description="Show a turn that was recorded with --record again, without any server.",
    )
    parser.add_argument("file", metavar="FILE", help="a recording (.wire.jsonl)")
    parser.add_argument(
        "--speed",
        type=not_negative("speed"),
        default=0.0,
        metavar="X",
        help="1: as it was, 2: twice as fast, 0: at once (default)",
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print one JSON object at the end")
    output.add_argument("--events", action="store_true", help="print the stream events as JSON lines")
    output.add_argument("--app", action="store_true", help="show it in the app")


def run(arguments: argparse.Namespace) -> int:
    """Play it.

    Returns:
        The exit code that the recorded turn had.
    """
    if arguments.app:
        from chatui.cli.app_launch import launch_app
        from chatui.wiring import LaunchOptions

        return launch_app(LaunchOptions(replay_file=arguments.file, replay_speed=arguments.speed))
    need_stdout()
    return asyncio.run(_replay(arguments))


async def _replay(arguments: argparse.Namespace) -> int:
    from chatui.wiring import replay_session

    runner = TurnPrinter(is_json=arguments.json, is_events=arguments.events)
    session, prompt = replay_session(
        arguments.file, arguments.speed, runner.updated, runner.heard if arguments.events else None
    )
    return await runner.run(session, prompt)
