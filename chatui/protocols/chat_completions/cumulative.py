"""Notices deltas that repeat the whole text so far, and gives only what is new of each.

Invariant: a stream of ordinary deltas passes unchanged; nothing is held longer than it takes to decide (the
third delta, or the end). Sources: DashScope without `incremental_output`, Perplexity and several gateways
in FIELD.md.
"""

from enum import Enum, auto
from typing import Final

_SHORTEST_REPEAT: Final = 16
_SHORTEST_SURE_START: Final = 3


class _State(Enum):
    FIRST = auto()
    SECOND = auto()
    SUSPECT = auto()
    ORDINARY = auto()
    CUMULATIVE = auto()


class CumulativeText:
    """One channel of one choice."""

    def __init__(self, setting: bool | None) -> None:
        """`setting` is the dialect's word; None lets the stream decide."""
        self._state = {None: _State.FIRST, True: _State.CUMULATIVE, False: _State.ORDINARY}[setting]
        self._is_watching_repeats = setting is None
        self._so_far = ""
        self._suspect = ""
        self._pieces: list[str] = []
        self._length = 0
        self._deltas = 0

    @property
    def has_text(self) -> bool:
        """Something was received."""
        return bool(self._length or self._so_far)

    @property
    def text(self) -> str:
        """Everything received."""
        return "".join(self._pieces) or self._so_far

    def feed(self, text: str) -> str:
        """What is new in this delta."""
        if self._state is _State.ORDINARY:
            self._pieces.append(text)
            self._length += len(text)
            self._deltas += 1
            return text
        if not text:
            return ""
        match self._state:
            case _State.FIRST:
                self._so_far = text
                self._state = _State.SECOND
                return text
            case _State.SECOND:
                if _extends(self._so_far, text):
                    self._suspect = text
                    self._state = _State.SUSPECT
                    return ""
                return self._decide_ordinary(text)
            case _State.SUSPECT:
                if _extends(self._suspect, text):
                    self._state = _State.CUMULATIVE
                    return self._advance(text)
                return self._decide_ordinary(self._suspect + text)
            case _:
                return self._advance(text)

    def feed_many(self, texts: list[str]) -> str:
        """What is new in all of these deltas."""
        if self._state is _State.ORDINARY:
            new = "".join(texts)
            self._pieces.append(new)
            self._length += len(new)
            self._deltas += len(texts)
            return new
        return "".join(self.feed(text) for text in texts)

    def close(self) -> str:
        """What was held back."""
        if self._state is not _State.SUSPECT:
            return ""
        if len(self._so_far) >= _SHORTEST_SURE_START:
            self._state = _State.CUMULATIVE
            return self._advance(self._suspect)
        return self._decide_ordinary(self._suspect)

    def missing(self, whole: str) -> str:
        """What of the whole text is still to be given; nothing if it is another one than was received."""
        if self._state is _State.SUSPECT:
            ordinary = self._so_far + self._suspect
            if whole.startswith(ordinary):
                return self._decide_ordinary(whole[len(self._so_far) :])
            if not whole.startswith(self._suspect):
                return ""
            self._state = _State.CUMULATIVE
        if self._state is _State.CUMULATIVE:
            return self._advance(whole) if whole.startswith(self._so_far) else ""
        known = self.text
        if not whole.startswith(known):
            return ""
        rest = whole[len(known) :]
        return self.feed(rest) if self._state is _State.ORDINARY else self._decide_ordinary(rest)

    def is_repeat(self, text: str) -> bool:
        """Whether `text` is everything received so far once more, as some servers end a stream."""
        return (
            self._is_watching_repeats
            and self._state is _State.ORDINARY
            and len(text) == self._length
            and len(text) >= _SHORTEST_REPEAT
            and self._deltas > 1
            and text == "".join(self._pieces)
        )

    def _decide_ordinary(self, text: str) -> str:
        self._state = _State.ORDINARY
        self._pieces = [self._so_far, text]
        self._length = len(self._so_far) + len(text)
        self._deltas = 2
        return text

    def _advance(self, text: str) -> str:
        known = self._so_far
        if text.startswith(known):
            self._so_far = text
            return text[len(known) :]
        if known.startswith(text):
            return ""
        self._so_far = known + text
        return text


def _extends(known: str, text: str) -> bool:
    """`text` is `known` and more. Rows of punctuation grow so by themselves: a letter must be in it."""
    return len(text) > len(known) and text.startswith(known) and any(letter.isalnum() for letter in known)
