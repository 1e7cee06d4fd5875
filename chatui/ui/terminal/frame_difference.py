"""Writes to the terminal only what differs from what stands there, and scrolls what only moved.

Invariant: after a frame the terminal shows exactly what Textual's own, longer output would show. What keeps
that true where terminals differ: rows that a scroll brought in are written whole (what colour they are filled
with differs); whenever Textual writes the whole screen (start, resize, return from another program) it is
written whole here too; and of a row `row_difference` takes nothing for granted. Textual rewrites each
dirty row, so a scrolled frame costs it the whole window: some 9 kB, of which less than 1 is news.

Source: xterm's control sequences for the scrolling region (DECSTBM) and for LF and RI at its edges, which
every terminal since the VT100 knows.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from rich.color import ColorSystem
from rich.console import Console
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.strip import Strip

LEAST_SCROLLED_ROWS: Final = 3
"""Fewer rows that moved are written again: two control sequences are not worth it."""


class _Row:
    """What is known of one row of the terminal: pieces by their first cell; a missing piece is not known."""

    __slots__ = ("ends", "pieces")

    def __init__(self, ends: Sequence[int], pieces: dict[int, Strip]) -> None:
        self.ends = ends
        self.pieces = pieces

    def is_known(self) -> bool:
        return len(self.pieces) == len(self.ends)


class ShownFrame:
    """What stands on the terminal, as far as it is known."""

    def __init__(self) -> None:
        self._rows: list[_Row | None] = []

    def forget(self) -> None:
        """Somebody else may have written to the terminal."""
        self._rows = []

    def difference(self, update: CompositorUpdate) -> CompositorUpdate:
        """The same update, to be written with as little as can be."""
        match update:
            case ChopsUpdate():
                return _Difference(self, update)
            case LayoutUpdate():
                return _WholeFrame(self, update)
            case _:
                self.forget()
                return update

    def remember_all(self, rows: Sequence[Sequence[Strip]]) -> None:
        """The whole screen was written."""
        self._rows = []
        for strips in rows:
            pieces: dict[int, Strip] = {}
            ends: list[int] = []
            at = 0
            for strip in strips:
                pieces[at] = strip
                at += strip.cell_length
                ends.append(at)
            self._rows.append(_Row(ends, pieces))

    def write(self, update: ChopsUpdate, console: Console) -> str:
        """What must be written for an update, which counts as written."""
        from chatui.ui.terminal.row_difference import changes

        wanted = self._wanted(update)
        written: list[str] = []
        scroll = self._find_scroll(wanted)
        if scroll is not None:
            first, last, by = scroll
            written.append(_scroll_sequence(first, last, by))
            self._move(first, last, by, wanted)
        colours = console._color_system or ColorSystem.TRUECOLOR  # noqa: SLF001 - as Strip.render takes it
        for y, new in wanted.items():
            row = self._row(y)
            old = row.pieces if row is not None and row.ends == new.ends else {}
            for x, strip in new.pieces.items():
                was = old.get(x)
                if was is not strip:
                    written.append(changes(x, y, was, strip, colours))
            self._set(y, _Row(new.ends, {**old, **new.pieces}))
        return "".join(written)

    def _row(self, y: int) -> _Row | None:
        return self._rows[y] if y < len(self._rows) else None

    def _set(self, y: int, row: _Row | None) -> None:
        if y >= len(self._rows):
            self._rows.extend([None] * (y + 1 - len(self._rows)))
        self._rows[y] = row

    def _wanted(self, update: ChopsUpdate) -> dict[int, _Row]:
        wanted: dict[int, _Row] = {}
        for y, start, stop in update.spans:
            row = wanted.get(y)
            if row is None:
                row = wanted[y] = _Row(update.chop_ends[y], {})
            chops: Mapping[int, Strip | None] = update.chops[y]
            for (x, strip), end in zip(chops.items(), row.ends, strict=False):
                if strip is not None and x < stop and end > start:
                    row.pieces[x] = strip
        return wanted

    def _find_scroll(self, wanted: dict[int, _Row]) -> tuple[int, int, int] | None:
        """First and last row, and by how many rows to scroll up (down if negative) to put most in place."""
        old_at: dict[int, int] = {}
        changed: list[tuple[int, int]] = []
        for y, new in wanted.items():
            row = self._row(y)
            if row is None or row.ends != new.ends or not new.pieces:
                continue
            x = max(new.pieces, key=lambda x: new.pieces[x].cell_length)
            was = row.pieces.get(x)
            if was is None:
                continue
            key = id(was)
            old_at[key] = -1 if key in old_at else y
            if was is not new.pieces[x]:
                changed.append((y, id(new.pieces[x])))
        if len(changed) < LEAST_SCROLLED_ROWS:
            return None
        moved: dict[int, list[int]] = {}
        for y, key in changed:
            was_at = old_at.get(key, -1)
            if was_at >= 0:
                moved.setdefault(was_at - y, []).append(y)
        if not moved:
            return None
        by, rows = max(moved.items(), key=lambda item: len(item[1]))
        if len(rows) < max(LEAST_SCROLLED_ROWS, len(changed) // 2):
            return None
        first, last = min(rows[0], rows[0] + by), max(rows[-1], rows[-1] + by)
        for y in range(first, last + 1):
            row = self._row(y)
            # The first row is known: its difference began here.
            if row is None or not row.is_known() or row.ends != self._rows[first].ends:  # type: ignore[union-attr]
                return None
        return first, last, by

    def _move(self, first: int, last: int, by: int, wanted: dict[int, _Row]) -> None:
        """Rows moved; what moved along and should not have is wanted back."""
        before = self._rows[first : last + 1]
        for y, row in enumerate(before, first):
            assert row is not None
            new = wanted.get(y)
            if new is None:
                new = wanted[y] = _Row(row.ends, {})
            for x, strip in row.pieces.items():
                new.pieces.setdefault(x, strip)
        count = last - first + 1
        for y in range(first, last + 1):
            source = y + by - first
            self._rows[y] = before[source] if 0 <= source < count else None


class _Difference(CompositorUpdate):
    """A partial update, written as what differs."""

    def __init__(self, shown: ShownFrame, update: ChopsUpdate) -> None:
        self._shown = shown
        self._update = update

    def render_segments(self, console: Console) -> str:
        """Control sequences and text."""
        return self._shown.write(self._update, console)


class _WholeFrame(CompositorUpdate):
    """A whole screen, written and remembered."""

    def __init__(self, shown: ShownFrame, update: LayoutUpdate) -> None:
        self._shown = shown
        self._update = update

    def render_segments(self, console: Console) -> str:
        """Control sequences and text."""
        rows = [list(line) for line in self._update.strips]
        self._update.strips = list(rows)
        if self._update.region.offset == (0, 0):
            self._shown.remember_all(rows)
        else:
            self._shown.forget()
        return self._update.render_segments(console)


def _scroll_sequence(first: int, last: int, by: int) -> str:
    """Scroll some rows by some lines, through the edges of a scrolling region."""
    if by > 0:
        return f"\x1b[{first + 1};{last + 1}r\x1b[{last + 1};1H" + "\n" * by + "\x1b[r"
    return f"\x1b[{first + 1};{last + 1}r\x1b[{first + 1};1H" + "\x1bM" * -by + "\x1b[r"
