"""Splits reasoning in `<think>` tags from the answer while it streams.

Invariants: only a tag at the very start of the content opens reasoning, so text about tags (or code) is
never taken for it; any split of the content gives the same pieces joined; nothing but the tags and the
white space around them is lost. A closing tag on a line of its own, without an opening one, tells that
everything before it was reasoning (the chat template had put the opening tag into the prompt: DeepSeek R1
and Qwen 3 on local servers).
"""

from collections.abc import Iterator
from enum import Enum, auto
from typing import Final

_NAMES: Final = ("think", "thinking", "thought")
_OPENINGS: Final = tuple(f"<{name}>" for name in _NAMES)
_ORPHAN: Final = "</think>"
_FENCES: Final = ("```", "~~~")


class PieceKind(Enum):
    """What a piece of content is."""

    TEXT = auto()
    REASONING = auto()
    WAS_REASONING = auto()
    """No text: everything that was given as text so far is reasoning."""


Piece = tuple[PieceKind, str]


class _State(Enum):
    START = auto()
    THINKING = auto()
    AFTER = auto()
    TEXT = auto()


class ThinkSplitter:
    """One for each stream of content."""

    def __init__(self, *, has_tags: bool = True) -> None:
        self._state = _State.START if has_tags else _State.TEXT
        self._held = ""
        self._closing = ""
        self._can_be_orphan = has_tags
        self._seen = ""
        self._has_reasoned = False

    def is_plain(self, text: str) -> bool:
        """This text passes as it is, without being looked at: what nearly every delta is."""
        return self._state is _State.TEXT and not self._held and (not self._can_be_orphan or "<" not in text)

    def feed(self, text: str) -> list[Piece]:
        """Pieces that are decided."""
        return list(self._run(text, is_over=False))

    def close(self) -> list[Piece]:
        """What was held back."""
        return list(self._run("", is_over=True))

    def forbid_orphan(self) -> None:
        """Reasoning came by a channel of its own: a closing tag in the text means nothing."""
        self._can_be_orphan = False

    def _run(self, text: str, *, is_over: bool) -> Iterator[Piece]:
        rest = self._held + text
        self._held = ""
        while rest or is_over:
            state = self._state
            match state:
                case _State.START:
                    rest = self._start(rest, is_over=is_over)
                case _State.THINKING:
                    piece, rest = self._think(rest, is_over=is_over)
                    if piece:
                        self._has_reasoned = True
                        yield PieceKind.REASONING, piece
                case _State.AFTER:
                    rest = rest.lstrip()
                    if rest:
                        self._state = _State.TEXT
                case _State.TEXT:
                    yield from self._plain(rest, is_over=is_over)
                    return
            if self._held or (state is self._state and not rest):
                return

    def _start(self, rest: str, *, is_over: bool) -> str:
        begun = rest.lstrip()
        for opening in _OPENINGS:
            if begun.startswith(opening):
                self._state = _State.THINKING
                self._closing = opening.replace("<", "</")
                self._can_be_orphan = False
                return begun[len(opening) :]
        if not is_over and any(opening.startswith(begun) for opening in _OPENINGS):
            self._held = rest
            return ""
        self._state = _State.TEXT
        return rest

    def _think(self, rest: str, *, is_over: bool) -> tuple[str, str]:
        """Reasoning that is decided, and what follows the closing tag."""
        if not self._has_reasoned:
            rest = rest.lstrip()
        at = 0
        while (found := rest.find(self._closing, at)) >= 0:
            end = found + len(self._closing)
            if rest[found - 1 : found] == "`":
                # Quoted in code, it is talked about. One more character decides.
                if end == len(rest) and not is_over:
                    self._held = rest[found - 1 :]
                    return rest[: found - 1], ""
                if rest[end : end + 1] == "`":
                    at = end
                    continue
            self._state = _State.AFTER
            self._can_be_orphan = False
            return rest[:found], rest[end:]
        if is_over:
            return rest, ""
        keep = _overlap(rest, "`" + self._closing) or _overlap(rest, self._closing)
        self._held = rest[len(rest) - keep :]
        return rest[: len(rest) - keep], ""

    def _plain(self, rest: str, *, is_over: bool) -> Iterator[Piece]:
        """Text; as long as an orphan closing tag may come, what could be one is held back."""
        if not self._can_be_orphan:
            if rest:
                yield PieceKind.TEXT, rest
            return
        found = rest.find(_ORPHAN)
        if found < 0:
            keep = 0 if is_over else _overlap(rest, _ORPHAN)
            self._held = rest[len(rest) - keep :]
            if rest := rest[: len(rest) - keep]:
                self._can_be_orphan = not self._has_fence(rest)
                self._seen = (self._seen + rest)[-2:]
                yield PieceKind.TEXT, rest
            return
        before, after = rest[:found], rest[found + len(_ORPHAN) :]
        if not after and not is_over:
            self._held = rest
            return
        self._can_be_orphan = False
        is_quoted = (self._seen + before)[-1:] == "`" or self._has_fence(before)
        if is_quoted or (after and after[0] not in "\r\n"):
            yield PieceKind.TEXT, rest
            return
        if before:
            yield PieceKind.TEXT, before
        yield PieceKind.WAS_REASONING, ""
        self._state = _State.AFTER
        if after := after.lstrip():
            self._state = _State.TEXT
            yield PieceKind.TEXT, after

    def _has_fence(self, text: str) -> bool:
        text = self._seen + text
        return any(fence in text for fence in _FENCES)


def _overlap(text: str, tag: str) -> int:
    """How many characters at the end of `text` may be the start of `tag`."""
    for size in range(min(len(tag) - 1, len(text)), 0, -1):
        if text.endswith(tag[:size]):
            return size
    return 0
