"""Laying out Markdown in tests: at once, or while it arrives."""

from collections.abc import Sequence

from chatui.markdown.document import IncrementalDocument
from chatui.view.layout.document_layout import DocumentLayout, LayoutOptions
from chatui.view.lines import Line


def laid_out(text: str, width: int, *, is_open: bool = False, **options: bool) -> DocumentLayout:
    document = IncrementalDocument(text)
    if not is_open:
        document.close()
    layout = DocumentLayout(document, width, LayoutOptions(**options))
    layout.settle()
    return layout


def page(text: str, width: int, *, is_open: bool = False, **options: bool) -> list[Line]:
    return list(all_lines(laid_out(text, width, is_open=is_open, **options)))


def all_lines(layout: DocumentLayout) -> Sequence[Line]:
    return layout.lines(0, layout.line_count)


def shown(text: str, width: int, *, is_open: bool = False, **options: bool) -> list[str]:
    return [line.text.rstrip(" ") for line in page(text, width, is_open=is_open, **options)]
