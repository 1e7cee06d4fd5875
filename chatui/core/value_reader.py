"""The JSON values of a response to the interpreter of its protocol: those of its events, or of a body.

Invariants: nothing that follows the protocol's end or an error is read; what is no JSON is an error only if
it cannot be anything else (a web page, an object that arrived broken), and is otherwise an event that no one
knows. Sources: WHATWG event streams; what servers put behind `data:` instead of one object (FIELD.md, wire
cases).
"""

from typing import Final

from chatui.core import ending
from chatui.core.error_shapes import ErrorFound, is_error_name
from chatui.core.events import UnknownEvent
from chatui.core.http_failure import html_title
from chatui.core.interpreter import Context, Interpreter
from chatui.core.json_access import BadJson, JsonObject, as_label, parse_at, parse_values
from chatui.core.learned_shapes import LearnedShapes
from chatui.core.sse import STRAY

DONE: Final = "[DONE]"


class ValueReader:
    """Hands values to an interpreter, those of lines like earlier ones without parsing them."""

    def __init__(self, interpreter: Interpreter, context: Context, *, has_fast_path: bool) -> None:
        self._interpreter = interpreter
        self._context = context
        self._sink = context.sink
        self._shapes = LearnedShapes(can_learn=has_fast_path)
        self.has_read_objects = False
        """Something was said that could be of the protocol."""

    @property
    def is_finished(self) -> bool:
        """The protocol's own end, or an error, was seen: nothing more needs to be read."""
        return self._context.failure is not None or self._interpreter.is_over

    def take(self, values: list[object]) -> None:
        """Values of a body."""
        for value in values:
            if not self.is_finished:
                self._one("", value)

    def read(self, events: list[tuple[str, str]], *, is_cut: bool = False) -> None:
        """Names and data of events; runs of lines that match a shape cost one regular expression each.

        Args:
            events: In order.
            is_cut: The input ended inside of them.
        """
        at = 0
        size = len(events)
        interpreter = self._interpreter
        context = self._context
        while at < size:
            if self._shapes:
                at = self._shapes.read(events, at)
                if at == size:
                    return
            name, line = events[at]
            at += 1
            self._slowly(name, line, is_cut=is_cut)
            if interpreter.is_over or context.failure is not None:
                return

    def _slowly(self, name: str, line: str, *, is_cut: bool) -> None:
        try:
            value, end = parse_at(line, 0)
        except BadJson:
            value, end = None, -1
        if end == len(line) and isinstance(value, dict):
            self._object(name, value, line)
            return
        data = line.strip()
        while data.startswith("data:"):
            data = data[5:].lstrip()  # two layers of gateway framed it, one after the other
        if data.upper() == DONE:
            self._interpreter.take_done()
            return
        try:
            values = parse_values(data)
        except BadJson:
            self._not_json(name, data, is_cut=is_cut)
            return
        items = [item for value in values for item in (value if isinstance(value, list) else (value,))]
        for item in items or (None,):
            self._one(name, item)
            if self._context.failure is not None:
                return

    def _one(self, name: str, value: object) -> None:
        if isinstance(value, dict):
            self._object(name, value, "")
        elif self._is_error(name):
            self._context.fail_with(ErrorFound(as_label(value)[:500] or "unnamed error"))
        elif value is not None:
            self._sink.put(UnknownEvent(name or type(value).__name__))

    @staticmethod
    def _is_error(name: str) -> bool:
        return name != STRAY and is_error_name(name)

    def _object(self, name: str, value: JsonObject, line: str) -> None:
        self.has_read_objects = True
        context = self._context
        context.wants_lesson = self._shapes.wants_lesson(line)
        self._interpreter.take("" if name == STRAY else name, value)
        if context.wants_lesson:
            lesson = context.take_lesson()
            if lesson is not None:
                self._shapes.learn(name, line, value, lesson)

    def _not_json(self, name: str, data: str, *, is_cut: bool) -> None:
        context = self._context
        if "\n" in data and self._lines_apart(name, data, is_cut=is_cut):
            return
        if is_cut and data[:1] in '{["':
            return  # The input ended inside this event: that it was cut is told anyway.
        self._sink.drain_pending()
        characters = self._sink.characters
        if self._is_error(name):
            context.fail(ending.reported(ErrorFound(data[:500] or "unnamed error"), characters))
        elif data.startswith("<"):
            title = html_title(data)
            what = f"A web page (“{title}”)" if title else "A web page"
            context.fail(ending.undecodable(characters, f"{what} arrived instead of an event", data))
        elif data[:1] in '{["':
            context.fail(ending.undecodable(characters, "An event arrived broken", data))
        elif data.lower().startswith(("error", "internal server error")):
            context.fail(ending.reported(ErrorFound(data[:500]), characters))
        else:
            self._sink.put(UnknownEvent(name or data[:40]))

    def _lines_apart(self, name: str, data: str, *, is_cut: bool) -> bool:
        """Several events that a server did not separate: each line must stand for itself."""
        lines = [line for line in data.split("\n") if line.strip()]
        try:
            for line in lines:
                if line.strip() != DONE:
                    parse_values(line)
        except BadJson:
            return False
        for line in lines:
            if not self.is_finished:
                self._slowly(name, line, is_cut=is_cut)
        return True
