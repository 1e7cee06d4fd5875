"""What commands say on stderr: one safe line each, and the exit code that goes with an error.

Invariant: no text from outside reaches the terminal unsanitised, and no error is more than one line.
"""

import io
import sys
from typing import TextIO

from chatui.core.doctor_words import DOCTOR_COMMAND, leads_to_doctor
from chatui.core.errors import (
    ChatuiError,
    ConfigError,
    ExitCode,
    Failure,
    StoreError,
    ToolError,
    TransportError,
    WireError,
)
from chatui.core.safe_text import safe_line


def tell(text: str) -> None:
    """One line on stderr."""
    print(f"chatui: {one_line(text)}", file=sys.stderr, flush=True)


def say(text: str) -> None:
    """One line on stdout: safe in a terminal, exact for a program that reads it."""
    print(safe_line(text) if sys.stdout.isatty() else text)


def tell_error(error: ChatuiError) -> None:
    """An error and what can be done, in one line."""
    tell(sentence(error.message, error.hint))


def sentence(message: str, hint: str) -> str:
    """A message and its hint, joined."""
    if not hint:
        return message
    return f"{message} {hint}" if message.endswith((".", "!", "?")) else f"{message}. {hint}"


def with_doctor(told: str, failure: Failure) -> str:
    """What is told of a failure, with the command that tells more, where it can."""
    return sentence(told, DOCTOR_COMMAND) if leads_to_doctor(failure) else told


def one_line(text: str) -> str:
    """Safe text of one line; the lines of a message are joined by spaces."""
    return safe_line(" ".join(text.split()))


def need_stdout() -> None:
    """Make sure that an answer can be printed, with question marks for what a terminal cannot show.

    Raises:
        ConfigError: standard output is closed.
    """
    if sys.stdout is None:
        raise ConfigError("standard output is closed")
    forgive_encoding(sys.stdout)


def forgive_encoding(stream: TextIO) -> None:
    """Let a terminal that cannot show a character show a question mark instead of ending the program."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")


def exit_code_of(error: ChatuiError) -> ExitCode:
    """The exit code of an error that ended a command."""
    match error:
        case StoreError():
            return ExitCode.HISTORY
        case TransportError():
            return ExitCode.TRANSPORT
        case WireError():
            return ExitCode.PROTOCOL
        case ToolError():
            return ExitCode.ERROR
        case ConfigError():
            return ExitCode.USAGE
        case _:
            return ExitCode.USAGE
