"""A text area with exact text in which a folded paste is one thing.

Invariants: the caret never stands inside the word of a paste, and a deletion takes all of it; no character of
the text is changed, and what is shown of it is safe.
"""

from typing import Any

from rich.text import Text
from textual import on
from textual.document._document_navigator import DocumentNavigator
from textual.document._wrapped_document import WrappedDocument
from textual.widgets import TextArea

from chatui.core.safe_text import safe_block
from chatui.ui.writing.exact_document import ExactDocument
from chatui.ui.writing.paste_atoms import PasteAtoms


class WholePastes(TextArea, inherit_bindings=False):
    """Knows the folded pastes of its text."""

    def __init__(self, **more: Any) -> None:  # what Textual's text area takes
        super().__init__(**more)
        self._atoms = PasteAtoms()

    def _set_document(self, text: str, language: str | None) -> None:
        """As Textual's, with a document that keeps every character."""
        super()._set_document("", language)
        self.document = ExactDocument(text)
        self.wrapped_document = WrappedDocument(self.document, tab_width=self.indent_width)
        self.navigator = DocumentNavigator(self.wrapped_document)
        self._build_highlight_map()
        self.move_cursor((0, 0))
        self._rewrap_and_refresh_virtual_size()

    @property
    def written(self) -> str:
        """The whole text, folded pastes included."""
        return self._atoms.expand(self.text)

    def _recompute_cursor_offset(self) -> None:
        # Textual fits the scrollbar before it moves the caret of an undone edit into the shorter text.
        if self.cursor_location[0] < self.document.line_count:
            super()._recompute_cursor_offset()  # type: ignore[no-untyped-call]  # Textual leaves it without types

    @on(TextArea.SelectionChanged)
    def _step_over_atoms(self, event: TextArea.SelectionChanged) -> None:
        start, end = event.selection
        outside = type(event.selection)(self._outside(start, end), self._outside(end, start))
        if outside != event.selection:
            self.selection = outside

    def _outside(self, location: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
        row, column = location
        if row >= self.document.line_count:
            return location
        for first, stop in self._atoms.spans(self.document.get_line(row)):
            if first < column < stop:
                is_forward = (
                    location > other
                    if location != other
                    else column - first <= stop - column and column == first + 1
                )
                return row, stop if is_forward else first
        return location

    def _atom_at(self, *, is_before: bool) -> tuple[tuple[int, int], tuple[int, int]] | None:
        row, column = self.cursor_location
        for first, stop in self._atoms.spans(self.document.get_line(row)):
            if (stop if is_before else first) == column:
                return (row, first), (row, stop)
        return None

    def _delete_atom(self, *, is_before: bool) -> bool:
        span = self._atom_at(is_before=is_before) if self.selection.is_empty else None
        if span is not None:
            self.delete(*span)
        return span is not None

    def action_delete_left(self) -> None:
        """Delete the character or the whole paste before the caret."""
        if not self._delete_atom(is_before=True):
            super().action_delete_left()

    def action_delete_right(self) -> None:
        """Delete the character or the whole paste after the caret."""
        if not self._delete_atom(is_before=False):
            super().action_delete_right()

    def action_delete_word_left(self) -> None:
        """Delete the word or the whole paste before the caret."""
        if not self._delete_atom(is_before=True):
            super().action_delete_word_left()

    def action_delete_word_right(self) -> None:
        """Delete the word or the whole paste after the caret."""
        if not self._delete_atom(is_before=False):
            super().action_delete_word_right()

    def unfold_paste(self) -> bool:
        """Put the text of the folded paste at the caret in its place; returns whether there was one."""
        span = self._atom_at(is_before=True) or self._atom_at(is_before=False)
        if span is None:
            return False
        text = self._atoms.text_of(self.get_text_range(*span))
        if text is None:
            return False
        self.replace(text, *span)
        return True

    def get_line(self, line_index: int) -> Text:
        """A line as it is shown: controls and bidi overrides are marks."""
        return Text(safe_block(self.document.get_line(line_index)), end="", no_wrap=True)
