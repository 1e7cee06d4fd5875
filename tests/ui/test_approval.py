"""May this be run? Nothing is decided by a key that was struck before the question could be read."""

import asyncio
from pathlib import Path

import pytest
from textual.events import Key
from ui.acting import Acting, on_stage

from chatui.core.conversation import Conversation
from chatui.core.send_plan import NEW_INPUT, Omission
from chatui.engine.approval import ApprovalRequest, Decision, Verdict
from chatui.engine.updates import MISSING_TOOL, Stage
from chatui.ui.screens.approval import QUIET_OF_WRITING_S, QUIET_S, ApprovalScreen
from chatui.wiring import LaunchOptions

REQUEST = ApprovalRequest(
    call_id="c1",
    tool="weather",
    source="[tools.commands.weather]",
    description="Tells the weather.",
    arguments={"city": "Wien", "days": 3},
    what_runs="weather --days=3 -- Wien\nin /home/me",
)
LONG = ApprovalRequest(
    call_id="c1",
    tool="write",
    source="a test",
    description="Writes.",
    arguments={"content": "\n".join(f"line {number}" for number in range(200))},
    what_runs="write",
)


async def asked(stage: Acting, request: ApprovalRequest = REQUEST) -> "asyncio.Task[Decision]":
    """The engine asks, in the conversation that is shown."""
    approver = stage.session.approver
    assert approver is not None
    question = asyncio.create_task(approver.decide(request))
    await stage.settle()
    return question


async def after_a_moment(stage: Acting, *keys: str) -> None:
    """Keys of a person who has read the question."""
    stage.app.acted.clock.now_s += QUIET_OF_WRITING_S * 2
    await stage.press(*keys)
    await stage.settle()


async def test_the_whole_call_is_shown_and_a_yes_is_given(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(100, 40)) as stage:
        await stage.ask("hi")
        question = await asked(stage)
        text = stage.text()
        for part in ("May weather be run?", "weather --days=3 -- Wien", "city:", "Wien", "days:", "3"):
            assert part in text, part
        assert "[tools.commands.weather]" in text
        assert "Tells the weather." in text
        await after_a_moment(stage, "a")
        assert question.result() == Decision(Verdict.ONCE)
        assert not isinstance(stage.app.screen, ApprovalScreen)
        assert stage.chat.live.question is None


async def test_a_yes_for_the_conversation(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("hi")
        question = await asked(stage)
        await after_a_moment(stage, "A")
        assert question.result().verdict is Verdict.ALWAYS


@pytest.mark.parametrize(("words", "reason"), [("", ""), ("too far", "too far")])
async def test_a_no_with_or_without_a_reason(tmp_path: Path, words: str, reason: str) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("hi")
        question = await asked(stage)
        await after_a_moment(stage, "d")
        assert "Why not?" in stage.text()
        await stage.press(*("space" if character == " " else character for character in words), "enter")
        await stage.settle()
        assert question.result() == Decision(Verdict.DENY, reason)


async def test_a_no_can_be_taken_back_before_it_is_said(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("hi")
        question = await asked(stage)
        await after_a_moment(stage, "d", "a", "escape")
        assert not question.done()
        assert "Why not?" not in stage.text()
        await after_a_moment(stage, "a")
        assert question.result().verdict is Verdict.ONCE


async def test_keys_typed_ahead_decide_nothing_and_are_not_lost(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("hi")
        await stage.press("s", "a")
        question = await asked(stage)
        for key in ("d", "A", "a", "enter"):
            stage.app.acted.clock.now_s += QUIET_S / 2  # never a moment without keys
            await stage.press(key)
        await stage.settle()
        assert not question.done()
        assert "Why not?" not in stage.text()
        assert stage.chat.composer.text == "sadAa"
        await after_a_moment(stage, "a")
        assert question.result().verdict is Verdict.ONCE
        assert stage.chat.composer.text == "sadAa"


async def test_who_thinks_in_mid_sentence_goes_on_writing(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("hi")
        await stage.press("s")
        question = await asked(stage)
        for key in ("a", "d"):
            stage.app.acted.clock.now_s += QUIET_S * 3
            await stage.press(key)
        await stage.settle()
        assert not question.done()
        assert stage.chat.composer.text == "sad"
        await after_a_moment(stage, "a")
        assert question.result().verdict is Verdict.ONCE


async def test_a_key_that_was_struck_before_the_question_and_came_late_decides_nothing(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("hi")
        question = await asked(stage)
        stage.app.acted.clock.now_s += QUIET_S * 2  # the app was busy, the key waited
        late = Key("a", "a")
        late.time -= QUIET_S * 3
        stage.app.screen.post_message(late)
        await stage.settle()
        assert not question.done()
        assert stage.chat.composer.text == "a"
        question.cancel()


@pytest.mark.parametrize("key", ["enter", "space", "y", "tab", "n", "x"])
async def test_no_other_key_says_yes_or_no(tmp_path: Path, key: str) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("hi")
        question = await asked(stage)
        await after_a_moment(stage, key)
        assert not question.done()
        assert isinstance(stage.app.screen, ApprovalScreen)
        question.cancel()


async def test_pasted_text_decides_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        from textual.events import Paste

        await stage.ask("hi")
        question = await asked(stage)
        stage.app.acted.clock.now_s += 10
        stage.app.screen.post_message(Paste("a\nd\n"))
        await stage.settle()
        assert not question.done()
        assert "a\nd" in stage.chat.composer.text
        question.cancel()


async def test_escape_stops_the_turn_at_once(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("hi")
        question = await asked(stage)
        await stage.press("escape")
        await stage.settle()
        assert stage.session.cancels == 1
        assert not question.done(), "stopping the turn is what ends the question"
        question.cancel()
        await stage.settle()
        assert stage.chat.live.question is None


async def test_a_question_that_nobody_waits_for_any_more_goes_away(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("hi")
        question = await asked(stage)
        assert isinstance(stage.app.screen, ApprovalScreen)
        question.cancel()
        await stage.settle()
        assert stage.app.screen is stage.chat
        assert stage.session.cancels == 0


async def test_a_long_call_can_be_read_to_its_end(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("hi")
        question = await asked(stage, LONG)
        assert "line 199" not in stage.text()
        await stage.press("end")
        await stage.settle()
        assert "line 199" in stage.text()
        assert "Writes." in stage.text()
        await stage.press("pageup", "home")
        await stage.settle()
        assert "What is run" in stage.text()
        question.cancel()


async def test_several_questions_come_one_after_the_other(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("hi")
        first = await asked(stage)
        await after_a_moment(stage, "a")
        second = await asked(stage, LONG)
        assert first.done()
        assert "May write be run?" in stage.text()
        await stage.press("a")
        await stage.settle()
        assert not second.done(), "the key of the first question does not answer the second"
        await after_a_moment(stage, "a")
        assert second.done()


async def test_a_question_waits_while_the_person_is_elsewhere_in_the_app(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("hi")
        await stage.press("f1")
        await stage.settle()
        question = await asked(stage)
        assert not isinstance(stage.app.screen, ApprovalScreen)
        await stage.press("escape")
        await stage.settle()
        assert isinstance(stage.app.screen, ApprovalScreen)
        question.cancel()


async def test_the_question_of_another_conversation_is_told_and_asked_there(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 30)) as stage:
        await stage.ask("hi")
        first = stage.chat.live
        approver = stage.session.approver
        assert approver is not None
        stage.chat.show(stage.app.desk.open(Conversation(conversation_id="other", is_temporary=True)))
        await stage.settle()
        question = asyncio.create_task(approver.decide(REQUEST))
        await stage.settle()
        assert stage.app.screen is stage.chat
        assert "1 other waits for your yes or no" in stage.text()
        stage.chat.show(first)
        await stage.settle()
        assert isinstance(stage.app.screen, ApprovalScreen)
        question.cancel()


async def test_a_question_waits_when_another_conversation_comes_on_the_screen_meanwhile(
    tmp_path: Path,
) -> None:
    """One that was chosen in the list is read beside the screen, and may come after the question did."""
    async with on_stage(tmp_path, size=(120, 30)) as stage:
        await stage.ask("hi")
        first = stage.chat.live
        question = await asked(stage)
        assert isinstance(stage.app.screen, ApprovalScreen)
        stage.chat.show(stage.app.desk.open(Conversation(conversation_id="other", is_temporary=True)))
        await stage.settle()
        assert stage.app.screen is stage.chat
        assert not first.is_stopping, "looking at another conversation stops nothing"
        assert first.question is not None
        stage.chat.show(first)
        await stage.settle()
        await after_a_moment(stage, "a")
        assert question.result() == Decision(Verdict.ONCE)


@pytest.mark.parametrize("size", [(40, 12), (20, 5)], ids=str)
async def test_it_can_be_answered_in_a_small_window(tmp_path: Path, size: tuple[int, int]) -> None:
    async with on_stage(tmp_path, size=size) as stage:
        await stage.ask("hi")
        question = await asked(stage)
        await after_a_moment(stage, "a")
        assert question.done()


async def test_the_tools_that_there_are_can_be_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import UTC, datetime

    from chatui.tools.read_only_tool import Surroundings
    from chatui.tools.registry import ToolRegistry, built_in

    around = Surroundings(directory=tmp_path, now=lambda: datetime.now(UTC))
    registry = ToolRegistry(built_in(around), ["read_file", "nothing"])
    async with on_stage(tmp_path, size=(100, 30)) as stage:
        monkeypatch.setattr(stage.app.acted, "tools", lambda: registry, raising=False)
        monkeypatch.setattr(stage.app.acted, "options", LaunchOptions(), raising=False)
        await stage.ask("/known-tools")
        await stage.settle()
        text = stage.text()
        assert "● read_file  on, asks" in text
        assert "○ current_time  off" in text
        assert 'there is no tool "nothing"' in text
        await stage.press("escape")


async def test_a_question_that_is_gone_while_something_stands_over_it_goes_when_it_is_in_sight(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        from chatui.ui.screens.entry import Entry

        await stage.ask("hi")
        question = await asked(stage)
        over = Entry("Over it", "", stage.app.styles_of_theme, stage.chat.signs)
        stage.app.ask(over, lambda _: None)
        await stage.settle()
        question.cancel()
        await stage.settle()
        assert stage.app.screen is over
        await stage.press("escape")
        await stage.settle()
        assert stage.app.screen is stage.chat
        assert stage.session.cancels == 0


async def test_a_tool_that_could_not_be_offered_is_told_once(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        missing = Omission(NEW_INPUT, MISSING_TOOL, "the server of notes did not start")
        await stage.ask("hi")
        stage.session.complete()
        stage.session.tell(Stage.ENDED, omissions=(missing,))
        await stage.settle()
        assert "the server of notes did not start" in stage.text()
        await stage.press("escape")
        await stage.ask("again")
        stage.session.complete()
        stage.session.tell(Stage.ENDED, omissions=(missing,))
        await stage.settle()
        assert "the server of notes did not start" not in stage.text()


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12), (20, 5)])
async def test_every_key_that_decides_is_in_sight_in_every_window(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with on_stage(tmp_path, size=size) as stage:
        await stage.ask("hi")
        _ = await asked(stage, LONG)
        for hint in ("once", "A this c", "d deny", "Esc stop"):
            assert hint in stage.text(), hint


async def test_more_is_promised_only_where_there_is_more(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        await stage.ask("hi")
        question = await asked(stage)
        assert "PgDn more" not in stage.text()
        await after_a_moment(stage, "a")
        _ = await asked(stage, LONG)
        assert "PgDn more" in stage.text()
        assert question.done()


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_the_panel_is_as_high_as_the_call_and_leaves_no_slivers_of_the_chat(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with on_stage(tmp_path, size=size) as stage:
        await stage.ask("hi")
        _ = await asked(stage)
        screen = stage.app.screen
        assert isinstance(screen, ApprovalScreen)
        columns, _ = size
        assert screen.panel.size.width == min(columns, 100)
        assert screen.foot.has_more or screen.panel.size.height <= screen.lines.content_height() + 4
