"""What a person gets when chatui itself failed: one line, and a file for whoever mends it.

Invariant: neither holds anything that was written or received: places in the program and names of errors
only, never their messages or values, because these may quote prompts, answers and keys.
"""

import os
import traceback
from pathlib import Path
from typing import Final

import chatui

TRACEBACK_VARIABLE: Final = "CHATUI_TRACEBACK"
"""If it is set, Python's own traceback goes to stderr too: with messages, for somebody at the keyboard."""
REPORT_NAME: Final = "bug-report.txt"


def bug_line(error: BaseException) -> str:
    """What happened and where the report is, in one line."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    said = f"a bug of chatui: {type(error).__name__}{place}."
    path = _written(_report(error))
    if path is None:
        return f"{said} Set {TRACEBACK_VARIABLE}=1 for a report of it."
    return f"{said} The report, without any of your text: {path}"


def _report(error: BaseException) -> str:
    import platform

    lines = [f"chatui {chatui.__version__}, Python {platform.python_version()}, {platform.platform()}"]
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        lines += ["", f"{type(at).__module__}.{type(at).__qualname__}"]
        frames = traceback.extract_tb(at.__traceback__)
        lines += [f"  {frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        at = at.__cause__ or at.__context__
    return "\n".join(lines) + "\n"


def _written(report: str) -> Path | None:
    """Where the report is now; None if it could not be written."""
    from chatui.config.paths import find_paths

    path = find_paths().state_dir / REPORT_NAME
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(report)
    except OSError:
        return None
    return path
