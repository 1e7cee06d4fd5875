"""Reference definitions at the start of a paragraph, read while it may still grow.

Guards: as long as more text could change the answer, the answer is that it is undecided; a part that has
been read (label, target) is not read again. Source: CommonMark 4.7.
"""

import re
from enum import Enum
from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.core.values import frozen

_LABEL: Final = late_pattern(r"\[(?!\^)((?:[^\[\]\\]|\\.){1,999})\]:", re.DOTALL)
_LABEL_OPEN: Final = late_pattern(r"\[(?!\^)(?:[^\[\]\\]|\\.?){0,999}(?:\]\Z|\Z)", re.DOTALL)
_LABEL_END: Final = re.compile(r"[\[\]]")
_BLANK: Final = late_pattern(r"[ \t]*\n?[ \t]*")
_LINE_REST: Final = late_pattern(r"[ \t]*(?:\n|\Z)")
_TITLE: Final = late_pattern(
    r"(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))[ \t]*(?:\n|\Z)", re.DOTALL
)
_TITLE_OPEN: Final = late_pattern(
    r"(?:\"(?:[^\"\\]|\\.?)*\"?|'(?:[^'\\]|\\.?)*'?|\((?:[^()\\]|\\.?)*\)?)[ \t]*\Z", re.DOTALL
)
_TARGET_OPEN: Final = late_pattern(r"(?:<[^<>\n]*|[^\s<]\S*)?\Z")
_LONGEST_TITLE: Final = 2000


class Reading(Enum):
    """Whether text begins with a definition."""

    NONE = "none"
    UNDECIDED = "undecided"
    LABEL = "label"
    """Undecided as long as its label is being written."""
    TARGET = "target"
    """The same of its target."""
    TITLE = "title"
    """The same of its title."""


_GATES: Final = {
    Reading.LABEL: _LABEL_END,
    Reading.TARGET: re.compile(r"[\s<>]"),
    Reading.TITLE: re.compile(r"[\"'()\n]"),
}
"""What must come before a part that is being written can be over."""
_LONGEST: Final = {Reading.LABEL: 1010, Reading.TITLE: _LONGEST_TITLE + 10}
"""How long a part may be."""


@frozen
class ReadDefinition:
    """A definition and where the text goes on after it."""

    label: str
    target: str
    title: str
    stop: int


class DefinitionReader:
    """Reads one definition at the start of a text that grows."""

    __slots__ = ("_label", "_label_stop", "_last", "_last_size", "_target", "_target_stop", "characters_read")

    def __init__(self) -> None:
        self.characters_read = 0
        """Characters looked at since the start."""
        self._label = ""
        self._label_stop = 0
        self._target = ""
        self._target_stop = 0
        self._last = Reading.UNDECIDED
        self._last_size = 0

    @property
    def is_in_label(self) -> bool:
        """Its label is not over."""
        return not self._label_stop

    def is_worth_reading(self, added: str, size: int) -> bool:
        """Whether what was added to a text, of `size` characters by now, can decide it."""
        gate = _GATES.get(self._last)
        if gate is None or gate.search(added):
            return True
        return size - self._last_size > _LONGEST.get(self._last, size)

    def read(self, text: str, *, is_final: bool) -> ReadDefinition | Reading:
        """Read on; undecided as long as more text could change the answer."""
        reading = self._read(text, is_final=is_final)
        if isinstance(reading, Reading):
            self._last, self._last_size = reading, len(text)
        return reading

    def _read(self, text: str, *, is_final: bool) -> ReadDefinition | Reading:
        if not self._label_stop:
            label = _LABEL.match(text)
            if label is None:
                end = _LABEL_END.search(text, 1)
                self.characters_read += end.end() + 1 if end else len(text)
                if is_final or not _LABEL_OPEN.match(text):
                    return Reading.NONE
                return Reading.UNDECIDED if text.endswith("]") else Reading.LABEL
            self.characters_read += label.end()
            if not label[1].strip():
                return Reading.NONE
            self._label, self._label_stop = label[1], label.end()
        if not self._target_stop:
            undecided = self._read_target(text, is_final=is_final)
            if undecided is not None:
                return undecided
        return self._with_title(text, is_final=is_final)

    def _read_target(self, text: str, *, is_final: bool) -> Reading | None:
        from markdown_it.helpers import parseLinkDestination

        from chatui.markdown.addresses import safe_target

        blank = _BLANK.match(text, self._label_stop)
        assert blank is not None
        at = blank.end()
        if not is_final and _TARGET_OPEN.match(text, at):
            self.characters_read += len(text) - self._label_stop
            return Reading.TARGET if at < len(text) else Reading.UNDECIDED
        result = parseLinkDestination(text, at, len(text))
        self.characters_read += max(result.pos, at) - self._label_stop
        target = safe_target(result.str) if result.ok else None
        if target is None:
            return Reading.NONE
        self._target, self._target_stop = target, result.pos
        return None

    def _with_title(self, text: str, *, is_final: bool) -> ReadDefinition | Reading:
        from chatui.markdown.borrowed import normalizeReference, unescapeAll

        name, stop = normalizeReference(self._label), self._target_stop
        blank = _BLANK.match(text, stop)
        assert blank is not None
        title_at = blank.end()
        line_rest = _LINE_REST.match(text, stop)
        title = _TITLE.match(text, title_at)
        self.characters_read += (title or line_rest or blank).end() - stop
        if title_at > stop:
            if title and title.end() - title_at <= _LONGEST_TITLE:
                if title.end() == len(text) and not text.endswith("\n") and not is_final:
                    return Reading.UNDECIDED
                return ReadDefinition(name, self._target, unescapeAll(title[0].strip()[1:-1]), title.end())
            if title is None and text.startswith(("'", '"', "("), title_at):
                self.characters_read += min(len(text) - title_at, _LONGEST_TITLE)
            is_open = title_at >= len(text) or (
                len(text) - title_at <= _LONGEST_TITLE and _TITLE_OPEN.match(text, title_at) is not None
            )
            if not is_final and is_open:
                return Reading.TITLE if title_at < len(text) else Reading.UNDECIDED
        if line_rest is None:
            return Reading.NONE
        if line_rest.end() == len(text) and not is_final:
            return Reading.UNDECIDED
        return ReadDefinition(name, self._target, "", line_rest.end())
