"""Markdown that grows: append only, each line read once, only the open end read again.

Guards: after `close()` the blocks equal those of the whole text read at once, however it was split; a
closed block's key never changes, its revision only when a definition that came later resolves in it.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from chatui.markdown.blocks import Block, Code, Formula, Heading, Paragraph, Rule, TableRow
from chatui.markdown.deciding import Decision, LineGate
from chatui.markdown.inline import read_whole
from chatui.markdown.inline_reader import Piece
from chatui.markdown.reader import Reader

_LINE: Final = re.compile(r"([^\r\n]*)(\r\n|\r(?!\Z)|\n)")
_LONGEST_LOG: Final = 512
_READINGS: Final = 3
"""How often a line that looks like a formula is read when it is over and none, with one look at it before."""
_LONG_LINE: Final = 1024
"""Characters of a line that is one block and not over, from which on it is not shown anew at every look."""


class IncrementalDocument:
    """Markdown that grows."""

    __slots__ = (
        "_changes",
        "_committed",
        "_gate",
        "_has_open_text",
        "_incoming",
        "_is_closed",
        "_is_final",
        "_offset",
        "_parts",
        "_pending",
        "_reader",
        "_revised",
        "_serial",
        "_shown",
    )

    def __init__(self, text: str = "") -> None:
        self._reader = Reader()
        self._parts: list[str] = []
        self._incoming: list[str] = []
        self._pending = ""
        self._offset = 0
        self._committed = 0
        self._has_open_text = False
        self._is_closed = False
        self._is_final = False
        self._serial = 0
        self._shown = 0
        self._gate = LineGate()
        self._revised: list[tuple[int, int]] = []
        self._changes: list[tuple[int, int]] = [(0, 0)]
        if text:
            self.append(text)

    def append(self, text: str) -> None:
        """More source; it is read when the blocks are asked for."""
        if self._is_closed:
            raise ValueError("the document is closed")
        if text:
            self._incoming.append(text)
            self._parts.append(text)
            self._reader.writer.references.characters_received += len(text)

    def close(self) -> None:
        """The source is over: open marks are settled, late references resolved."""
        self._is_closed = True

    def settle(self) -> None:
        """Read now what is put off while text streams fast: long open ends, definitions in a row."""
        if not self._is_final:
            self._read(is_exact=True)

    @property
    def is_closed(self) -> bool:
        """No more source will come."""
        return self._is_closed

    @property
    def source(self) -> str:
        """All source so far."""
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    @property
    def characters_received(self) -> int:
        """Characters appended so far."""
        return self._reader.writer.references.characters_received

    @property
    def characters_parsed(self) -> int:
        """Characters read so far; at most three times those received.

        Every one counts that the reader of lines or that of running text takes, and every one that either
        looks at ahead or again: to decide what a line is, to find what closes a mark, because the lines
        above turn out to be a table or a heading, because a reference is defined late.
        """
        return self._reader.writer.references.characters_read

    @property
    def blocks(self) -> Sequence[Block]:
        """Leaves in reading order; closed ones keep identity, key and revision. Not to be changed."""
        if self._incoming or self._is_closed != self._is_final:
            self._read()
        return self._reader.writer.blocks

    def changes_since(self, serial: int) -> tuple[int, int, list[int]]:
        """What changed since `serial` (0: all).

        Returns:
            The serial to give next time; the first block from which anything may have changed; blocks before
            it that were revised in their place, in order.
        """
        blocks = self.blocks
        if serial == self._serial:
            return self._serial, len(blocks), []
        index = bisect_right(self._changes, (serial, 1 << 62))
        first = self._changes[index][1] if index < len(self._changes) else len(blocks)
        if serial < self._changes[0][0]:
            first = 0
        at = bisect_right(self._revised, (serial, 1 << 62))
        revised = sorted({key for _, key in self._revised[at:] if key < first})
        return self._serial, first, revised

    # --- reading ----------------------------------------------------------------------------------

    def _read(self, *, is_exact: bool = False) -> None:
        reader = self._reader
        writer = reader.writer
        shown = writer.blocks[self._committed :]
        del writer.blocks[self._committed :]
        writer.lowest_change = self._committed
        chunk = "".join(self._incoming)
        self._incoming.clear()
        self._read_lines(chunk)
        if self._is_closed:
            if self._has_open_text:
                reader.end_line()
            elif self._pending:
                reader.read_line(self._pending.removesuffix("\r"), self._offset)
            reader.finish()
            self._pending, self._has_open_text, self._is_final = "", False, True
        else:
            self._try_pending(is_exact=is_exact)
        is_same_line = len(writer.blocks) == self._committed == writer.lowest_change
        self._committed = len(writer.blocks)
        if is_same_line and not is_exact and not self._is_closed and self._can_wait():
            writer.blocks.extend(shown)
            return
        self._shown = reader.line_size
        if writer.defined and (self._is_closed or is_exact or not reader.is_defining):
            self._resolve()
        if not self._is_closed:
            writer.is_exact = is_exact
            reader.show_open_end()
        self._serial += 1
        self._log(writer.lowest_change)

    def _can_wait(self) -> bool:
        """Whether a very long line that is one block has grown too little to be shown anew."""
        size, shown = self._reader.line_size, self._shown
        return self._reader.is_in_one_block and size > shown >= _LONG_LINE and size < 2 * shown

    def _read_lines(self, chunk: str) -> None:
        reader = self._reader
        if self._has_open_text:
            ends = [end for end in (chunk.find("\n"), chunk.find("\r")) if end >= 0]
            end = min(ends, default=len(chunk))
            if end:
                reader.read_text(chunk[:end])
                self._offset += end
            if not ends:
                return
            self._has_open_text = False
            # The line end that follows belongs to the line that was read already.
            if chunk.startswith("\r\n", end):
                skipped = 2
            elif chunk[end] == "\r" and end + 1 == len(chunk) and not self._is_closed:
                # A lone CR at the end may be half a line end: it waits.
                self._has_open_text = True
                self._incoming.append("\r")
                return
            else:
                skipped = 1
            reader.end_line()
            self._offset += skipped
            chunk = chunk[end + skipped :]
        text = self._pending + chunk
        if "\r" in text:
            position = 0
            for found in _LINE.finditer(text):
                reader.read_line(found[1], self._offset)
                self._offset += len(found[0])
                position = found.end()
            self._pending = text[position:]
            if position:
                self._gate.reset()
            return
        *complete, self._pending = text.split("\n")
        if complete:
            self._gate.reset()
        offset = self._offset
        for line in complete:
            stop = offset + len(line)
            reader.read_line(line, offset)
            offset = stop + 1
        self._offset = offset

    def _try_pending(self, *, is_exact: bool) -> None:
        """Read a line that is not over as soon as it is decided."""
        line, reader = self._pending.removesuffix("\r"), self._reader
        if not line or self._has_open_text:
            return
        gate, references = self._gate, reader.writer.references
        in_vain = reader.formula_size
        to_come = _READINGS * len(line) if gate.is_for_show else len(line)
        if (gate.is_for_show or in_vain) and not is_exact and not references.can_guess(to_come + in_vain):
            return
        if not is_exact and not references.can_decide(len(line)):
            return
        references.characters_read += gate.look(line, is_in_code=reader.is_in_code)
        if not gate.is_due and not is_exact:
            return
        decision = reader.decide(line, self._offset)
        gate.decided(decision)
        if decision is Decision.YES:
            gate.reset()
            reader.begin_line(line, self._offset)
            self._offset += len(line)
            if len(line) < len(self._pending):
                self._incoming.append("\r")  # half a line end, perhaps: it waits
            self._pending, self._has_open_text = "", True

    def _resolve(self) -> None:
        """Read blocks again that waited for a definition."""
        writer = self._reader.writer
        for key, source in writer.waiting():
            if key < self._committed:
                writer.blocks[key] = self._again(writer.blocks[key], source)
                self._revised.append((self._serial + 1, key))
        if len(self._revised) > _LONGEST_LOG:
            # Who has not looked since gets the lowest of them as a change of all that follows.
            writer.lowest_change = min(writer.lowest_change, *(key for _, key in self._revised))
            self._revised.clear()

    def _again(self, block: Block, source: tuple[str, ...]) -> Block:
        revision = block.revision + 1
        match block:
            case Paragraph() | Heading():
                (piece,) = self._pieces(block, source)
                return replace(block, spans=piece.spans, revision=revision)
            case TableRow():
                pieces = self._pieces(block, source)
                cells = (*(piece.spans for piece in pieces), *block.cells[len(pieces) :])
                return replace(block, cells=cells, revision=revision)
            case Code() | Formula() | Rule():
                return block

    def _pieces(self, block: Block, source: tuple[str, ...]) -> list[Piece]:
        writer = self._reader.writer
        pieces = [read_whole(text, writer.references) for text in source]
        writer.remember(block.key, *pieces)
        return pieces

    def _log(self, first: int) -> None:
        while self._changes and self._changes[-1][1] >= first:
            self._changes.pop()
        self._changes.append((self._serial, first))
        if len(self._changes) > _LONGEST_LOG:
            del self._changes[: _LONGEST_LOG // 2]
