"""A stream as JSON lines, without the framing of events: its values as soon as their line is whole.

Invariants: any split of the bytes gives the same values; a value may go on over several lines; what is no
JSON stays in `rest`. Source: servers and proxies that answer with `application/x-ndjson`.
"""

from chatui.core.body_values import DONE, without_field
from chatui.core.json_access import BadJson, parse_values

_MOST_JOINED_LINES = 200


def begins_with_lines(data: bytes) -> bool:
    """Whether the first line is a whole JSON object and another one follows it on the next."""
    line, _, after = data.partition(b"\n")
    is_object = line[:1] == b"{" and bool(_values_in(line.decode("utf-8", "replace")))
    return is_object and after.lstrip()[:1] == b"{"


class JsonLines:
    """Takes bytes, gives values."""

    def __init__(self) -> None:
        self._open: list[bytes] = []
        self._unread: list[str] = []

    @property
    def rest(self) -> str:
        """What could not be read so far."""
        return "\n".join(self._unread)

    def feed(self, data: bytes) -> list[object]:
        """The values that the next bytes complete."""
        first, *others = data.split(b"\n")
        self._open.append(first)
        values: list[object] = []
        for line in others:
            values += self.close()
            self._open.append(line)
        return values

    def close(self) -> list[object]:
        """The values of a line that has ended, or of the last one, which no line feed ends."""
        line = b"".join(self._open)
        self._open.clear()
        return self._line(line)

    def _line(self, line: bytes) -> list[object]:
        text = without_field(line.decode("utf-8", "replace"))
        if not text or text == DONE:
            return []
        self._unread.append(text)
        if len(self._unread) > _MOST_JOINED_LINES:
            return []
        found = _values_in(self.rest)
        if found:
            self._unread = []
        return found


def _values_in(text: str) -> list[object]:
    """All values of a text, lists of them opened; none if part of it is no JSON."""
    try:
        values = parse_values(text)
    except BadJson:
        return []
    return [item for value in values for item in (value if isinstance(value, list) else (value,))]
