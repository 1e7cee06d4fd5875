"""`chatui doctor`: looks at each step between this terminal and the model, and says what to do next.

Invariant: looking changes nothing, and the report holds no key, no text of a conversation and no name of a
home folder, because it is made to be pasted into an issue.
"""

import argparse
import asyncio
import os
import shutil
import sys
from typing import TYPE_CHECKING

from chatui.cli.launch_options import SECONDS, add_whom_options
from chatui.cli.messages import need_stdout

if TYPE_CHECKING:
    from collections.abc import Callable

    from chatui.core.diagnosis import Diagnosis, Section
    from chatui.view.glyphs import Glyphs
    from chatui.view.lines import Line

FOUND_PROBLEM = 1
WIDEST = 110
LIMIT_S = 10.0


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "doctor",
        help="look at each step when something does not work",
        description="Look at each step between this terminal and the model: configuration, folders, key, "
        "proxy, DNS, TCP, TLS, server, model, history, terminal. Nothing is changed. The report holds no "
        "key, no text of yours and no name of your home folder: it can be pasted into an issue.",
    )
    parser.add_argument("--offline", action="store_true", help="ask nobody over the network")
    parser.add_argument(
        "--stream",
        action="store_true",
        help="also send one small question to the model (it may cost a little), to see whether the answer "
        "comes as a stream",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--timeout",
        type=SECONDS,
        default=LIMIT_S,
        metavar="S",
        help=f"seconds for each step of the network (default {LIMIT_S:g})",
    )
    add_whom_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Look at everything.

    Returns:
        0; 1 if there is a problem.
    """
    need_stdout()
    tell = _ignore if arguments.json else _printer()
    diagnosis = asyncio.run(_examine(arguments, tell))
    if arguments.json:
        from chatui.view.diagnosis_lines import diagnosis_json

        print(diagnosis_json(diagnosis))
    else:
        _print_end(diagnosis)
    return FOUND_PROBLEM if diagnosis.problem_count else 0


async def _examine(arguments: argparse.Namespace, tell: "Callable[[Section], None]") -> "Diagnosis":
    from chatui.cli.terminal_asking import ask_terminal
    from chatui.wiring import LaunchOptions
    from chatui.wiring.doctor.examination import examine
    from chatui.wiring.doctor.patient import Patient

    options = LaunchOptions(
        provider=arguments.provider,
        model=arguments.model,
        protocol=arguments.protocol,
        base_url=arguments.base_url,
        api_key_env=arguments.api_key_env,
        is_saved=False,
    )
    async with Patient.of(
        options,
        is_offline=arguments.offline,
        is_asking=arguments.stream,
        limit_s=arguments.timeout,
        terminal=ask_terminal(),
    ) as patient:
        return await examine(patient, tell)


def _ignore(_section: "Section") -> None:
    """The whole is printed at the end."""


def _printer() -> "Callable[[Section], None]":
    """Prints each section as soon as it is there: the network may take its time."""
    from chatui.view.diagnosis_lines import section_lines

    def show(section: "Section") -> None:
        print(_text(section_lines(section, _width(), _signs())), end="", flush=True)

    return show


def _print_end(diagnosis: "Diagnosis") -> None:
    from chatui.view.diagnosis_lines import summary_line

    print(_text([summary_line(diagnosis, _signs())]), end="", flush=True)


def _text(lines: "list[Line]") -> str:
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        from chatui.view.ansi import ansi_text

        return ansi_text(lines)
    from chatui.view.plain import plain_text

    return plain_text(lines)


def _width() -> int:
    return min(shutil.get_terminal_size((WIDEST, 24)).columns, WIDEST)


def _signs() -> "Glyphs":
    from chatui.view.glyphs import glyphs

    return glyphs((sys.stdout.encoding or "").lower().replace("-", "").startswith("utf"))
