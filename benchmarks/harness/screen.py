"""A terminal that only knows where text stands: it tells when something was shown, and on which rows.

Invariant: what it cannot place it ignores; it never fails on what a program writes. Colours are skipped,
because none of the benchmarks looks at them and most bytes are colours. Source: ECMA-48, and xterm's
control sequences.
"""

import codecs
import functools
import re
from typing import Final

from wcwidth import wcwidth

_PIECE: Final = re.compile(
    r"(?P<text>[^\x00-\x1f\x7f-\x9f]+)"
    r"|\x1b\[(?P<private>[<-?]?)(?P<values>[0-9;:]*)(?P<between>[ -/]*)(?P<final>[@-~])"
    r"|(?P<string>\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\))"
    r"|\x1b(?P<escape>[ -/]*[0-Z\\^-~])"
    r"|(?P<control>[\x00-\x1a\x1c-\x1f\x7f-\x9f])",
    re.DOTALL,
)
_UNFINISHED: Final = re.compile(r"\x1b(?:\[[<-?]?[0-9;:]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)?\Z")
_SYNCHRONISED: Final = 2026
_ALTERNATE: Final = (47, 1047, 1049)


@functools.lru_cache(8192)
def _cells(character: str) -> int:
    return max(wcwidth(character), 0)


class Screen:
    """The cells of a terminal.

    Attributes:
        touched: Rows written to since it was last emptied by whoever reads it.
        frames: Synchronised updates that ended.
    """

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.height = rows
        self.touched: set[int] = set()
        self.frames = 0
        self.column = 0
        self.row = 0
        self._rows = self._blank_rows()
        self._main: list[list[str]] | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._top, self._bottom = 0, rows - 1
        self._saved = (0, 0)
        self._last = " "
        self._must_wrap = False

    def _blank_rows(self) -> list[list[str]]:
        return [[" "] * self.columns for _ in range(self.height)]

    def row_text(self, row: int) -> str:
        """What stands on a row."""
        return "".join(self._rows[row])

    def text(self) -> str:
        """All rows."""
        return "\n".join(self.row_text(row) for row in range(self.height))

    def feed(self, written: bytes) -> None:
        """Take what a program wrote."""
        given = self._rest + self._decoder.decode(written)
        self._rest = ""
        at = 0
        while at < len(given):
            piece = _PIECE.match(given, at)
            if piece is None:
                if _UNFINISHED.match(given, at):
                    self._rest = given[at:]
                    return
                at += 1
                continue
            at = piece.end()
            if text := piece["text"]:
                self._write(text)
            elif final := piece["final"]:
                if not piece["between"]:
                    self._sequence(piece["private"], piece["values"], final)
            elif control := piece["control"]:
                self._control(control)
            elif escape := piece["escape"]:
                self._escape(escape)

    def _write(self, text: str) -> None:
        self._last = text[-1]
        if text.isascii():
            self._write_narrow(text)
            return
        for character in text:
            cells = _cells(character)
            if cells == 0:
                continue
            if self._must_wrap or self.column + cells > self.columns:
                self.column = 0
                self._line_feed()
            row = self._rows[self.row]
            row[self.column] = character
            if cells == 2:
                row[self.column + 1] = ""
            self._advance(cells)

    def _write_narrow(self, text: str) -> None:
        at = 0
        while at < len(text):
            if self._must_wrap:
                self.column = 0
                self._line_feed()
            part = text[at : at + self.columns - self.column]
            self._rows[self.row][self.column : self.column + len(part)] = part
            at += len(part)
            self._advance(len(part))

    def _advance(self, cells: int) -> None:
        self.touched.add(self.row)
        self.column += cells
        if self.column >= self.columns:
            self.column = self.columns - 1
            self._must_wrap = True

    def _control(self, control: str) -> None:
        self._must_wrap = False
        match control:
            case "\n" | "\v" | "\f":
                self._line_feed()
            case "\r":
                self.column = 0
            case "\b":
                self.column = max(0, self.column - 1)
            case "\t":
                self.column = min(self.columns - 1, (self.column // 8 + 1) * 8)
            case _:
                pass

    def _escape(self, escape: str) -> None:
        match escape:
            case "7":
                self._saved = (self.column, self.row)
            case "8":
                self.column, self.row = self._saved
            case "D":
                self._line_feed()
            case "E":
                self.column = 0
                self._line_feed()
            case "M":
                if self.row == self._top:
                    self._scroll_down(self._top, 1)
                else:
                    self.row = max(0, self.row - 1)
            case _:
                pass

    def _line_feed(self) -> None:
        self._must_wrap = False
        if self.row == self._bottom:
            self._scroll_up(self._top, 1)
        elif self.row < self.height - 1:
            self.row += 1

    def _scroll_up(self, top: int, count: int) -> None:
        for _ in range(min(count, self._bottom - top + 1)):
            del self._rows[top]
            self._rows.insert(self._bottom, [" "] * self.columns)
        self.touched.update(range(top, self._bottom + 1))

    def _scroll_down(self, top: int, count: int) -> None:
        for _ in range(min(count, self._bottom - top + 1)):
            del self._rows[self._bottom]
            self._rows.insert(top, [" "] * self.columns)
        self.touched.update(range(top, self._bottom + 1))

    def _erase(self, row: int, start: int, stop: int) -> None:
        self._rows[row][start:stop] = [" "] * (stop - start)
        self.touched.add(row)

    def _sequence(self, private: str, values: str, final: str) -> None:
        numbers = [int(value.split(":")[0] or 0) for value in values.split(";")] if values else []
        if private:
            if private == "?" and final in "hl":
                for number in numbers:
                    self._mode(number, is_on=final == "h")
            return
        if final in "cmnqtsu":
            if final == "s":
                self._saved = (self.column, self.row)
            elif final == "u":
                self.column, self.row = self._saved
            return
        self._must_wrap = False
        if not self._move(numbers, final):
            self._edit(numbers, final)

    def _mode(self, number: int, *, is_on: bool) -> None:
        if number == _SYNCHRONISED:
            self.frames += not is_on
        elif number in _ALTERNATE:
            if is_on and self._main is None:
                self._main, self._rows = self._rows, self._blank_rows()
            elif not is_on and self._main is not None:
                self._rows, self._main = self._main, None
            self.touched.update(range(self.height))

    def _move(self, numbers: list[int], final: str) -> bool:
        count = (numbers[0] if numbers else 0) or 1
        second = (numbers[1] if len(numbers) > 1 else 0) or 1
        match final:
            case "H" | "f":
                self.row = min(count, self.height) - 1
                self.column = min(second, self.columns) - 1
            case "A" | "F":
                self.row = max(0, self.row - count)
            case "B" | "E" | "e":
                self.row = min(self.height - 1, self.row + count)
            case "C" | "a":
                self.column = min(self.columns - 1, self.column + count)
            case "D":
                self.column = max(0, self.column - count)
            case "G" | "`":
                self.column = min(self.columns, count) - 1
            case "d":
                self.row = min(self.height, count) - 1
            case "r":
                self._top = count - 1
                bottom = numbers[1] if len(numbers) > 1 and numbers[1] else self.height
                self._bottom = min(bottom, self.height) - 1
                self.column = self.row = 0
            case _:
                return False
        if final in "EF":
            self.column = 0
        return True

    def _edit(self, numbers: list[int], final: str) -> None:
        count = (numbers[0] if numbers else 0) or 1
        which = numbers[0] if numbers else 0
        row, column, columns = self.row, self.column, self.columns
        match final:
            case "J":
                first, last = ((row + 1, self.height), (0, row), (0, self.height))[min(which, 2)]
                for other in range(first, last):
                    self._erase(other, 0, columns)
                if which < 2:
                    self._erase(row, *((column, columns), (0, column + 1))[which])
            case "K":
                self._erase(row, *((column, columns), (0, column + 1), (0, columns))[min(which, 2)])
            case "X":
                self._erase(row, column, min(columns, column + count))
            case "P":
                cells = self._rows[row]
                del cells[column : column + count]
                cells.extend([" "] * (columns - len(cells)))
                self.touched.add(row)
            case "@":
                cells = self._rows[row]
                cells[column:column] = [" "] * count
                del cells[columns:]
                self.touched.add(row)
            case "b":
                self._write(self._last * count)
            case "L" if self._top <= row <= self._bottom:
                self._scroll_down(row, count)
            case "M" if self._top <= row <= self._bottom:
                self._scroll_up(row, count)
            case "S":
                self._scroll_up(self._top, count)
            case "T":
                self._scroll_down(self._top, count)
            case _:
                pass
