"""Reads a body that should be one JSON text, and what servers send in its place.

Invariant: `values_of` never raises; what cannot be read is given back as the rest.
Sources: a whole completion with the end of a stream glued on, arrays of chunks, JSON lines (wire cases).
"""

from chatui.core.json_access import BadJson, parse_values

DONE = "[DONE]"


def without_field(line: str) -> str:
    """What a line says, with or without the `data:` of an event stream."""
    return line.strip().removeprefix("data:").strip()


def is_whole(text: str) -> bool:
    """Whether `text` is nothing but JSON values."""
    try:
        parse_values(text)
    except BadJson:
        return False
    return True


def values_of(text: str) -> tuple[list[object], str]:
    """The JSON values of a body, lists of them opened, and the first piece that is no JSON."""
    values: list[object] = []
    for piece in _pieces(text):
        try:
            found = parse_values(piece)
        except BadJson:
            return values, piece
        for value in found:
            values += value if isinstance(value, list) else [value]
    return values, ""


def _pieces(text: str) -> list[str]:
    """The text as one piece if it is JSON, otherwise its lines without what belongs to a stream."""
    if is_whole(text):
        return [text]
    head, separator, tail = text.partition("\ndata:")
    if separator and is_whole(head):
        lines = [without_field(line) for line in ("data:" + tail).split("\n") if line.startswith("data:")]
        return [head, *(line for line in lines if line != DONE)]
    lines = [without_field(line) for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and is_whole(lines[0]):
        return [line for line in lines if line != DONE]
    return [text]
