"""A turn that grew looks exactly like the same turn shown at once."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatui.core.errors import Failure, FailureReason
from chatui.core.messages import (
    Message,
    Part,
    ReasoningPart,
    RefusalPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolCallState,
    user_message,
)
from chatui.core.turn import Choice, Phase, Turn, TurnId
from chatui.view.badge import turn_badge
from chatui.view.glyphs import UNICODE
from chatui.view.layout.document_layout import LayoutOptions
from chatui.view.turn_head import FOLDED_PROMPT_LINES
from chatui.view.turn_options import TurnViewOptions
from chatui.view.turn_view import TurnView

OPTIONS = TurnViewOptions(layout=LayoutOptions(), signs=UNICODE, clock_text=lambda _epoch_s: "09:41")
ANSWER = (
    "# Title\n\nSome *words* and `code`.\n\n- one\n- two\n\n```py\nx = 1\n```\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end."
)
PARTS: tuple[Part, ...] = (
    ReasoningPart("I think."),
    TextPart(ANSWER),
    ToolCallPart("c", "look", '{"a": 1}', ToolCallState.WHOLE),
    TextPart("After the call."),
    RefusalPart("No more."),
)


def turn(parts: tuple[Part, ...], phase: Phase = Phase.RECEIVING, prompt: str = "Ask") -> Turn:
    return Turn(
        turn_id=TurnId("t"),
        input=(user_message(prompt),),
        requested_model="m",
        started_at_epoch_s=1.0,
        phase=phase,
        choices=(Choice(0, parts),),
    )


def view_of(shown: Turn, width: int = 60) -> TurnView:
    return TurnView(shown, turn_badge(shown, UNICODE), width, OPTIONS)


def rows(view: TurnView) -> list[str]:
    return [view.row(index)[0].text for index in range(view.height)]


def grown(cuts: list[int], width: int, most: int | None) -> TurnView:
    """The whole answer, part by part, text by pieces."""
    view = view_of(turn(()), width)
    for number, part in enumerate(PARTS):
        before = PARTS[:number]
        if isinstance(part, TextPart):
            for cut in sorted(cuts):
                shown = turn((*before, TextPart(part.text[:cut])))
                while view.update(shown, most=most):
                    pass
        view.update(turn((*before, part)), most=most)
    ended = turn(PARTS, Phase.COMPLETED)
    view.set_badge(turn_badge(ended, UNICODE))
    while view.update(ended, most=most):
        pass
    return view


@settings(max_examples=40)
@given(
    st.lists(st.integers(0, len(ANSWER)), max_size=8), st.integers(12, 100), st.none() | st.integers(3, 50)
)
def test_growing_ends_like_showing_at_once(cuts: list[int], width: int, most: int | None) -> None:
    assert rows(grown(cuts, width, most)) == rows(view_of(turn(PARTS, Phase.COMPLETED), width))


@given(st.integers(12, 100), st.integers(12, 100))
def test_a_resize_ends_like_a_fresh_view(before: int, after: int) -> None:
    view = view_of(turn(PARTS, Phase.COMPLETED), before)
    view.resize(after)
    assert rows(view) == rows(view_of(turn(PARTS, Phase.COMPLETED), after))


@pytest.mark.parametrize("parts", [(TextPart(""),), (TextPart("\n"),), (ReasoningPart(""), TextPart(""))])
def test_what_comes_after_a_resize_is_laid_out_for_the_new_width(parts: tuple[Part, ...]) -> None:
    text = TextPart("many words that have to be wrapped somewhere in the middle of it all")
    view = view_of(turn(parts), 60)
    view.resize(24)
    whole = turn((*parts[:-1], text), Phase.COMPLETED)
    view.update(whole)
    view.set_badge(turn_badge(whole, UNICODE))
    assert rows(view) == rows(view_of(whole, 24))


def test_lines_that_did_not_change_keep_their_identity() -> None:
    view = view_of(turn((TextPart(ANSWER),)))
    before = [view.row(index)[0] for index in range(view.height)]
    view.update(turn((TextPart(ANSWER + " And more."),)))
    after = [view.row(index)[0] for index in range(view.height)]
    same = sum(a is b for a, b in zip(before, after, strict=False))
    assert same >= len(before) - 3


def test_the_badge_stands_on_the_name_line() -> None:
    view = view_of(turn((TextPart(ANSWER),)))
    assert view.row(view.name_row)[0] is view.name_line
    assert view.name_line.text.rstrip().endswith(view.badge.text)


def test_what_was_received_stays_when_a_turn_fails() -> None:
    view = view_of(turn((TextPart("Only half of"),)))
    failure = Failure(
        reason=FailureReason.DISCONNECT, message="It broke.", hint="Try again.", request_id="req_7"
    )
    view.update(replace(turn((TextPart("Only half of"),), Phase.FAILED), failure=failure))
    text = "\n".join(rows(view))
    for words in ("Only half of", "It broke.", "Try again.", "request req_7", "r retry", "x dismiss"):
        assert words in text


def test_a_long_prompt_is_folded_and_can_be_unfolded() -> None:
    view = view_of(turn((), prompt="\n".join(f"line {n}" for n in range(100))))
    folded = view.height
    assert folded < FOLDED_PROMPT_LINES + 8
    view.toggle_fold()
    assert view.height > 100
    view.toggle_fold()
    assert view.height == folded


def test_a_prompt_of_megabytes_costs_no_more_than_what_is_shown() -> None:
    assert view_of(turn((), prompt="word " * 500_000)).height < FOLDED_PROMPT_LINES + 8


def test_code_regions_say_where_they_stand_and_hold_the_source() -> None:
    view = view_of(turn((TextPart(ANSWER),), Phase.COMPLETED))
    ((start, region),) = view.code_regions()
    assert region.source.rstrip("\n") == "x = 1"
    shown = [view.row(row)[0].text for row in range(start + region.first_line, start + region.stop_line)]
    assert any("x = 1" in line for line in shown)


def test_alternatives_are_all_shown() -> None:
    shown = replace(
        turn((TextPart("first"),), Phase.COMPLETED),
        choices=(Choice(0, (TextPart("first"),)), Choice(1, (TextPart("second"),))),
    )
    text = "\n".join(rows(view_of(shown)))
    assert text.index("first") < text.index("alternative 2") < text.index("second")


@given(st.integers(0, 4000))
def test_when_the_stream_pauses_the_screen_is_exact(cut: int) -> None:
    text = ("word " * 30 + "\n") * 12 + "\n".join(f"| {n} | {'x' * n} |" for n in range(30))
    text = text[:cut]
    view = view_of(turn((TextPart(""),)))
    for stop in range(0, len(text), 90):
        view.update(turn((TextPart(text[:stop]),)))
    view.update(turn((TextPart(text),)))
    view.settle()
    fresh = view_of(turn((TextPart(text),)))
    fresh.settle()
    assert rows(view) == rows(fresh)


def continued(before: str, after: str, phase: Phase = Phase.COMPLETED) -> Turn:
    input_ = (user_message("Ask"), Message(Role.ASSISTANT, (TextPart(before),)))
    return replace(turn((TextPart(after),), phase), input=input_)


def test_a_code_block_that_was_cut_goes_on_as_code_behind_the_seam_and_is_copied_whole() -> None:
    view = view_of(
        continued("Look:\n\n```py\nx = 1\nprint(", "x)\n```\n\nThat *was* it.\n\n```sh\nls\n```\n")
    )
    assert [region.source for _, region in view.code_regions()] == ["x = 1\nprint(x)", "ls"]
    shown = rows(view)
    assert sum("py" in row for row in shown) == 2, "each side says what it is"
    assert any(row.strip() == "That was it." for row in shown)
    start, region = view.code_regions()[0]
    inside = shown[start + region.first_line : start + region.stop_line]
    assert any("print(" in row for row in inside)
    assert any("x)" in row for row in inside)


def test_text_behind_a_seam_outside_of_code_is_text() -> None:
    view = view_of(continued("```py\nx = 1\n```\nand", " then\n\n```sh\nls\n```"))
    assert [region.source for _, region in view.code_regions()] == ["x = 1", "ls"]


def test_the_rest_of_a_cut_code_block_grows_as_it_ends() -> None:
    before, after = "~~~~ js\nlet a = 1\n", "let b = 2\n~~~\nlet c = 3\n~~~~\nDone."
    whole = view_of(continued(before, after))
    growing = view_of(continued(before, "", Phase.RECEIVING))
    for stop in range(len(after) + 1):
        growing.update(continued(before, after[:stop], Phase.RECEIVING))
    growing.update(continued(before, after))
    growing.set_badge(turn_badge(growing.turn, UNICODE))
    assert rows(growing) == rows(whole)
    assert [region.source for _, region in whole.code_regions()] == ["let a = 1\nlet b = 2\n~~~\nlet c = 3"]


@pytest.mark.parametrize("most", [None, 7])
def test_an_answer_that_is_stopped_in_an_open_fence_shows_all_of_it(most: int | None) -> None:
    text = "Look:\n\n```py\nx = 1\ny = 2  # the last line, not even over"
    view = view_of(turn((TextPart(""),)))
    for stop in range(0, len(text) + 1, 5):
        while view.update(turn((TextPart(text[:stop]),)), most=most):
            pass
    failure = Failure(reason=FailureReason.CANCELLED, message="You stopped it.")
    ended = replace(turn((TextPart(text),), Phase.FAILED), failure=failure)
    while view.update(ended, most=most):
        pass
    assert any("the last line, not even over" in row for row in rows(view))
    assert [region.source for _, region in view.code_regions()] == [text.partition("```py\n")[2]]
