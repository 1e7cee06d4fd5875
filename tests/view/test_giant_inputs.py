"""What is a megabyte of one thing is laid out in proportion to its size: counted in characters measured, not in time."""

import pytest

from chatui.markdown.document import IncrementalDocument
from chatui.markdown.rows import OpenRow
from chatui.view.layout import flow, measure
from chatui.view.layout.document_layout import DocumentLayout, LayoutOptions
from chatui.view.layout.flow import Flow
from chatui.view.lines import Style, Tone

UNITS = {
    "zero width": "\u200b",
    "zero width in a word": "x\u200b",
    "combining": "\u0301",
    "joined emoji": "\U0001f468\u200d",
    "flags": "\U0001f1e9",
    "ideographs": "这",
    "blanks": " ",
}
FRAMES = {"paragraph": "a{}b", "heading": "# a{}b", "cell": "| a |\n|---|\n| a{}b |\n"}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("unit", UNITS)
def test_what_fills_no_line_is_measured_a_few_times_only(
    unit: str, frame: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = 0
    known_cells, known_fit = flow.cells, flow.fit

    def cells(text: str) -> int:
        nonlocal measured
        measured += len(text)
        return known_cells(text)

    def fit(text: str, width: int) -> int:
        nonlocal measured
        measured += len(text)
        return known_fit(text, width)

    monkeypatch.setattr(flow, "cells", cells)
    monkeypatch.setattr(flow, "fit", fit)
    counts: list[int] = []
    for size in (20_000, 80_000):
        measured = 0
        document = IncrementalDocument(FRAMES[frame].format(UNITS[unit] * (size // len(UNITS[unit]))))
        document.close()
        layout = DocumentLayout(document, 80, LayoutOptions())
        layout.refresh()
        lines = layout.lines(0, layout.line_count)
        assert all(line.cells <= 80 for line in lines)
        assert max(len(line.text) for line in lines) <= 4400
        carried = [carry.flow.size for carry in layout._page.carries.values()]
        assert max(carried, default=0) <= 4400, "what the next piece is laid out with"
        counts.append(measured)
    assert counts[1] <= 5 * counts[0] + 20_000


def test_flags_without_end_are_measured_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    import wcwidth

    longest = 0
    known = wcwidth.wcswidth

    def wcswidth(text: str) -> int:
        nonlocal longest
        longest = max(longest, len(text))
        return known(text)

    monkeypatch.setattr(wcwidth, "wcswidth", wcswidth)
    assert measure.cells("\U0001f1e9" * 4000) == 4000
    assert measure.cells("a\u0301 " * 2000) == 4000
    assert 0 < longest <= 500


class CountedStyles(list[tuple[int, Style, str, str]]):
    """Styles of a flow that count how often one is looked at."""

    looks = 0

    def __getitem__(self, index: object) -> tuple[int, Style, str, str]:  # type: ignore[override]
        self.looks += 1
        return super().__getitem__(index)  # type: ignore[index]


def test_a_line_of_a_flow_with_thousands_of_styles_looks_at_its_own() -> None:
    long = Flow()
    styles = (Style(Tone.TEXT), Style(Tone.LINK))
    for number in range(20_000):
        long.add("word ", styles[number % 2])
    counted = CountedStyles(long.styles)
    long.styles = counted
    runs = long.runs(50_000, 50_080)
    assert "".join(run.text for run in runs) == long.text[50_000:50_080]
    assert counted.looks < 60


def test_bars_without_end_are_joined_once_for_each_look(monkeypatch: pytest.MonkeyPatch) -> None:
    document = IncrementalDocument("| a | b |\n|---|---|\n")
    assert document.blocks
    joins = 0
    known = OpenRow._flush

    def flush(row: OpenRow) -> None:
        nonlocal joins
        joins += 1
        known(row)

    monkeypatch.setattr(OpenRow, "_flush", flush)
    document.append("| x " * 20_000)
    assert document.blocks
    assert joins < 10
