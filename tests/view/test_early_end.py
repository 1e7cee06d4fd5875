"""The end of a very long answer is there before the rest, and is what it will be when all is laid out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown.texts import markdown_texts

from chatui.core.messages import TextPart
from chatui.core.turn import Choice, Phase, Turn, TurnId
from chatui.view.badge import turn_badge
from chatui.view.early_end import LONG, EarlyEnd
from chatui.view.glyphs import UNICODE
from chatui.view.layout import highlight
from chatui.view.layout.options import LayoutOptions
from chatui.view.sections import DocumentSection
from chatui.view.turn_options import TurnViewOptions
from chatui.view.turn_view import TurnView

PARTS = {
    "prose": "The **scheduler** hands `frames()` to the [compositor](https://e.example) before the tick.\n\n",
    "code": "Words:\n\n```python\ndef f(x):\n\n    return x\n```\n\n",
    "one fence": "x = 1\n\ny = 2\n",
    "list": "1. one\n\n   more of it\n2. two\n\n",
    "table": "| a | b |\n|---|---|\n| x | y |\n\n",
}


def whole(text: str, width: int = 60) -> DocumentSection:
    section = DocumentSection(width, LayoutOptions())
    section.feed(text, is_final=True)
    return section


def end_of(section: DocumentSection, rows: int = 60) -> list[str]:
    return [section.line(row).text for row in range(section.height - rows, section.height)]


def long_text(kind: str) -> str:
    opening = "```python\n" if kind == "one fence" else ""
    return opening + PARTS[kind] * (2 * LONG // len(PARTS[kind]))


@pytest.mark.parametrize("kind", PARTS)
def test_the_end_is_there_at_once_and_the_rest_comes_in_steps(kind: str) -> None:
    text = long_text(kind)
    section = DocumentSection(60, LayoutOptions())
    assert section.feed(text, is_final=True, most=6000)
    assert section.is_early
    known = whole(text)
    assert end_of(section) == end_of(known)
    steps, height = 1, section.height
    while section.feed(text, is_final=True, most=6000):
        steps += 1
        assert section.height == height, "what is shown stands still"
    assert steps == (len(text) - 1) // 6000
    assert end_of(section) == end_of(known)
    section.show_whole()
    assert not section.is_early
    assert section.height == known.height
    assert [section.line(row) for row in range(section.height)] == [
        known.line(row) for row in range(known.height)
    ]


def test_who_reads_on_stays_at_what_is_read() -> None:
    text = "".join(f"Paragraph {number}.\n\n" for number in range(8000))
    section = DocumentSection(60, LayoutOptions())
    section.feed(text, is_final=True, most=6000)
    row = next(row for row in range(section.height) if section.line(row).text == "Paragraph 7900.")
    above = section.mark(section.height // 2)
    mark = section.mark(row)
    assert section.line_at(*mark) == row
    section.resize(30)
    assert section.line(section.line_at(*mark)).text == "Paragraph 7900."
    section.show_whole()
    assert section.line(section.line_at(*mark)).text == "Paragraph 7900."
    middle = section.line(section.line_at(*above) + 1).text + section.line(section.line_at(*above)).text
    assert 3500 < int(middle.strip(" .").split()[1].strip(".")) < 4500


def test_code_that_began_above_the_end_is_no_code_block_to_copy_yet() -> None:
    section = DocumentSection(60, LayoutOptions())
    section.feed(long_text("one fence"), is_final=True, most=6000)
    assert not section.code_regions()
    section.show_whole()
    assert len(section.code_regions()) == 1
    other = DocumentSection(60, LayoutOptions())
    other.feed(long_text("code"), is_final=True, most=6000)
    last = other.code_regions()[-1]
    assert last.source == "def f(x):\n\n    return x"
    assert other.line(last.stop_line - 1).text.rstrip().endswith("return x")


def test_the_colours_of_a_fence_are_carried_on_in_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0
    known = highlight.GrammarLexer.read

    def counted(
        lexer: highlight.GrammarLexer, line: str, state: object
    ) -> tuple[list[highlight.Token], object]:
        nonlocal read
        read += 1
        return known(lexer, line, state)

    monkeypatch.setattr(highlight.GrammarLexer, "read", counted)
    text = long_text("one fence")
    section = DocumentSection(60, LayoutOptions())
    counts: list[int] = []
    has_more = True
    while has_more:
        read = 0
        has_more = section.feed(text, is_final=True, most=6000)
        counts.append(read)
    read = 0
    section.show_whole()
    _ = end_of(section)
    counts.append(read)
    assert max(counts) < 6000 // 3, "a step reads the lines of a step, and the last one no more than others"


@pytest.mark.parametrize("phase", [Phase.COMPLETED, Phase.RECEIVING])
def test_a_turn_that_is_not_so_long_or_still_runs_is_there_as_a_whole(phase: Phase) -> None:
    text = (
        PARTS["prose"] * (LONG // len(PARTS["prose"])) * (1 if phase is Phase.COMPLETED else 2) + "The end."
    )
    turn = Turn(turn_id=TurnId("t"), phase=phase, choices=(Choice(0, (TextPart(text),)),))
    badge = turn_badge(turn, UNICODE)
    options = TurnViewOptions(layout=LayoutOptions(), signs=UNICODE, clock_text=lambda _epoch_s: "09:41")
    at_once = TurnView(turn, badge, 60, options)
    in_steps = TurnView(turn, badge, 60, options, most=6000)
    assert not in_steps.is_early
    assert in_steps.height == at_once.height


@given(markdown_texts, st.sampled_from([5, 24, 60]))
def test_any_text_has_an_early_end_with_places_in_it(text: str, width: int) -> None:
    early = EarlyEnd(text * 40, width, LayoutOptions())
    for row in range(0, early.height, 7):
        _ = early.line(row)
        assert 0 <= early.line_at(*early.mark(row)) <= early.height
