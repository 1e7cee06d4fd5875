"""Running text that grows, read once from left to right into nodes.

Guards: each character is read once and looked ahead at no more than once, however the text arrives; what
comes out depends on the text alone. Text is cut where no mark is open (`SHORTEST`), so no paragraph makes
the cost of a token grow; a mark that stays open for long (`REACH`) is given up as text. Source: CommonMark
0.31.2 section 6 and its appendix "A parsing strategy"; GFM strikethrough and autolinks.
"""

import re
from typing import Final, NamedTuple

from chatui.core.late_pattern import late_pattern
from chatui.markdown.addresses import angle_address, read_mail, read_scheme, read_www
from chatui.markdown.blocks import Spans
from chatui.markdown.brackets import close_bracket, open_bracket
from chatui.markdown.formula_marks import read_dollar
from chatui.markdown.inline_state import WAIT, InlineState
from chatui.markdown.marks import OpenMark, close_marks, flanks
from chatui.markdown.nodes import BREAK, Kind, Node, spans_of
from chatui.markdown.references import References
from chatui.markdown.ticks import read_ticks

SHORTEST: Final = 96
"""Characters in a piece, at least."""
REACH: Final = 4000
"""How far emphasis may reach."""
LONGEST: Final = 8000
"""A piece is cut at the next blank after so many characters, whatever is open."""
UNBROKEN: Final = 3600
"""Text without any blank is cut after so many characters."""
_ANGLE_REACH: Final = 1200
_LONGEST_RUN: Final = 255
_LONGEST_ENTITY: Final = 33
_KEPT: Final = 1 << 12
"""Characters that are settled and still in memory, at most."""

_SPECIAL: Final = late_pattern(r"[\\`*_~\[\]<&$\n@]|:(?=//)|(?<![A-Za-z0-9@/.\-])www\.")
_HALF_SPECIAL: Final = late_pattern(r"(?::/?|(?<![A-Za-z0-9@/.\-])w{1,3})\Z")
"""The end of text that may be the start of a mark of several characters."""
_WIDE: Final = "\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_WORD_START: Final = late_pattern(rf"[ \n](?=[^ \n\t])|[{_WIDE}](?=[{_WIDE}])")
"""The end of a match is where a word begins; ideographs are words of their own."""
_ANGLE_END: Final = late_pattern(r"[\s<>]")
_ANGLE_HEAD_END: Final = late_pattern(r"[^A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]")
"""A colon or an `@` in an address, or what tells that it is none."""
_MARK_IN_HEAD: Final = late_pattern(r"[^A-Za-z0-9/=!#%'+?^{|}-]")
"""What may be a mark of its own, or a part of one."""
_LONGEST_NAME: Final = 64
"""Characters of the name of a tag."""
_ENTITY: Final = late_pattern(r"&(?:#(?:[xX][0-9a-fA-F]{1,6}|[0-9]{1,7})|[A-Za-z][A-Za-z0-9]{1,31});")
_BREAK_TAG: Final = late_pattern(r"<br[ \t]*/?>", re.IGNORECASE)
_BREAK_TAG_OPEN: Final = late_pattern(r"<(?:b(?:r[ \t]*/?)?)?\Z", re.IGNORECASE)
_ESCAPABLE: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class Piece(NamedTuple):
    """A settled part of running text."""

    text: str
    spans: Spans
    misses: frozenset[str]
    """Labels that were looked up in vain."""


class InlineReader:
    """Reads a paragraph, a heading or a cell as it arrives."""

    __slots__ = ("_is_cut", "_position", "cut", "state", "waits_at")

    def __init__(self, references: References, *, is_cut: bool = False) -> None:
        self.state = InlineState(references)
        self._position = 0
        self._is_cut = is_cut
        self.cut = 0
        """Everything before is settled and was handed out."""
        self.waits_at = -1
        """Where reading stopped because more text decides, or -1."""

    def feed(self, text: str) -> list[Piece]:
        """Add text; returns the pieces that it settled, each with its trailing blanks."""
        self.state.text += text
        return self._read(is_final=False)

    def finish(self) -> list[Piece]:
        """The text is over; returns what was not settled yet, without the blanks at its end."""
        pieces = self._read(is_final=True)
        state = self.state
        state.flush(len(state.text))
        rest = self.rest.rstrip(" \t\n")
        if rest:
            spans = spans_of(state.nodes, is_stripped=True)
            pieces.append(Piece(rest, spans, frozenset(state.misses)))
        return pieces

    @property
    def rest(self) -> str:
        """Text that is not settled yet."""
        return self.state.text[self.cut :]

    def _read(self, *, is_final: bool) -> list[Piece]:
        """Read on; at the end everything is settled but the last piece."""
        pieces: list[Piece] = []
        state = self.state
        text, size = state.text, len(state.text)
        begin = self._position
        self.waits_at = -1
        while True:
            found = _SPECIAL.search(text, self._position)
            if found is None:
                half = None if is_final else _HALF_SPECIAL.search(text, max(self._position, size - 3))
                stop = half.start() if half else size
                self._settle(stop, stop, pieces)
                self._position = max(self._position, stop)
                break
            stop = found.start()
            self._settle(stop, size, pieces)
            following = self._special(stop, size, is_final)
            if following == WAIT:
                self._position = self.waits_at = stop
                break
            self._position = following
            state.forget_waiting()
        state.references.characters_read += max(self._position, size if self.waits_at < 0 else 0) - begin
        if self.cut > _KEPT:
            self._forget()
        return pieces

    def _forget(self) -> None:
        """Drop what was handed out, so that memory holds only the open end."""
        gone = self.cut - 1
        self.state.forget(gone)
        self._position -= gone
        self.cut -= gone
        if self.waits_at >= 0:
            self.waits_at -= gone

    def _settle(self, stop: int, size: int, pieces: list[Piece]) -> None:
        """Cut in text without marks, from the position to `stop`."""
        state = self.state
        text = state.text
        while self._is_cut:
            earliest = self.cut + SHORTEST
            if state.stack:
                earliest = max(earliest, min(state.stack[-1].at + REACH, self.cut + LONGEST))
            if stop < earliest:
                return
            latest = min(stop, self.cut + UNBROKEN)
            found = _WORD_START.search(text, max(earliest, self._position) - 1, latest + 1)
            if found:
                at = found.end()
            elif stop >= self.cut + UNBROKEN:
                at = max(self._position, self.cut + UNBROKEN)
                while (
                    at < stop
                    and not (text[at - 1].isalnum() and text[at].isalnum())
                    and at < self.cut + UNBROKEN + 64
                ):
                    at += 1
            else:
                return
            if at >= size:
                return
            state.flush(at)
            pieces.append(Piece(text[self.cut : at], spans_of(state.nodes), frozenset(state.misses)))
            state.nodes.clear()
            state.flood = (0, ())
            state.misses.clear()
            state.stack.clear()
            self.cut = at
            self._position = max(self._position, at)

    def _special(self, at: int, size: int, is_final: bool) -> int:
        """Read the mark at `at`; returns where to go on, or WAIT."""
        state = self.state
        match state.text[at]:
            case "\n":
                return self._line_end(at)
            case "\\":
                return self._escape(at, size, is_final=is_final)
            case "$":
                following = read_dollar(state, at, size, is_final=is_final)
                return following if following != at else at + 1
            case "`":
                return read_ticks(state, at, size, is_final=is_final)
            case "<":
                return self._angle(at, size, is_final=is_final)
            case "&":
                return self._entity(at, size, is_final=is_final)
            case "[":
                return open_bracket(state, at)
            case "]":
                return close_bracket(state, at, size, is_final=is_final)
            case ":":
                return read_scheme(state, at, size, is_final=is_final)
            case "w":
                return read_www(state, at, size, is_final=is_final)
            case "@":
                return read_mail(state, at, size, is_final=is_final)
            case _:
                return self._emphasis(at, size, is_final=is_final)

    def _line_end(self, at: int) -> int:
        """Two blanks before it make it a break that was asked for."""
        state = self.state
        before = state.text[state.text_start : at]
        blanks = len(before) - len(before.rstrip(" "))
        return state.emit(BREAK if blanks >= 2 else Node(Kind.TEXT, " "), at - blanks, at + 1)

    def _escape(self, at: int, size: int, *, is_final: bool) -> int:
        state = self.state
        if at + 1 >= size:
            return at + 1 if is_final else WAIT
        following = state.text[at + 1]
        if following in "([":
            stop = read_dollar(state, at, size, is_final=is_final)
            if stop != at:
                return stop
        if following == "\n":
            return state.emit(BREAK, at, at + 2)
        if following in _ESCAPABLE:
            return state.emit(Node(Kind.TEXT, following), at, at + 2)
        return at + 1

    def _angle(self, at: int, size: int, *, is_final: bool) -> int:
        state = self.state
        if tag := _BREAK_TAG.match(state.text, at):
            return state.emit(BREAK, at, tag.end())
        if not is_final and _BREAK_TAG_OPEN.match(state.text, at):
            return WAIT
        limit = min(size, at + _ANGLE_REACH)
        found = None
        if not state.judged:
            found = _ANGLE_HEAD_END.search(state.text, max(state.seen, at + 1), limit)
            state.look(at + 1, found.start() if found else limit)
            if found and found[0] not in ":@":
                return self._after_name(at, found.start())
            state.judged = found.start() if found else 0
        if found or state.judged:
            found = _ANGLE_END.search(state.text, max(state.seen, state.judged), limit)
            state.look(at + 1, found.start() if found else limit)
        if found is None:
            return at + 1 if is_final or size > limit else WAIT
        if found[0] == ">":
            address = angle_address(state.text[at + 1 : found.start()])
            if address is not None:
                return state.take_looked(Node(Kind.ADDRESS, *address), at, at + 1, found.end())
        return at + 1

    def _after_name(self, at: int, stop: int) -> int:
        """Where to go on after an angle that begins no address: the name of a tag is not read again."""
        state = self.state
        if stop > at + _LONGEST_NAME or _MARK_IN_HEAD.search(state.text, at + 1, stop):
            return at + 1
        state.references.characters_read -= stop - at - 1  # counted as what is passed over
        return stop

    def _entity(self, at: int, size: int, *, is_final: bool) -> int:
        text, state = self.state.text, self.state
        begin = max(state.seen, at + 1)
        stop = begin
        limit = min(size, at + _LONGEST_ENTITY)
        while stop < limit and ((character := text[stop]).isalnum() or (character == "#" and stop == at + 1)):
            stop += 1
        state.look(at + 1, stop)
        if stop == size and stop < at + _LONGEST_ENTITY and not is_final:
            return WAIT
        found = _ENTITY.match(text, at)
        if found is None:
            return at + 1
        from chatui.markdown.borrowed import unescapeAll

        character = unescapeAll(found[0])
        if character == found[0]:
            if not found[0].startswith("&#"):
                return at + 1
            character = "\ufffd"
        return state.take_looked(Node(Kind.TEXT, character), at, at + 1, found.end())

    def _emphasis(self, at: int, size: int, *, is_final: bool) -> int:
        state = self.state
        text = state.text
        stop = state.run_end(at, size, _LONGEST_RUN)
        if stop == size and stop - at < _LONGEST_RUN and not is_final:
            state.seen = stop
            return WAIT
        mark, count = text[at], stop - at
        if mark == "~" and count < 2:
            return stop
        before = text[at - 1] if at else " "
        after = text[stop] if stop < size else " "
        can_open, can_close = flanks(mark, before, after)
        if not can_open and not can_close:
            return stop
        size_shown = count - count % 2 if mark == "~" else count
        node = Node(Kind.RUN, mark, size=size_shown, can_open=can_open, can_close=can_close)
        state.emit(node, stop - size_shown, stop)
        left = close_marks(state.stack, mark, count, can_open=can_open) if can_close else count
        if left and can_open:
            known = OpenMark(mark, at, left, len(state.nodes) - 1, count, can_close)
            state.stack.append(known)
        return stop
