"""What other programs of this machine print: tmux, asked for its options.

Invariant: a program that is missing, fails or hangs is a value that is not known, never an error.
"""

import subprocess
from collections.abc import Callable, Sequence
from typing import Final

LIMIT_S: Final = 3.0


def printed_by(command: Sequence[str]) -> str | None:
    """What a program prints; None if it cannot be run, fails or takes too long."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed words of ours, no shell
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S, check=False
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None


def tmux_option(name: str, output_of: Callable[[Sequence[str]], str | None] = printed_by) -> str:
    """The value of a global option of tmux; empty if it is not known."""
    return output_of(("tmux", "show-options", "-gqv", name)) or ""
