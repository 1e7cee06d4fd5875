from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plain_turns import completed, failed, receiving
from support.turn_samples import PLACES

from chatui.core.errors import FailureReason
from chatui.core.messages import ReasoningPart, TextPart, user_message
from chatui.core.turn import Choice, Phase, Turn, TurnId
from chatui.history import search
from chatui.history.excerpt import Finder, fold_in_place
from chatui.history.search import SearchResult
from chatui.history.search_words import match_query
from chatui.history.sqlite_history import SqliteHistory

TEXTS = {
    "german": "Grüße aus Zürich, von der Donaudampfschifffahrt",
    "chinese": "今天天气很好，我们去公园。",
    "japanese": "東京タワーで写真を撮りました",
    "korean": "안녕하세요 세계",
    "thai": "สวัสดีครับ ยินดีต้อนรับ",
    "code": "call foo_bar(x) -> None; don't use $HOME",
    "emoji": "great 🎉 work 🌍!",
    "mixed": "iPhone16手机壳 on sale",
    "hindi": "नमस्ते दुनिया",
    "fullwidth": "ＡＢＣ is wide",
}


@pytest.fixture(scope="module")
def history() -> SqliteHistory:
    filled = SqliteHistory.in_memory()
    for name, text in TEXTS.items():
        filled.commit(name, completed(f"turn-{name}", text, "an answer"))
    return filled


def found(result: SearchResult) -> list[str]:
    return [match.conversation_id for match in result.matches]


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ("grüße", "german"),
        ("GRUSSE zurich", None),
        ("zurich", "german"),
        ("Donau", "german"),
        ("schiff", "german"),
        ("天气", "chinese"),
        ("天", "chinese"),
        ("我们去公园", "chinese"),
        ("园", "chinese"),
        ("写真", "japanese"),
        ("タワー", "japanese"),
        ("하세요", "korean"),
        ("세계", "korean"),
        ("ยินดี", "thai"),
        ("foo_bar", "code"),
        ("foo", "code"),
        ("bar(x)", "code"),
        ("->", "code"),
        ("$HOME", "code"),
        ("don't", "code"),
        ("🎉", "emoji"),
        ("🌍", "emoji"),
        ("手机", "mixed"),
        ("iPhone16", "mixed"),
        ("iphone16手机壳", "mixed"),
        ("दुनिया", "hindi"),
        ('"call foo bar"', "code"),
        ('"bar foo"', None),
        ("天气 公园", "chinese"),
        ("天气 nothing", None),
    ],
)
def test_words_of_every_script_are_found_with_what_is_marked(
    history: SqliteHistory, query: str, where: str | None
) -> None:
    result = history.search(query)
    assert found(result) == ([] if where is None else [where])
    for match in result.matches:
        assert match.place == "prompt"
        assert match.marks
        marked = "".join(match.excerpt[start:end] for start, end in match.marks)
        assert fold_in_place(query.strip('"$').split()[0])[0] in fold_in_place(marked)


def test_the_last_word_may_be_half_typed_and_earlier_ones_may_not(history: SqliteHistory) -> None:
    assert found(history.search("answ")) == list(reversed(TEXTS))
    assert found(history.search("answ ")) == list(reversed(TEXTS))  # found inside of words instead
    assert found(history.search("an answ")) == list(reversed(TEXTS))
    assert match_query("answ an") == '"answ" AND "an"*'


def test_newest_come_first_and_there_may_be_more(history: SqliteHistory) -> None:
    result = history.search("answer", limit=3)
    assert found(result) == list(reversed(TEXTS))[:3]
    assert result.has_more
    assert not history.search("answer", limit=50).has_more


def test_a_search_can_stay_in_one_conversation() -> None:
    history = SqliteHistory.in_memory()
    for index in range(6):
        history.commit("ab"[index % 2], completed(f"t{index}", f"apple number {index}"))
    result = history.search("apple", conversation_id="b")
    assert [match.turn_id for match in result.matches] == ["t5", "t3", "t1"]
    assert found(history.search("pple", conversation_id="a")) == ["a", "a", "a"]
    assert history.search("apple", conversation_id="nobody").matches == ()


def test_the_place_with_the_words_is_named() -> None:
    history = SqliteHistory.in_memory()
    turn = Turn(
        turn_id=TurnId("t"),
        phase=Phase.COMPLETED,
        choices=(Choice(0, (ReasoningPart("because of plums"), TextPart("take pears"))),),
    )
    history.commit("c", turn)
    assert history.search("pears").matches[0].place == "answer"
    assert history.search("plums").matches[0].place == "reasoning"
    assert history.search("plums").matches[0].turn_id == "t"


def test_a_deleted_conversation_is_not_found_and_an_archived_one_is() -> None:
    history = SqliteHistory.in_memory()
    history.commit("a", completed("t", "apple"))
    history.commit("b", completed("u", "apple"))
    history.catalog.delete("a")
    history.catalog.archive("b")
    assert found(history.search("apple")) == ["b"]
    assert found(history.search("ppl")) == ["b"]


def test_an_excerpt_shows_the_words_around_the_match_in_one_line() -> None:
    history = SqliteHistory.in_memory()
    history.commit("c", completed("t", "start " + "x\n" * 400 + "the needle here " + "y " * 400))
    (match,) = history.search("needle").matches
    assert len(match.excerpt) < 300
    assert "\n" not in match.excerpt
    assert [match.excerpt[start:end] for start, end in match.marks] == ["needle"]
    assert match.excerpt.startswith("…")
    assert match.excerpt.endswith("…")


@settings(max_examples=40)
@given(PLACES, PLACES)
def test_any_query_over_any_text_never_fails(query: str, text: str) -> None:
    history = SqliteHistory.in_memory()
    history.commit("c", completed("t", text))
    for match in history.search(query).matches:
        assert all(0 <= start < end <= len(match.excerpt) for start, end in match.marks)
    history.close()


@given(st.text('ab中文字🎉 -_"*()^:AND', max_size=12))
def test_the_language_of_the_index_cannot_be_reached_from_a_query(query: str) -> None:
    history = SqliteHistory.in_memory()
    history.commit("c", completed("t", "ab 中文字"))
    history.search(query)
    history.close()


@settings(max_examples=40)
@given(st.text("ab 中文字。é", min_size=1, max_size=30), st.data())
def test_every_word_of_a_text_finds_it(text: str, data: st.DataObject) -> None:
    words = text.split()
    if not any(character.isalnum() for character in text):
        return
    word = data.draw(st.sampled_from([word for word in words if any(c.isalnum() for c in word)]))
    history = SqliteHistory.in_memory()
    history.commit("c", completed("t", text, ""))
    (match,) = history.search(word).matches
    assert match.marks
    history.close()


@given(st.text())
def test_folding_keeps_every_character_in_its_place(text: str) -> None:
    assert len(fold_in_place(text)) == len(text)
    Finder(text)


def cut(name: str, prompt: str, answer: str, parent: str | None = None) -> Turn:
    turn = failed(name, FailureReason.DISCONNECT, answer, parent)
    return replace(turn, input=(user_message(prompt),))


def test_words_of_an_unfinished_turn_are_found_and_marked_as_unfinished() -> None:
    history = SqliteHistory.in_memory()
    history.commit("fruit", completed("one", "How do apples grow?", "On trees."))
    history.save_unfinished("fruit", cut("two", "And the quince?", "It grows slowly and", "one"))
    for query, place in (
        ("quince", "prompt"),
        ("slow", "answer"),
        ("quince slowly", "prompt"),
        ("uinc", "prompt"),
    ):
        (match,) = history.search(query).matches
        assert (match.turn_id, match.place, match.is_unfinished) == ("two", place, True)
    assert [match.is_unfinished for match in history.search("trees").matches] == [False]
    assert history.search("quince trees").matches == ()


def test_unfinished_turns_stand_among_the_others_by_time_and_within_the_limit() -> None:
    history = SqliteHistory.in_memory(now=iter(range(1_700_000_000, 1_700_000_100)).__next__)
    history.commit("fruit", completed("one", "apples", "yes"))
    history.save_unfinished("fruit", replace(cut("two", "apples", "yes"), started_at_epoch_s=1_800_000_000.0))
    history.save_unfinished("other", replace(cut("three", "apples", "yes"), started_at_epoch_s=1.0))
    assert [match.turn_id for match in history.search("apples").matches] == ["two", "one", "three"]
    page = history.search("apples", limit=2)
    assert ([match.turn_id for match in page.matches], page.has_more) == (["two", "one"], True)
    within = history.search("apples", conversation_id="other")
    assert [match.turn_id for match in within.matches] == ["three"]
    history.catalog.delete("other")
    assert "three" not in [match.turn_id for match in history.search("apples").matches]


def test_what_is_being_received_is_not_found_and_what_was_dismissed_neither() -> None:
    history = SqliteHistory.in_memory()
    history.save_unfinished("fruit", receiving("one", "The quince", "gr"))
    assert history.search("quince").matches == ()
    history.save_unfinished("fruit", cut("one", "The quince", "grows"))
    assert [match.turn_id for match in history.search("quince").matches] == ["one"]
    history.discard_unfinished("fruit", TurnId("one"))
    assert history.search("quince").matches == ()


def test_a_search_stops_reading_unfinished_turns_at_a_limit_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search, "UNFINISHED_BYTES", 1000)
    history = SqliteHistory.in_memory()
    for number in range(20):
        turn = replace(cut(f"t{number}", "nothing", "x" * 200), started_at_epoch_s=1e9 - number)
        history.save_unfinished("fruit", turn)
    history.save_unfinished("fruit", replace(cut("old", "the quince", ""), started_at_epoch_s=5.0))
    result = history.search("quince")
    assert (result.matches, result.is_partial) == ((), True)


@pytest.mark.parametrize(
    "query", ["\ud800", 'a "b\udcff', "NEAR(a b)", 'x" OR "y', "*", "a\0b", "-a", "AND", "\u200d", "{a:b}^"]
)
def test_no_query_is_a_mistake_of_the_person(history: SqliteHistory, query: str) -> None:
    assert history.search(query).matches is not None
    assert isinstance(history.list(query=query), tuple)
