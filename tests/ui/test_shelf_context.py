"""How full the model's window is, before and after it is too full."""

from dataclasses import replace
from pathlib import Path

from ui.acting import conversation_of, cut, on_stage

from chatui.core.errors import FailureReason


async def test_what_the_server_counted_is_shown_plain_and_an_estimate_is_marked(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 24)) as stage:
        await stage.ask("Hello")
        stage.session.text("word " * 400)
        stage.session.complete()
        await stage.settle()
        assert "ctx 2 %" in stage.text()
        stage.chat.composer.put("word " * 3000)
        await stage.settle()
        assert "ctx ~48 %" in stage.text()


async def test_a_prompt_that_cannot_fit_is_told_before_it_is_sent(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 24)) as stage:
        await stage.ask("word " * 9000)
        assert not stage.session.sent
        assert "the model's window is 8192" in stage.text()
        await stage.press("enter")
        assert len(stage.session.sent) == 1


async def test_a_conversation_that_became_too_long_offers_ways_on(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 40), conversation=conversation_of(6, "word " * 900)) as stage:
        await stage.ask("One more")
        stage.session.fail(cut(FailureReason.HTTP, "Too long.", http_status=400, is_context_too_long=True))
        await stage.settle()
        assert "o drop oldest  F fork earlier  m another model" in stage.text()
        await stage.press("tab", "o")
        now = stage.chat.live.now()
        left_out = now.left_out(now.path())
        assert 0 < left_out < 6
        assert len(stage.session.sent) == 2, "the prompt that failed is sent again"
        assert len(now.path()) == 6, "what is shown stays"
        stage.session.text("It fits.")
        stage.session.complete()
        await stage.settle()
        assert f"{left_out} not sent" in stage.chat.context.facts()
        await stage.chat.action_command("send-all")
        assert stage.chat.live.now().sent_from is None


async def test_a_fork_from_an_earlier_turn_takes_the_prompt_along(tmp_path: Path) -> None:
    conversation = conversation_of(4)
    async with on_stage(tmp_path, (120, 40)) as stage:
        for turn in conversation.turns:
            stage.app.acted.history.commit("saved", turn)
        failed = replace(
            conversation.turns[0],
            turn_id="f1",
            parent_id="t3",
            input=conversation.turns[3].input,
            failure=cut(FailureReason.LENGTH, is_context_too_long=True),
            phase="failed",
        )
        stage.app.acted.history.save_unfinished("saved", failed)
        stage.app.open_conversation("saved")
        await stage.settle()
        await stage.press("tab", "F")
        await stage.settle()
        assert "tok up to here" in stage.text()
        await stage.press("down", "down", "enter")
        await stage.settle()
        assert [turn.turn_id for turn in stage.chat.live.now().path()] == ["t0", "t1"]
        assert stage.chat.composer.written == "Question 3"
