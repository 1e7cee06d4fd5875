"""Signs to text: the blanks between them, brackets around fractions, signs above and below.

Guards: brackets stand wherever a formula in one line would read as another one than was written.
Source: The TeXbook, chapter 18 (what stands between which kinds of signs), with one blank for every space.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from chatui.core.late_pattern import late_pattern
from chatui.view.layout.measure import graphemes
from chatui.view.maths.boxes import EMPTY, Box, beside, stacked
from chatui.view.maths.symbols import Kind, symbols
from chatui.view.maths.tokens import NotUnderstoodError

_CLOSERS: Final = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⌈": "⌉", "⌊": "⌋"}
_NUMBER: Final = late_pattern(r"\d[\d.,]*")
_DIFFERENTIAL: Final = late_pattern(r"[d∂Δδ][⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ]*")
_NO_OPERAND: Final = (None, Kind.OPERATOR, Kind.RELATION, Kind.OPEN, Kind.PUNCTUATION, Kind.LARGE)
_FACTORS: Final = (Kind.LETTER, Kind.CLOSE, Kind.FRACTION, Kind.WORD, Kind.BOX)
_FOLLOWERS: Final = (
    Kind.LETTER,
    Kind.WORD,
    Kind.BOX,
    Kind.FRACTION,
    Kind.OPEN,
    Kind.FUNCTION,
    Kind.LARGE,
)


class Atom(NamedTuple):
    """A sign, or what stands for one."""

    box: Box
    kind: Kind
    spaces: int = 0
    """Blanks that were asked for."""

    @property
    def text(self) -> str:
        """Its row, if it has one only."""
        return self.box.rows[0] if self.box.is_flat else ""


def atom(text: str, kind: Kind = Kind.LETTER) -> Atom:
    """A sign of one row."""
    return Atom(Box((text,)), kind)


def blank(count: int) -> Atom:
    """White space that was asked for."""
    return Atom(EMPTY, Kind.SPACE, count)


def joined(atoms: Sequence[Atom], *, is_tight: bool = False) -> Box:
    """Signs side by side.

    Args:
        atoms: The signs.
        is_tight: Above or below another sign: no blanks around operators and relations.
    """
    parts: list[Box] = []
    before: Kind | None = None
    last = ""
    asked = 0
    signs = [sign for sign in atoms if sign.kind is not Kind.SPACE]
    number = 0
    for sign in atoms:
        if sign.kind is Kind.SPACE:
            asked = max(asked, sign.spaces)
            continue
        number += 1
        after = signs[number].kind if number < len(signs) else None
        kind, box = sign.kind, sign.box
        if kind is Kind.OPERATOR and (before in _NO_OPERAND or after in (None, Kind.RELATION, Kind.CLOSE)):
            kind = Kind.OPEN if after is not None else Kind.LETTER  # a sign of what follows it
        if kind is Kind.FRACTION and _needs_brackets(before, after, box.rows[0]):
            box = Box((f"({box.rows[0]})",))
            if before is Kind.FUNCTION:
                kind = Kind.OPEN
        gap = asked if before is None else max(asked, _gap(before, kind, is_tight=is_tight))
        if before is Kind.LARGE and kind is Kind.OPEN and last.isascii() and last.isalpha():
            gap = asked  # max(a, b) is a call, a sum of brackets is none
        elif not gap and kind in (Kind.LETTER, Kind.WORD, Kind.FRACTION) and _ends_in_script(last):
            gap = 1
        if gap and (before is not None or asked > 1):
            parts.append(Box((" " * gap,)))
        parts.append(box)
        last = sign.text if kind in (Kind.LETTER, Kind.LARGE) else ""
        before = Kind.FRACTION if sign.kind is Kind.FRACTION else kind
        asked = 0
    return beside(parts) if parts else EMPTY


def _needs_brackets(before: Kind | None, after: Kind | None, text: str) -> bool:
    return "/" in text and (before in (*_FACTORS, Kind.FUNCTION) or after in _FOLLOWERS)


def _ends_in_script(text: str) -> bool:
    """Whether a sign ends in what stands above or below it after a mark: what follows would seem to."""
    return len(text) > 1 and ("^" in text or "_" in text)


def _gap(before: Kind, kind: Kind, *, is_tight: bool) -> int:
    """Blanks between two kinds of signs."""
    if not is_tight and Kind.RELATION in (before, kind):
        return int(before is not kind)
    if not is_tight and (Kind.OPERATOR in (before, kind) or before is Kind.PUNCTUATION):
        return 1
    if Kind.BOX in (before, kind):
        return int(before in _FACTORS and kind in _FOLLOWERS)
    if Kind.FUNCTION in (before, kind):
        if before is Kind.FUNCTION:
            return int(kind in (*_FACTORS, Kind.FUNCTION, Kind.LARGE))
        return int(before in (*_FACTORS, Kind.LARGE))
    if is_tight:
        return int(before is Kind.LARGE and kind in _FACTORS)
    if before is Kind.LARGE:
        return int(kind not in (Kind.PUNCTUATION, Kind.CLOSE))
    return int(kind is Kind.LARGE and before in _FACTORS)


def flat(box: Box) -> str:
    """The text of a box of one row.

    Raises:
        NotUnderstoodError: it has several.
    """
    if not box.is_flat:
        raise NotUnderstoodError("several lines within a line")
    return box.rows[0]


# --- one operand, or more ------------------------------------------------------------------------------


def is_simple(text: str) -> bool:
    """Whether a text is one operand whatever stands beside it: a number, a letter with its signs, a call."""
    at = 1 if text[:1] in ("√", "∛", "∜") else 0
    can_call = False
    if number := _NUMBER.match(text, at):
        at = number.end()
    elif text[at : at + 1].isalpha() or text[at : at + 1] in ("∞", "∅", "…", "⋯"):
        at += 1
        can_call = True
    else:
        at = _after_brackets(text, at)
        if at < 0:
            return False
    signs = symbols()
    marks = {*signs.above.values(), *signs.below.values(), *signs.raised, "!", "%"}
    while at < len(text):
        character = text[at]
        if character in marks or "\u0300" <= character <= "\u036f" or "\u20d0" <= character <= "\u20ff":
            at += 1
            can_call = can_call and character not in "!%"
        elif character in "_^" and at + 1 < len(text):
            at = _after_brackets(text, at + 1) if text[at + 1] in _CLOSERS else at + 2
        elif character in "([" and can_call:
            at = _after_brackets(text, at)
        else:
            return False
        if at < 0:
            return False
    return True


def _after_brackets(text: str, at: int) -> int:
    """Where a bracket that opens at a place is closed, or -1."""
    opener = text[at : at + 1]
    if opener == "|" or opener == "‖":
        stop = text.find(opener, at + 1)
        return stop + 1 if stop > at + 1 and " " not in text[at:stop] else -1
    closer = _CLOSERS.get(opener)
    if closer is None:
        return -1
    depth = 0
    for place in range(at, len(text)):
        if text[place] == opener:
            depth += 1
        elif text[place] == closer:
            depth -= 1
            if not depth:
                return place + 1
    return -1


def bracketed(text: str) -> str:
    """A text as one operand."""
    return text if is_simple(text) else f"({text})"


# --- fractions, roots, scripts -------------------------------------------------------------------------


def fraction(above: Sequence[Atom], below: Sequence[Atom]) -> Atom:
    """One thing over another, on one line."""
    over, under = flat(joined(above)), flat(joined(below))
    known = symbols().fractions.get(f"{over}/{under}")
    if known is not None:
        return atom(known)
    if _has_parts(over):
        over = f"({over})"
    is_word = len(below) == 1 and below[0].kind is Kind.WORD and " " not in under
    change = _DIFFERENTIAL.match(under)
    if not (is_word or (change and is_simple(under[change.end() :]))):
        under = bracketed(under) if under else ""
    return atom(f"{over}/{under}", Kind.FRACTION)


def _has_parts(text: str) -> bool:
    """Whether a blank or a stroke stands in a text, outside of brackets."""
    at = 0
    is_closed = True
    while at < len(text):
        stop = at + 1
        if is_closed and text[at] in _CLOSERS:
            stop = _after_brackets(text, at)
            is_closed = stop > 0  # what follows a bracket without an end is not looked through again
            stop = stop if is_closed else at + 1
        elif text[at] in " /":
            return True
        at = stop
    return False


def root(inside: Sequence[Atom], degree: str) -> Atom:
    """A root."""
    sign = {"": "√", "2": "√", "3": "∛", "4": "∜"}.get(degree)
    if sign is None:
        raised = above(degree)
        if raised.startswith("^"):
            raise NotUnderstoodError("a root of this degree")
        sign = f"{raised}√"
    text = flat(joined(inside))
    is_one = text.isdigit() or (text[:1].isalpha() and all(sign in _below_signs() for sign in text[1:]))
    return atom(sign + (text if is_one or _is_in_brackets(text) else f"({text})"))


def _below_signs() -> frozenset[str]:
    return frozenset(symbols().below.values())


def _is_in_brackets(text: str) -> bool:
    return text[:1] == "(" and _after_brackets(text, 0) == len(text)


def above(text: str) -> str:
    """A text as what stands above: with signs of its own if there are, else after a `^`."""
    return _script(text, symbols().above, "^")


def below(text: str) -> str:
    """The same below, after a `_`."""
    return _script(text, symbols().below, "_")


def _script(text: str, signs: dict[str, str], mark: str) -> str:
    if not text:
        return ""
    if mark == "^":
        text = text.replace("∘", "°").replace("⊤", "T")
        if all(character in symbols().raised for character in text) or text in ("°C", "°F"):
            return text
    if all(character in signs for character in text):
        return "".join(signs[character] for character in text)
    is_one = sum(1 for _ in graphemes(text)) == 1
    return mark + (text if is_one or _is_in_brackets(text) else f"({text})")


def with_scripts(base: Atom, lower: str, upper: str) -> Atom:
    """A sign with what stands below and above it."""
    box, kind = base.box, base.kind
    if kind is Kind.FRACTION:
        box, kind = Box((f"({base.text})",)), Kind.LETTER
    added = below(lower) + above(upper)
    if box.is_flat:
        return Atom(Box((box.rows[0] + added,)), Kind.LETTER if kind is Kind.OPERATOR else kind)
    rows = [EMPTY] * len(box.rows)
    rows[0], rows[-1] = Box((above(upper),)), Box((below(lower),))
    return Atom(beside([box, stacked(rows, box.base)]), kind)


def with_accent(text: str, mark: str) -> str:
    """Letters with a mark each; of all marks only a line stands over many.

    Raises:
        NotUnderstoodError: it would stand over several.
    """
    from unicodedata import combining, normalize

    letters = list(re.findall(r".[\u0300-\u036f\u20d0-\u20ff]*", text))
    most = {"\u0305": 24, "\u0332": 24, "\u20d7": 4, "\u20d6": 4, "\u20e1": 4, "\u0338": 12}.get(mark, 1)
    if not 0 < len(letters) <= most:
        raise NotUnderstoodError("a mark over several signs")
    if any(combining(letter[0]) for letter in letters):
        raise NotUnderstoodError("a mark over nothing")
    return normalize("NFC", "".join(letter + mark for letter in letters))
