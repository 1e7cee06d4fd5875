"""What the window says of itself stays true: title, welcome, notices, badge, foot."""

from pathlib import Path

from ui.acting import Acting, conversation_of, cut, on_stage, thought

from chatui.core.ending import KEPT_HINT
from chatui.core.errors import FailureReason
from chatui.ui.turns.turn_following import COUNT_AFTER_S


def header(stage: Acting) -> str:
    return stage.screen()[0]


async def test_the_title_stays_what_it_was_when_the_first_answer_is_complete(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        await stage.ask("how do I sort a list in place?")
        before = header(stage)
        assert "How do I sort a list in place?" in before
        stage.session.text("Like so.")
        stage.session.complete()
        await stage.settle()
        assert header(stage) == before


async def test_the_welcome_tells_what_the_others_do_now_and_not_itself(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(1)) as stage:
        stage.app.acted.history.commit("saved", stage.chat.live.now().turns[0])
        await stage.ask("and again")
        answering = stage.session
        await stage.press("ctrl+n")
        assert "● receiving" in stage.text()
        answering.complete()
        await stage.settle()
        assert "● answered" in stage.text()
        assert "● receiving" not in stage.text()


async def test_when_nothing_is_left_to_read_what_is_typed_is_written(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("first of all")
        stage.session.fail(cut(FailureReason.DISCONNECT))
        await stage.press("f6", "x")
        assert "Go on with" not in stage.text(), "an empty conversation does not offer itself"
        await stage.type("think twice")
        assert stage.chat.composer.text == "think twice", "t, i and w are keys of reading"


async def test_a_notice_of_two_rows_is_one_point(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        stage.chat.notice("A notice that is a good deal longer than one row. " * 2, "A hint.")
        await stage.settle()
        rows = [row for row in stage.screen() if row.startswith(" ·")]
        assert len(rows) == 2
        assert rows[1] == " · A hint."


async def test_who_waits_is_told_that_the_model_thinks_and_what_is_left_of_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.receive(thought("They ask for three points."))
        await stage.settle()
        assert "receiving · thinking" in stage.text()
        stage.session.fail(cut(FailureReason.CANCELLED, "You stopped this answer", hint=KEPT_HINT))
        await stage.settle()
        assert "no text to continue from" in stage.text()
        assert "c continue" not in stage.text()


async def test_how_much_was_received_is_counted_while_it_comes(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 40)) as stage:
        await stage.ask()
        stage.session.text("One two three four.")
        await stage.settle()
        assert "out ~5" in stage.screen()[-1]
        stage.session.text("word " * 40)
        await stage.settle()
        stage.app.acted.clock.now_s += COUNT_AFTER_S
        stage.chat.following._tick()
        await stage.settle()
        assert "out ~50" in stage.screen()[-1]
        stage.session.complete()
        await stage.settle()
        assert "out 112" in stage.screen()[-1], "until the server says it"
