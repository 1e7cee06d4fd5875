"""What a protocol's interpreter and its decoder know of each other.

Invariant: an interpreter sees JSON objects only, never bytes; what it says goes into the context's sink,
and the first failure stands.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from chatui.core import ending
from chatui.core.error_shapes import ErrorFound, find_error, is_error_name
from chatui.core.errors import Failure
from chatui.core.event_sink import EventSink
from chatui.core.events import UnknownEvent
from chatui.core.json_access import JsonObject
from chatui.core.line_shape import Holes
from chatui.core.sse import STRAY


class Interpreter(Protocol):
    """What a protocol makes of the JSON values of one response."""

    is_over: bool
    """The protocol's last event was seen: nothing that follows counts. An attribute: it is read often."""

    @property
    def has_proof(self) -> bool:
        """The protocol's proof of completion was seen; something harmless may still follow (usage)."""
        ...

    @property
    def has_open_ends(self) -> bool:
        """Beside what is proved, something of the answer is still being received."""
        ...

    @property
    def missing(self) -> str:
        """What the proof lacks, as the end of a sentence: `but never said why it stopped`."""
        ...

    @property
    def finish_reason(self) -> str | None:
        """The protocol's own word, if it came."""
        ...

    def take(self, name: str, value: JsonObject) -> None:
        """One JSON object. `name` is the value of the `event` field."""
        ...

    def take_done(self) -> None:
        """The line `[DONE]`."""
        ...

    def flush(self) -> None:
        """Called at the end of each feed: give what is cheaper given once than at each delta."""
        ...

    def verdict(self) -> Failure | None:
        """Called at the end if the proof was seen: what the protocol's own words say against completion."""
        ...

    def wrap_up(self, *, is_proved: bool) -> None:
        """Last call before the end: give what was held back."""
        ...


class Lesson:
    """Holes of the line just taken, and who gets its text; for lines that say only a delta.

    Texts and counters are given for a run of lines at once; of numbers only those of its last line count.
    """

    __slots__ = ("count", "holes", "number", "take")

    def __init__(
        self,
        holes: Holes,
        take: Callable[[list[str]], None],
        count: Callable[[list[int]], None] | None = None,
        number: Callable[[tuple[int, ...]], None] | None = None,
    ) -> None:
        self.holes = holes
        self.take = take
        self.count = count
        self.number = number


class Context:
    """What an interpreter reaches of its decoder."""

    def __init__(self) -> None:
        self.sink = EventSink()
        self._lesson: Lesson | None = None
        self.failure: Failure | None = None
        self.suspect: ErrorFound | None = None
        """What may have been an error: it was one if the proof never comes."""
        self.wants_lesson = False
        """A lesson would be taken now: only then is it worth making one."""

    def teach(self, lesson: Lesson) -> None:
        """The line being taken says nothing but a delta: lines like it need no full parse."""
        self._lesson = lesson

    def take_lesson(self) -> Lesson | None:
        """The lesson of the line just taken."""
        lesson, self._lesson = self._lesson, None
        return lesson

    def fail(self, failure: Failure) -> None:
        """The turn has failed; the first failure stands."""
        if self.failure is None:
            self.failure = failure

    def fail_with(self, error: ErrorFound) -> None:
        """The server reported an error, for sure or maybe."""
        if not error.is_sure:
            self.suspect = self.suspect or error
            return
        self.sink.drain_pending()
        self.fail(ending.reported(error, self.sink.characters))

    def take_unknown(self, kind: str, value: JsonObject, *, name: str) -> None:
        """An event of a kind that the protocol does not know: an error in some shape, or only counted."""
        error = find_error_in(value, is_lone=not kind, name=name)
        if error is not None:
            self.fail_with(error)
        else:
            self.sink.put(UnknownEvent(kind))


def find_error_in(value: JsonObject, *, is_lone: bool, name: str = "") -> ErrorFound | None:
    """The error that an object reports, also when only the event's name says that it is one."""
    is_named = name != STRAY and is_error_name(name)
    error = find_error(value, is_lone=is_lone or is_named)
    if not is_named:
        return error
    return replace(error, is_sure=True) if error is not None else ErrorFound("unnamed error")
