"""`chatui ask`: one question, one answer, the same session as the app."""

import argparse
import asyncio
import contextlib
import os
import signal
import stat
import sys
from typing import TYPE_CHECKING

from chatui.cli.launch_options import add_attach_option, add_launch_options, launch_options
from chatui.cli.messages import need_stdout
from chatui.core.errors import ConfigError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chatui.core.conversation import Conversation
    from chatui.core.events import StreamEvent
    from chatui.core.messages import Message
    from chatui.core.turn import Turn
    from chatui.engine.session import ChatSession, Endpoint, TurnUpdate
    from chatui.wiring import LaunchOptions
    from chatui.wiring.workspace import Workspace


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "ask",
        help="ask one question and print the answer",
        description="Ask one question. The answer goes to stdout as it comes, everything else to stderr; "
        "what comes in through a pipe is added to the prompt.",
    )
    parser.add_argument(
        "prompt", nargs="?", metavar="PROMPT", help="the question (default: what comes through a pipe)"
    )
    add_attach_option(parser)
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print one JSON object at the end")
    output.add_argument("--events", action="store_true", help="print the stream events as JSON lines")
    parser.add_argument(
        "--save-audio", metavar="FILE", help="write the sound of a spoken answer to a new file"
    )
    add_launch_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Ask.

    Returns:
        The exit code.
    """
    prompt = joined_prompt(arguments.prompt)
    options = launch_options(arguments)
    if not prompt.strip() and not options.attachments:
        raise ConfigError("the prompt is empty", "Give one as an argument or through a pipe.")
    need_stdout()
    sound_path = arguments.save_audio or ""
    if os.path.lexists(os.path.expanduser(sound_path)):
        raise ConfigError(f"--save-audio: {sound_path} exists", "Name a new file: nothing is replaced.")
    return asyncio.run(_ask(prompt, options, arguments.json, arguments.events, sound_path))


async def _ask(prompt: str, options: "LaunchOptions", is_json: bool, is_events: bool, sound_path: str) -> int:
    from chatui.cli.messages import tell
    from chatui.core.messages import user_message
    from chatui.wiring import open_workspace

    message = user_message(prompt) if not options.attachments else _with_files(prompt, options)
    workspace = open_workspace(options)
    try:
        for problem in workspace.problems:
            tell(problem)
        endpoint = workspace.resolve()
        conversation = workspace.starting_conversation()
        tell_other_provider(workspace, conversation, endpoint)
        if not conversation.is_temporary and workspace.history.trouble:
            tell(workspace.history.trouble)
        if workspace.record_directory is not None:
            tell(f"recording to {workspace.record_directory}")
        for problem in workspace.attachment_problems(endpoint):
            tell(problem)
        runner = TurnPrinter(is_json=is_json, is_events=is_events, sound_path=sound_path)
        session = workspace.build_session(
            runner.updated,
            conversation,
            endpoint=endpoint,
            on_event=runner.heard if is_events else None,
        )
        return await runner.run(session, (message,))
    finally:
        await workspace.aclose()


def tell_other_provider(workspace: "Workspace", conversation: "Conversation", endpoint: "Endpoint") -> None:
    """Say so if a conversation goes on with another provider than before that nobody named.

    The address of `--base-url` is not kept with a conversation, as little as the key that went there.
    """
    from chatui.cli.messages import tell

    options = workspace.options
    path = conversation.path() or conversation.unfinished
    if not path or options.provider or options.base_url or options.profile:
        return
    last = path[-1]
    if not last.provider or last.provider == endpoint.provider:
        return
    is_known = any(choice.name == last.provider for choice in workspace.choices())
    place = f"-p {last.provider}" if is_known else "--base-url URL"
    tell(
        f"the last answer came from {last.provider} ({last.requested_model}), this one comes from "
        f"{endpoint.provider} ({endpoint.model}); to go on there give {place} -m {last.requested_model}"
    )


def _with_files(prompt: str, options: "LaunchOptions") -> "Message":
    """The prompt with the files of `-a`.

    Raises:
        ConfigError: a file is missing, too large, or nothing that can be sent.
    """
    from pathlib import Path

    from chatui.wiring.attaching import message_with_files

    return message_with_files(prompt, [Path(path).expanduser() for path in options.attachments])


class TurnPrinter:
    """Runs one turn of a session and prints it in one of three ways."""

    def __init__(self, *, is_json: bool, is_events: bool, sound_path: str = "") -> None:
        from chatui.cli.answer_printer import AnswerPrinter
        from chatui.cli.tool_telling import ToolTeller

        self._is_json = is_json
        self._is_events = is_events
        self._sound_path = sound_path
        self._printer = AnswerPrinter(sys.stdout, is_quiet=is_json or is_events)
        self._session: ChatSession | None = None
        self._last: TurnUpdate | None = None
        self._steps: list[Turn] = []
        self._calls = ToolTeller()
        self._lost_output: OSError | None = None

    def updated(self, update: "TurnUpdate") -> None:
        """The session says how far it is."""
        from chatui.cli.tool_telling import call_json
        from chatui.cli.turn_json import dump

        if self._last is not None and self._last.turn.turn_id != update.turn.turn_id:
            self._steps.append(self._last.turn)
        self._last = update
        if self._lost_output is not None:
            return
        try:
            self._printer.update(update)
            if self._is_events:
                for progress in self._calls.changes(update):
                    print(dump(call_json(progress)), flush=True)
        except OSError as error:
            self._lose_output(error)

    def heard(self, event: "StreamEvent") -> None:
        """A stream event came."""
        from chatui.cli.turn_json import event_json

        if self._lost_output is not None:
            return
        try:
            print(event_json(event), flush=True)
        except OSError as error:
            self._lose_output(error)

    async def run(self, session: "ChatSession", messages: "tuple[Message, ...]") -> int:
        """Send and print; the exit code.

        Raises:
            OSError: stdout cannot be written to (a full disk, a reader that went away).
        """
        from chatui.cli.turn_json import turn_json
        from chatui.core.errors import EXIT_CODES

        self._session = session
        with interrupts(session):
            turn = await session.send(messages)
        if self._lost_output is not None:
            raise self._lost_output
        last = self._last
        assert last is not None
        self._printer.end(last)
        if self._sound_path:
            _save_sound(turn, self._sound_path)
        if self._is_json:
            conversation = session.conversation
            is_kept = not conversation.is_temporary and last.save_error == ""
            name = conversation.conversation_id if is_kept else None
            print(turn_json(turn, name, self._steps, last.omissions), flush=True)
        if turn.failure is not None:
            return EXIT_CODES[turn.failure.reason]
        return ExitCode.HISTORY if last.save_error else ExitCode.COMPLETED

    def _lose_output(self, error: OSError) -> None:
        """Nobody can see the answer any more: stop it."""
        self._lost_output = error
        if self._session is not None:
            self._session.cancel()


def _save_sound(turn: "Turn", path: str) -> None:
    """Write what the answer sounds like, and say so on stderr; a file that exists is never replaced."""
    from chatui.cli.messages import tell
    from chatui.core.spoken_audio import sound_of

    sound = sound_of(turn)
    if sound is None:
        tell("no sound came with this answer")
        return
    try:
        with open(os.path.expanduser(path), "xb") as file:
            file.write(sound.content)
    except OSError as error:
        tell(f"the sound cannot be written to {path}: {error.strerror or error}")
        return
    note = ", bare samples, under the header of a WAV file" if sound.is_header_added else ""
    tell(f"sound written to {path} ({len(sound.content)} bytes{note})")


@contextlib.contextmanager
def interrupts(session: "ChatSession") -> "Iterator[None]":
    """Ctrl+C stops the answer, which keeps what was received; a second one ends the process at once."""
    loop = asyncio.get_running_loop()
    handled: list[signal.Signals] = []

    def stop() -> None:
        for number in handled:
            loop.remove_signal_handler(number)
        session.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop)
        except (RuntimeError, ValueError):
            break  # Windows has none: Ctrl+C cancels the main task instead, with the same effect.
        handled.append(number)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)


def joined_prompt(argument: str | None) -> str:
    """The prompt of the command line and what comes through a pipe, with an empty line between."""
    said = "" if argument is None else argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    piped = _piped().rstrip("\n")
    return f"{said}\n\n{piped}" if said.strip() and piped.strip() else said or piped


def _piped() -> str:
    """What stands on standard input, if it is a pipe, socket or file."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return ""
    if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)):
        return ""
    return sys.stdin.buffer.read().decode("utf-8", "replace")
