"""Keys and what they do, at the foot of a page; until the next key, what one of them just did.

Invariant: a key is told whole or not at all, and what was said never takes the keys away for good.
"""

from collections.abc import Sequence
from typing import Final

from textual.geometry import Size

from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.one_line import LinesWidget
from chatui.view.glyphs import Glyphs
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.plain_lines import cell_width, clip_runs, one_line, runs_line

Keys = Sequence[tuple[str, str]]
LEAVES: Final = ("Esc", "leaves")
TAKES: Final[Keys] = (("Enter", "takes"), LEAVES)
MOST_ROWS: Final = 4
FEW_ROWS_BELOW: Final = 12
"""In windows of fewer rows the keys have one row, the rest is for what the page is about."""


def hint_rows(hints: Keys, width: int) -> list[Line]:
    """Keys and what they do, none of them cut or left out."""
    rows: list[list[Run]] = [[]]
    used = 0
    for key, word in hints:
        cells = cell_width(key) + cell_width(word) + 3
        if used and used + cells > width:
            rows.append([])
            used = 0
        rows[-1] += [
            Run("  " if used else " "),
            Run(key, Style(Tone.ACCENT, is_bold=True)),
            Run(f" {word}", Style(Tone.MUTED)),
        ]
        used += cells if used else cells - 1
    return [runs_line(tuple(row)) for row in rows]


class KeyHints(LinesWidget):
    """The keys of a page, in as many rows as they need."""

    surface = "overlay"
    DEFAULT_CSS = "KeyHints { height: auto; }"

    def __init__(self, keys: Keys, styles: ThemeStyles, signs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(styles, signs, id=id)
        self._keys = keys
        self._news = ""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As high as the keys: what is said in their place moves nothing."""
        del container
        most = 1 if viewport.height < FEW_ROWS_BELOW else MOST_ROWS
        return min(most, len(hint_rows(self._keys, width)))

    def use_keys(self, keys: Keys) -> None:
        """Other keys mean something now."""
        if keys != self._keys:
            self._keys = keys
            self.refresh(layout=True)
            self.lines_changed()

    def tell(self, news: str) -> None:
        """Say something in place of the keys; empty brings them back."""
        if news != self._news:
            self._news = news
            self.lines_changed()

    def make_lines(self, width: int) -> Sequence[Line]:
        """What was said, or the keys."""
        if self._news:
            return [runs_line((Run(f" {one_line(self._news, max(4, width - 2))}", Style(Tone.TEXT)),))]
        rows = hint_rows(self._keys, width)
        return [runs_line(clip_runs(row.runs, width)) for row in rows]
