"""Text from the wire that is no whole text: halves of characters, as lone surrogates.

Invariant: what a turn holds has no lone surrogate in any of its words (not in its text, and not in an id, a
name or a message either), so it can be saved, printed and sent.
Source: RFC 8259 section 8.2 (a JSON string may hold half of a surrogate pair), Unicode 3.9 D71-D75; PEP 383
(a byte that is no text is a lone surrogate), since servers also split the bytes of a character over deltas.
"""

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

from chatui.core.json_access import DEEPEST
from chatui.core.late_pattern import late_pattern

_SURROGATE: Final = late_pattern("[\ud800-\udfff]")
_NO_BYTE: Final = late_pattern("[\ud800-\udc7f\udd00-\udfff]")
_LAST_BYTES: Final = late_pattern("[\udc80-\udcff]{1,3}\\Z")
_DEEPEST: Final = DEEPEST + 16


def holds_surrogates(text: str) -> bool:
    """Whether there is a half of a character in it."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def mend_surrogates(text: str) -> str:
    """Halves and bytes that stand side by side become their character, lone ones U+FFFD."""
    if not holds_surrogates(text):
        return text
    joined = _NO_BYTE.sub("\ufffd", pairs_joined(text))
    return joined.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def pairs_joined(text: str) -> str:
    """Halves that stand side by side become their character, lone ones stay."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def begun_at_end(text: str) -> int:
    """How many characters at the end are the beginning of one whose rest may still come."""
    if "\ud800" <= text[-1] <= "\udbff":
        return 1
    last = _LAST_BYTES.search(text)
    if last is None:
        return 0
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(last.group().encode("utf-8", "surrogateescape"))
    return len(decoder.getstate()[0])


def mended(value: Any, depth: int = 0) -> Any:
    """A value with every text in it mended; the same object where there is nothing to mend.

    Args:
        value: A frozen dataclass, or what JSON gives (a tuple of values too).
        depth: How deep it lies in the value that was asked about; what lies deeper than any server nests is
            left as it is.
    """
    if isinstance(value, str):
        return mend_surrogates(value)
    if depth > _DEEPEST:
        return value
    if is_dataclass(value) and not isinstance(value, type):
        held = {field.name: getattr(value, field.name) for field in fields(value)}
        changed = {name: new for name, old in held.items() if (new := mended(old, depth + 1)) is not old}
        return replace(value, **changed) if changed else value
    if isinstance(value, Mapping):
        members = {mended(name): mended(inner, depth + 1) for name, inner in value.items()}
        return value if _is_same([*members, *members.values()], [*value, *value.values()]) else members
    if type(value) in (list, tuple):
        inner = [mended(one, depth + 1) for one in value]
        return value if _is_same(inner, value) else type(value)(inner)
    return value


def _is_same(new: Sequence[object], old: Sequence[object]) -> bool:
    return len(new) == len(old) and all(one is other for one, other in zip(new, old, strict=True))
