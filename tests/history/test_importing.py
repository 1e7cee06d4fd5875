import contextlib
import json
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import pytest
from support.plain_turns import completed

from chatui.core.conversation import Conversation
from chatui.core.errors import StoreError
from chatui.core.messages import (
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolResultPart,
)
from chatui.core.turn import Phase, TurnId
from chatui.history.importing.files import read_bytes, read_file
from chatui.history.portable import ImportReport, Portable
from chatui.history.sqlite_history import SqliteHistory

SAMPLES = Path(__file__).parent / "samples"


def imported(value: object) -> tuple[list[Portable], ImportReport]:
    report = ImportReport()
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return list(read_bytes(content, "file.json", report)), report


def one(value: object) -> tuple[Conversation, Portable, ImportReport]:
    (portable,), report = imported(value)
    return portable.conversation, portable, report


def texts(conversation: Conversation) -> list[tuple[str, str]]:
    return [(turn.prompt, turn.text) for turn in conversation.path()]


# OpenAI messages

MESSAGES = [
    {"role": "system", "content": "Be brief"},
    {"role": "user", "content": "Weather?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"at": "Ulm"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "rain"},
    {"role": "assistant", "content": "It rains."},
    {"role": "user", "content": [{"type": "text", "text": "And here?"}]},
]


def test_openai_messages_become_turns_with_their_tool_calls() -> None:
    conversation, portable, report = one(MESSAGES)
    assert conversation.system == "Be brief"
    first, second = conversation.path()
    assert first.parts == (ToolCallPart("c1", "weather", '{"at": "Ulm"}', first.parts[0].state),)  # type: ignore[union-attr]
    assert second.input[0].parts == (ToolResultPart("c1", "weather", "rain"),)
    assert second.text == "It rains."
    assert report.unmapped == {}
    assert portable.source.startswith("openai:")


def test_a_last_prompt_without_an_answer_is_kept_as_unfinished_and_never_as_history() -> None:
    conversation, _, _ = one(MESSAGES)
    (waiting,) = conversation.unfinished
    assert (waiting.prompt, waiting.phase) == ("And here?", Phase.FAILED)
    assert waiting.parent_id == conversation.head


def test_json_lines_hold_one_conversation_each() -> None:
    lines = "\n".join(json.dumps({"messages": [{"role": "user", "content": word}]}) for word in "ab")
    found, report = imported(lines.encode())
    assert [portable.conversation.unfinished[0].prompt for portable in found] == ["a", "b"]
    assert report.format == "OpenAI messages"


def test_parts_and_roles_that_nobody_knows_are_kept_and_reported() -> None:
    conversation, _, report = one(
        [
            {"role": "narrator", "content": [{"type": "smell", "strength": 3}]},
            {"role": "assistant", "content": "ok"},
        ]
    )
    assert '"strength": 3' in conversation.path()[0].prompt
    assert len(report.unmapped) == 2


# ChatGPT


def chatgpt(**more: Any) -> dict[str, Any]:
    def node(
        key: str, parent: str | None, role: str | None, *parts: object, **message: Any
    ) -> tuple[str, dict[str, Any]]:
        content = message.pop("content", {"content_type": "text", "parts": list(parts)})
        value = {
            "id": key,
            "author": {"role": role, "name": message.pop("name", None)},
            "create_time": message.pop("at", 1_700_000_000.5),
            "content": content,
            "metadata": message.pop("metadata", {}),
            "recipient": "all",
            **message,
        }
        return key, {"id": key, "parent": parent, "children": [], "message": value if role else None}

    nodes = dict(
        [
            node("root", None, None),
            node("sys", "root", "system", "", metadata={"is_visually_hidden_from_conversation": True}),
            node("u1", "sys", "user", "Hi"),
            node("a1", "u1", "assistant", "First", metadata={"model_slug": "gpt-x"}),
            node("a2", "u1", "assistant", "Second", metadata={"model_slug": "gpt-x"}, mood="good"),
            node("u2", "a2", "user", "More"),
            node("u2b", "a2", "user", "More, edited"),
            node(
                "t",
                "u2b",
                "assistant",
                content={"content_type": "thoughts", "thoughts": [{"summary": "Hm", "content": "Thinking"}]},
            ),
            node(
                "call",
                "t",
                "assistant",
                content={"content_type": "code", "text": "print(1)"},
                recipient="python",
            ),
            node(
                "out",
                "call",
                "tool",
                content={"content_type": "execution_output", "text": "1"},
                name="python",
            ),
            node("a3", "out", "assistant", "Done"),
            node("a4", "u2", "assistant", {"content_type": "image_asset_pointer", "asset_pointer": "file-1"}),
        ]
    )
    nodes["u1"]["children"] = ["a1", "a2"]
    nodes["a2"]["children"] = ["u2", "u2b"]
    return {
        "conversation_id": "conv-1",
        "title": "A title",
        "create_time": 1_699_999_999.0,
        "update_time": 1_700_000_100.0,
        "mapping": nodes,
        "current_node": "a3",
        "gizmo_id": "g-1",
        **more,
    }


def test_chatgpt_branches_stay_branches() -> None:
    conversation, portable, report = one([chatgpt()])
    assert report.format == "ChatGPT"
    assert conversation.title == "A title"
    assert [turn.text for turn in conversation.siblings(TurnId("a1"))] == ["First", "Second"]
    assert [turn.turn_id for turn in conversation.path()] == ["a2", "t", "call", "a3"]
    assert conversation.turn(TurnId("a4")) is not None
    assert conversation.turn(TurnId("a4")).parent_id == "a2"  # type: ignore[union-attr]
    assert conversation.created_at_epoch_s == 1_699_999_999.0
    assert portable.updated_at_epoch_s == 1_700_000_100.0


def test_chatgpt_reasoning_tools_and_models_are_mapped() -> None:
    conversation, _, _ = one([chatgpt()])
    _, thought, call, done = conversation.path()
    assert thought.parts == (ReasoningPart("Hm\n\nThinking", is_summary=True),)
    assert call.parts == (ToolActivityPart("call", "python", "completed", "print(1)"),)
    assert done.input[0].parts == (ToolActivityPart("out", "python", "completed", result="1"),)
    assert conversation.path()[0].model == "gpt-x"


def test_chatgpt_members_without_a_place_are_kept_and_what_is_lost_is_reported() -> None:
    _, portable, report = one([chatgpt()])
    assert portable.extra == {"gizmo_id": "g-1"}
    assert portable.turn_extra["a2"] == {"a2": {"mood": "good"}}
    assert any("pictures" in what for what in report.unmapped)


def test_a_broken_tree_loses_no_message() -> None:
    broken = chatgpt()
    broken["mapping"]["u1"]["parent"] = "lost"
    broken["mapping"]["a2"]["parent"] = "a3"
    conversation, _, report = one([broken])
    assert {turn.turn_id for turn in conversation.turns} == {"a1", "a2", "t", "call", "a3", "a4"}
    assert len(report.unmapped) >= 2


def test_messages_that_share_an_id_are_told_apart_and_reported() -> None:
    said = [("human", "first"), ("assistant", "one"), ("human", "second"), ("assistant", "two")]
    messages = [
        {"uuid": "m1" if sender == "human" else "m2", "sender": sender, "text": text} for sender, text in said
    ]
    conversation, _, report = one([{"uuid": "c", "name": "Talk", "chat_messages": messages}])
    assert [(turn.prompt, turn.text) for turn in conversation.path()] == [("first", "one"), ("second", "two")]
    assert report.unmapped["messages that share an id (each is kept)"] == 2


def test_turns_of_our_own_export_that_share_an_id_are_named() -> None:
    history = SqliteHistory.in_memory()
    history.commit("c", completed("t", "one"))
    document = json.loads(history.portables.export(["c"], "json"))
    turns = document["conversations"][0]["turns"]
    turns.append({**turns[0], "provider": "another"})
    _, _, report = one(document)
    assert any("share the id t" in problem for problem in report.problems)


def test_an_export_may_be_the_zip_as_it_came(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inside/conversations.json", json.dumps([chatgpt()]))
        archive.writestr("chat.html", "")
    report = ImportReport()
    assert len(list(read_file(path, report))) == 1


# Claude.ai


def claude(**more: Any) -> dict[str, Any]:
    return {
        "uuid": "c-1",
        "name": "Talk",
        "created_at": "2025-01-02T03:04:05.678901Z",
        "updated_at": "2025-01-02T04:04:05Z",
        "account": {"uuid": "acc"},
        "chat_messages": [
            {
                "uuid": "m1",
                "sender": "human",
                "text": "Read it",
                "content": [{"type": "text", "text": "Read it"}],
                "created_at": "2025-01-02T03:04:06Z",
                "attachments": [{"file_name": "a.txt", "file_type": "txt", "extracted_content": "inside"}],
                "files": [{"file_name": "b.png"}],
            },
            {
                "uuid": "m2",
                "sender": "assistant",
                "text": "Sure",
                "created_at": "2025-01-02T03:04:07Z",
                "content": [
                    {"type": "thinking", "thinking": "Let me see"},
                    {"type": "tool_use", "id": "tu", "name": "search", "input": {"q": "x"}},
                    {
                        "type": "tool_result",
                        "tool_use_id": "tu",
                        "content": [{"type": "text", "text": "found"}],
                    },
                    {
                        "type": "text",
                        "text": "Sure",
                        "citations": [{"url": "https://example.com", "title": "E"}],
                    },
                ],
            },
        ],
        **more,
    }


def test_claude_exports_keep_thinking_tools_sources_and_attachments() -> None:
    conversation, portable, report = one([claude()])
    assert report.format == "Claude.ai"
    (turn,) = conversation.path()
    assert "inside" in turn.prompt
    thinking, activity, text = turn.parts
    assert thinking == ReasoningPart("Let me see")
    assert activity == ToolActivityPart("tu", "search", "completed", '{"q": "x"}', "found")
    assert isinstance(text, TextPart)
    assert text.citations[0].url == "https://example.com"
    assert turn.started_at_epoch_s == 1735787046.0
    assert portable.extra == {"account": {"uuid": "acc"}}
    assert portable.turn_extra["m2"]["m1"] == {
        "files": [{"file_name": "b.png"}],
        "attachments": [{"file_name": "a.txt", "file_type": "txt"}],
    }
    assert any("files" in what for what in report.unmapped)


def test_claude_branches_follow_their_parents() -> None:
    value = claude()
    first, answer = value["chat_messages"]
    first["parent_message_uuid"] = "00000000-0000-4000-8000-000000000000"
    answer["parent_message_uuid"] = "m1"
    value["chat_messages"].append({**answer, "uuid": "m3", "content": [{"type": "text", "text": "Other"}]})
    conversation, _, _ = one([value])
    assert [turn.text for turn in conversation.siblings(TurnId("m2"))] == ["Sure", "Other"]


# Open WebUI, ShareGPT


def open_webui() -> dict[str, Any]:
    return {
        "id": "ow-1",
        "title": "Chat",
        "created_at": 1_700_000_000,
        "updated_at": 1_700_000_050,
        "pinned": True,
        "archived": False,
        "meta": {"tags": ["work"]},
        "folder_id": "f",
        "chat": {
            "title": "Chat",
            "models": ["llama"],
            "history": {
                "currentId": "a",
                "messages": {
                    "u": {
                        "id": "u",
                        "parentId": None,
                        "childrenIds": ["a", "b"],
                        "role": "user",
                        "content": "Hi",
                        "timestamp": 1_700_000_001,
                        "files": [{"type": "image", "url": "data:image/png;base64,AAAA"}],
                    },
                    "a": {
                        "id": "a",
                        "parentId": "u",
                        "childrenIds": [],
                        "role": "assistant",
                        "content": "One",
                        "model": "llama",
                        "usage": {"prompt_tokens": 3, "completion_tokens": 0},
                    },
                    "b": {
                        "id": "b",
                        "parentId": "u",
                        "childrenIds": [],
                        "role": "assistant",
                        "content": "Two",
                        "rating": 5,
                    },
                },
            },
        },
    }


def test_open_webui_chats_keep_branches_usage_tags_and_pins() -> None:
    conversation, portable, report = one([open_webui()])
    assert report.format == "Open WebUI"
    (turn,) = conversation.path()
    assert turn.text == "One"
    assert turn.usage is not None
    assert (turn.usage.output_tokens, turn.usage.total_tokens) == (0, None)
    assert turn.input[0].parts[1] == ImagePart("image/png", "AAAA")
    assert (portable.tags, portable.is_pinned) == (("work",), True)
    assert portable.extra["folder_id"] == "f"
    assert portable.turn_extra["b"] == {"b": {"rating": 5}}


def test_an_old_open_webui_chat_is_a_plain_list() -> None:
    value = {
        "id": "x",
        "chat": {
            "title": "Old",
            "messages": [
                {"id": "1", "role": "user", "content": "Q"},
                {"id": "2", "role": "assistant", "content": "A"},
            ],
        },
    }
    assert texts(one([value])[0]) == [("Q", "A")]


def test_sharegpt_conversations_are_read() -> None:
    value = {
        "id": "s",
        "conversations": [
            {"from": "system", "value": "Sys"},
            {"from": "human", "value": "Q"},
            {"from": "gpt", "value": "A"},
        ],
    }
    conversation, portable, report = one([value])
    assert (conversation.system, texts(conversation), report.format) == ("Sys", [("Q", "A")], "ShareGPT")
    assert portable.source == "sharegpt:s"


# Databases


def test_llm_threads_are_read_with_fragments_and_tool_calls(tmp_path: Path) -> None:
    path = tmp_path / "logs.db"
    with sqlite3.connect(path) as connection:
        connection.executescript((SAMPLES / "llm_0_36.sql").read_text())
    report = ImportReport()
    found = list(read_file(path, report))
    assert report.format == "llm"
    assert report.unmapped == {}
    talk, fragment, tool = (portable.conversation for portable in found)
    assert talk.system == "Be brief"
    assert texts(talk) == [
        ("Hello there", "Answer to: Hello there"),
        ("And again?", "Answer to: And again?"),
    ]
    assert texts(fragment)[0][0] == "fragment text here\n\nExplain the fragment"
    call = tool.path()[0].parts[0]
    assert isinstance(call, ToolCallPart)
    assert (call.call_id, json.loads(call.arguments_raw)) == ("call_1", {"text": "abc"})
    assert tool.path()[1].input[0].parts == (ToolResultPart("call_1", "upper", "ABC"),)
    usage = tool.path()[1].usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (11, 7, None)
    assert (usage.cached_tokens, usage.reasoning_tokens) == (3, None)


def test_llm_logs_of_the_older_form_are_read(tmp_path: Path) -> None:
    path = tmp_path / "logs.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            """
            CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
            CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT,
                prompt_json TEXT, options_json TEXT, response TEXT, response_json TEXT, conversation_id TEXT,
                duration_ms INTEGER, datetime_utc TEXT);
            INSERT INTO conversations VALUES ('c', 'Old talk', 'm');
            INSERT INTO responses VALUES ('r1', 'm', 'Q1', 'Sys', NULL, '{"t": 1}', 'A1', NULL, 'c', 12,
                '2023-08-01T10:00:00');
            INSERT INTO responses VALUES ('r2', 'm', 'Q2', NULL, NULL, '{}', 'A2', NULL, 'c', 13,
                '2023-08-01T10:01:00');
            """
        )
    (portable,) = read_file(path, ImportReport())
    assert portable.conversation.title == "Old talk"
    assert portable.conversation.system == "Sys"
    assert texts(portable.conversation) == [("Q1", "A1"), ("Q2", "A2")]
    assert portable.turn_extra["r1"] == {"r1": {"options_json": {"t": 1}}}
    assert portable.conversation.turns[0].usage is None


def test_elia_chats_are_read(tmp_path: Path) -> None:
    path = tmp_path / "elia.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            """
            CREATE TABLE chat (id INTEGER PRIMARY KEY, model TEXT, title TEXT, started_at DATETIME,
                archived BOOLEAN);
            CREATE TABLE message (id INTEGER PRIMARY KEY, chat_id INTEGER, role TEXT, content TEXT,
                timestamp DATETIME, meta JSON, parent_id INTEGER, model TEXT);
            INSERT INTO chat VALUES (1, 'gpt', 'T', '2024-05-06 07:08:09.123', 1);
            INSERT INTO message VALUES (1, 1, 'system', 'Sys', '2024-05-06 07:08:09', '{}', NULL, 'gpt');
            INSERT INTO message VALUES (2, 1, 'user', 'Q', '2024-05-06 07:08:10', '{}', NULL, 'gpt');
            INSERT INTO message VALUES (3, 1, 'assistant', 'A', '2024-05-06 07:08:11', '{}', 2, 'gpt');
            """
        )
    report = ImportReport()
    (portable,) = read_file(path, report)
    assert report.format == "elia"
    assert (portable.conversation.system, texts(portable.conversation)) == ("Sys", [("Q", "A")])
    assert portable.is_archived
    assert portable.conversation.created_at_epoch_s == 1714979289.123


def test_open_webui_database_is_read(tmp_path: Path) -> None:
    path = tmp_path / "webui.db"
    chat = open_webui()
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE chat (id TEXT, user_id TEXT, title TEXT, chat TEXT, created_at INTEGER, "
            "updated_at INTEGER, archived BOOLEAN, pinned BOOLEAN, meta TEXT)"
        )
        row = ("ow-1", "me", "Chat", json.dumps(chat["chat"]), 1, 2, 0, 1, json.dumps(chat["meta"]))
        connection.execute("INSERT INTO chat VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    (portable,) = read_file(path, ImportReport())
    assert (portable.tags, portable.is_pinned) == (("work",), True)
    assert texts(portable.conversation) == [("Hi", "One")]


# Files that are none


@pytest.mark.parametrize(
    "content",
    [b"", b"   ", b"hello", b"3", b"[]", b"{}", b'{"a": 1}', b"[1, 2]", b"PK\x03\x04broken", b"\xff\xfe\x00"],
)
def test_a_file_that_is_no_conversation_is_refused_in_words(content: bytes) -> None:
    report = ImportReport()
    found: list[Portable] = []
    refusal = ""
    try:
        found = list(read_bytes(content, "thing.json", report))
    except StoreError as error:
        refusal = error.message
    assert not found
    assert "thing.json" in refusal or report.problems


def test_a_missing_file_and_a_foreign_database_are_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        list(read_file(tmp_path / "nowhere.json", ImportReport()))
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE apples (id)")
    with pytest.raises(StoreError, match="does not know"):
        list(read_file(tmp_path / "other.db", ImportReport()))


@pytest.mark.parametrize("name", ["mapping", "chat_messages", "chat", "messages", "conversations"])
@pytest.mark.parametrize(
    "value", [None, 3, "x", [], {}, [None], {"a": None}, [[]], [{"role": 3, "from": 3, "value": 3}]]
)
def test_members_of_the_wrong_type_never_raise_anything_else(name: str, value: object) -> None:
    with contextlib.suppress(StoreError):
        imported([{name: value, "title": 3, "id": 3}])


# Into the history


@pytest.mark.parametrize("value", [[chatgpt()], [claude()], [open_webui()], MESSAGES])
def test_importing_twice_adds_nothing(value: object) -> None:
    history = SqliteHistory.in_memory()
    found: list[Portable] = []
    for round_number in range(2):
        found, report = imported(value)
        history.portables.add_all(found, report)
        assert (report.conversations, report.known) == ((1, 0), (0, 1))[round_number]
        assert round_number == 0 or (report.turns, report.unfinished) == (0, 0)
    assert len(history.list()) == 1
    conversation = history.load(history.list()[0].conversation_id)
    assert conversation.head == found[0].conversation.head


def test_importing_again_brings_a_deleted_conversation_back() -> None:
    history = SqliteHistory.in_memory()
    found, report = imported([claude()])
    history.portables.add_all(found, report)
    history.catalog.delete(history.list()[0].conversation_id)
    history.portables.add_all(found, report)
    assert len(history.list()) == 1


def test_a_longer_export_of_the_same_conversation_adds_what_is_new() -> None:
    history = SqliteHistory.in_memory()
    found, report = imported([claude()])
    history.portables.add_all(found, report)
    longer = claude()
    longer["chat_messages"].append({"uuid": "m3", "sender": "human", "text": "Thanks"})
    longer["chat_messages"].append({"uuid": "m4", "sender": "assistant", "text": "Welcome"})
    found, report = imported([longer])
    history.portables.add_all(found, report)
    assert (report.conversations, report.turns) == (0, 1)
    assert texts(history.load(history.list()[0].conversation_id))[-1] == ("Thanks", "Welcome")


def test_an_imported_conversation_has_its_own_time_and_is_found_by_its_words() -> None:
    history = SqliteHistory.in_memory()
    found, report = imported([chatgpt()])
    history.portables.add_all(found, report)
    history.portables.add_all(found, report)
    (summary,) = history.list(query="title")
    assert summary.updated_at_epoch_s == 1_700_000_100.0
    (match,) = history.search("second").matches
    assert match.turn_id == "a2"
