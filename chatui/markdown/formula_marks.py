r"""Formulas in running text, read as they arrive.

Guards: the text behind an opening mark is looked through once for what closes it or rules it out, whatever
other marks are in it; it is judged when one of these came, and when it has grown to twice its length.
"""

from typing import Final, NamedTuple

from chatui.core.late_pattern import late_pattern
from chatui.markdown.formulas import (
    DISPLAY_REACH,
    NO_MATHS,
    REACH,
    FoundFormula,
    Outlook,
    Verdict,
    mark_at,
    outlook,
    read_formula,
)
from chatui.markdown.inline_state import WAIT, InlineState
from chatui.markdown.nodes import Kind, Node

_TELLING: Final = late_pattern(rf"\$|\\[()\[\]]|{NO_MATHS}")
"""What closes a formula, or cannot stand in one."""
_SIGN: Final = late_pattern(r"[\^_=\\]")
"""What makes it likely that an open formula is one."""
_CLOSERS: Final = {"\\(": ")", "\\[": "]"}
_LONGEST_TELLING: Final = 5
_FIRST_LOOK: Final = 16
"""Characters after which an open formula is judged again in any case."""
_AFTER: Final = 2
"""Characters behind a closing dollar that may belong to it or tell that it is none (`$n$th`, `$x$[^1]`)."""
_NONE: Final = -2
_PRICE: Final = 16
"""Characters that a mark which opens nothing counts for."""
_FREE: Final = 512
"""So many of them count for nothing: most paragraphs hold no more prices than that."""


class Telling(NamedTuple):
    """Something that closes a formula or rules it out."""

    at: int
    text: str


def read_dollar(state: InlineState, at: int, size: int, *, is_final: bool) -> int:
    """Read a mark that may open a formula; returns where to go on, WAIT, or `at` if it is none."""
    text = state.text
    if at + 1 >= size:
        return at if is_final else WAIT
    is_first = not state.seen
    if is_first and not _may_open(text, at, size, is_final=is_final):
        return at
    mark = mark_at(text, at)
    if not mark or (is_first and _is_flood(state, at)):
        return at
    limit = at + len(mark) + (REACH if mark == "$" else DISPLAY_REACH)
    end = _telling_end(state, at, mark, limit, size)
    if end == _NONE:
        return _none(state, at)
    begin = at + len(mark)
    is_due = state.references.can_guess(size - at) and (
        is_first
        or size - at >= max(2 * (state.seen - at), _FIRST_LOOK)
        or (state.guess is None and (_is_letter(text, begin, size) or _SIGN.search(text, state.seen, size)))
    )
    state.seen = max(state.seen, at + 1)
    is_pending = end == WAIT or (end == size and text[at] == "$")
    if is_pending and not is_final and size < limit:
        guessed = _guess(state, at, size) if is_due else WAIT
        return guessed if guessed == WAIT else _none(state, at)
    found = read_formula(text, at, size, is_final=is_final)
    if isinstance(found, FoundFormula):
        state.references.characters_read -= found.stop - at  # counted as what is passed over
        return state.emit(Node(Kind.FORMULA, text[at : found.stop], found.body), at, found.stop)
    reached = end if end > at else min(size, limit)
    if end != WAIT and not (mark == "$" and text[end - 2].isspace()):
        state.references.characters_read += end - at
    if found is Verdict.NONE:
        return _none(state, at)
    # What follows a dollar tells whether it closes anything: until that is there, it is not judged.
    state.judged = end - 1 if mark == "$" and at < end >= size - _AFTER else reached
    return WAIT


def _is_letter(text: str, begin: int, size: int) -> bool:
    """Whether one letter is all that came of a formula: it most likely is one."""
    return size - begin <= 2 and len(inside := text[begin:size].strip()) == 1 and inside.isalpha()


def judge(state: InlineState, at: int) -> None:
    """Judge an open formula by all that has come of it."""
    # What stands beside a mark is looked at first: until it is there, nothing can be said.
    if state.seen and _guess(state, at, len(state.text)) == at:
        state.guess = None


def _guess(state: InlineState, at: int, size: int) -> int:
    """Judge a formula by what has come of it; returns WAIT, or `at` if it can be none any more."""
    state.references.characters_read += size - at
    opened = without_half(state.text[at:])
    expected = outlook(opened)
    if expected is Outlook.NONE:
        return at
    state.seen = at + len(opened)  # half of what closes it may be the beginning of a command instead
    mark = mark_at(opened, 0)
    state.guess = Node(Kind.FORMULA, mark, size=1) if expected is Outlook.LIKELY else None
    return WAIT


def _may_open(text: str, at: int, size: int, *, is_final: bool) -> bool:
    """Whether what stands beside a mark lets it open a formula."""
    stop = min(at + 2, size)
    return read_formula(text, at, stop, is_final=is_final and stop == size) is not Verdict.NONE


def _telling_end(state: InlineState, at: int, mark: str, limit: int, size: int) -> int:
    """Where that ends which may close a formula; WAIT if nothing does yet, _NONE if it is ruled out."""
    begin, stop = at + len(mark), min(limit, size)
    while state.telling and state.telling[0].at < begin:
        state.telling.popleft()
    known = 0
    while known < len(state.telling) or _look(state, begin, stop):
        telling = state.telling[known]
        known += 1
        if telling.at >= limit:
            break
        if telling.at >= state.judged and (end := _end_of(telling, mark, state.text, size)):
            return end
    return WAIT


def _end_of(telling: Telling, mark: str, text: str, size: int) -> int:
    """Where that ends which may close a formula; _NONE if it rules it out, 0 if it does nothing to it."""
    after = telling.at + len(mark)
    match telling.text[0]:
        case "$" if mark == "$$":
            return min(after, size) if after > size or text[after - 1] == "$" else 0
        case "$":
            return after if mark == "$" else 0
        case "\\" if mark[0] == "$":
            return 0
        case "\\":
            if telling.text[1] in "([":
                return _NONE
            return after if telling.text[1] == _CLOSERS[mark] else 0
        case _:
            return _NONE


def _look(state: InlineState, begin: int, stop: int) -> bool:
    """Look for the next thing that tells, where it was not looked yet; whether there is one."""
    seen = max(state.telling_seen, begin)
    last = state.telling[-1] if state.telling else None
    position = max(state.telling_seen - _LONGEST_TELLING, begin, last.at + len(last.text) if last else 0)
    found = _TELLING.search(state.text, position, stop)
    if found:
        state.telling.append(Telling(found.start(), found[0]))
    state.telling_seen = max(found.end() if found else stop, seen)
    state.references.characters_read += state.telling_seen - seen
    return found is not None


def _none(state: InlineState, at: int) -> int:
    """A mark opens no formula. It always counts for the same, as only the text may decide what is a flood."""
    state.formulas_in_vain += _PRICE
    return at


def _is_flood(state: InlineState, at: int) -> bool:
    """Whether so many marks opened nothing, for the text before this one, that they are no writing."""
    return 2 * (state.formulas_in_vain - _FREE) > state.offset + at


def shown_formula(guess: Node, tail: str) -> Node:
    """A formula that was guessed, as long as it is by now."""
    opened = without_half(tail)
    return Node(Kind.FORMULA, opened, opened[len(guess.text) :], size=1)


def without_half(tail: str) -> str:
    """Without what closes it, or half of that."""
    if tail[0] == "$":
        begin = 2 if tail.startswith("$$") else 1
        return tail[:begin] + tail[begin:].rstrip("$")
    return tail.removesuffix("\\") if len(tail) > 2 else tail
