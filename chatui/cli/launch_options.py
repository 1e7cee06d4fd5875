"""The options that the app and `chatui ask` share, and a parser that complains in one line."""

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from chatui.cli.messages import one_line
from chatui.core.errors import ExitCode
from chatui.protocols import names

if TYPE_CHECKING:
    from chatui.wiring import LaunchOptions

TIMEOUTS = (
    ("connect-timeout", "to make a connection", "10"),
    ("first-event-timeout", "to the first event", "120"),
    ("gap-timeout", "of silence within an answer", "60"),
    ("total-timeout", "for the whole answer", "no limit"),
)
"""Flags, what they limit, and what holds without them and without a configuration."""


def not_negative(words: str) -> Callable[[str], float]:
    """What reads the value of an option that is a finite number from 0 on; `words` name it in complaints."""

    def read(text: str) -> float:
        value = float(text)
        if not 0 <= value < float("inf"):
            raise ValueError(text)
        return value

    read.__name__ = words
    return read


SECONDS = not_negative("number of seconds")


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line; subparsers are of the same kind."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and end with the exit code for wrong usage."""
        missing = message.partition("arguments are required: ")[2]
        for action in self._actions:
            if action.choices and missing and missing in (action.metavar, action.dest):
                message = f"what shall it be? One of {', '.join(map(str, action.choices))}"
        print(f"{self.prog}: {one_line(message)} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(int(ExitCode.USAGE))


def add_whom_options(parser: argparse.ArgumentParser) -> None:
    """Add what names a provider and a model."""
    who = parser.add_argument_group("whom to ask")
    who.add_argument("-p", "--provider", help="provider, e.g. openai, ollama, local (default: the last one)")
    who.add_argument("-m", "--model", help="model of that provider (default: the last one, or its own)")
    who.add_argument("--base-url", metavar="URL", help="address of any compatible server")
    who.add_argument("--protocol", choices=names(), help="wire format (default: its own)")
    who.add_argument(
        "--api-key-env",
        metavar="NAME",
        help="variable that holds the key (for --base-url: CHATUI_API_KEY unless given)",
    )


def add_launch_options(parser: argparse.ArgumentParser) -> None:
    """Add everything that names a provider, a conversation and how to ask."""
    add_whom_options(parser)
    how = parser.add_argument_group("how to ask")
    how.add_argument("--profile", metavar="NAME", help="profile of the configuration")
    how.add_argument(
        "--system", metavar="TEXT", help="system prompt (default: that of profile or configuration)"
    )
    how.add_argument(
        "-o",
        "--option",
        nargs=2,
        action="append",
        default=[],
        metavar=("KEY", "VALUE"),
        help="option of generation, e.g. -o temperature 0.2 (may be repeated)",
    )
    how.add_argument("--no-stream", action="store_true", help="ask for a whole answer instead of a stream")
    for name, words, default in TIMEOUTS:
        how.add_argument(f"--{name}", type=SECONDS, metavar="S", help=f"seconds {words} (default: {default})")
    how.add_argument(
        "--tool",
        dest="tools",
        action="append",
        default=[],
        metavar="NAME",
        help="offer this tool to the model (may be repeated; `chatui tools` lists them)",
    )
    how.add_argument(
        "--allow-tool",
        dest="allowed_tools",
        action="append",
        default=[],
        metavar="NAME",
        help="run calls of this tool without asking (may be repeated)",
    )
    which = parser.add_argument_group("which conversation")
    either = which.add_mutually_exclusive_group()
    either.add_argument(
        "-c", "--continue", dest="is_continued", action="store_true", help="go on with the last one"
    )
    either.add_argument("-r", "--resume", metavar="ID", help="go on with this one")
    which.add_argument(
        "--temporary", "--no-save", dest="no_save", action="store_true", help="keep nothing in the history"
    )
    which.add_argument("--record", metavar="DIR", help="write the wire of every request there, without keys")


def add_attach_option(parser: argparse.ArgumentParser) -> None:
    """Add `-a FILE`."""
    parser.add_argument(
        "-a",
        "--attach",
        action="append",
        default=[],
        metavar="FILE",
        help="send a file along: PNG, JPEG, WebP, GIF, PDF or text (may be repeated)",
    )


def launch_options(arguments: argparse.Namespace) -> "LaunchOptions":
    """The options that were given."""
    from chatui.wiring import LaunchOptions

    return LaunchOptions(
        provider=arguments.provider,
        model=arguments.model,
        protocol=arguments.protocol,
        base_url=arguments.base_url,
        api_key_env=arguments.api_key_env,
        profile=arguments.profile,
        system=arguments.system,
        connect_s=arguments.connect_timeout,
        first_event_s=arguments.first_event_timeout,
        gap_s=arguments.gap_timeout,
        total_s=arguments.total_timeout,
        generation=tuple((key, value) for key, value in arguments.option),
        is_streaming=False if arguments.no_stream else None,
        is_saved=not arguments.no_save,
        is_continued=arguments.is_continued,
        resume_id=arguments.resume,
        record_directory=arguments.record,
        attachments=tuple(getattr(arguments, "attach", ())),
        tools=tuple(arguments.tools),
        allowed_tools=tuple(arguments.allowed_tools),
    )
