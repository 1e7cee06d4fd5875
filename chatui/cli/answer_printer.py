"""Prints a turn while it is received: the answer to stdout, everything else to stderr.

Invariants: what is printed is safe for a terminal at any split, nothing is printed twice, and what was
printed is the whole answer once the turn has ended.
"""

import sys
from math import ceil
from typing import Final, TextIO

from chatui.cli.messages import one_line, sentence, tell
from chatui.core.messages import ToolActivityPart, ToolCallPart, ToolCallState
from chatui.core.safe_text import safe_block
from chatui.core.turn import Phase, Turn
from chatui.engine.updates import Stage, TurnUpdate

_LONGEST_CALL: Final = 2000


class AnswerPrinter:
    """Takes updates.

    Args:
        out: Where the answer goes.
        is_quiet: Print no answer at all (`--json`, `--events`), only what goes to stderr.
    """

    def __init__(self, out: TextIO, *, is_quiet: bool = False) -> None:
        self._out = out
        self._is_quiet = is_quiet
        self._printed = ""
        self._told = ""
        self._has_open_line = False

    def update(self, update: TurnUpdate) -> None:
        """Print what is new.

        Raises:
            BrokenPipeError: the reader of stdout went away.
        """
        self._tell_stage(update)
        if not self._is_quiet:
            self._grow(update.turn.answer)

    def end(self, update: TurnUpdate) -> None:
        """Print what remains to be said."""
        self.update(update)
        turn = update.turn
        if not self._is_quiet:
            if self._printed and not self._printed.endswith("\n"):
                self._out.write("\n")
            self._out.flush()
        for omission in update.omissions:
            tell(f"not sent: {omission.what}: {omission.why}")
        for notice in turn.notices:
            tell(notice)
        if not self._is_quiet:
            self._tell_parts(turn)
        if turn.phase is Phase.FAILED and turn.failure is not None:
            failure = turn.failure
            about = f" (request {failure.request_id})" if failure.request_id else ""
            tell(f"{failure.reason}: {sentence(failure.message + about, failure.hint)}")
        if update.save_error:
            tell(f"not saved: {update.save_error}")

    def _grow(self, text: str) -> None:
        if len(text) == len(self._printed):
            return
        if not text.startswith(self._printed):
            # The server changed what it had said (reasoning that only later turned out to be some): begin
            # anew.
            if not self._printed.endswith("\n"):
                self._out.write("\n")
            tell("what was printed so far was no part of the answer; it begins again")
            self._printed = ""
        self._out.write(safe_block(text[len(self._printed) :]))
        self._out.flush()
        self._printed = text

    def _tell_stage(self, update: TurnUpdate) -> None:
        match update.stage:
            case Stage.PREPARING:
                line = update.preparing
            case Stage.RETRYING:
                line = f"trying again: {update.retry_why}"
                if line != self._told and update.retry_in_s is not None:
                    tell(f"{update.retry_why}; trying again in {max(ceil(update.retry_in_s), 1)} s")
                    self._told = line
                return
            case _:
                self._told = ""
                self._leave_line()
                return
        # Progress comes many times a second; a pipe or log gets each kind of line once.
        key = line if sys.stderr.isatty() else line.partition(" · ")[0]
        if line and key != self._told:
            self._told = key
            if sys.stderr.isatty():
                print(f"\r\x1b[Kchatui: {one_line(line)}", end="", file=sys.stderr, flush=True)
                self._has_open_line = True
            else:
                tell(line)

    def _leave_line(self) -> None:
        """End a line of progress, so that nothing is written behind it."""
        if self._has_open_line:
            self._has_open_line = False
            print(file=sys.stderr, flush=True)

    def _tell_parts(self, turn: Turn) -> None:
        if len(turn.choices) > 1:
            tell(f"{len(turn.choices)} choices came; this is the first, --json shows all")
        for part in turn.parts:
            match part:
                case ToolCallPart():
                    state = "" if part.state is ToolCallState.WHOLE else f" ({part.state})"
                    tell(f"tool call{state}: {part.name} {part.arguments_raw[:_LONGEST_CALL]}")
                case ToolActivityPart():
                    tell(f"{part.name}: {part.status} {part.detail[:_LONGEST_CALL]}")
                case _:
                    pass
