"""A fast path for streams whose lines differ only in a few values: the delta's text, a counter, padding.

Invariant: a line that matches a shape says exactly what a full parse of it would say. A shape is made from
a line that was fully parsed, by putting other values into its holes and parsing again: only if nothing but
the expected values changed is the shape taken. JSON is context-free at its values, so any other string or
integer in the hole can change nothing else either. Everything that does not match goes the slow way.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from chatui.core.json_access import BadJson, parse_at, parse_json
from chatui.core.values import frozen

Path = tuple[str | int, ...]

_STRING: Final = r'"([^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+)"'
_INTEGER: Final = r"(-?(?:0|[1-9][0-9]{0,17}))"
_IGNORED_STRING: Final = r'"[^"\\\x00-\x1f]*+"'
_IGNORED_INTEGER: Final = r"-?(?:0|[1-9][0-9]{0,17})"
_NUMBER_AHEAD: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?![0-9.eE])")
_PROBE_TEXT: Final = "\u2603 probe"
_PROBE_NUMBER: Final = 987654321098765
_LONGEST_LINE: Final = 4096
_MAX_CANDIDATES: Final = 8


@frozen
class Holes:
    """Where the values that change stand in a parsed line."""

    text: Path
    counter: Path | None = None
    numbers: tuple[Path, ...] = ()
    """Integers of which only the latest counts."""
    ignored: tuple[Path, ...] = ()
    """Strings or integers that say nothing: padding, timestamps."""


class Run(NamedTuple):
    """What a run of lines of one shape says."""

    texts: list[str]
    counters: list[int]
    numbers: tuple[int, ...]
    """Numbers of the last line, in the order of `Holes.numbers`."""


class LineShape:
    """Matches lines like the one it was made from."""

    __slots__ = ("_counter_group", "_match", "_number_groups", "_text_group")

    def __init__(
        self, pattern: str, text_group: int, counter_group: int | None, number_groups: tuple[int, ...]
    ) -> None:
        self._match = re.compile(pattern, re.DOTALL).fullmatch
        self._text_group = text_group
        self._counter_group = counter_group
        self._number_groups = number_groups

    def read_run(self, name: str, events: Sequence[tuple[str, str]], start: int) -> Run:
        """The events from `start` on that have this name and shape, up to the first that has not."""
        match = self._match
        text_group = self._text_group
        counter_group = self._counter_group
        texts: list[str] = []
        counters: list[str] = []
        last: re.Match[str] | None = None
        for at in range(start, len(events)):
            event_name, line = events[at]
            found = match(line)
            if found is None or event_name != name:
                break
            text = found[text_group]
            if "\\" in text:
                unescaped = _unescaped(line, found.start(text_group), found.end(text_group))
                if unescaped is None:
                    break
                text = unescaped
            texts.append(text)
            if counter_group is not None:
                counters.append(found[counter_group])
            last = found
        numbers = () if last is None else tuple(int(last[group]) for group in self._number_groups)
        return Run(texts, [int(counter) for counter in counters], numbers)


def _unescaped(line: str, start: int, end: int) -> str | None:
    """The string between the quotes at `start - 1` and `end`; None if its escapes are broken."""
    try:
        text, stop = parse_at(line, start - 1)
    except BadJson:
        return None
    return text if isinstance(text, str) and stop == end + 1 else None


def learn_shape(line: str, value: object, holes: Holes) -> LineShape | None:
    """The shape of `line`, whose parsed value is `value`; None if it cannot be made with certainty."""
    if len(line) > _LONGEST_LINE:
        return None
    counters = (holes.counter,) if holes.counter else ()
    spans: list[tuple[int, int, Path]] = []
    for path in (holes.text, *counters, *holes.numbers, *holes.ignored):
        span = _locate(line, value, path)
        if span is None:
            return None
        spans.append((*span, path))
    spans.sort()
    groups: dict[Path, int] = {}
    pattern: list[str] = []
    at = 0
    for start, end, path in spans:
        if start < at:
            return None
        pattern.append(re.escape(line[at:start]))
        is_string = line[start] == '"'
        if path in holes.ignored:
            pattern.append(_IGNORED_STRING if is_string else _IGNORED_INTEGER)
        else:
            groups[path] = len(groups) + 1
            pattern.append(_STRING if is_string else _INTEGER)
        at = end
    pattern.append(re.escape(line[at:]))
    return LineShape(
        "".join(pattern),
        groups[holes.text],
        groups[holes.counter] if holes.counter else None,
        tuple(groups[path] for path in holes.numbers),
    )


def _locate(line: str, value: object, path: Path) -> tuple[int, int] | None:
    """Where the value at `path` stands in the text of the line, proved by putting another one there."""
    original = _at(value, path)
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    candidates = re.finditer(rf'"{re.escape(name)}"\s*:\s*', line)
    for number, candidate in enumerate(candidates):
        if number >= _MAX_CANDIDATES:
            return None
        start = candidate.end()
        probe: object
        if isinstance(original, str) and line[start : start + 1] == '"':
            try:
                end = parse_at(line, start)[1]
            except BadJson:
                continue
            probe, written = _PROBE_TEXT, f'"{_PROBE_TEXT}"'
        elif isinstance(original, int) and not isinstance(original, bool):
            number_found = _NUMBER_AHEAD.match(line, start)
            if number_found is None:
                continue
            end = number_found.end()
            probe, written = _PROBE_NUMBER, str(_PROBE_NUMBER)
        else:
            continue
        try:
            changed = parse_json(line[:start] + written + line[end:])
        except BadJson:
            continue
        if _at(changed, path) == probe and _with(changed, path, original) == value:
            return start, end
    return None


def _at(value: object, path: Sequence[str | int]) -> object:
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def _with(value: object, path: Sequence[str | int], leaf: object) -> object:
    """`value` with another leaf, in place: it is a probe that nobody else holds."""
    holder = _at(value, path[:-1])
    last = path[-1]
    if isinstance(holder, dict) or (isinstance(holder, list) and isinstance(last, int)):
        holder[last] = leaf  # type: ignore[index] # a step that was found is a key of its holder
    return value
