"""Bytes of a response to events, for any protocol; what they mean is the protocol's.

Invariants: `feed` and `close` never raise for what the wire says; any split of the bytes gives the same
events but for merging; after the protocol's end, or an error, nothing more is read; the last event is the
only end. Sources: WHATWG event streams; what servers send instead: a whole JSON body though a stream was
asked for, a web page, an error without its `data:` (FIELD.md, wire cases).
"""

from collections.abc import Callable
from enum import Enum, auto
from typing import Final

from chatui.core import ending
from chatui.core.body_values import is_whole, values_of
from chatui.core.errors import Failure
from chatui.core.events import StreamCompleted, StreamEvent, StreamFailed
from chatui.core.http_failure import html_title
from chatui.core.interpreter import Context, Interpreter
from chatui.core.json_lines import JsonLines, begins_with_lines
from chatui.core.sse import SseDecoder
from chatui.core.value_reader import ValueReader
from chatui.core.wire import Dialect, StreamDecoder

Interpret = Callable[[Dialect, Context], Interpreter]
"""Makes the interpreter of one response."""

_BOM: Final = b"\xef\xbb\xbf"
_SPACE: Final = b" \t\r\n"
_BODY_LIMIT_BYTES: Final = 128 * 1024 * 1024


class _Mode(Enum):
    UNDECIDED = auto()
    EVENTS = auto()
    BODY = auto()
    LINES = auto()


def decoder_of(
    interpret: Interpret, dialect: Dialect, *, is_body: bool, has_fast_path: bool = True
) -> StreamDecoder:
    """A decoder of one response of a protocol."""
    context = Context()
    return ResponseDecoder(interpret(dialect, context), context, is_body=is_body, has_fast_path=has_fast_path)


class ResponseDecoder:
    """A `StreamDecoder` made of an interpreter. Decides by the first byte between events and a body."""

    def __init__(
        self, interpreter: Interpreter, context: Context, *, is_body: bool, has_fast_path: bool = True
    ) -> None:
        self._interpreter = interpreter
        self._context = context
        self._sink = context.sink
        self._mode = _Mode.UNDECIDED
        self._prefers_body = is_body
        self._start = b""
        self._sse = SseDecoder()
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._may_be_lines = True
        self._has_line_end = False
        self._lines = JsonLines()
        self._values = ValueReader(interpreter, context, has_fast_path=has_fast_path)
        self._is_closed = False

    @property
    def is_finished(self) -> bool:
        """The protocol's own end, or an error, was seen: nothing more needs to be read."""
        return self._values.is_finished

    @property
    def has_proof(self) -> bool:
        """The proof of completion was seen; at most usage may still follow."""
        interpreter = self._interpreter
        return self._context.failure is None and interpreter.has_proof and not interpreter.has_open_ends

    def feed(self, data: bytes) -> list[StreamEvent]:
        """Events of the next bytes."""
        if not self._is_closed and not self.is_finished:
            self._take(data)
            self._interpreter.flush()
        return self._sink.drain()

    def close(self, cut: Failure | None = None) -> list[StreamEvent]:
        """Events of the end; the last one says whether the turn is whole."""
        if self._is_closed:
            return []
        if not self.is_finished:
            self._finish_input(cut)
        self._is_closed = True
        interpreter = self._interpreter
        failure = self._context.failure
        is_proved = failure is None and interpreter.has_proof
        if is_proved:
            failure = interpreter.verdict()
        interpreter.wrap_up(is_proved=is_proved and failure is None)
        self._sink.drain_pending()
        if failure is None and not is_proved:
            failure = self._why(cut)
        word = interpreter.finish_reason
        self._sink.put(StreamCompleted(word) if failure is None else StreamFailed(failure, word))
        return self._sink.drain()

    def _why(self, cut: Failure | None) -> Failure:
        characters = self._sink.characters
        if cut is not None:
            return ending.cut_off(cut, characters)
        if self._context.suspect is not None:
            return ending.reported(self._context.suspect, characters)
        if not self._values.has_read_objects and self._sse.first_unknown:
            return ending.not_this_protocol(
                f"The server answered with something else than a stream: {self._sse.first_unknown[:200]}",
                "Check the base URL and the protocol of this provider.",
            )
        return ending.without_proof(characters, self._interpreter.missing)

    def _take(self, data: bytes) -> None:
        if self._mode is _Mode.UNDECIDED:
            data = self._start + data
            self._start = b""
            self._mode = self._mode_of(data)
            if self._mode is _Mode.UNDECIDED:
                # White space says nothing, however much of it a server sends to keep the connection.
                self._start = data if _BOM.startswith(data) else b""
                return
            if self._mode is _Mode.BODY:
                data = data.removeprefix(_BOM).lstrip(_SPACE)
        if self._mode is not _Mode.EVENTS:
            self._body_bytes += len(data)
            if self._body_bytes > _BODY_LIMIT_BYTES:
                self._context.fail(
                    ending.undecodable(self._sink.characters, "The body is larger than 128 MiB")
                )
            elif self._mode is _Mode.LINES:
                self._values.take(self._lines.feed(data))
            else:
                self._body.append(data)
                self._look_for_lines(data)
            return
        self._values.read(self._sse.feed(data))
        if self._sse.exceeded is not None and self._context.failure is None:
            self._sink.drain_pending()
            self._context.fail(ending.undecodable(self._sink.characters, self._sse.exceeded.message))

    def _look_for_lines(self, data: bytes) -> None:
        """A body whose first line is whole while another follows is read line by line, as it comes."""
        self._has_line_end = self._has_line_end or b"\n" in data
        if self._may_be_lines and self._has_line_end and not data.isspace():
            body = b"".join(self._body)
            self._body = [body]
            if body.partition(b"\n")[2].strip():
                self._may_be_lines = False
                if begins_with_lines(body):
                    self._mode = _Mode.LINES
                    self._values.take(self._lines.feed(body))

    @staticmethod
    def _mode_of(data: bytes) -> _Mode:
        """A JSON text or a web page begins like no line of an event stream."""
        if _BOM.startswith(data[:3]) and len(data) < 3:
            return _Mode.UNDECIDED
        begun = data.removeprefix(_BOM).lstrip(_SPACE)
        if not begun:
            return _Mode.UNDECIDED
        return _Mode.BODY if begun[:1] in b'{[<"' else _Mode.EVENTS

    def _finish_input(self, cut: Failure | None) -> None:
        match self._mode:
            case _Mode.EVENTS:
                events = self._sse.close()
                cut_events = self._sse.cut_events
                self._values.read(events[: len(events) - len(cut_events)])
                if not self.is_finished:
                    self._values.read(cut_events, is_cut=True)
            case _Mode.BODY:
                self._read_body(b"".join(self._body), cut)
            case _Mode.LINES:
                self._values.take(self._lines.close())
                rest = self._lines.rest
                if rest and cut is None and not self.is_finished:
                    characters = self._sink.characters
                    self._context.fail(ending.undecodable(characters, "Part of the body is no JSON", rest))
            case _Mode.UNDECIDED:
                if cut is None and self._prefers_body:
                    self._context.fail(
                        ending.not_this_protocol(
                            "The server answered with an empty body",
                            "Ask again; if it stays so, check the base URL.",
                        )
                    )

    def _read_body(self, body: bytes, cut: Failure | None) -> None:
        text = body.decode("utf-8", "replace").removeprefix("\ufeff").strip()
        context = self._context
        if text.startswith("<"):
            title = html_title(text)
            what = f"a web page (“{title}”)" if title else "a web page"
            context.fail(
                ending.not_this_protocol(
                    f"The server answered with {what} instead of an answer of the model",
                    "Check the base URL: it should be that of the API, not of a web site or login page.",
                )
            )
            return
        if cut is not None and not is_whole(text):
            return
        values, rest = values_of(text)
        self._values.take(values)
        if rest and not self.is_finished:
            what = "Part of the body is no JSON" if values else "The body is no whole JSON"
            context.fail(ending.undecodable(self._sink.characters, what, rest))
        if not values and not rest:
            context.fail(ending.not_this_protocol("The server answered with an empty body", ""))
