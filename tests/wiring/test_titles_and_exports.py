"""A title that was asked for, and files that are written."""

import json
from pathlib import Path

import pytest
from support.plain_turns import completed
from support.scripted_server import RESET, ScriptedServer, chat_answer, head

from chatui.core.conversation import Conversation
from chatui.core.errors import ConfigError
from chatui.wiring import LaunchOptions, open_workspace
from chatui.wiring.exporting import export_text, file_name_of, free_file_name, write_new_file
from chatui.wiring.titling import title_by_model


async def test_the_model_is_asked_for_a_title_once_and_nothing_of_it_is_saved() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer('"Title: Apples and ', 'their trees"\n\nmore'))
        workspace = open_workspace(LaunchOptions(base_url=server.base_url, model="m"))
        title = await title_by_model(workspace, workspace.resolve(), completed("a", "How do apples grow?"))
        assert title == "Apples and their trees"
        (request,) = server.requests
        assert "How do apples grow?" in json.dumps(request.json)
        assert workspace.history.list() == ()
        await workspace.aclose()


async def test_no_title_comes_of_an_answer_that_broke() -> None:
    with ScriptedServer() as server:
        server.play(head(), RESET)
        workspace = open_workspace(LaunchOptions(base_url=server.base_url, model="m"))
        assert await title_by_model(workspace, workspace.resolve(), completed("a")) == ""
        await workspace.aclose()


def test_a_conversation_that_is_in_no_history_is_exported_too() -> None:
    workspace = open_workspace(LaunchOptions())
    conversation = Conversation(conversation_id="temporary-1", is_temporary=True).with_turn(completed("a"))
    assert "Hi." in export_text(workspace, conversation, "markdown", is_saved=False)


def test_a_file_that_is_there_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out.md"
    assert write_new_file(path, "one") == path
    with pytest.raises(ConfigError, match="is there already"):
        write_new_file(path, "two")
    assert path.read_text() == "one"
    with pytest.raises(ConfigError, match="cannot be written"):
        write_new_file(tmp_path / "no" / "such" / "folder.md", "x")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("How do apples grow?", "How-do-apples-grow.md"),
        ("../../etc/passwd", "etc-passwd.md"),
        ("梅はどう", "梅はどう.md"),
        ("\x1b[31m", "31m.md"),
        ("", "conversation.md"),
    ],
)
def test_a_file_is_named_after_the_title_and_stays_in_its_folder(title: str, name: str) -> None:
    assert file_name_of(title, "md") == name


async def test_what_a_model_thinks_before_it_answers_is_no_title() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("<thi", "nk>Six words, they say.</think>\n\nApples", " and trees"))
        workspace = open_workspace(LaunchOptions(base_url=server.base_url, model="m"))
        title = await title_by_model(workspace, workspace.resolve(), completed("a", "How do apples grow?"))
        assert title == "Apples and trees"
        await workspace.aclose()


def test_a_name_that_is_suggested_is_free(tmp_path: Path) -> None:
    assert free_file_name("A title", "md", tmp_path) == "A-title.md"
    (tmp_path / "A-title.md").touch()
    (tmp_path / "A-title-2.md").symlink_to(tmp_path / "gone")
    assert free_file_name("A title", "md", tmp_path) == "A-title-3.md"
