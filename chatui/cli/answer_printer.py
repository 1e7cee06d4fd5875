"""Prints a turn while it is received: the answer to stdout, everything else to stderr.

Invariants: what is printed is safe for a terminal at any split, nothing is printed twice, and what was
printed is the whole answer once the turn has ended.
"""

import os
import shutil
import sys
from math import ceil
from typing import Final, TextIO

from chatui.cli.messages import sentence, tell, with_doctor
from chatui.cli.tool_telling import ToolTeller
from chatui.core.messages import ImagePart, ReasoningPart, ToolActivityPart, ToolCallPart, ToolCallState
from chatui.core.safe_text import safe_block
from chatui.core.turn import Phase, Turn
from chatui.engine.updates import CallStage, Stage, TurnUpdate

_LONGEST_CALL: Final = 2000


class PassingLine:
    """A line on a terminal that is gone when there is something to read; nothing in a log or pipe."""

    def __init__(self, out: TextIO | None) -> None:
        self._out = out
        self._shown = ""
        self.can_show = out is not None and out.isatty() and os.environ.get("TERM") != "dumb"
        """Whether there is a terminal that can take a line back."""

    def show(self, text: str) -> None:
        """Show this in place of what is shown; an empty text takes that back."""
        if self._out is None or not self.can_show or text == self._shown:
            return
        if not text:
            self.clear()
            return
        from chatui.view.plain_lines import one_line as clipped

        self._shown = text
        # One that wraps could not be taken back.
        width = shutil.get_terminal_size().columns - 1
        print(f"\r\x1b[K{clipped(f'chatui: {text}', width)}", end="", file=self._out, flush=True)

    def clear(self) -> None:
        """Take the line back."""
        if self._shown and self._out is not None:
            self._shown = ""
            print("\r\x1b[K", end="", file=self._out, flush=True)


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
        self._last: TurnUpdate | None = None
        self._tools = ToolTeller()
        self._passing = PassingLine(sys.stderr)

    def update(self, update: TurnUpdate) -> None:
        """Print what is new.

        Raises:
            BrokenPipeError: the reader of stdout went away.
        """
        if self._last is not None and self._last.turn.turn_id != update.turn.turn_id:
            # The answer before called for tools: it is whole, and this is the next one.
            self._close(self._last)
            self._printed = self._told = ""
        self._last = update
        self._tell_stage(update)
        self._tell_calls(update)
        if not self._is_quiet:
            self._grow(update.turn.answer)

    def end(self, update: TurnUpdate) -> None:
        """Print what remains to be said."""
        self._passing.clear()
        self.update(update)
        self._close(update)

    def _close(self, update: TurnUpdate) -> None:
        """Say what remains to be said of one turn."""
        self._passing.clear()
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
        if update.why_not_run:
            tell(f"tools not run: {update.why_not_run}")
        if turn.phase is Phase.FAILED and turn.failure is not None:
            failure = turn.failure
            about = f" (request {failure.request_id})" if failure.request_id else ""
            told = sentence(failure.message + about, failure.hint)
            tell(f"{failure.reason}: {with_doctor(told, failure)}")
        if update.save_error:
            tell(f"not saved: {update.save_error}")

    def _grow(self, text: str) -> None:
        if len(text) == len(self._printed):
            return
        self._passing.clear()
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
                    self._passing.clear()
                    tell(f"{update.retry_why}; trying again in {max(ceil(update.retry_in_s), 1)} s")
                    self._told = line
                return
            case _:
                self._told = ""
                self._tell_waiting(update)
                return
        # Progress comes many times a second; a pipe or log gets each kind of line once.
        key = line.partition(" · ")[0]
        if self._passing.can_show:
            self._passing.show(line)
        elif line and key != self._told:
            self._told = key
            tell(line)

    def _tell_calls(self, update: TurnUpdate) -> None:
        for line in self._tools.news_of(update):
            self._passing.clear()
            tell(line)

    def _tell_waiting(self, update: TurnUpdate) -> None:
        """While there is nothing to read, a terminal says whom we wait for."""
        turn = update.turn
        if self._is_quiet or turn.answer or turn.phase is not Phase.RECEIVING:
            self._passing.clear()
        elif update.stage is Stage.CALLING:
            running = [call.call.name for call in update.calls if call.stage is CallStage.RUNNING]
            self._passing.show(f"running {running[0]}…" if running else "")
        elif any(isinstance(part, ReasoningPart) for part in turn.parts):
            self._passing.show(f"{turn.requested_model} is thinking…")
        else:
            self._passing.show(f"waiting for {turn.requested_model}…")

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
                case ImagePart():
                    tell(f"picture: {_picture_facts(part)[:_LONGEST_CALL]}")
                case _:
                    pass


def _picture_facts(part: ImagePart) -> str:
    from chatui.core.attached_file import attached_file
    from chatui.core.attachment_limits import what_is_sent

    file = attached_file(part)
    return what_is_sent(file) if file is not None else part.url or part.media_type
