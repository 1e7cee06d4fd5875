"""Tables of an answer as tab-separated values, for a spreadsheet.

Invariant: a cell holds the words that are shown, without marks; tabs and line ends inside it become blanks,
so rows and columns stay what they are.
"""

from chatui.markdown.blocks import TableRow, visible_text
from chatui.markdown.document import IncrementalDocument

Table = list[list[str]]


def tables_in(markdown: str) -> list[Table]:
    """All tables of a text, header first."""
    if "|" not in markdown:
        return []
    document = IncrementalDocument(markdown)
    document.close()
    tables: dict[int, Table] = {}
    for block in document.blocks:
        if isinstance(block, TableRow):
            row = [" ".join(visible_text(spans).split()) for spans in block.cells]
            tables.setdefault(block.table, []).append(row)
    return list(tables.values())


def tab_separated(table: Table) -> str:
    """Rows and columns of a table."""
    return "".join("\t".join(row) + "\n" for row in table)
