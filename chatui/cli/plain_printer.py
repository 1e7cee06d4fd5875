"""Says how a turn goes, in lines that are only ever added.

Invariants: nothing that was printed is changed or drawn over, no control sequence is written; each change of
phase is said once, in words; an answer comes in whole lines.
"""

from typing import Final, TextIO

from chatui.cli.messages import one_line, sentence, with_doctor
from chatui.cli.tool_telling import ToolTeller
from chatui.core.messages import ReasoningPart, ToolCallPart
from chatui.core.safe_text import safe_block
from chatui.core.turn import Turn
from chatui.engine.updates import CallStage, Stage, TurnUpdate

LONGEST_PIECE: Final = 240
"""A line that goes on for longer is said in pieces, cut between words."""


class PlainPrinter:
    """Says how a turn goes, in lines."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._said = ""
        self._printed = 0
        self._waiting = ""
        self.last: TurnUpdate | None = None
        self._tools = ToolTeller()

    def say(self, text: str) -> None:
        """One line of the program itself."""
        self._out.write(f"[{one_line(text)}]\n")
        self._out.flush()

    def begin(self) -> None:
        """A new turn."""
        self._said = ""
        self._printed = 0
        self._waiting = ""
        self.last = None

    def update(self, update: TurnUpdate) -> None:
        """The session says how far it is."""
        if self.last is not None and self.last.turn.turn_id != update.turn.turn_id:
            self.end()  # it called for tools: the next answer begins
            self.begin()
        self.last = update
        for line in self._tools.news_of(update):
            self.say(line)
        words = _words(update)
        if words and words != self._said:
            self._said = words
            self.say(words)
        self._grow(update.turn.answer)

    def end(self) -> None:
        """The turn is over: what is left of the answer, then how it ended."""
        update = self.last
        if update is None:
            return
        self._print(self._waiting)
        self._waiting = ""
        turn = update.turn
        for part in turn.parts:
            if isinstance(part, ToolCallPart):
                self.say(f"tool call: {part.name} {part.arguments_raw[:400]}")
        if update.why_not_run:
            self.say(f"tools not run: {update.why_not_run}")
        for omission in update.omissions:
            self.say(f"not sent: {omission.what}: {omission.why}")
        self.say(ending_words(turn))
        if update.save_error:
            self.say(f"not saved: {update.save_error}")

    def _grow(self, text: str) -> None:
        new = text[self._printed :]
        if not new:
            return
        self._printed = len(text)
        lines = (self._waiting + new).split("\n")
        self._waiting = lines.pop()
        for line in lines:
            self._print(line, is_whole=True)
        while len(self._waiting) > LONGEST_PIECE and " " in self._waiting[:LONGEST_PIECE]:
            cut = self._waiting.rindex(" ", 0, LONGEST_PIECE)
            self._print(self._waiting[:cut], is_whole=True)
            self._waiting = self._waiting[cut + 1 :]

    def _print(self, text: str, *, is_whole: bool = False) -> None:
        if text or is_whole:
            self._out.write(safe_block(text) + "\n")
            self._out.flush()


def _words(update: TurnUpdate) -> str:
    """What is said of a stage; empty if nothing is."""
    match update.stage:
        case Stage.PREPARING:
            return update.preparing.partition(" · ")[0] or "starting the model"
        case Stage.CONNECTING | Stage.WAITING:
            return "waiting for the answer"
        case Stage.RETRYING:
            return f"trying again soon: {update.retry_why}" if update.retry_why else "trying again soon"
        case Stage.STOPPING:
            return "stopping"
        case Stage.CALLING:
            return next(
                (f"running {one.call.name}" for one in update.calls if one.stage is CallStage.RUNNING), ""
            )
        case Stage.RECEIVING:
            is_thinking = not update.turn.answer and any(
                isinstance(part, ReasoningPart) for part in update.turn.parts
            )
            return "thinking" if is_thinking else "answer"
        case _:
            return ""


def ending_words(turn: Turn) -> str:
    """How a turn ended, in words."""
    from chatui.view.badge import turn_badge
    from chatui.view.glyphs import ASCII

    words = turn_badge(turn, ASCII).text
    failure = turn.failure
    if failure is None:
        return words
    return f"{words}. {with_doctor(sentence(failure.message, failure.hint), failure)}"
