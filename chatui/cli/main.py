"""`chatui`: finds the command, or starts the app.

Invariants: whatever a person types ends in an exit code and, if it was wrong, in one line on stderr, never
in a traceback; `--version` and `--help` load nothing of network, screen or storage.

A command is a module beside this one with `register(subparsers)` and `run(arguments) -> int`; it is found
by its name and imported only when it is called (or listed).
"""

import sys

import chatui

TYPE_CHECKING = False  # type checkers know the name; `typing` itself takes as long to load as a bare Python
if TYPE_CHECKING:
    import argparse
    from types import ModuleType

    from chatui.wiring import LaunchOptions

_NOT_COMMANDS = ("main",)
_CANCELLED = 130
"""`ExitCode.CANCELLED`, without loading it."""


def main(argv: list[str]) -> int:
    """Run the command line and return the exit code."""
    try:
        if argv in (["--version"], ["-V"]):
            print(f"chatui {chatui.__version__}", flush=True)
            return 0
        return _command(argv) if argv and not argv[0].startswith("-") else _app(argv)
    except KeyboardInterrupt:
        return _CANCELLED
    except BrokenPipeError:
        _silence_stdout()
        return _CANCELLED
    except Exception as error:  # noqa: BLE001 - a person gets one line, never a traceback; it can be asked for
        return _told(error)


def _told(error: Exception) -> int:
    """Say in one line what went wrong; the exit code."""
    from chatui.cli.messages import exit_code_of, tell, tell_error
    from chatui.core.errors import ChatuiError

    if isinstance(error, ChatuiError):
        tell_error(error)
        return exit_code_of(error)
    if isinstance(error, OSError) and error.strerror:
        _silence_stdout()
        tell(f"{error.filename or 'standard output'}: {error.strerror}")
        return 1
    return _bug(error)


def _bug(error: Exception) -> int:
    """Say in one line that we failed, and where; the whole story if `CHATUI_TRACEBACK` is set."""
    import os

    from chatui.cli.bug_report import TRACEBACK_VARIABLE, bug_line
    from chatui.cli.messages import tell

    if os.environ.get(TRACEBACK_VARIABLE):
        import traceback

        traceback.print_exception(error)
    tell(bug_line(error))
    return 1


def command_names() -> tuple[str, ...]:
    """Names of the modules that may hold a command."""
    from pkgutil import iter_modules

    import chatui.cli

    return tuple(
        sorted(
            module.name for module in iter_modules(chatui.cli.__path__) if module.name not in _NOT_COMMANDS
        )
    )


def _command(argv: list[str]) -> int:
    from chatui.core.errors import ConfigError

    module = _command_module(argv[0])
    if module is None:
        from difflib import get_close_matches

        known = [name for name in command_names() if _command_module(name) is not None]
        near = get_close_matches(argv[0], known, 1)
        hint = f"Did you mean {near[0]}?" if near else f"Commands: {', '.join(known)}"
        raise ConfigError(f"there is no command {argv[0]!r}", hint)
    parser = _parser()
    module.register(parser.add_subparsers(dest="command"))
    if "-h" in argv or "--help" in argv:
        from chatui.cli.examples import complete_help

        complete_help(parser)
    arguments, unknown = parser.parse_known_args(argv)
    if unknown:
        has_options = any(word.startswith("-") for word in unknown)
        hint = f"See chatui {argv[0]} --help" if has_options else "Words that belong together need quotes."
        raise ConfigError(f"unrecognized arguments: {' '.join(unknown)}", hint)
    return int(module.run(arguments))


def _command_module(name: str) -> "ModuleType | None":
    from importlib import import_module

    if name not in command_names():
        return None
    module = import_module(f"chatui.cli.{name}")
    return module if hasattr(module, "register") else None


def _app(argv: list[str]) -> int:
    options, is_plain = _app_options(argv)
    if is_plain or _is_accessible():
        from chatui.cli.plain_chat import run_plain

        return run_plain(options)
    from chatui.cli.app_launch import launch_app

    return launch_app(options)


def _app_options(argv: list[str]) -> "tuple[LaunchOptions, bool]":
    """How to start, and whether in lines; who gives no option waits for no parser."""
    if not argv:
        from chatui.wiring import LaunchOptions

        return LaunchOptions(), False
    from chatui.cli.launch_options import launch_options

    parser = whole_parser() if "-h" in argv or "--help" in argv else _app_parser()
    arguments = parser.parse_args(argv)
    return launch_options(arguments), bool(arguments.plain)


def _app_parser() -> "argparse.ArgumentParser":
    """The options of the app, without the commands: these are found by their first word."""
    from chatui.cli.launch_options import add_attach_option, add_launch_options

    parser = _parser()
    add_launch_options(parser)
    add_attach_option(parser)
    parser.add_argument(
        "--plain", action="store_true", help="no full screen: lines only (also: ACCESSIBLE=1)"
    )
    parser.add_argument("-V", "--version", action="version", version=f"chatui {chatui.__version__}")
    return parser


def whole_parser() -> "argparse.ArgumentParser":
    """All options and commands, for help and completion."""
    parser = _app_parser()
    subparsers = parser.add_subparsers(dest="command", title="commands", metavar="COMMAND")
    for name in command_names():
        module = _command_module(name)
        if module is not None:
            module.register(subparsers)
    from chatui.cli.examples import complete_help

    complete_help(parser)
    return parser


def _is_accessible() -> bool:
    """The environment asks for lines in place of a full screen."""
    import os

    return os.environ.get("ACCESSIBLE", "") not in ("", "0", "false", "no")


def _parser() -> "argparse.ArgumentParser":
    from chatui.cli.launch_options import OneLineParser

    return OneLineParser(
        prog="chatui",
        description="A chat with language models in your terminal. Without a command the app starts.",
        epilog="`chatui COMMAND --help` tells more of a command.",
    )


def _silence_stdout() -> None:
    """Nothing can be written any more, and nothing may complain when the interpreter flushes at exit."""
    import os

    if sys.stdout is None:
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
