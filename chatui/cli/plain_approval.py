"""Asks about a call in lines, where a person sits at the terminal.

Invariants: the whole call is printed, safe, before anything is asked; only an answer that was typed after the
question counts; anything but a clear yes is a no.
"""

import asyncio
import sys
from collections.abc import Callable
from typing import TextIO

from chatui.engine.approval import ApprovalRequest, Decision, Verdict

WIDTH = 100
QUESTION = "May it be run? y once, a always in this conversation, n or anything else: no"
YES = {"y": Verdict.ONCE, "yes": Verdict.ONCE, "a": Verdict.ALWAYS, "always": Verdict.ALWAYS}


class PlainApprover:
    """Prints the call and reads a line.

    Args:
        out: Where the call is printed.
        say: Says a line of the program itself.
    """

    def __init__(self, out: TextIO, say: Callable[[str], None]) -> None:
        self._out = out
        self._say = say

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Ask."""
        from chatui.view.approval_lines import approval_lines, approval_title
        from chatui.view.glyphs import ASCII

        self._say(approval_title(request, WIDTH))
        for line in approval_lines(request, WIDTH, ASCII):
            self._out.write("".join(run.text for run in line.runs) + "\n")
        self._say(QUESTION)
        self._out.flush()
        answer = (await _typed_line()).strip()
        verdict = YES.get(answer.lower())
        if verdict is not None:
            return Decision(verdict)
        return Decision(Verdict.DENY, "" if answer.lower() in ("", "n", "no") else answer)


async def _typed_line() -> str:
    """A line typed from now on; reading it can be given up, which leaves later input to others."""
    import termios

    descriptor = sys.stdin.fileno()
    termios.tcflush(descriptor, termios.TCIFLUSH)
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)
    return sys.stdin.readline()


def approver_here(out: TextIO, say: Callable[[str], None]) -> PlainApprover | None:
    """The person at this terminal; None where nobody sits at one."""
    if sys.platform == "win32" or not sys.stdin.isatty():
        return None
    return PlainApprover(out, say)
