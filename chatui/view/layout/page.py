"""Blocks to lines, in reading order: the page as it is laid out so far.

Guards: lines stand in the order of their blocks; a paragraph's piece goes on in the last line of the piece
before it; a table that is still open is laid out anew when its columns change.
"""

from collections.abc import Sequence
from typing import Final

from chatui.markdown.blocks import Block, Code, Formula, Heading, Image, Paragraph, Rule, TableRow
from chatui.view.layout import styles
from chatui.view.layout.code import CodeShape
from chatui.view.layout.flow import Flow, wrap
from chatui.view.layout.formulas import formula_lines, formula_rows
from chatui.view.layout.margin import Margin, margin
from chatui.view.layout.measure import cells
from chatui.view.layout.open_page import Carry, OpenPage
from chatui.view.layout.spans import add_safe, add_spans
from chatui.view.layout.table import Fit, TableShape
from chatui.view.lines import Line, Run, Tone
from chatui.view.pictures import box_lines

_KEPT_CARRIES: Final = 64
_HEADING_TONES: Final = {3: Tone.ACCENT, 4: Tone.ACCENT, 5: Tone.TEXT, 6: Tone.MUTED}
"""So that each level looks weaker than the one above: the first has a rule, the last three are italic."""


class Page(OpenPage):
    """Lines of blocks, laid out one after the other."""

    # --- laying out -------------------------------------------------------------------------------

    def add(self, blocks: Sequence[Block], index: int) -> int:
        """Lay out one block; returns the next."""
        block = blocks[index]
        beside = self._margin(block)
        match block:
            case Paragraph(is_continued=True):
                carry = self.carries[index]
                self.lines.pop()
                self._begin(block)
                flow = carry.flow.copy()
                add_spans(flow, block.spans, beside.tone, self.options)
                self._flow(flow, beside._replace(first=carry.prefix), index)
            case Paragraph():
                self._begin(block, beside)
                self._pictures(block, beside)
                flow = Flow()
                add_spans(flow, block.spans, beside.tone, self.options)
                self._flow(flow, beside, index)
            case Heading():
                self._begin(block, beside)
                self._heading(block, beside)
            case Rule():
                self._begin(block, beside)
                size = max(self.width - beside.size, 1)
                runs = (*beside.first, Run(("─" if self.options.is_unicode else "-") * size, styles.RULE))
                self.lines.append(Line(runs, beside.size + size, beside.size + size))
            case Code():
                self._code(block, beside, index)
            case Formula():
                self._formula(block, beside, index)
            case TableRow():
                self._table_row(block, beside, index)
        return index + 1

    def _pictures(self, block: Paragraph, beside: Margin) -> None:
        """Pictures stand above the words: the paragraph may go on in its last line."""
        pictures = self.options.pictures
        if pictures is None:
            return
        for span in block.spans:
            if isinstance(span, Image):
                box = pictures.box(span.source, span.text, max(self.width - beside.size, 1))
                if box is not None:
                    self.lines.extend(box_lines(box, beside.rest, beside.size))

    def _begin(self, block: Block, beside: Margin | None = None) -> None:
        """Note where a block starts; its gap is its first line."""
        if self.tables and not isinstance(block, TableRow) and self._is_table_open():
            self.fit_open_table(is_exact=True)
        self.blocks.append(block)
        self.starts.append(len(self.lines))
        if beside is not None:
            self.lines += beside.above(has_gap=block.place.has_gap)

    def content_start(self, index: int) -> int:
        """The first line of a block below its gap."""
        block = self.blocks[index]
        return self.starts[index] + len(self._margin(block).above(has_gap=block.place.has_gap))

    def _margin(self, block: Block) -> Margin:
        place = block.place
        key = (id(place.path), place.shared)
        known = self._margins.get(key)
        if known is not None and known[0] is place.path:
            return known[1]
        if len(self._margins) > 128:
            self._margins.clear()
        made = margin(place.path, place.shared, self.width, self.options)
        self._margins[key] = (place.path, made)
        return made

    def _flow(self, flow: Flow, beside: Margin, index: int) -> None:
        text = flow.text
        width = max(self.width - beside.size, 1)
        prefix = last_prefix = beside.first
        ranges = wrap(text, width, width)
        for number, (start, stop, is_soft) in enumerate(ranges):
            runs = prefix + flow.runs(start, stop)
            size = beside.size + cells(text[start:stop])
            join = flow.joint(stop, ranges[number + 1][0]) if is_soft else ""
            self.lines.append(Line(runs, size, beside.size, is_soft, soft_join=join))
            last_prefix, prefix = prefix, beside.rest
        start = ranges[-1][0]
        line = self.lines[-1]
        if index >= 0 and isinstance(line, Line):
            self.carries[index + 1] = Carry(flow.tail(start), last_prefix, line)
            if len(self.carries) > _KEPT_CARRIES:
                self.carries = dict(list(self.carries.items())[_KEPT_CARRIES // 2 :])

    def _heading(self, block: Heading, beside: Margin) -> None:
        flow, level = Flow(), block.level
        tone = _HEADING_TONES.get(level, Tone.HEADING)
        add_spans(flow, block.spans, tone, self.options, is_bold=level <= 4, is_italic=level > 3)
        before = len(self.lines)
        self._flow(flow, beside, -1)
        if block.level == 1 and flow.size:
            size = max(line.cells for line in self.lines[before:] if isinstance(line, Line)) - beside.size
            mark = "─" if self.options.is_unicode else "="
            at = beside.size + size
            self.lines.append(Line((*beside.rest, Run(mark * size, styles.RULE)), at, at))

    def _code(self, block: Code, beside: Margin, index: int) -> None:
        if not block.first_line:
            self._begin(block, beside)
            self.code_key = index
            known = self._cut_codes.pop(index, None)
            if known is not None and known.goes_on(block.language, beside, block.lines):
                shape = known
            else:
                shape = CodeShape(index, block.language, self.width, beside, self.options)
            self.codes[index] = shape
            if block.language:
                self.lines.append(shape.label())
        else:
            self._begin(block)
            shape = self.codes[self.code_key]
        self.lines.extend(shape.entries(block.first_line, block.lines))

    def _formula(self, block: Formula, beside: Margin, index: int) -> None:
        """A formula on lines of its own: in Unicode, or as it is written."""
        rows = formula_rows(block, self.width - beside.size, self.options)
        if rows is None and block.is_fence:
            code = Code(key=block.key, place=block.place, language="math", lines=block.lines)
            self._code(code, beside, index)
            self.blocks[-1] = block
            return
        self._begin(block, beside)
        if rows is not None:
            self.lines.extend(formula_lines(block, rows, beside, self.width - beside.size))
            return
        flow = Flow()
        for number, line in enumerate(block.lines):
            if number:
                flow.add("\n", styles.TEXT)
            add_safe(flow, line, styles.style(beside.tone))
        self._flow(flow, beside, -1)

    def _table_row(self, block: TableRow, beside: Margin, index: int) -> None:
        if block.is_header:
            if self._is_table_open():
                self.fit_open_table(is_exact=True)
            self._begin(block, beside)
            shape = TableShape(index, block, self.width - beside.size, beside, self.options)
            self.tables[block.table] = shape
        else:
            self._begin(block)
            shape = self.tables[block.table]
            shape.truncate(index - shape.first_block)
        shape.add(block)
        fit = shape.fit(is_exact=False)
        if fit is Fit.CHANGED:
            self._lay_table(shape)
            return
        if fit is Fit.REDRAWN:
            self.dirty = min(self.dirty, self.starts[shape.first_block])
        self.lines.extend(shape.entries(len(shape.rows) - 1))

    def fit_open_table(self, *, is_exact: bool) -> None:
        """Lay out the table at the end anew if its columns changed since."""
        if not self._is_table_open():
            return
        shape = self.tables.get(self._last_table())
        if shape is None:
            return
        shape.truncate(len(self.blocks) - shape.first_block)
        match shape.fit(is_exact=is_exact):
            case Fit.CHANGED:
                self._lay_table(shape)
            case Fit.REDRAWN:
                self.dirty = min(self.dirty, self.starts[shape.first_block])
            case Fit.SAME:
                pass

    def _lay_table(self, shape: TableShape) -> None:
        """All rows of a table anew; it is the last thing in the document."""
        first = shape.first_block
        start = self.content_start(first)
        self.dirty = min(self.dirty, start)
        del self.lines[start:]
        for row in range(len(shape.rows)):
            if row:
                self.starts[first + row] = len(self.lines)
            self.lines.extend(shape.entries(row))
