"""Nothing typed and nothing received is lost, and nobody is told that it is saved when it is not."""

from pathlib import Path

from ui.acting import Acting, completed_turn, conversation_of, cut, on_stage

from chatui.config.settings import HistorySettings, Settings
from chatui.core.conversation import Conversation
from chatui.core.errors import FailureReason, StoreError
from chatui.history.sqlite_history import SqliteHistory


async def test_a_stashed_draft_and_a_cancelled_prompt_come_back_with_up_also_later(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(1)) as stage:
        for turn in stage.chat.live.now().turns:
            stage.app.acted.history.commit("saved", turn)
        await stage.type("put aside")
        await stage.press("ctrl+c")
        await stage.ask("cancelled one")
        stage.session.fail(cut(FailureReason.CANCELLED))
        await stage.settle()
        await stage.press("up")
        assert stage.chat.composer.written == "cancelled one"
        recalled = stage.app.drafts.prompts(stage.chat.live)
        assert "put aside" in recalled
        assert "cancelled one" in recalled
        assert [one.text for one in stage.app.acted.history.drafts.stashed()] == ["put aside"]


async def test_a_draft_is_saved_while_typing_goes_on_not_only_in_a_pause(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        later = []
        stage.app.drafts._later = lambda _delay, run: later.append(run) or _Timer()
        for letter in "abcdef":
            await stage.press(letter)
        assert len(later) == 1, "a key does not put off what the key before it began"
        later[0]()
        live = stage.chat.live
        assert stage.app.acted.history.drafts.load(live.conversation.conversation_id) == "abcdef"


class _Timer:
    def stop(self) -> None:
        """Nothing to stop."""


def test_a_draft_that_another_window_is_writing_is_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    one, two = SqliteHistory.open(path), SqliteHistory.open(path)
    one.catalog.claim("fresh")
    one.drafts.save("fresh", "being written")
    assert two.drafts.without_conversation() is None
    one.close()
    assert two.drafts.without_conversation() == ("fresh", "being written")
    two.drafts.move("fresh", "newer")
    assert two.drafts.load("newer") == "being written"
    assert two.drafts.load("fresh") == ""
    two.close()


async def test_a_turn_that_could_not_be_saved_is_marked_until_it_is(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 24)) as stage:
        await stage.ask("Hello")
        stage.session.text("Hi.")
        stage.session.unsaved_why = "The history failed: there is no space left for it"
        stage.session.complete()
        await stage.settle()
        assert "not saved" in stage.text()
        await stage.ask("Again")
        stage.session.text("Hi again.")
        stage.session.unsaved_why = ""
        stage.session.complete()
        await stage.settle()
        assert "not saved" not in stage.text()


async def test_a_history_that_cannot_be_used_is_named_at_the_start(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (110, 24)) as stage:
        stage.app.acted.history.trouble = "history.db was written by a newer chatui. Update chatui."
        await stage.app.begin()
        await stage.settle()
        assert "written by a newer chatui" in stage.text()
        assert "not saved" in stage.text()


async def test_a_history_that_is_locked_is_left_alone_for_a_while(tmp_path: Path, monkeypatch) -> None:
    async with on_stage(tmp_path) as stage:
        tries = []

        def locked(name: str, text: str) -> None:
            tries.append(text)
            raise StoreError("locked")

        monkeypatch.setattr(stage.app.acted.history.drafts, "save", locked)
        delays = []
        stage.app.drafts._later = lambda delay, _run: delays.append(delay) or _Timer()
        await stage.press("a")
        stage.app.drafts.save_now()
        await stage.press("b")
        assert tries == ["a"]
        assert delays[1] > 5 * delays[0], "else every key would wait for the lock"


async def finish_first(stage: Acting, prompt: str, answer: str) -> None:
    """A first exchange that reaches the history."""
    await stage.ask(prompt)
    stage.session.text(answer)
    name = stage.chat.live.conversation.conversation_id
    stage.app.acted.history.commit(name, completed_turn(1, prompt, answer))
    stage.session.complete()
    await stage.settle()


async def test_a_conversation_gets_a_title_from_its_first_exchange(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (110, 24)) as stage:
        await finish_first(stage, "hello!", "# Welcome to the orchard\n\nAsk me about trees.")
        name = stage.chat.live.conversation.conversation_id
        assert stage.app.acted.history.catalog.summary(name).title == "Welcome to the orchard"
        assert "Welcome to the orchard" in stage.screen()[0]
        stage.app.acted.history.catalog.rename(name, "Mine")
        stage.app.titles.follow(stage.chat.live)
        assert stage.app.acted.history.catalog.summary(name).title == "Mine"


async def test_no_title_is_made_where_the_person_wants_none(tmp_path: Path) -> None:
    settings = Settings(history=HistorySettings(auto_title="off"))
    async with on_stage(tmp_path, (110, 24), settings=settings) as stage:
        await finish_first(stage, "hello!", "# Welcome to the orchard")
        name = stage.chat.live.conversation.conversation_id
        assert stage.app.acted.history.catalog.summary(name).title == "hello!"


async def test_a_conversation_is_exported_to_a_new_file_and_its_path_is_told(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with on_stage(tmp_path, (110, 24), conversation=conversation_of(2)) as stage:
        for turn in stage.chat.live.now().turns:
            stage.app.acted.history.commit("saved", turn)
        await stage.chat.action_command("export")
        await stage.settle()
        assert "Markdown" in stage.text()
        await stage.press("enter")
        await stage.settle()
        await stage.press("enter")
        await stage.settle()
        (written,) = tmp_path.glob("*.md")
        assert "Question 1" in written.read_text()
        assert str(written.name) in stage.text()
        before = written.read_text()
        await stage.chat.action_command("export")
        await stage.settle()
        await stage.press("enter")
        await stage.settle()
        assert f"{written.stem}-2.md" in stage.text(), "a name that is free is suggested"
        await stage.press("ctrl+u")
        await stage.type(written.name)
        await stage.press("enter")
        await stage.settle()
        assert "is there already" in stage.text()
        assert written.read_text() == before


async def test_a_temporary_conversation_can_be_exported_and_is_still_in_no_history(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    conversation = Conversation(conversation_id="temporary-1", is_temporary=True)
    async with on_stage(tmp_path, (110, 24), conversation=conversation) as stage:
        await stage.ask("Secret")
        stage.session.text("Shh.")
        stage.session.complete()
        await stage.settle()
        await stage.chat.action_command("export")
        await stage.settle()
        await stage.press("down", "enter")
        await stage.settle()
        await stage.press("enter")
        await stage.settle()
        (written,) = tmp_path.glob("*.json")
        assert "Shh." in written.read_text()
        assert stage.app.acted.history.list() == ()


async def test_a_draft_that_could_not_be_saved_stays_with_its_conversation(
    tmp_path: Path, monkeypatch
) -> None:
    async with on_stage(tmp_path) as stage:
        history = stage.app.acted.history
        for turn in conversation_of(1).turns:
            history.commit("saved", turn)
        stage.app.open_conversation("saved")
        await stage.settle()

        def full(_name: str, _text: str) -> None:
            raise StoreError("there is no space left")

        monkeypatch.setattr(history.drafts, "save", full)
        await stage.type("precious")
        await stage.press("ctrl+n")
        assert stage.chat.composer.written == ""
        stage.app.open_conversation("saved")
        await stage.settle()
        assert stage.chat.composer.written == "precious"
