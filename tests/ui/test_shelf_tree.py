"""A conversation that grows like a tree: nothing is overwritten, everything is one key away."""

from dataclasses import replace
from pathlib import Path

from ui.acting import Acting, completed_turn, conversation_of, cut, on_stage

from chatui.core.conversation import Conversation
from chatui.core.errors import FailureReason
from chatui.core.messages import Message, Role, ToolCallPart, ToolCallState, ToolResultPart
from chatui.core.turn import Choice, Phase, Turn
from chatui.core.wire import Dialect
from chatui.history.sqlite_history import SqliteHistory


def failed_turn(number: int, prompt: str, answer: str, parent: str | None = None) -> Turn:
    turn = completed_turn(number, prompt, answer, parent)
    return replace(turn, phase=Phase.FAILED, failure=cut(), finish_reason=None, usage=None)


def save(history: SqliteHistory, conversation: Conversation) -> None:
    for turn in conversation.turns:
        history.commit(conversation.conversation_id, turn)
    for turn in conversation.unfinished:
        history.save_unfinished(conversation.conversation_id, turn)


async def answered(stage: Acting, answer: str) -> None:
    stage.session.text(answer)
    stage.session.complete()
    await stage.settle()


async def test_another_answer_stands_beside_the_first_one_and_both_can_be_shown(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (90, 24)) as stage:
        await stage.ask("Why?")
        await answered(stage, "The first answer")
        await stage.press("tab", "r")
        stage.session.text("The second")
        await stage.settle()
        assert "‹2/2›" in stage.text()
        assert "The first answer" not in stage.text()
        await answered(stage, "The second answer")
        assert "The second answer" in stage.text()
        await stage.press("left")
        assert "The first answer" in stage.text()
        assert "The second answer" not in stage.text()
        assert "‹1/2›" in stage.text()
        await stage.press("greater_than_sign")
        assert "The second answer" in stage.text()
        assert stage.chat.live.now().path()[-1].text == "The second answer"


async def test_a_second_answer_that_fails_leaves_the_first_one_where_it_was(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (90, 24)) as stage:
        await stage.ask("Why?")
        await answered(stage, "The first answer")
        await stage.press("tab", "r")
        stage.session.text("The sec")
        stage.session.fail(cut())
        await stage.settle()
        text = stage.text()
        assert text.index("The first answer") < text.index("The sec")
        assert "connection lost" in text
        await stage.press("x")
        assert "The sec" not in stage.text()
        assert "The first answer" in stage.text()


async def test_an_edited_prompt_is_a_branch_and_the_old_one_is_a_key_away(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (90, 30), conversation=conversation_of(3)) as stage:
        await stage.press("tab", "g", "right_square_bracket", "e")
        assert stage.chat.composer.written == "Question 1"
        assert "as a branch of its own" in stage.text()
        stage.chat.composer.put("Question one, better")
        await stage.press("enter")
        await answered(stage, "A better answer")
        text = stage.text()
        assert "Question 0" in text
        assert "A better answer" in text
        assert "Question 1" not in text
        assert "Question 2" not in text
        assert "‹2/2›" in text
        await stage.press("tab", "left")
        assert "Question 1" in stage.text()
        assert "Question 2" in stage.text(), "the whole branch comes back, to its end"


async def test_esc_ends_the_editing_and_enter_sends_at_the_end_again(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (90, 30), conversation=conversation_of(3)) as stage:
        await stage.press("tab", "g", "e")
        await stage.press("escape")
        assert "branch" not in stage.text()
        await stage.press("enter")
        assert stage.session.turn is not None
        assert stage.session.turn.parent_id == "t2"


async def test_an_alternative_far_back_is_shown_with_everything_that_followed_it(tmp_path: Path) -> None:
    path = conversation_of(150)
    other = completed_turn(900, "Question 100", "The other answer", "t99")
    async with on_stage(tmp_path, (90, 30)) as stage:
        history = stage.app.acted.history
        save(history, path)
        history.commit("saved", other)
        stage.app.open_conversation("saved")
        await stage.settle()
        assert "The other answer" in stage.text()
        assert "‹2/2›" in stage.text()
        await stage.press("tab", "left")
        now = stage.chat.live.now()
        assert now.path()[-1].turn_id == "t149"
        assert "Question 100" in stage.text()
        assert history.load("saved", last=1).head == "t149", "the choice is remembered"


async def test_a_fork_is_a_conversation_of_its_own(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (90, 30)) as stage:
        history = stage.app.acted.history
        save(history, conversation_of(3))
        stage.app.open_conversation("saved")
        await stage.settle()
        await stage.press("tab", "g", "right_square_bracket", "f")
        now = stage.chat.live.now()
        assert now.conversation_id != "saved"
        assert [turn.turn_id for turn in now.path()] == ["t0", "t1"]
        assert len(history.load("saved").turns) == 3


async def test_several_unfinished_turns_stand_each_under_its_badge_and_none_is_sent(tmp_path: Path) -> None:
    conversation = replace(
        conversation_of(1),
        unfinished=(failed_turn(5, "Try one", "Half one", "t0"), failed_turn(6, "Try two", "Half two", "t0")),
    )
    async with on_stage(tmp_path, (90, 40)) as stage:
        save(stage.app.acted.history, conversation)
        stage.app.open_conversation("saved")
        await stage.settle()
        text = stage.text()
        assert text.count("connection lost") == 2
        assert text.index("Half one") < text.index("Half two")
        assert stage.session.sent == []
        await stage.press("tab", "a")
        assert "accepted" in stage.text()
        (accepted,) = [turn for turn in stage.chat.live.now().turns if turn.is_accepted_cut]
        assert accepted.text == "Half two"
        assert [turn.text for turn in stage.chat.live.now().unfinished] == ["Half one"]
        await stage.press("x")
        assert "Half two" in stage.text(), "what is accepted is part of the conversation"


async def test_what_is_dismissed_can_still_be_recalled(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("Precious words")
        stage.session.fail(cut(FailureReason.CANCELLED))
        await stage.settle()
        await stage.press("tab", "x", "tab", "up")
        assert stage.chat.composer.written == "Precious words"


async def test_the_rest_of_an_answer_is_joined_to_it_with_a_visible_seam(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (90, 30)) as stage:
        endpoint = stage.session.endpoint
        stage.session.endpoint = replace(endpoint, dialect=Dialect(continues_answers=True))
        await stage.ask("Count to four")
        stage.session.text("One, two,")
        stage.session.fail(cut())
        await stage.settle()
        await stage.press("tab", "c")
        said = stage.session.sent[-1]
        assert [(message.role, message.text) for message in said] == [
            (Role.USER, "Count to four"),
            (Role.ASSISTANT, "One, two,"),
        ]
        await answered(stage, "three, four.")
        text = stage.text()
        assert text.index("One, two,") < text.index("cut here, continued below") < text.index("three, four.")
        assert text.count("One, two,") == 1, "the cut one goes when all of it stands in the new one"
        assert stage.chat.live.now().unfinished == ()
        assert stage.chat.turn_at_hand().prompt == "Count to four"
        copied: list[str] = []
        stage.app.copier.copy = lambda text, what: copied.append(text) or f"Copied {what}"  # type: ignore[method-assign]
        await stage.press("f5")
        assert copied == ["One, two,three, four."], "both sides of the seam, nothing between them"


async def test_a_rest_that_fails_too_loses_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (90, 40)) as stage:
        endpoint = stage.session.endpoint
        stage.session.endpoint = replace(endpoint, dialect=Dialect(continues_answers=True))
        await stage.ask("Count to four")
        stage.session.text("One, ")
        stage.session.fail(cut())
        await stage.settle()
        await stage.press("tab", "c")
        stage.session.text("two, ")
        stage.session.fail(cut())
        await stage.settle()
        assert stage.text().count("connection lost") == 2
        await stage.press("c")
        assert stage.session.sent[-1][-1].text == "One, two, "


async def test_turns_that_fit_on_the_screen_can_be_picked_one_by_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (90, 40), conversation=conversation_of(3)) as stage:
        await stage.press("tab")
        assert stage.chat.turn_at_hand().turn_id == "t2"
        await stage.press("left_square_bracket")
        assert stage.chat.turn_at_hand().turn_id == "t1"
        assert "Turn 2 of 3 is at hand" in stage.text()
        await stage.press("left_square_bracket")
        assert stage.chat.turn_at_hand().turn_id == "t0"
        await stage.press("G")
        assert stage.chat.turn_at_hand().turn_id == "t2"


async def test_a_fork_of_a_temporary_conversation_at_a_call_takes_what_the_tool_gave(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (90, 30)) as stage:
        called = replace(
            completed_turn(0, "Look", ""),
            choices=(Choice(0, (ToolCallPart("c1", "look", "{}", ToolCallState.WHOLE),)),),
            finish_reason="tool_calls",
        )
        results = (Message(Role.TOOL, (ToolResultPart("c1", "look", "three files"),)),)
        told = replace(completed_turn(1, "", "Three.", "t0"), input=results)
        stage.chat.show(
            stage.app.desk.open(
                Conversation(
                    conversation_id="temporary-1", is_temporary=True, turns=(called, told), head=told.turn_id
                )
            )
        )
        await stage.settle()
        assert stage.app.opening.fork(called)
        now = stage.chat.live.now()
        assert now.is_temporary
        assert [turn.turn_id for turn in now.path()] == ["t0"]
        assert [turn.input for turn in now.unfinished] == [results]
        await stage.settle()
        assert "The fork begins here" in stage.text()
