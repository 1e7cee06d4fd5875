"""The whole of a call, and nothing that could be taken for the question itself."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.messages import TextPart, ToolCallPart, ToolCallState, ToolOutcome, ToolResultPart
from chatui.core.tool_calls import results_message
from chatui.core.turn import Choice, Turn, TurnId
from chatui.engine.approval import ApprovalRequest
from chatui.engine.updates import CallProgress, CallStage, Stage
from chatui.view.approval_lines import approval_lines, approval_source, approval_title, revealed
from chatui.view.badge import turn_badge
from chatui.view.glyphs import ASCII, UNICODE
from chatui.view.lines import Line
from chatui.view.pane_views import ToolsContent, answered_calls
from chatui.view.tool_lines import outcome_word, progress_lines

FORBIDDEN = {*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), *"\u200b\u200d\u202e\u2066\ufeff\u2028"}
HEADINGS = ("Tool", "What is run", "Arguments", "Arguments: none", "What the tool says of itself")


def request(**more: object) -> ApprovalRequest:
    values: dict[str, object] = {
        "call_id": "c1",
        "tool": "weather",
        "source": "built into chatui",
        "description": "Tells the weather.",
        "arguments": {"city": "Wien"},
        "what_runs": "weather Wien",
        **more,
    }
    return ApprovalRequest(**values)  # type: ignore[arg-type]  # names of ApprovalRequest


def texts(lines: list[Line]) -> list[str]:
    return ["".join(run.text for run in line.runs) for line in lines]


def test_everything_that_decides_is_there_in_full() -> None:
    value = {"path": "a b", "lines": [1, 2], "deep": {"x": None}, "on": True, "empty": ""}
    shown = "\n".join(texts(approval_lines(request(arguments=value), 60, UNICODE)))
    for part in ("weather", "built into chatui", "weather Wien", "path:", "a b", '"x": null', "true", '""'):
        assert part in shown, part


@given(st.text(max_size=200), st.text(max_size=40), st.text(max_size=100), st.integers(4, 120))
def test_nothing_from_outside_can_look_like_the_question(
    argument: str, name: str, description: str, width: int
) -> None:
    asked = request(
        tool=name, source=name, arguments={name: argument}, description=description, what_runs=argument
    )
    for signs in (UNICODE, ASCII):
        for line in texts(approval_lines(asked, width, signs)):
            assert not FORBIDDEN & set(line)
            is_ours = line in ("", *HEADINGS) or "hidden character" in line or "written out" in line
            assert is_ours or line.startswith(f"  {signs.column} ") or width < 60
    assert not FORBIDDEN & set(approval_title(asked, 40))


@pytest.mark.parametrize(
    "hidden",
    ["\u200b", "\u202e", "\u00a0", "\u2003", "\ufeff", "\U000e0041", "\u3164", "\x1b", "\u00ad", "\ufe0f"],
)
def test_hidden_characters_are_written_out_and_counted(hidden: str) -> None:
    shown, count = revealed(f"rm{hidden} x")
    assert (shown, count) == (f"rm<U+{ord(hidden):04X}> x", 1)
    lines = texts(approval_lines(request(what_runs=f"rm{hidden}x"), 80, UNICODE))
    assert "1 hidden character is written out" in lines[0]


def test_ordinary_text_of_any_script_is_left_alone() -> None:
    for text in ("plain\ntwo\tlines", "grüße", "台北 🌍", "العربية", "हिन्दी"):
        assert revealed(text) == (text, 0)


def test_a_call_can_be_copied_as_it_was_read() -> None:
    assert json.loads(approval_source(request()))["arguments"] == {"city": "Wien"}


def test_the_badge_says_who_waits_for_whom() -> None:
    turn = Turn(turn_id=TurnId("t"))
    asking = turn_badge(turn, UNICODE, stage=Stage.ASKING, elapsed_s=5.0, call="weather")
    assert asking.text == "waiting for you · may weather be run?"
    running = turn_badge(turn, UNICODE, stage=Stage.CALLING, elapsed_s=5.0, call="weather\x1b[2J")
    assert running.text == "running weather␛[2J · 5.0 s"


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        (ToolOutcome.OK, "ok"),
        (ToolOutcome.FAILED, "failed"),
        (ToolOutcome.DENIED, "denied, not run"),
        (ToolOutcome.INTERRUPTED, "interrupted"),
        (ToolOutcome.INVALID, "invalid arguments, not run"),
    ],
)
def test_each_way_a_call_can_end_has_its_word(outcome: ToolOutcome, word: str) -> None:
    result = ToolResultPart("c1", "weather", "text\x1b[2J", outcome is not ToolOutcome.OK, outcome)
    assert outcome_word(result)[0] == word
    call = ToolCallPart("c1", "weather", '{"city":"Wien"}', ToolCallState.WHOLE)
    ended = CallProgress(call=call, source="a", stage=CallStage.ENDED, elapsed_s=1.24, result=result)
    shown = "\n".join(texts(progress_lines(ended, 40, UNICODE)))
    assert f"{word} · 1.2 s" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("stage", [CallStage.QUEUED, CallStage.ASKING, CallStage.RUNNING])
def test_a_call_under_way_says_how_far_it_is(stage: CallStage) -> None:
    call = ToolCallPart("c1", "weather", '{"city":"Wien"}', ToolCallState.WHOLE)
    shown = "\n".join(texts(progress_lines(CallProgress(call=call, stage=stage), 40, UNICODE)))
    assert stage.value in shown
    assert '"city": "Wien"' in shown


def test_in_the_pane_a_result_stands_with_the_call_it_answers() -> None:
    call = ToolCallPart("c1", "weather", '{"city":"Wien"}', ToolCallState.WHOLE)
    before = Turn(turn_id=TurnId("t1"), choices=(Choice(0, (TextPart("hm"), call)),))
    result = ToolResultPart("c1", "weather", "sunny", outcome=ToolOutcome.OK)
    again = ToolCallPart("c2", "news", "{}", ToolCallState.WHOLE)
    turn = Turn(
        turn_id=TurnId("t2"),
        parent_id=before.turn_id,
        input=(results_message([result]),),
        choices=(Choice(0, (again,)),),
    )
    calls = answered_calls(before, turn)
    assert [(one.call, one.result) for one in calls] == [(call, result)]
    assert answered_calls(None, turn) == ()
    content = ToolsContent(40, UNICODE, lambda: calls)
    content.follow(turn)
    shown = "\n".join(
        "".join(run.text for run in section.line(row).runs)
        for section in content.sections()
        for row in range(section.height)
    )
    assert shown.index('"city": "Wien"') < shown.index("sunny") < shown.index("news")
    assert shown.count("sunny") == 1
