"""What a person sees while an answer comes in."""

import io
import sys
from dataclasses import replace

import pytest

from chatui.cli.answer_printer import AnswerPrinter
from chatui.core.errors import Failure, FailureReason
from chatui.core.messages import AudioPart, Part, ReasoningPart, RefusalPart, TextPart
from chatui.core.send_plan import Omission
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
        "chatui: http: no way␛ (request req_1). Try again. "
        "`chatui doctor` looks at each step (with the same -p, -m and --base-url).",
    ]


def test_progress_is_one_line_of_each_kind_in_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    printer = AnswerPrinter(io.StringIO())
    for preparing in ("fetching · 1 of 3 MB", "fetching · 2 of 3 MB", "starting"):
        printer.update(update("", stage=Stage.PREPARING, preparing=preparing))
    assert capsys.readouterr().err == "chatui: fetching · 1 of 3 MB\nchatui: starting\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


TAKEN_BACK = "\r\x1b[K"


def test_progress_on_a_terminal_stays_on_its_line_and_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    err = Terminal()
    monkeypatch.setattr(sys, "stderr", err)
    printer = AnswerPrinter(io.StringIO())
    for preparing in ("1 of 2", "2 of 2", "2 of 2"):
        printer.update(update("", stage=Stage.PREPARING, preparing=preparing))
    printer.update(update("Hello"))
    assert err.getvalue() == f"{TAKEN_BACK}chatui: 1 of 2{TAKEN_BACK}chatui: 2 of 2{TAKEN_BACK}"


def test_a_terminal_says_whom_it_waits_for_until_there_is_something_to_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    err = Terminal()
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setenv("COLUMNS", "34")
    out = io.StringIO()
    printer = AnswerPrinter(out)
    turn = Turn(turn_id=TurnId("t"), requested_model="m\x1b[2Jodel")
    printer.update(TurnUpdate(turn=turn, stage=Stage.CONNECTING))
    printer.update(TurnUpdate(turn=turn, stage=Stage.WAITING))
    waiting = err.getvalue()
    assert waiting.startswith(f"{TAKEN_BACK}chatui: waiting for m␛[2J")
    assert len(waiting.removeprefix(TAKEN_BACK)) < 34
    thinking = replace(turn, choices=(Choice(0, (ReasoningPart("hm"),)),))
    printer.update(TurnUpdate(turn=thinking, stage=Stage.RECEIVING))
    assert "is thinking" in err.getvalue()
    printer.update(update("Hello"))
    said = err.getvalue()
    assert said.endswith(TAKEN_BACK)
    printer.end(ended("Hello, you"))
    assert err.getvalue().removeprefix(said) == "chatui: a notice\n"
    assert out.getvalue() == "Hello, you\n"


def test_an_answer_without_text_takes_the_waiting_line_back_before_it_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    err = Terminal()
    monkeypatch.setattr(sys, "stderr", err)
    printer = AnswerPrinter(io.StringIO())
    printer.update(update("", stage=Stage.WAITING))
    failure = Failure(reason=FailureReason.TIMEOUT, message="silence", hint="")
    printer.end(update("", stage=Stage.ENDED, phase=Phase.FAILED, failure=failure))
    assert f"{TAKEN_BACK}chatui: a notice\nchatui: timeout: silence. `chatui doctor` looks" in err.getvalue()
