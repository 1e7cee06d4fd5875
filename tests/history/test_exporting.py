import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plain_turns import completed, failed
from support.turn_samples import OPAQUE, PLACES, TURNS

from chatui.core.conversation import Conversation, is_history
from chatui.core.errors import StoreError
from chatui.core.messages import (
    Citation,
    ImagePart,
    Message,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolCallState,
    ToolResultPart,
    user_message,
)
from chatui.core.turn import Choice, Phase, Turn, TurnId
from chatui.history.exporting.formats import EXPORT_FORMATS, export_document, format_of
from chatui.history.exporting.lossless import export_json
from chatui.history.exporting.markdown import export_markdown, fenced
from chatui.history.exporting.openai import export_lines, export_messages, messages_of
from chatui.history.importing.files import read_bytes
from chatui.history.portable import ImportReport, Portable
from chatui.history.sqlite_history import SqliteHistory


def portable(*turns: Turn, **more: object) -> Portable:
    head = next((turn.turn_id for turn in reversed(turns) if is_history(turn)), None)
    conversation = Conversation(
        conversation_id="c",
        turns=tuple(turn for turn in turns if is_history(turn)),
        unfinished=tuple(turn for turn in turns if not is_history(turn)),
        head=head,
        **more,  # type: ignore[arg-type]  # only fields of Conversation
    )
    return Portable(conversation=conversation, updated_at_epoch_s=1_700_000_000.0)


def again(text: str) -> list[Portable]:
    return list(read_bytes(text.encode(), "file", ImportReport()))


def joined_surrogates(value: object) -> object:
    """The one difference that the export may make: a pair of surrogates becomes its character."""
    text = json.dumps(value)
    return json.loads(text)


PORTABLES = st.builds(
    Portable,
    conversation=st.builds(
        Conversation,
        conversation_id=st.uuids().map(lambda value: value.hex),
        title=PLACES,
        system=PLACES,
        turns=st.lists(
            TURNS.map(lambda turn: turn if is_history(turn) else replace(turn, phase=Phase.COMPLETED)),
            max_size=2,
            unique_by=lambda turn: turn.turn_id,
        ).map(tuple),
        unfinished=st.just(()) | st.just((failed("cut"),)),
        created_at_epoch_s=st.floats(1, 1e10),
    ),
    updated_at_epoch_s=st.floats(1, 1e10),
    tags=st.just(()) | st.just(("work", "later")),
    is_pinned=st.booleans(),
    is_archived=st.booleans(),
    forked_from=st.just(""),
    extra=OPAQUE,
)


@given(PORTABLES)
def test_the_lossless_export_is_read_back_equal(exported: Portable) -> None:
    (back,) = again(export_json([exported]))
    assert again(export_json([back])) == [back]
    assert joined_surrogates(export_json([back])) == joined_surrogates(export_json([exported]))
    if "\\ud" not in json.dumps(export_json([exported])):
        assert back == exported


@given(PORTABLES)
def test_a_whole_history_moves_to_another_machine(exported: Portable) -> None:
    first, second = SqliteHistory.in_memory(), SqliteHistory.in_memory()
    first.portables.add(exported, ImportReport())
    (summary,) = first.list() or first.catalog.list(is_archived=True)
    kept = first.portables.read(summary.conversation_id)
    (moved,) = again(export_json([kept]))
    second.portables.add(moved, ImportReport())
    there = second.portables.read(summary.conversation_id)
    assert export_json([there]) == export_json([kept])
    first.close()
    second.close()


def test_what_is_not_sent_any_more_goes_out_and_comes_in() -> None:
    exported = portable(completed("a"), completed("b", parent="a"), sent_from=TurnId("b"))
    assert again(export_json([exported])) == [exported]
    history = SqliteHistory.in_memory()
    history.portables.add(exported, ImportReport())
    assert history.portables.read("c").conversation.sent_from == "b"
    lost = replace(exported, conversation=replace(exported.conversation, sent_from=TurnId("gone")))
    other = SqliteHistory.in_memory()
    other.portables.add(lost, ImportReport())
    assert other.load("c").sent_from is None


WORDS = st.text("abc \n`'\"é中", min_size=1, max_size=9).filter(lambda text: bool(text.strip()))
TALKS = st.lists(
    st.tuples(WORDS, WORDS, st.booleans()),
    min_size=1,
    max_size=4,
)


def talk(lines: list[tuple[str, str, bool]]) -> Portable:
    turns: list[Turn] = []
    said: tuple[Message, ...] = ()
    for index, (prompt, answer, calls) in enumerate(lines):
        parts = (
            (TextPart(answer), ToolCallPart(f"c{index}", "look", '{"a": 1}', ToolCallState.WHOLE))
            if calls
            else (TextPart(answer),)
        )
        turns.append(
            Turn(
                turn_id=TurnId(str(index)),
                parent_id=TurnId(str(index - 1)) if index else None,
                input=(*said, user_message(prompt)),
                phase=Phase.COMPLETED,
                choices=(Choice(0, parts),),
            )
        )
        said = (Message(Role.TOOL, (ToolResultPart(f"c{index}", "look", "seen"),)),) if calls else ()
    return portable(*turns, system="Be brief")


@given(TALKS)
def test_openai_messages_carry_texts_and_tool_calls_both_ways(lines: list[tuple[str, str, bool]]) -> None:
    exported = talk(lines)
    for text in (export_messages(exported), export_lines([exported])):
        (back,) = again(text)
        assert messages_of(back.conversation) == messages_of(exported.conversation)
        ours, theirs = exported.conversation.path(), back.conversation.path()
        assert [turn.parts for turn in theirs] == [turn.parts for turn in ours]
        assert [turn.input for turn in theirs] == [turn.input for turn in ours]
        assert back.conversation.system == "Be brief"


def test_broken_calls_never_reach_a_list_of_messages() -> None:
    parts = (TextPart("x"), ToolCallPart("1", "look", '{"a', ToolCallState.UNFINISHED))
    turn = replace(completed("a"), choices=(Choice(0, parts),))
    assert "tool_calls" not in json.loads(export_messages(portable(turn)))[1]


@given(st.text("`~ab\n", max_size=40))
def test_a_fence_is_longer_than_any_run_inside(text: str) -> None:
    first, *inside, last = fenced(text).split("\n")
    assert first == last == "`" * len(first)
    assert len(first) >= 3
    assert max((len(run) for line in inside for run in re.findall("`+", line)), default=0) < len(first)
    assert "\n".join(inside).rstrip("\n") == text.rstrip("\n")


def test_markdown_has_front_matter_that_no_title_can_break_out_of() -> None:
    shown = export_markdown(portable(completed("a"), title='He said: "x"\n---\n# no'))
    head, rest = shown.removeprefix("---\n").split("\n---\n", 1)
    assert 'title: "He said: \\"x\\"␊---␊# no"' in head
    assert 'models: ["model-1-2026"]' in head
    assert rest.startswith("\n# He said")


def test_markdown_shows_reasoning_tools_sources_and_failures() -> None:
    parts = (
        ReasoningPart("hm ``` hm"),
        ToolCallPart("1", "look", '{"a": 1}', ToolCallState.WHOLE),
        TextPart("Answer with **bold**", (Citation("T", "https://example.com/a b"),)),
    )
    turn = replace(completed("a", "Why?"), choices=(Choice(0, parts),))
    shown = export_markdown(portable(turn, failed("b")))
    assert "````\nhm ``` hm\n````" in shown
    assert '```json\n{"a": 1}\n```' in shown
    assert "Answer with **bold**" in shown
    assert "<https://example.com/a%20b>" in shown
    assert "**Not finished: cancelled.**" in shown


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


HOSTILE = "<script>alert(1)</script><img src=x onerror=y>\"'&\x1b]52;c;x\x07\u202e</pre></div>"


def test_html_is_one_file_in_which_nothing_of_a_conversation_is_markup() -> None:
    parts = (
        TextPart(HOSTILE, (Citation(HOSTILE, "javascript:alert(1)"), Citation("ok", "https://example.com"))),
        ReasoningPart(HOSTILE),
        ToolCallPart(HOSTILE, HOSTILE, HOSTILE, ToolCallState.WHOLE),
        ImagePart("image/svg+xml", HOSTILE, HOSTILE, HOSTILE),
        ImagePart("image/png", '"><script>', "", HOSTILE),
    )
    turn = replace(completed("a", HOSTILE), choices=(Choice(0, parts),), model=HOSTILE)
    shown = EXPORT_FORMATS["html"].one(portable(turn, title=HOSTILE, system=HOSTILE))
    found = Tags()
    found.feed(shown)
    assert "script" not in found.tags
    assert found.tags.count("img") == 1
    assert not any(name.startswith("on") for name, _ in found.attributes)
    addresses = [value for name, value in found.attributes if name in ("href", "src")]
    assert all((value or "").startswith(("https://", "data:image/png")) for value in addresses)
    assert "default-src 'none'" in shown
    assert not set("\x1b\x07\u202e") & set(shown)


@given(TURNS)
def test_no_export_for_people_can_drive_a_terminal_or_fail(turn: Turn) -> None:
    for name in ("markdown", "html"):
        shown = export_document([portable(turn, title=turn.system)], name)
        shown.encode()
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028]", shown)


@pytest.mark.parametrize("name", ["json", "openai", "openai-lines"])
def test_exports_for_programs_say_the_same_without_what_drives_a_terminal(name: str) -> None:
    hostile = "\x1b]52;c;AA\x07 \x9b31m \x7f \u202e \u2066 \u2028 \U000e0041 ü漢😀"
    shown = export_document([portable(completed("a", answer=hostile))], name)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\U000e0041]", shown)
    assert "ü漢😀" in shown, "what people read stays as it is"
    assert json.dumps(hostile)[1:-1] in json.dumps(json.loads(shown))


def test_the_history_itself_writes_and_reads_files(tmp_path: Path) -> None:
    first, second = SqliteHistory.in_memory(), SqliteHistory.in_memory()
    first.commit("a", completed("t", "apple"))
    first.commit("b", completed("u", "pear"))
    file = tmp_path / "both.json"
    file.write_text(first.portables.export(["a", "b"], "json"))
    assert second.portables.import_file(file).conversations == 2
    assert second.load("a").path() == first.load("a").path()
    for names, format_name in ((["a", "b"], "html"), (["a"], "papyrus"), (["nobody"], "json")):
        with pytest.raises(StoreError):
            first.portables.export(names, format_name)


def test_the_ending_of_a_file_names_its_format() -> None:
    assert [format_of(name) for name in ("a.json", "b.jsonl", "c.HTML", "d.md", "e")] == [
        "json",
        "openai-lines",
        "html",
        "markdown",
        "markdown",
    ]
