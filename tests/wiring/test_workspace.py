"""What the app and the commands get from the one place that composes everything."""

from pathlib import Path

import pytest
from support.scripted_server import ScriptedServer, chat_answer

from chatui.config.paths import find_paths
from chatui.core.errors import ConfigError
from chatui.core.messages import user_message
from chatui.core.turn import Phase
from chatui.engine.session import TurnUpdate
from chatui.wiring import LaunchOptions, load_protocol, open_checked, open_workspace, replay_session

AD_HOC = LaunchOptions(base_url="http://127.0.0.1:1/v1", model="m")


def ignore(_update: TurnUpdate) -> None:
    pass


def write_config(text: str) -> Path:
    file = find_paths().config_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_flags_for_one_server_do_not_reach_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATUI_API_KEY", "key-of-the-first")
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
    workspace = open_workspace(AD_HOC)
    assert workspace.resolve().api_key == "key-of-the-first"
    other = workspace.resolve("openai", "gpt-x")
    assert (other.api_key, other.model) == ("key-of-openai", "gpt-x")
    assert "127.0.0.1" not in other.base_url


def test_limits_of_the_command_line_hold_for_every_provider() -> None:
    options = LaunchOptions(
        base_url="http://127.0.0.1:1/v1",
        model="m",
        connect_s=1,
        first_event_s=2,
        gap_s=3,
        total_s=0,
    )
    limits = open_workspace(options).resolve().deadlines
    assert (limits.connect_s, limits.first_event_s, limits.gap_s, limits.total_s) == (1, 2, 3, None)


def test_without_anything_the_embedded_model_is_asked_and_listed_first() -> None:
    workspace = open_workspace(LaunchOptions())
    endpoint = workspace.resolve()
    assert endpoint.provider == "local"
    assert endpoint.prepare is not None
    assert workspace.choices()[0].name == "local"


def test_a_provider_without_its_key_says_what_to_set() -> None:
    choices = {choice.name: choice for choice in open_workspace(LaunchOptions()).choices()}
    assert not choices["openai"].is_ready
    assert "OPENAI_API_KEY" in choices["openai"].what_is_missing


def test_a_broken_configuration_is_told_and_left_as_it_is() -> None:
    file = write_config("provider = [\n")
    workspace = open_workspace(LaunchOptions())
    assert any(str(file) in problem for problem in workspace.problems)
    assert file.read_text() == "provider = [\n"
    assert workspace.resolve().provider == "local"


async def test_a_history_that_cannot_be_made_keeps_nobody_from_chatting() -> None:
    data = find_paths().data_dir
    data.parent.mkdir(parents=True, exist_ok=True)
    data.write_text("a file where the folder should be")
    workspace = open_workspace(AD_HOC)
    assert str(data) in workspace.history.trouble
    assert workspace.build_session(ignore) is not None
    await workspace.aclose()


def test_nothing_said_means_a_fresh_conversation_and_no_save_a_temporary_one() -> None:
    unsaved = LaunchOptions(base_url="http://127.0.0.1:1/v1", model="m", is_saved=False)
    assert open_workspace(unsaved).starting_conversation().is_temporary
    assert not find_paths().history_file.exists()
    workspace = open_workspace(AD_HOC)
    assert not workspace.starting_conversation().is_temporary
    workspace.close()


@pytest.mark.parametrize(
    "options",
    [LaunchOptions(is_continued=True), LaunchOptions(resume_id="nothing"), LaunchOptions(model="x")],
)
def test_the_app_refuses_what_cannot_be_right_before_it_takes_the_screen(options: LaunchOptions) -> None:
    with pytest.raises(ConfigError):
        open_checked(options)


@pytest.mark.parametrize(
    "options", [LaunchOptions(provider="openai"), LaunchOptions(base_url="http://127.0.0.1:1/v1")]
)
def test_what_the_app_can_ask_for_is_refused_only_where_nobody_can_be_asked(options: LaunchOptions) -> None:
    with pytest.raises(ConfigError):
        open_checked(options)
    open_checked(options, can_settle=True).close()


def test_the_app_opens_when_nothing_was_named() -> None:
    write_config('provider = "openai"\n')
    open_checked(LaunchOptions()).close()


async def test_a_saved_conversation_is_continued_but_not_changed_when_nothing_may_be_saved() -> None:
    with ScriptedServer() as server:
        server.play(*chat_answer("one")).play(*chat_answer("two"))

        async def ask(**more: object) -> str:
            options = LaunchOptions(base_url=server.base_url, model="m", **more)  # type: ignore[arg-type]  # by name
            workspace = open_workspace(options)
            session = workspace.build_session(ignore, workspace.starting_conversation())
            turn = await session.send((user_message("hi"),))
            assert turn.phase is Phase.COMPLETED
            await workspace.aclose()
            return session.conversation.conversation_id

        first = await ask()
        assert await ask(is_continued=True, is_saved=False) == first
        messages = server.requests[-1].json["messages"]
        assert isinstance(messages, list)
        assert len(messages) == 3
        workspace = open_workspace(LaunchOptions(is_continued=True))
        assert len(workspace.starting_conversation().turns) == 1
        await workspace.aclose()


def test_recording_is_switched_on_and_off_and_a_bad_directory_refused(tmp_path: Path) -> None:
    workspace = open_workspace(AD_HOC)
    assert workspace.record_directory is None
    workspace.record_to(str(tmp_path / "wires"))
    assert workspace.record_directory == str(tmp_path / "wires")
    workspace.record_to(None)
    assert workspace.record_directory is None
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError):
        open_workspace(LaunchOptions(record_directory=str(tmp_path / "file")))


def test_an_unknown_protocol_is_refused() -> None:
    with pytest.raises(ConfigError, match="smtp"):
        load_protocol("smtp")


def test_a_recording_of_an_unknown_protocol_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"chatui_wire":1,"about":{"protocol":"smtp"}}\n')
    with pytest.raises(ConfigError, match="smtp"):
        replay_session(str(file), 0.0, ignore)


async def test_the_app_on_a_recording_asks_nobody_and_saves_nothing(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.play(*chat_answer("Hel", "lo"))
        recording = open_workspace(
            LaunchOptions(base_url=server.base_url, model="m", record_directory=str(tmp_path / "wires"))
        )
        await recording.build_session(ignore).send((user_message("why?"),))
        await recording.aclose()
    (file,) = (tmp_path / "wires").iterdir()
    workspace = open_workspace(LaunchOptions(replay_file=str(file)))
    assert workspace.opening_prompt == (user_message("why?"),)
    conversation = workspace.starting_conversation()
    assert conversation.is_temporary
    session = workspace.build_session(ignore, conversation)
    for _ in range(2):
        turn = await session.send(workspace.opening_prompt)
        assert (turn.phase, turn.text) == (Phase.COMPLETED, "Hello")
    await workspace.aclose()


def test_a_file_that_is_no_recording_is_refused_before_the_app_takes_the_screen(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nothing"):
        open_checked(LaunchOptions(replay_file=str(tmp_path / "nothing")))


def test_the_server_of_a_base_url_stays_among_the_choices() -> None:
    options = LaunchOptions(base_url="http://127.0.0.1:9/v1", model="mine")
    first = open_workspace(options).choices()[0]
    assert (first.name, first.models, first.is_ready) == ("127.0.0.1:9", ("mine",), True)


def test_a_provider_without_an_address_needs_more_than_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GATEWAY_BASE_URL", raising=False)
    choices = {choice.name: choice for choice in open_workspace(LaunchOptions()).choices()}
    assert choices["gateway"].needs_configuration
    assert not choices["anthropic"].needs_configuration
