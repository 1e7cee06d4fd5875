"""What a person sees while an answer comes in."""

import io
import sys

import pytest

from chatui.cli.answer_printer import AnswerPrinter
from chatui.core.conversation import Omission
from chatui.core.errors import Failure, FailureReason
from chatui.core.messages import AudioPart, Part, ReasoningPart, RefusalPart, TextPart
from chatui.core.turn import Choice, Phase, Turn, TurnId
from chatui.engine.updates import Stage, TurnUpdate


def update(
    text: str,
    *,
    stage: Stage = Stage.RECEIVING,
    phase: Phase = Phase.RECEIVING,
    failure: Failure | None = None,
    preparing: str = "",
    omissions: tuple[Omission, ...] = (),
) -> TurnUpdate:
    choice = Choice(0, (TextPart(text),) if text else ())
    turn = Turn(turn_id=TurnId("t"), phase=phase, failure=failure, choices=(choice,), notices=("a notice",))
    return TurnUpdate(turn=turn, stage=stage, preparing=preparing, omissions=omissions)


def ended(text: str, **more: object) -> TurnUpdate:
    return update(text, stage=Stage.ENDED, phase=Phase.COMPLETED, **more)  # type: ignore[arg-type]  # by name


def test_each_update_prints_only_what_is_new() -> None:
    out = io.StringIO()
    printer = AnswerPrinter(out)
    for text in ("", "Hel", "Hel", "Hello"):
        printer.update(update(text))
    printer.end(ended("Hello"))
    assert out.getvalue() == "Hello\n"


@pytest.mark.parametrize(
    ("parts", "printed"),
    [
        ((RefusalPart("No."),), "No.\n"),
        ((TextPart("Well, "), RefusalPart("no.")), "Well, \n\nno.\n"),
        ((AudioPart("a", "spoken", "UklGR"),), "spoken\n"),
        ((ReasoningPart("hm"), TextPart("a"), TextPart("b")), "ab\n"),
        ((AudioPart("a", "", "UklGR"), TextPart("a")), "a\n"),
    ],
)
def test_a_refusal_and_what_was_spoken_are_read_as_well(parts: tuple[Part, ...], printed: str) -> None:
    out = io.StringIO()
    turn = Turn(turn_id=TurnId("t"), phase=Phase.COMPLETED, choices=(Choice(0, parts),))
    AnswerPrinter(out).end(TurnUpdate(turn=turn, stage=Stage.ENDED))
    assert out.getvalue() == printed


def test_no_second_line_end_is_added() -> None:
    out = io.StringIO()
    printer = AnswerPrinter(out)
    printer.end(ended("Hello\n"))
    assert out.getvalue() == "Hello\n"


def test_text_that_turns_out_to_be_none_of_the_answer_is_called_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = io.StringIO()
    printer = AnswerPrinter(out)
    printer.update(update("let me think"))
    printer.end(ended("42"))
    assert out.getvalue() == "let me think\n42\n"
    assert "no part of the answer" in capsys.readouterr().err


def test_a_sequence_split_over_two_updates_stays_harmless() -> None:
    out = io.StringIO()
    printer = AnswerPrinter(out)
    for text in ("a\x1b", "a\x1b[2J", "a\x1b[2J\x9b"):
        printer.update(update(text))
    assert "\x1b" not in out.getvalue()
    assert "\x9b" not in out.getvalue()


def test_what_was_not_sent_and_what_failed_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    failure = Failure(reason=FailureReason.HTTP, message="no\nway\x1b", hint="Try again.", request_id="req_1")
    omission = Omission(TurnId("x"), "An unfinished turn", "it was cancelled")
    failed = update("", stage=Stage.ENDED, phase=Phase.FAILED, failure=failure, omissions=(omission,))
    AnswerPrinter(io.StringIO()).end(failed)
    assert capsys.readouterr().err.splitlines() == [
        "chatui: not sent: An unfinished turn: it was cancelled",
        "chatui: a notice",
        "chatui: http: no way␛ (request req_1). Try again.",
    ]


def test_progress_is_one_line_of_each_kind_in_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    printer = AnswerPrinter(io.StringIO())
    for preparing in ("fetching · 1 of 3 MB", "fetching · 2 of 3 MB", "starting"):
        printer.update(update("", stage=Stage.PREPARING, preparing=preparing))
    assert capsys.readouterr().err == "chatui: fetching · 1 of 3 MB\nchatui: starting\n"


def test_progress_on_a_terminal_stays_on_its_line_and_leaves_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    err = Terminal()
    monkeypatch.setattr(sys, "stderr", err)
    printer = AnswerPrinter(io.StringIO())
    for preparing in ("1 of 2", "2 of 2"):
        printer.update(update("", stage=Stage.PREPARING, preparing=preparing))
    printer.update(update("", stage=Stage.CONNECTING))
    assert err.getvalue() == "\r\x1b[Kchatui: 1 of 2\r\x1b[Kchatui: 2 of 2\n"
