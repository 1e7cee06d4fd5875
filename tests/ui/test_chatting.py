"""What a person relies on while chatting."""

from pathlib import Path

import pytest
from ui.acting import call, conversation_of, cut, on_stage, thought

from chatui.core.errors import ConfigError, FailureReason
from chatui.core.messages import TextPart, ToolCallState
from chatui.engine.session import Stage


async def test_a_question_is_sent_and_its_answer_shown_while_it_comes(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("What is it?")
        assert stage.session.sent[0][0].text == "What is it?"
        assert "receiving" in stage.text()
        stage.session.text("It is a **thing**")
        await stage.settle()
        assert "It is a thing" in stage.text()
        stage.session.text("It is a **thing** of note.")
        stage.session.complete()
        await stage.settle()
        assert "It is a thing of note." in stage.text()
        assert "✓ completed · 112 tok · 5.6 s" in stage.text()
        assert "in 37 · out 112" in stage.text()


async def test_esc_says_at_once_that_it_stops_and_never_quits(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.text("half of")
        await stage.press("escape")
        assert stage.session.cancels == 1
        assert "stopping…" in stage.text()
        stage.session.fail(cut(FailureReason.CANCELLED, "You stopped this answer after 7 characters"))
        await stage.settle()
        assert "■ stopped by you" in stage.text()
        assert "half of" in stage.text()
        assert "stopping" not in stage.text()
        await stage.press("escape", "escape", "escape")
        assert stage.app.is_running


async def test_what_esc_does_to_prompt_and_text_is_always_the_same_and_stands_in_the_help(
    tmp_path: Path,
) -> None:
    for received in ("", "half of"):
        async with on_stage(tmp_path) as stage:
            await stage.ask("Ask this")
            if received:
                stage.session.text(received)
            await stage.press("escape")
            stage.session.fail(cut(FailureReason.CANCELLED, "You stopped this answer"))
            await stage.settle()
            assert "Ask this" in stage.text()
            assert received in stage.text()
            assert stage.chat.composer.text == "", "what is written next is not mixed up with it"
            await stage.press("up")
            assert stage.chat.composer.written == "Ask this"
            await stage.press("f1")
            await stage.settle()
            await stage.type("stop the answer")
            await stage.settle()
            assert "Stop the answer; prompt and text stay" in stage.text()


async def test_a_failed_answer_stays_with_its_reason_and_its_keys(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("Ask this")
        stage.session.text("Only half")
        stage.session.fail(cut(hint="Send again."))
        await stage.settle()
        text = stage.text()
        assert "⚡ connection lost" in text
        assert "Only half" in text
        assert "r retry  c continue  a accept  e edit  y copy  x dismiss" in text
        await stage.press("tab", "r")
        assert stage.session.sent[1] == stage.session.sent[0]
        assert stage.text().count("Ask this") >= 2, "the failed attempt stays"
        stage.session.text("A whole answer")
        stage.session.complete()
        await stage.settle()
        text = stage.text()
        assert text.index("Only half") < text.index("A whole answer")


async def test_edit_brings_the_prompt_back_and_dismiss_forgets_the_failure(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("Ask this")
        stage.session.fail(cut())
        await stage.settle()
        await stage.press("tab", "e")
        assert stage.chat.composer.text == "Ask this"
        await stage.press("tab", "x")
        assert len(stage.session.dismissed) == 1
        assert stage.chat.transcript.turn_count == 0


async def test_continue_accepts_the_cut_and_asks_for_the_rest(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("Tell me")
        stage.session.text("Once upon")
        stage.session.fail(cut(FailureReason.LENGTH))
        await stage.settle()
        assert "✂ cut at the token limit" in stage.text()
        await stage.press("tab", "c")
        assert "Go on" in stage.session.sent[1][0].text
        accepted = stage.session.conversation.path()[-1]
        assert accepted.text == "Once upon"
        assert accepted.is_accepted_cut


async def test_nothing_is_sent_for_an_empty_prompt_and_it_is_said_in_place(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("enter")
        assert not stage.session.sent
        assert "Nothing to send yet" in stage.text()
        await stage.type("   ")
        await stage.press("enter")
        assert not stage.session.sent


@pytest.mark.parametrize("key", ["ctrl+j", "shift+enter", "alt+enter"])
async def test_a_new_line_is_made_without_sending(tmp_path: Path, key: str) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.type("one")
        await stage.press(key)
        await stage.type("two")
        assert stage.chat.composer.text == "one\ntwo"
        assert not stage.session.sent


async def test_a_backslash_at_the_end_makes_a_new_line(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        stage.chat.composer.put("one\\")
        await stage.press("enter")
        assert stage.chat.composer.text == "one\n"
        assert not stage.session.sent


async def test_ctrl_c_stashes_the_draft_and_quits_on_the_second_press(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.type("precious")
        await stage.press("ctrl+c")
        assert stage.chat.composer.text == ""
        assert "Up brings it back" in stage.text()
        await stage.press("up")
        assert stage.chat.composer.text == "precious"
        await stage.press("ctrl+c")
        assert stage.app.is_running
        await stage.press("ctrl+c")
    assert stage.app.return_value == 0


async def test_ctrl_c_stops_the_answer_first(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        await stage.press("ctrl+c")
        assert stage.session.cancels == 1
        assert stage.app.is_running


async def test_a_prompt_typed_while_an_answer_comes_is_kept(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        await stage.type("next")
        await stage.press("enter")
        assert len(stage.session.sent) == 1
        assert [prompt.text for prompt in stage.chat.live.queue] == ["next"]
        assert "Queued" in stage.text()


async def test_a_new_conversation_keeps_the_stream_and_the_draft_of_the_old_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("first")
        old = stage.session
        await stage.type("draft")
        first = stage.chat.live
        await stage.press("ctrl+n")
        assert stage.chat.composer.text == ""
        assert "Things to try" in stage.text()
        old.text("An answer behind the scenes")
        old.complete()
        await stage.settle()
        assert "behind the scenes" not in stage.text()
        stage.chat.show(first)
        await stage.settle()
        assert "An answer behind the scenes" in stage.text()
        assert stage.chat.composer.text == "draft"


async def test_reasoning_and_tool_calls_have_panes_of_their_own(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 40)) as stage:
        await stage.ask()
        stage.session.receive(thought("I must think."), TextPart("Let me look."), call('{"city": "Par'))
        await stage.settle()
        text = stage.text()
        assert "Reasoning" in text
        assert "I must think." in text
        assert "get_weather" in text
        stage.session.receive(
            thought("I must think."), TextPart("Let me look."), call('{"city": "Paris"}', ToolCallState.WHOLE)
        )
        await stage.settle()
        assert '"city": "Paris"' in stage.text()
        await stage.press("f2")
        assert "I must think." not in stage.text()
        assert stage.app.acted.state.reasoning_pane_open is False


async def test_panes_are_a_drawer_of_at_most_a_third_in_a_narrow_window(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 24)) as stage:
        await stage.ask()
        stage.session.receive(thought("I must think."), TextPart("Done."))
        await stage.settle()
        assert "I must think." not in stage.text()
        await stage.press("f2")
        assert "I must think." in stage.text()
        assert stage.chat.panel.size.height <= 24 // 3
        assert stage.app.acted.state.reasoning_pane_open is True


async def test_the_badge_tells_every_stage(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        await stage.ask()
        stage.app.acted.clock.now_s += 3.2
        stage.session.tell(Stage.PREPARING, preparing="starting the model")
        await stage.settle()
        assert "starting the model" in stage.text()
        stage.session.tell(Stage.RETRYING, retry_in_s=3.0, retry_why="HTTP 429")
        await stage.settle()
        assert "receiving · retry in 3.0 s · HTTP 429" in stage.text()
        stage.session.text("word " * 40)
        stage.app.acted.clock.now_s += 2
        stage.session.tell()
        await stage.settle()
        assert "tok/s · 5.2 s" in stage.text()


async def test_without_a_model_the_app_opens_and_says_what_to_do(tmp_path: Path) -> None:
    refusal = ConfigError("No provider is set up.", "Press Ctrl+O, or run `chatui local install`.")
    async with on_stage(tmp_path, refusal=refusal) as stage:
        assert "No provider is set up." in stage.text()
        assert "chatui local install" in stage.text()
        await stage.type("hello")
        await stage.press("enter")
        assert stage.chat.composer.text == "hello", "what was written is not lost"
        stage.app.acted.refusal = None
        await stage.press("enter")
        assert stage.session.sent


async def test_problems_of_the_configuration_are_named_and_can_be_taken_away(tmp_path: Path) -> None:
    async with on_stage(tmp_path, problems=("config.toml:3: unknown key",)) as stage:
        assert "config.toml:3: unknown key" in stage.text()
        await stage.press("escape")
        assert "config.toml:3" not in stage.text()


async def test_a_saved_conversation_is_shown_at_its_end(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(30)) as stage:
        assert "An answer. (29)" in stage.text()
        await stage.press("ctrl+home")
        assert "Question 0" in stage.text()
        await stage.press("ctrl+end")
        assert "An answer. (29)" in stage.text()


@pytest.mark.parametrize("size", [(20, 5), (40, 12), (10, 3), (80, 24), (300, 100)], ids=str)
async def test_no_window_size_breaks_the_app(tmp_path: Path, size: tuple[int, int]) -> None:
    async with on_stage(tmp_path, size) as stage:
        await stage.ask("What is it?")
        stage.session.receive(
            thought("Hm."), TextPart("Some *text*.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"), call("{")
        )
        stage.session.fail(cut())
        await stage.settle()
        await stage.press("f1", "escape", "ctrl+p", "escape", "f2", "f3")
        await stage.pilot.resize_terminal(100, 30)
        await stage.settle()
        assert "connection lost" in stage.text()
