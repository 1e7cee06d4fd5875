"""The badge says how a turn stands, and never calls completed what is not."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.errors import Failure, FailureReason, StopCause
from chatui.core.events import Usage
from chatui.core.messages import ReasoningPart, TextPart, ToolCallPart, ToolCallState
from chatui.core.turn import Choice, Phase, Timing, Turn, TurnId
from chatui.engine.session import Stage
from chatui.view.badge import count, output_tokens, seconds, turn_badge
from chatui.view.glyphs import ASCII, UNICODE

TURN = Turn(turn_id=TurnId("t"), choices=(Choice(0, (TextPart("words"),)),))


def words(turn: Turn, **more: object) -> str:
    badge = turn_badge(turn, UNICODE, **more)  # type: ignore[arg-type]
    return f"{badge.glyph} {badge.text}"


def failed(reason: FailureReason, message: str = "", **more: object) -> Turn:
    failure = Failure(reason=reason, message=message, **more)  # type: ignore[arg-type]
    return replace(TURN, phase=Phase.FAILED, failure=failure)


@pytest.mark.parametrize(
    ("turn", "badge"),
    [
        (failed(FailureReason.LENGTH), "✂ cut at the token limit"),
        (failed(FailureReason.CANCELLED), "■ stopped by you"),
        (
            failed(FailureReason.CANCELLED, code=StopCause.TERMINAL_CLOSED),
            "■ stopped: the terminal was closed",
        ),
        (failed(FailureReason.CANCELLED, code=StopCause.TOLD_TO_END), "■ stopped: chatui was told to end"),
        (failed(FailureReason.DISCONNECT), "⚡ connection lost"),
        (failed(FailureReason.TIMEOUT, "No data for 60 s"), "⏱ no data for 60 s"),
        (failed(FailureReason.CONTENT_FILTER), "⊘ filtered by the provider"),
        (failed(FailureReason.REFUSAL), "∅ refused"),
        (failed(FailureReason.ERROR, code="overloaded"), "✗ server error: overloaded"),
        (failed(FailureReason.HTTP, http_status=401), "✗ HTTP 401: key rejected"),
        (failed(FailureReason.CONNECT), "✗ no connection"),
        (failed(FailureReason.PROTOCOL), "✗ answer broke its protocol"),
    ],
)
def test_a_failure_has_its_glyph_and_its_word(turn: Turn, badge: str) -> None:
    assert words(turn) == badge


def test_a_running_turn_tells_rate_and_time() -> None:
    turn = replace(TURN, delta_count=152, timing=Timing(first_text_ms=100.0))
    assert words(turn, stage=Stage.RECEIVING, elapsed_s=4.1) == "◐ receiving · 38 tok/s · 4.1 s"
    assert words(turn, stage=Stage.WAITING, elapsed_s=3.2) == "◐ receiving · waiting · 3.2 s"
    assert words(turn, stage=Stage.STOPPING) == "◐ stopping…"


def test_a_completed_turn_tells_tokens_and_time() -> None:
    turn = replace(TURN, phase=Phase.COMPLETED, usage=Usage(37, 212), timing=Timing(total_ms=5600.0))
    assert words(turn) == "✓ completed · 212 tok · 5.6 s"


def test_tokens_that_were_not_reported_are_marked_as_an_estimate() -> None:
    turn = replace(TURN, phase=Phase.COMPLETED, delta_count=40, usage=Usage())
    assert "~40 tok" in words(turn)


def test_a_long_answer_in_one_delta_is_not_called_one_token() -> None:
    choice = Choice(index=0, parts=(TextPart("word " * 40),))
    turn = replace(TURN, phase=Phase.COMPLETED, delta_count=1, choices=(choice,))
    assert output_tokens(turn) == "~50"
    assert "~50 tok" in words(turn)


def test_nothing_received_is_an_unknown_number_of_tokens_not_none() -> None:
    assert output_tokens(replace(TURN, phase=Phase.COMPLETED, usage=Usage())) is None
    assert output_tokens(replace(TURN, phase=Phase.COMPLETED, usage=Usage(0, 0))) == "0"


def test_a_word_that_nobody_knows_stands_beside_the_badge() -> None:
    turn = replace(TURN, phase=Phase.COMPLETED, finish_reason="eos\x1b[2J")
    assert words(turn).endswith("eos␛[2J")


@given(
    st.sampled_from(FailureReason),
    st.text(max_size=200),
    st.text(max_size=60),
    st.none() | st.integers(100, 599),
)
def test_only_a_completed_turn_is_called_completed(
    reason: FailureReason, message: str, code: str, status: int | None
) -> None:
    turn = failed(reason, message, code=code, http_status=status)
    badge = turn_badge(turn, UNICODE)
    assert not badge.text.startswith("completed")
    assert badge.glyph != UNICODE.completed
    assert len(badge.text) < 100
    assert not any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in badge.text)


def test_every_glyph_has_an_ascii_twin() -> None:
    for name in ASCII.__slots__:
        twin = getattr(ASCII, name)
        assert "".join(twin).isascii(), name


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.04, "0.0 s"), (9.94, "9.9 s"), (60, "60 s"), (150, "2 min 30 s"), (7200, "2 h 00 min")],
)
def test_durations_are_read_at_a_glance(value: float, text: str) -> None:
    assert seconds(value) == text


def test_big_numbers_are_short() -> None:
    assert [count(n) for n in (7, 9999, 12_300, 2_000_000)] == ["7", "9999", "12.3k", "2.0M"]


def test_an_answer_of_thought_only_says_that_there_is_no_other() -> None:
    thought = Choice(index=0, parts=(ReasoningPart("hm"),))
    done = replace(TURN, phase=Phase.COMPLETED, choices=(thought,))
    assert words(done).endswith("· reasoning only")
    assert words(replace(done, choices=())).endswith("· empty answer")
    called = Choice(
        index=0, parts=(ReasoningPart("hm"), ToolCallPart("c", "look", "{}", ToolCallState.WHOLE))
    )
    assert "only" not in words(replace(done, choices=(called,)))
