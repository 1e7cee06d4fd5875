"""A page that grew is the page of the whole text; lines that did not change are the same objects, and it says which did."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown.texts import markdown_texts, sizes
from view.pages import all_lines, grow, page

from chatui.markdown.document import IncrementalDocument
from chatui.view.layout import code
from chatui.view.layout.document_layout import DocumentLayout, LayoutOptions
from chatui.view.layout.measure import fit

widths = st.sampled_from([2, 5, 13, 24, 60])


@given(markdown_texts, sizes, widths, st.booleans())
def test_a_page_that_grew_equals_the_page_of_the_whole(
    text: str, pieces: list[int], width: int, wraps: bool
) -> None:
    document, layout = grow(text, pieces, width, wraps_code=wraps)
    document.close()
    layout.refresh()
    assert list(all_lines(layout)) == page(text, width, wraps_code=wraps)


@given(markdown_texts, sizes, widths)
def test_an_open_page_is_the_same_however_it_arrived_once_it_settled(
    text: str, pieces: list[int], width: int
) -> None:
    document = IncrementalDocument()
    layout = DocumentLayout(document, width, LayoutOptions())
    at = number = 0
    while at < len(text):
        size = pieces[number % len(pieces)]
        document.append(text[at : at + size])
        at, number = at + size, number + 1
        layout.refresh()
    layout.settle()
    assert [line.text for line in all_lines(layout)] == [
        line.text for line in page(text, width, is_open=True)
    ]


@given(markdown_texts, widths, widths)
def test_a_resize_gives_the_page_of_that_width(text: str, width: int, other: int) -> None:
    document = IncrementalDocument(text)
    document.close()
    layout = DocumentLayout(document, width, LayoutOptions())
    layout.refresh()
    layout.resize(other)
    layout.refresh()
    assert layout.width == other
    assert list(all_lines(layout)) == page(text, other)


@given(markdown_texts, sizes, widths, st.integers(1, 200))
def test_a_page_laid_out_in_steps_equals_the_page_laid_out_at_once(
    text: str, pieces: list[int], width: int, most: int
) -> None:
    document, _ = grow(text, pieces, width)
    document.close()
    layout = DocumentLayout(document, width, LayoutOptions())
    while layout.lay_out_more(most):
        pass
    assert list(all_lines(layout)) == page(text, width)
    layout.refresh()
    assert list(all_lines(layout)) == page(text, width), "nothing is left for a refresh"


@pytest.mark.parametrize(
    "row",
    [
        "- an item of a list",
        "| cell | 12 |",
        "x = f(1)  # code",
        "> a quote",
        "words of a paragraph",
        "## heading\n",
    ],
)
def test_a_refresh_makes_a_bounded_number_of_lines(row: str) -> None:
    head = {"|": "| a | b |\n|---|---|\n", "x": "```py\n"}.get(row[0], "")
    document = IncrementalDocument(head)
    layout = DocumentLayout(document, 60, LayoutOptions())
    for _ in range(40):
        document.append(f"{row}\n" * 5)
        before = layout.line_count
        first = layout.refresh()
        assert before - first <= 20, "lines far above the end were laid out again"


def test_a_late_definition_changes_its_own_line_only() -> None:
    document = IncrementalDocument("one [x] two\n\n" + "filler\n\n" * 20)
    layout = DocumentLayout(document, 40, LayoutOptions())
    layout.refresh()
    before = list(all_lines(layout))
    document.append("[x]: https://x.example\n\n")
    assert layout.refresh() == 0
    after = list(all_lines(layout))
    assert after[0].text == "one x two"
    assert all(one is other for one, other in zip(before[1:], after[1:], strict=False))


def test_a_table_that_must_wrap_is_not_laid_out_again_for_each_row() -> None:
    document = IncrementalDocument("| a | b |\n|---|---|\n")
    layout = DocumentLayout(document, 40, LayoutOptions())
    lowest = []
    for number in range(400):
        document.append(f"| {'long words ' * (1 + number // 40)} | {'more words ' * 5} |\n")
        lowest.append(layout.refresh())
    assert sum(first < 10 for first in lowest) < 60
    document.close()
    layout.refresh()
    assert list(all_lines(layout)) == page(document.source, 40)


def test_source_and_code_of_a_page() -> None:
    text = "Words\n\n- one\n- two\n\n```py\nx = 1\n\n\ty\n```\n\nEnd\n"
    document = IncrementalDocument(text)
    document.close()
    layout = DocumentLayout(document, 40, LayoutOptions())
    layout.refresh()
    lines = [line.text.strip() for line in all_lines(layout)]
    start, stop = layout.source_at(lines.index("• two"))
    assert text[start:stop] == "- one\n- two"
    (region,) = layout.code_regions()
    assert (region.language, region.source) == ("py", "x = 1\n\n\ty")
    assert lines[region.first_line : region.stop_line] == ["py", "x = 1", "", "y"]


LONG_LINES = {
    "ideographs": "这个函数在每一帧都会被调用，因此必须足够快。",
    "ascii": '{"id":12345,"name":"a b"},',
    "joined signs": "a👩\u200d🚀é🇫🇷",
    "tabs": "x\ty\t",
    "marks": "\u202e\x1b[31m",
}


def arriving(size: int) -> list[int]:
    """Small pieces at the beginning and about where a line becomes too long to be coloured (1,000 letters)."""
    first = 60 * size
    return [*[size] * 60, 950 - first, *[size] * 100, 1600] if first < 950 else [size]


@pytest.mark.parametrize("kind", LONG_LINES)
@pytest.mark.parametrize("size", [1, 7, 160])
def test_a_long_line_of_code_that_grew_is_that_of_the_whole(kind: str, size: int) -> None:
    line = LONG_LINES[kind] * (1600 // len(LONG_LINES[kind]))
    text = f"```json\n[1]\n{line}\nend\n"
    document, layout = grow(text, arriving(size), 24)
    assert [row.text for row in all_lines(layout)] == [row.text for row in page(text, 24, is_open=True)]
    document.close()
    layout.refresh()
    assert list(all_lines(layout)) == page(text, 24)


def test_a_long_line_of_code_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = 0

    def counted(text: str, width: int) -> int:
        nonlocal measured
        stop = fit(text, width)
        measured += stop
        return stop

    monkeypatch.setattr(code, "fit", counted)
    line = LONG_LINES["ideographs"] * 400
    document = IncrementalDocument("```python\n")
    layout = DocumentLayout(document, 100, LayoutOptions())
    for at in range(0, len(line), 56):
        document.append(line[at : at + 56])
        layout.refresh()
    assert measured <= 4 * len(line), "what came, and the last two rows at every look"
