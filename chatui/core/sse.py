r"""Server-sent events out of bytes that are split anywhere.

Invariant: any split of the same bytes gives the same events, and the cost is in proportion to the bytes.
Bytes are cut at line ends before they are decoded, so no character is ever split; broken UTF-8 becomes
U+FFFD and loses no neighbour. Source: WHATWG HTML 9.2.6 "Interpreting an event stream". Beyond it, because
servers need it:

- the last event counts without its blank line (`close`);
- a data line that begins a JSON object right after one that ended ends the event before (single newlines);
- a line outside the grammar that looks like JSON or HTML is given as a `STRAY` event, not swallowed.
"""

from typing import Final

from chatui.core.errors import LimitExceeded

SseEvent = tuple[str, str]
"""Value of the `event` field (empty if there was none) and the data."""

STRAY: Final = "\nstray"
"""Name of an event that is a line outside the grammar; the newline keeps it apart from every real name."""

DEFAULT_LIMIT_BYTES: Final = 64 * 1024 * 1024
_STRAY_STARTS: Final = ("{", "[", "<")
_LINE_END: Final = 10


class SseDecoder:
    """Feed bytes, get events. One instance per stream."""

    def __init__(self, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._pieces: list[bytes] = []
        self._pieces_bytes = 0
        self._event_bytes = 0
        self._is_after_cr = False
        self._is_at_start = True
        self._name = ""
        self._next_name: str | None = None
        self._data: str | None = None
        self._more: list[str] = []
        self.exceeded: LimitExceeded | None = None
        """Set when an event grew past the limit; nothing after it is decoded."""
        self.cut_events: list[SseEvent] = []
        """Those events of `close` that only the end of the input completed: they may have been cut."""
        self.first_unknown = ""
        """Start of the first line that was no part of the grammar: what a server said instead of a stream."""

    def feed(self, data: bytes) -> list[SseEvent]:
        """Events that these bytes complete."""
        if self.exceeded is not None or not data:
            return []
        if self._is_after_cr:
            self._is_after_cr = False
            if data[0] == _LINE_END:
                data = data[1:]
        # The start of an event waits for its end if that costs nothing: whole events are read the quickest.
        end = data.rfind(b"\n\n") + 2
        if end == 1 or data.count(b"\n", end) > 1 or data.find(b"\r", end) >= 0:
            end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if end == 0:
            self._hold(data)
            return []
        self._is_after_cr = end == len(data) and data[-1] != _LINE_END
        self._pieces.append(data[:end])
        whole = b"".join(self._pieces)
        self._pieces = []
        self._pieces_bytes = 0
        events = self._lines(whole)
        if end < len(data):
            self._hold(data[end:])
        return events

    def close(self) -> list[SseEvent]:
        """What the end of the input completes: a line without its end, an event without its blank line."""
        if self.exceeded is not None:
            return []
        rest = b"".join(self._pieces)
        self._pieces = []
        whole = max(rest.rfind(b"\n"), rest.rfind(b"\r")) + 1
        events = self._lines(rest[:whole])
        self.cut_events = self._lines(rest[whole:] + b"\n\n")
        return events + self.cut_events

    def _hold(self, data: bytes) -> None:
        self._pieces.append(data)
        self._pieces_bytes += len(data)
        if self._pieces_bytes + self._event_bytes > self._limit_bytes:
            self._exceed()

    def _exceed(self) -> None:
        self.exceeded = LimitExceeded(f"An event is larger than {self._limit_bytes // (1024 * 1024)} MiB")
        self._pieces = []
        self._data = None
        self._more = []

    def _lines(self, whole: bytes) -> list[SseEvent]:
        # A byte that is no text stays what it is (as a lone surrogate): servers split characters over events.
        text = whole.decode("utf-8", "surrogateescape")
        if self._is_at_start:
            self._is_at_start = False
            text = text.removeprefix("\ufeff")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        events: list[SseEvent] = []
        blocks = text.split("\n\n")
        last = blocks.pop()
        for block in blocks:
            # Nearly every event is one data line, with or without an event line before it.
            if self._data is None and not self._name:
                if block[:6] == "data: " and "\n" not in block:
                    events.append(("", block[6:]))
                    continue
                if block[:7] == "event: ":
                    head, _, tail = block.partition("\n")
                    if tail[:6] == "data: " and "\n" not in tail:
                        events.append((head[7:], tail[6:]))
                        continue
            for line in block.split("\n"):
                self._line(line, events)
            self._line("", events)
        if last:
            # It ends with the end of a line; what stands after that is empty.
            for line in last[:-1].split("\n"):
                self._line(line, events)
        return events

    def _line(self, line: str, events: list[SseEvent]) -> None:
        if not line:
            if self._data is not None:
                self._dispatch(events)
            self._name = ""
            self._next_name = None
        elif line[:6] == "data: ":
            self._add_data(line[6:], events)
        elif line[:5] == "data:":
            self._add_data(line[5:], events)
        elif line[0] != ":":
            self._other(line, events)

    def _add_data(self, value: str, events: list[SseEvent]) -> None:
        if self._data is None:
            self._data = value
            self._event_bytes = len(value)
            return
        last = self._more[-1] if self._more else self._data
        # "}" followed by "{" or [DONE] is never JSON, so the server forgot the blank line between two events.
        if (value[:1] == "{" or value == "[DONE]") and last.rstrip()[-1:] == "}" and self._data[:1] == "{":
            name, self._name = self._next_name, self._name
            self._next_name = None
            self._dispatch(events)
            self._name = name or ""
            self._data = value
            return
        self._more.append(value)
        self._event_bytes += len(value)
        if self._event_bytes > self._limit_bytes:
            self._exceed()

    def _dispatch(self, events: list[SseEvent]) -> None:
        data = self._data or ""
        if self._more:
            data = "\n".join((data, *self._more))
            self._more = []
        self._data = None
        self._event_bytes = 0
        events.append((self._name if self._next_name is None else self._next_name, data))

    def _other(self, line: str, events: list[SseEvent]) -> None:
        field, _, value = line.partition(":")
        if field == "event":
            value = value.removeprefix(" ")
            if self._data is None:
                self._name = value
            else:
                self._next_name = value
        elif field == "data":
            self._add_data("", events)
        elif field in {"id", "retry"}:
            pass
        elif field == "error" and value.strip():
            # No field of the grammar, but llama.cpp and others have told errors so.
            if self._data is not None:
                self._dispatch(events)
            events.append(("error", value.strip()))
        elif line.lstrip()[:5] == "data:":
            self._add_data(line.lstrip()[5:].removeprefix(" "), events)
        else:
            self.first_unknown = self.first_unknown or line[:300]
            if line.lstrip().startswith(_STRAY_STARTS):
                if self._data is not None:
                    self._dispatch(events)
                events.append((STRAY, line))
