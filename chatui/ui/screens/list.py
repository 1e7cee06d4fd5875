"""The one list screen: filter on top, rows below, preview at the right when wide; Enter takes, Esc leaves.

Invariant: the filter never blocks: rows are filtered by plain word search, or asked of a source that is
awaited.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from textual.screen import ModalScreen

from chatui.core.errors import ChatuiError
from chatui.ui.screens.list_parts import FilterLine, Preview, PreviewLines, matching
from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.key_hints import TAKES, KeyHints, Keys
from chatui.ui.widgets.rows_view import ListRow, RowsView
from chatui.view.glyphs import Glyphs
from chatui.view.plain_lines import one_line

PREVIEW_FROM_CELLS = 100


class ListScreen(ModalScreen[str | None]):
    """Gives the key of the row that was taken, or None."""

    ALLOW_SELECT: ClassVar[bool] = False
    DEFAULT_CSS = """
    ListScreen { align: center top; background: $background 55%; }
    ListScreen #page { width: 100%; height: 1fr; margin: 2 0 3 0; align: center top; }
    ListScreen #page { background: $background; }
    ListScreen #box { width: 92; max-width: 100%; height: 100%; background: $panel; }
    ListScreen.-preview #box { width: 140; }
    ListScreen.-small #page { margin: 0; }
    ListScreen.-small #box { width: 100%; }
    ListScreen.-aside { align: right top; background: transparent; }
    ListScreen.-aside #page { width: 34; margin: 1 1 3 0; background: transparent; }
    ListScreen.-aside #box { width: 34; height: auto; max-height: 100%; }
    ListScreen.-aside.-small #page { margin: 0; max-width: 100%; }
    ListScreen FilterLine { height: 2; }
    ListScreen #list-body { height: 1fr; }
    ListScreen.-preview PreviewLines { display: block; }
    ListScreen RowsView { background: $panel; scrollbar-color: $rule; scrollbar-background: $panel; }
    ListScreen RowsView { scrollbar-background-hover: $panel; scrollbar-background-active: $panel; }
    """

    def __init__(
        self,
        title: str,
        rows: Sequence[ListRow],
        styles: ThemeStyles,
        signs: Glyphs,
        *,
        at: str = "",
        preview: Preview | None = None,
        on_mark: Callable[[str], None] | None = None,
        ask: Callable[[str], Awaitable[Sequence[ListRow]]] | None = None,
        keys: Keys = TAKES,
        empty_words: str = "",
        is_aside: bool = False,
        row_keys: Mapping[str, Callable[[str], None]] | None = None,
        list_keys: Mapping[str, Callable[[], None]] | None = None,
    ) -> None:
        super().__init__()
        self._rows = list(rows)
        self._at = at
        self._preview = preview
        self._on_mark = on_mark
        self._ask = ask
        self._empty_words = empty_words
        self._asked = ""
        self._is_answered = True
        self._takes_first = False
        """Enter was pressed before anything was found: the first row that comes is taken."""
        self._is_aside = is_aside
        self._is_shown = False
        self._row_keys = dict(row_keys or {})
        """Keys that do something to the marked row, which is given by its key."""
        self._list_keys = dict(list_keys or {})
        """Keys that do something whatever is marked."""
        self.box = Container(id="box")
        self.filter_line = FilterLine(title, styles, signs)
        self.rows_view = RowsView(styles, signs)
        self.preview_lines = PreviewLines(styles, signs)
        self.preview_lines.make = preview
        self.foot_line = KeyHints(keys, styles, signs, id="list-foot")

    def compose(self) -> ComposeResult:
        """Filter, rows, preview."""
        with Container(id="page"), self.box:
            yield self.filter_line
            with Horizontal(id="list-body"):
                yield self.rows_view
                yield self.preview_lines
            yield self.foot_line

    def on_mount(self) -> None:
        """Mark the row that is in use."""
        self.set_class(self._is_aside, "-aside")
        self.call_after_refresh(self._show_first)

    def _show_first(self) -> None:
        """All rows, once; a key that comes before the list was painted finds them too."""
        if not self._is_shown:
            self._is_shown = True
            rows = matching(self._rows, self.filter_line.field.text)
            self._show(rows, next((index for index, row in enumerate(rows) if row.key == self._at), 0))

    def on_resize(self, event: events.Resize) -> None:
        """Preview only where there is room; small windows belong to the list alone."""
        self.set_class(self._preview is not None and event.size.width >= PREVIEW_FROM_CELLS, "-preview")
        self.rows_view.is_previewed = self.has_class("-preview")
        self.set_class(event.size.width < 60 or event.size.height < 16, "-small")

    def leave_with(self, key: str | None) -> None:
        """Close with an answer; what waits for it is called when the screen is gone."""
        if self.app.screen is self:  # a key behind the one that closed it finds it closed
            _ = self.dismiss(key)

    def look_again(self, rows: Sequence[ListRow]) -> None:
        """What the rows tell has changed: filter and ask again; the mark stays on its row if it is there."""
        marked, at = self.marked_key, self.rows_view.at
        self._rows = list(rows)
        wanted = self.filter_line.field.text
        if self._ask is not None and wanted.strip():
            self._ask_soon(wanted, (marked, at))
        else:
            self._show_at(matching(self._rows, wanted), marked, at)

    def _show_at(self, rows: Sequence[ListRow], marked: str, at: int) -> None:
        self._show(rows, next((index for index, row in enumerate(rows) if row.key == marked), at))

    def use_title(self, title: str) -> None:
        """The rows are of another kind now."""
        self.filter_line.title_text = title
        self.filter_line.lines_changed()

    def tell(self, foot: str) -> None:
        """Say something at the foot, until the next key."""
        self.foot_line.tell(foot)

    @property
    def marked_key(self) -> str:
        """The key of the marked row, or empty."""
        view = self.rows_view
        return view.rows[view.at].key if view.rows else ""

    def _show(self, rows: Sequence[ListRow], at: int = 0) -> None:
        total, shown = len(self._rows), len(rows)
        is_empty = not total and not self.filter_line.field.text.strip()
        self.rows_view.empty_words = (is_empty and self._empty_words) or "Nothing found."
        self.rows_view.show(rows, at)
        self.filter_line.count_text = f"{shown} of {total}" if shown < total else str(shown)
        self.filter_line.lines_changed()
        self._marked()

    def _marked(self) -> None:
        key = self.marked_key
        self.preview_lines.key = key
        self.preview_lines.lines_changed()
        if self._on_mark is not None and key:
            self._on_mark(key)

    def _filter(self) -> None:
        wanted = self.filter_line.field.text
        self._takes_first = False
        self._show(matching(self._rows, wanted))
        if self._ask is not None and wanted.strip():
            self._ask_soon(wanted)

    def _ask_soon(self, wanted: str, mark: tuple[str, int] = ("", 0)) -> None:
        self._asked, self._is_answered = wanted, False
        # Not begun before the worker is: the next letter may overtake it.
        _ = self.run_worker(partial(self._ask_for, wanted, mark), exclusive=True)

    async def _ask_for(self, wanted: str, mark: tuple[str, int]) -> None:
        assert self._ask is not None
        try:
            rows = await self._ask(wanted)
        except ChatuiError as error:
            self._is_answered = True
            self.tell(one_line(error.message, 300))
            return
        if wanted == self._asked == self.filter_line.field.text:
            known = {row.key for row in matching(self._rows, wanted)}
            found = [*matching(self._rows, wanted), *(row for row in rows if row.key not in known)]
            self._is_answered = True
            self._show_at(found, *mark)
            if self._takes_first and self.marked_key:
                self.leave_with(self.marked_key)
            self._takes_first = False

    async def on_key(self, event: events.Key) -> None:
        """Arrows and pages move the mark, Enter takes, Esc leaves, everything else filters."""
        view = self.rows_view
        steps = {
            "up": -1,
            "down": 1,
            "ctrl+p": -1,
            "ctrl+n": 1,
            "shift+tab": -1,
            "tab": 1,
            "pageup": -view.page_rows(),
            "pagedown": view.page_rows(),
            "ctrl+home": -len(view.rows),
            "ctrl+end": len(view.rows),
        }
        event.stop()
        event.prevent_default()
        self.foot_line.tell("")
        self._show_first()
        if event.key in ("escape", "ctrl+c"):
            self.leave_with(None)
        elif event.key == "enter":
            is_asking = self._asked == self.filter_line.field.text and not self._is_answered
            if is_asking and not self.marked_key:
                self._takes_first = True
            else:
                self.leave_with(self.marked_key or None)
        elif event.key in self._list_keys:
            self._list_keys[event.key]()
        elif event.key in self._row_keys:
            if self.marked_key:
                self._row_keys[event.key](self.marked_key)
        elif event.key in steps:
            view.move_to(view.at + steps[event.key])
            self._marked()
        elif self.filter_line.field.key(event.key, event.character if event.is_printable else None):
            self._filter()

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text filters too."""
        event.stop()
        self._show_first()
        self.filter_line.field.insert(event.text)
        self._filter()

    def on_rows_view_pressed(self, event: RowsView.Pressed) -> None:
        """A click takes the row."""
        event.stop()
        self.rows_view.move_to(event.index)
        self.leave_with(self.marked_key or None)

    def on_click(self, event: events.Click) -> None:
        """A click beside the list leaves it."""
        if not self.box.region.contains(event.screen_x, event.screen_y):
            self.leave_with(None)

    def use_theme(self, styles: ThemeStyles) -> None:
        """Paint in another theme."""
        for part in (self.filter_line, self.rows_view, self.preview_lines, self.foot_line):
            part.use_theme(styles)
