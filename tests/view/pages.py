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


def grow(
    text: str, sizes: Sequence[int], width: int, **options: bool
) -> tuple[IncrementalDocument, DocumentLayout]:
    """Lay out text as it arrives in pieces; what is said not to have changed stays the same objects."""
    document = IncrementalDocument()
    layout = DocumentLayout(document, width, LayoutOptions(**options))
    at = number = 0
    before: list[Line] = []
    while at < len(text):
        size = sizes[number % len(sizes)]
        document.append(text[at : at + size])
        at, number = at + size, number + 1
        first = layout.refresh()
        now = list(all_lines(layout))
        assert first <= len(now)
        assert all(one is other for one, other in zip(before[:first], now[:first], strict=True))
        before = now
    return document, layout


def page(text: str, width: int, *, is_open: bool = False, **options: bool) -> list[Line]:
    return list(all_lines(laid_out(text, width, is_open=is_open, **options)))


def all_lines(layout: DocumentLayout) -> Sequence[Line]:
    return layout.lines(0, layout.line_count)


def shown(text: str, width: int, *, is_open: bool = False, **options: bool) -> list[str]:
    return [line.text.rstrip(" ") for line in page(text, width, is_open=is_open, **options)]
