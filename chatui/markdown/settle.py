"""Where running text that still grows is settled: nothing that follows can change how it is read.

`Settler` reads a paragraph once, left to right, and cuts it where no mark is open. Each cut depends on the
text alone, never on how it arrived, so a paragraph is cut alike however it was streamed. A mark that stays
open for long (`REACH` characters) is given up as text, so no paragraph makes the cost of a token grow.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple
from unicodedata import category, east_asian_width

from chatui.core.late_pattern import late_pattern
from chatui.markdown.formulas import FoundFormula, Verdict, read_formula

SHORTEST: Final = 96
"""Characters in a piece, at least."""
REACH: Final = 4000
"""How far emphasis may reach."""
CODE_REACH: Final = 1200
"""How far inline code may reach: nothing after an open tick is settled."""
LONGEST: Final = 8000
"""A piece is cut at the next blank after so many characters, whatever is open."""
TARGET_REACH: Final = 1200
"""How far the target of a link and its title may reach."""
PLAIN_TARGET_REACH: Final = 1 << 16
"""The same for a target without blanks, brackets and escapes: a whole picture may be in it."""
UNBROKEN: Final = 3600
"""Text without any blank is cut after so many characters."""

_SPECIAL: Final = late_pattern(r"[\\`*_~\[\]<$]")
_WIDE: Final = "\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_WORD_START: Final = late_pattern(rf"[ \n](?=[^ \n\t])|[{_WIDE}](?=[{_WIDE}])")
"""The end of a match is where a word begins; ideographs are words of their own."""
_TICKS: Final = late_pattern(r"`{1,256}")
_RUN: Final = late_pattern(r"(\*|_|~)\1{0,255}")
_ANGLE: Final = late_pattern(r"<[^\s<>]*>")
_ANGLE_OPEN: Final = late_pattern(r"<[^\s<>]*\Z")
_DESTINATION: Final = late_pattern(
    r"\(\s*(?:<(?:[^<>\n\\]|\\.)*>|(?:[^\s()\\]++|\\.|\((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*\))*)"
    r"(?:\s+(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?\s*\)",
    re.DOTALL,
)
_DESTINATION_OPEN: Final = late_pattern(
    r"\(\s*(?:<(?:[^<>\n\\]|\\.)*>?|(?:[^\s\\]|\\.?)*)(?:\s+(?:\"(?:[^\"\\]|\\.?)*\"?|'(?:[^'\\]|\\.?)*'?|\((?:[^()\\]|\\.?)*\)?)?)?\s*\Z",
    re.DOTALL,
)
_PLAIN_TARGET: Final = re.compile(r"[A-Za-z0-9+/=_.,:;%-]*+")
_PLAIN_DESTINATION: Final = re.compile(r"\([A-Za-z0-9+/=_.,:;%-]*+\)")
_PUNCTUATION: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class OpenMark(NamedTuple):
    """A mark that may still be closed."""

    mark: str
    """`*`, `_`, `~`, `[` or a back tick."""
    at: int
    size: int
    run: int = 0
    """Marks in the whole run, of which `size` are still open."""
    can_close: bool = False
    """The run could have closed something as well."""


class SavedSettler(NamedTuple):
    """State of a settler."""

    text: str
    position: int
    cut: int
    stack: list[OpenMark]
    waits_at: int


@lru_cache(maxsize=64)
def _closing_ticks(count: int) -> re.Pattern[str]:
    return re.compile(rf"(?<!`)`{{{count}}}(?!`)")


class Settler:
    """Finds the cuts of a text that grows."""

    __slots__ = ("cut", "position", "stack", "text", "waits_at")

    def __init__(self) -> None:
        self.text = ""
        self.position = 0
        self.cut = 0
        """Everything before is settled and was handed out."""
        self.stack: list[OpenMark] = []
        self.waits_at = -1
        """Where reading stopped because more text decides, or -1."""

    def feed(self, text: str, is_final: bool = False) -> list[str]:
        """Add text; returns the pieces that it settled, each with its trailing blanks."""
        self.text += text
        if self._is_still_in_target(text) and not is_final:
            return []
        return self.settle(is_final)

    def _is_still_in_target(self, text: str) -> bool:
        """Whether more of a long target came, which is then not read again from its start."""
        size = len(self.text) - self.waits_at
        return (
            self.waits_at >= 0
            and TARGET_REACH < size < PLAIN_TARGET_REACH
            and self.text.startswith("](", self.waits_at)
            and _PLAIN_TARGET.fullmatch(text) is not None
        )

    def settle(self, is_final: bool = False) -> list[str]:
        """Read on; at the end everything is settled but the last piece, which is left in `rest`."""
        pieces: list[str] = []
        text, size = self.text, len(self.text)
        self.waits_at = -1
        while True:
            found = _SPECIAL.search(text, self.position)
            stop = found.start() if found else size
            self._cut_plain(stop, size, pieces)
            if found is None:
                self.position = max(self.position, stop)
                break
            following = self._special(stop, size, is_final)
            if following < 0:
                self.position = stop
                self.waits_at = stop
                break
            self.position = following
        if self.cut > 1 << 15:
            self._forget()
        return pieces

    def save(self) -> "SavedSettler":
        """What `restore` needs to forget everything since."""
        return SavedSettler(self.text, self.position, self.cut, self.stack.copy(), self.waits_at)

    def restore(self, saved: "SavedSettler") -> None:
        """Back to what was saved."""
        self.text, self.position, self.cut, self.stack, self.waits_at = saved

    @property
    def rest(self) -> str:
        """Text that is not settled yet."""
        return self.text[self.cut :]

    def _forget(self) -> None:
        """Drop what was handed out, so that memory holds only the open end."""
        gone = self.cut - 1
        self.text = self.text[gone:]
        self.position -= gone
        self.cut -= gone
        if self.waits_at >= 0:
            self.waits_at -= gone
        self.stack = [mark._replace(at=mark.at - gone) for mark in self.stack]

    def _cut_plain(self, stop: int, size: int, pieces: list[str]) -> None:
        """Cut in text without marks, from `position` to `stop`."""
        while True:
            earliest = self.cut + SHORTEST
            if self.stack:
                earliest = max(earliest, min(self.stack[-1].at + REACH, self.cut + LONGEST))
            if stop < earliest:
                return
            found = _WORD_START.search(self.text, max(earliest, self.position) - 1, min(stop + 1, size))
            if found and found.end() <= min(stop, self.cut + UNBROKEN):
                at = found.end()
            elif stop >= self.cut + UNBROKEN:
                at = max(self.position, self.cut + UNBROKEN)
                while (
                    at < stop
                    and not (self.text[at - 1].isalnum() and self.text[at].isalnum())
                    and at < self.cut + UNBROKEN + 64
                ):
                    at += 1
            else:
                return
            if at >= size:
                return
            pieces.append(self.text[self.cut : at])
            self.cut = at
            self.position = max(self.position, at)
            self.stack.clear()

    def _special(self, at: int, size: int, is_final: bool) -> int:
        """Read the mark at `at`; returns where to go on, or -1 to wait for more text."""
        character = self.text[at]
        match character:
            case "\\" | "$":
                formula = read_formula(self.text, at, size, is_final=is_final)
                if isinstance(formula, FoundFormula):
                    return formula.stop
                if formula is Verdict.UNDECIDED:
                    return -1
                return at + 2 if character == "\\" else at + 1
            case "`":
                return self._ticks(at, size, is_final)
            case "<":
                if found := _ANGLE.match(self.text, at):
                    return found.end()
                if not is_final and size - at < TARGET_REACH and _ANGLE_OPEN.match(self.text, at):
                    return -1
                return at + 1
            case "[":
                self.stack.append(OpenMark("[", at, 1))
                return at + 1
            case "]":
                return self._bracket(at, size, is_final)
            case _:
                return self._emphasis(at, size, is_final)

    def _ticks(self, at: int, size: int, is_final: bool) -> int:
        run = _TICKS.match(self.text, at)
        assert run is not None
        if run.end() == size and not is_final:
            return -1
        limit = at + CODE_REACH
        found = _closing_ticks(run.end() - at).search(self.text, run.end(), min(size, limit + 1))
        if found and found.end() <= limit:
            return found.end() if found.end() < size or is_final else -1
        return run.end() if is_final or size > limit else -1

    def _bracket(self, at: int, size: int, is_final: bool) -> int:
        opener = next((i for i in range(len(self.stack) - 1, -1, -1) if self.stack[i].mark == "["), -1)
        if opener < 0:
            return at + 1
        if at + 1 >= size and not is_final:
            return -1
        if at + 1 < size and self.text[at + 1] == "(":
            found = _DESTINATION.match(self.text, at + 1, min(size, at + TARGET_REACH))
            if found is None:
                found = _PLAIN_DESTINATION.match(self.text, at + 1, min(size, at + PLAIN_TARGET_REACH))
            if found:
                del self.stack[opener:]
                return found.end()
            if not is_final and size - at < TARGET_REACH and _DESTINATION_OPEN.match(self.text, at + 1):
                return -1
            if not is_final and size - at < PLAIN_TARGET_REACH:
                rest = _PLAIN_TARGET.match(self.text, at + 2)
                if rest and rest.end() == size:
                    return -1
        del self.stack[opener]
        return at + 1

    def _emphasis(self, at: int, size: int, is_final: bool) -> int:
        run = _RUN.match(self.text, at)
        assert run is not None
        stop = run.end()
        if stop == size and not is_final:
            return -1
        mark, count = self.text[at], stop - at
        if mark == "~" and count < 2:
            return stop
        before = self.text[at - 1] if at else " "
        after = self.text[stop] if stop < size else " "
        can_open, can_close = flanks(mark, before, after)
        while can_close and count:
            opener = -1
            for index in range(len(self.stack) - 1, -1, -1):
                if self.stack[index].mark == "[":
                    break
                known = self.stack[index]
                if known.mark == mark and not (
                    (can_open or known.can_close) and _is_odd_match(known, stop - at)
                ):
                    opener = index
                    break
            if opener < 0:
                break
            taken = min(count, self.stack[opener].size)
            count -= taken
            left = self.stack[opener].size - taken
            kept = [self.stack[opener]._replace(size=left)] if left else []
            self.stack[opener:] = kept
        if count and can_open:
            self.stack.append(OpenMark(mark, at, count, stop - at, can_close))
        return stop


def _is_odd_match(opener: OpenMark, run: int) -> bool:
    """CommonMark's rule of three: `*` inside `**a*b**` does not close what two stars opened."""
    return opener.mark != "~" and (opener.run + run) % 3 == 0 and bool(opener.run % 3 or run % 3)


def flanks(mark: str, before: str, after: str) -> tuple[bool, bool]:
    """Whether a run of marks between two characters can open and can close.

    CommonMark 6.2, with one mercy for scripts that put no blanks between words: beside an ideograph, kana
    or hangul (or their punctuation) a mark need not stand at the edge of a word, so `**注意（重要）。**请`
    is bold. And with one for formulas: `}_{` and `^*` are a subscript and a star, so that they lose nothing.
    """
    if (mark == "_" and after == "{" and not before.isspace()) or (mark == "*" and before == "^"):
        return False, False
    if before.isalnum() and after.isalnum() and before.isascii() and after.isascii():
        return (True, True) if mark != "_" else (False, False)
    blank_before, blank_after = before.isspace(), after.isspace()
    punctuation_before, punctuation_after = _is_punctuation(before), _is_punctuation(after)
    wide_before, wide_after = _is_wide(before), _is_wide(after)
    left = not blank_after and (
        not punctuation_after or wide_after or blank_before or punctuation_before or wide_before
    )
    right = not blank_before and (
        not punctuation_before or wide_before or blank_after or punctuation_after or wide_after
    )
    if mark != "_":
        return left, right
    return left and (not right or punctuation_before), right and (not left or punctuation_after)


def _is_punctuation(character: str) -> bool:
    if character.isascii():
        return character in _PUNCTUATION
    return category(character)[0] in "PS"


def _is_wide(character: str) -> bool:
    return character >= "\u1100" and east_asian_width(character) in "WF" and character < "\U0001f000"
