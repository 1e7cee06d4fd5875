"""Chat Completions, and what calls itself compatible with it."""

from __future__ import annotations

import json

import pytest
from properties.streams import turn_of

from chatui.core.errors import FailureReason
from chatui.core.finish_words import reason_of
from chatui.core.messages import (
    Citation,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolCallState,
)
from chatui.core.turn import Phase, Turn
from chatui.core.wire import Dialect
from chatui.protocols.chat_completions.stream import decoder


def turn(*chunks: object, dialect: Dialect | None = None) -> Turn:
    lines = [chunk if isinstance(chunk, str) else json.dumps(chunk) for chunk in chunks]
    data = "".join(f"data: {line}\n\n" for line in lines).encode()
    return turn_of(decoder(dialect or Dialect(), is_body=False), [data])


def delta(finish: str | None = None, index: int = 0, **fields: object) -> dict:
    return {"choices": [{"index": index, "delta": fields, "finish_reason": finish}]}


def calls_of(found: Turn) -> list[tuple[str, str, str]]:
    parts = [part for part in found.parts if isinstance(part, ToolCallPart)]
    return [(part.call_id, part.name, part.arguments_raw) for part in parts]


def tool(**fields: object) -> dict:
    return delta(tool_calls=[fields])


STOP = delta("stop")
CALLS = delta("tool_calls")


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("stop", None),
        ("STOP", None),
        ("tool_calls", None),
        ("eos", None),
        ("something_new", None),
        ("length", FailureReason.LENGTH),
        ("MAX_TOKENS", FailureReason.LENGTH),
        ("model_length", FailureReason.LENGTH),
        ("content_filter", FailureReason.CONTENT_FILTER),
        ("SAFETY", FailureReason.CONTENT_FILTER),
        ("sensitive", FailureReason.CONTENT_FILTER),
        ("error", FailureReason.ERROR),
        ("abort", FailureReason.ERROR),
        ("insufficient_system_resource", FailureReason.ERROR),
        ("network_error", FailureReason.ERROR),
        ("upstream_failed", FailureReason.ERROR),
        ("repetition", FailureReason.ERROR),
        ("repeat", FailureReason.ERROR),
        ("MALFORMED_RESPONSE", FailureReason.ERROR),
        ("engine_overloaded", FailureReason.ERROR),
        ("output_truncated", FailureReason.LENGTH),
        ("guardrail_blocked", FailureReason.CONTENT_FILTER),
        ("refusal", FailureReason.REFUSAL),
        ("max-tokens", FailureReason.LENGTH),
        ("MaxTokens", FailureReason.LENGTH),
        ("length ", FailureReason.LENGTH),
        ("content-filter", FailureReason.CONTENT_FILTER),
        ("incomplete", FailureReason.ERROR),
        ("tool-calls", None),
    ],
)
def test_every_servers_finish_word_means_what_it_says(word: str, reason: FailureReason | None) -> None:
    assert reason_of(word) is reason
    found = turn(delta(content="x"), delta(word))
    assert found.finish_reason == word
    assert found.text == "x"
    assert (found.failure.reason if found.failure else None) is reason


def test_a_failure_says_how_much_arrived_and_what_to_do() -> None:
    found = turn(delta(content="x" * 812))
    assert found.failure is not None
    assert (
        found.failure.message
        == "The server ended the stream after 812 characters, but never said why it stopped"
    )
    assert found.failure.hint


def test_done_alone_is_no_proof_unless_a_person_said_so() -> None:
    chunks = (delta(content="half"), "[DONE]")
    assert turn(*chunks).failure is not None
    assert turn(*chunks, dialect=Dialect(is_done_proof=True)).phase is Phase.COMPLETED
    assert turn("[DONE]", dialect=Dialect(is_done_proof=True)).phase is Phase.FAILED


def test_the_first_choice_is_the_proof_and_of_another_one_without_its_word_the_person_hears() -> None:
    begun = (delta(content="a"), delta(content="b", index=1))
    assert turn(*begun, delta("stop", 1), "[DONE]").phase is Phase.FAILED
    open_ended = turn(*begun, STOP, "[DONE]")
    assert (open_ended.phase, open_ended.choices[1].finish_reason) == (Phase.COMPLETED, None)
    assert open_ended.notices == ("Choice 1 never said why it stopped.",)
    assert turn(*begun, STOP, delta("stop", 1), "[DONE]").notices == ()


def test_while_another_choice_is_received_the_connection_is_waited_for_as_long_as_ever() -> None:
    decoding = decoder(Dialect(), is_body=False)
    for chunk in (delta(content="a"), delta(content="b", index=1), STOP):
        decoding.feed(b"data: " + json.dumps(chunk).encode() + b"\n\n")
    assert not decoding.has_proof
    decoding.feed(b"data: " + json.dumps(delta("stop", 1)).encode() + b"\n\n")
    assert decoding.has_proof


def test_a_word_that_means_failure_is_not_undone_by_a_later_one() -> None:
    assert turn(delta(content="a"), delta("length"), STOP).finish_reason == "length"
    assert turn(delta(content="a"), STOP, delta("error")).phase is Phase.FAILED


@pytest.mark.parametrize("word", ["", None, "null"])
def test_an_empty_word_does_not_end_a_choice(word: str | None) -> None:
    assert turn(delta(word, content="a"), delta(word, content="b")).phase is Phase.FAILED


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning_content": "hm"},
        {"reasoning": "hm"},
        {"reasoning_text": "hm"},
        {"thinking": "hm"},
        {"reasoning": {"content": "hm"}},
        {"reasoning_details": [{"type": "reasoning.text", "text": "hm", "index": 0}]},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "hm"}]},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]},
        {"content": [{"type": "reasoning", "text": "hm"}]},
        {"content": "<think>hm</think>"},
        {"content": "<thought>hm", "extra_content": {"google": {"thought": True}}},
        {"reasoning_content": "hm", "reasoning": "hm", "reasoning_details": [{"text": "hm"}]},
    ],
)
def test_reasoning_is_found_under_all_its_names_and_once(fields: dict) -> None:
    found = turn(delta(**fields), delta(content="yes"), STOP)
    reasoning = [part for part in found.parts if isinstance(part, ReasoningPart)]
    assert [part.text for part in reasoning] == ["hm"]
    assert found.text == "yes"


def test_details_of_reasoning_are_kept_whole_to_be_sent_back() -> None:
    first = {"type": "reasoning.text", "text": "a", "index": 0, "signature": None}
    found = turn(
        delta(reasoning_details=[first]),
        delta(reasoning_details=[{"type": "reasoning.text", "text": "b", "index": 0, "signature": "s"}]),
        delta(reasoning_details=[{"type": "reasoning.encrypted", "data": "QUJD", "index": 1}]),
        delta("stop", content="x"),
    )
    (reasoning,) = [part for part in found.parts if isinstance(part, ReasoningPart)]
    assert reasoning.text == "ab"
    assert reasoning.opaque == {
        "reasoning_details": [
            {"type": "reasoning.text", "text": "ab", "index": 0, "signature": "s"},
            {"type": "reasoning.encrypted", "data": "QUJD", "index": 1},
        ]
    }


def test_gemini_gets_its_signature_back_with_the_call() -> None:
    extra = {"google": {"thought_signature": "sig"}}
    found = turn(tool(id="c", function={"name": "go", "arguments": "{}"}, extra_content=extra), CALLS)
    (part,) = found.parts
    assert isinstance(part, ToolCallPart)
    assert part.opaque == {"extra_content": extra}


@pytest.mark.parametrize(
    ("chunks", "calls"),
    [
        (
            [tool(id="a", function={"name": "f", "arguments": "{}"}), tool(id="b", function={"name": "f", "arguments": "{}"})],
            [("a", "f", "{}"), ("b", "f", "{}")],
        ),
        (
            [tool(function={"name": "f", "arguments": "{}"}), tool(function={"name": "f", "arguments": "{}"})],
            [("chatui_call_1", "f", "{}"), ("chatui_call_2", "f", "{}")],
        ),
        (
            [delta(tool_calls=[{"id": "a", "function": {"name": "f"}}, {"id": "b", "function": {"name": "g"}}]),
             delta(tool_calls=[{"function": {"arguments": "{}"}}, {"function": {"arguments": '{"x":1}'}}])],
            [("a", "f", "{}"), ("b", "g", '{"x":1}')],
        ),
        (
            [tool(index=0, id="0", function={"name": "f", "arguments": ""}), tool(index=0, id="0", function={"name": None, "arguments": "{}"}),
             tool(index=0, id="1", function={"name": "f", "arguments": ""}), tool(index=0, id="1", function={"name": None, "arguments": '{"x":2}'})],
            [("0", "f", "{}"), ("1", "f", '{"x":2}')],
        ),
        (
            [tool(index=0, id="a", function={"name": "f", "arguments": '{"x'}), tool(index=0, id="zz", function={"name": "f", "arguments": '":1}'})],
            [("a", "f", '{"x":1}')],
        ),
        (
            [tool(index=0, function={"name": "f", "arguments": ""}), tool(index=0, id="late", function={"arguments": "{}"})],
            [("late", "f", "{}")],
        ),
        (
            [tool(index=0, id="a", function={"name": "get_"}), tool(index=0, function={"name": "weather", "arguments": "{}"})],
            [("a", "get_weather", "{}")],
        ),
        ([tool(index=0, id="a", function={"name": "f", "arguments": {"x": 1}})], [("a", "f", '{"x": 1}')]),
        ([tool(index=0, id=7, function={"name": "f", "arguments": {}})], [("7", "f", "")]),
        ([delta(tool_calls={"id": "a", "function": {"name": "f", "arguments": "{}"}})], [("a", "f", "{}")]),
        (
            [tool(index=0, id="a", function={"name": "f", "arguments": '{"x":'}), tool(index=0, function={"arguments": '{"x":1}'})],
            [("a", "f", '{"x":1}')],
        ),
        ([tool(index=0), tool(index=0, id="", function={"name": "", "arguments": ""})], []),
    ],
)  # fmt: skip
def test_tool_calls_are_put_together_from_loose_shapes(
    chunks: list[dict], calls: list[tuple[str, str, str]]
) -> None:
    found = turn(*chunks, CALLS)
    assert calls_of(found) == calls
    assert all(part.state is ToolCallState.WHOLE for part in found.parts if isinstance(part, ToolCallPart))


def test_a_custom_tool_takes_free_text() -> None:
    found = turn(tool(index=0, id="a", type="custom", custom={"name": "sql", "input": "SELECT {"}), CALLS)
    assert found.parts == (ToolCallPart("a", "sql", "SELECT {", ToolCallState.WHOLE, is_free_text=True),)


@pytest.mark.parametrize("texts", [["Sky ", "Sky is ", "Sky is blue"], ["Once", "Once only"], ["Hello"]])
def test_deltas_that_repeat_the_whole_text_are_noticed(texts: list[str]) -> None:
    assert turn(*[delta(content=text) for text in texts], STOP).text == texts[-1]


@pytest.mark.parametrize(
    "texts",
    [["=", "==", "==="], ["ha", "haha", "!"], ["1", "1", "1"], ["\n", "\n\n", "\n\n\n"], ["ab", "abc"[:1]]],
)
def test_ordinary_deltas_that_look_alike_are_all_kept(texts: list[str]) -> None:
    assert turn(*[delta(content=text) for text in texts], STOP).text == "".join(texts)


def test_repeated_deltas_can_be_switched_on_and_off() -> None:
    chunks = [delta(content=text) for text in ("ab", "abc", "abcd")]
    assert turn(*chunks, STOP, dialect=Dialect(has_cumulative_deltas=False)).text == "ababcabcd"
    assert turn(*chunks[:2], STOP, dialect=Dialect(has_cumulative_deltas=True)).text == "abc"


def test_a_finish_chunk_that_says_everything_again_is_not_appended() -> None:
    words = ["The whole ", "answer of ", "the model."]
    assert turn(
        *[delta(content=word) for word in words], delta("stop", content="".join(words))
    ).text == "".join(words)


def test_sources_hang_on_the_answer() -> None:
    url = "https://example.org"
    found = turn(
        {**delta(content="a"), "citations": [url], "search_results": [{"title": "T", "url": url}]},
        delta(annotations=[{"type": "url_citation", "url_citation": {"url": url + "/2", "title": "U"}}]),
        STOP,
    )
    assert found.parts == (TextPart("a", (Citation("T", url), Citation("U", url + "/2"))),)


def test_pictures_are_parts_of_the_answer_each_once_and_none_is_fetched() -> None:
    held = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    remote = {"type": "image_url", "image_url": "https://example.org/a.png"}
    found = turn(delta(content="See:", images=[held]), delta(images=[remote]), delta("stop", images=[held]))
    assert found.parts == (
        TextPart("See:"),
        ImagePart("image/png", "AAAA"),
        ImagePart("", url="https://example.org/a.png"),
    )
    assert found.phase is Phase.COMPLETED
    assert not found.notices
    alone = turn(
        delta("stop", content=[{"type": "image_url", "image_url": {"url": "data:image/webp;base64,BB"}}])
    )
    assert alone.parts == (ImagePart("image/webp", "BB"),)
    assert alone.phase is Phase.COMPLETED
    odd = turn(delta("stop", content="x", images=[{"b64": "AA"}]))
    assert "an image in a form that is not known" in odd.notices[0]


def test_what_moderation_found_is_noticed() -> None:
    flagged = {"results": [{"flagged": True, "categories": {"violence": True, "hate": False}}]}
    error = {"type": "error", "message": "skipped"}
    found = turn(
        delta(content="a"),
        STOP,
        {"choices": [], "moderation": {"input": flagged, "output": error}},
    )
    assert found.phase is Phase.COMPLETED
    assert len(found.notices) == 2
    assert "violence" in found.notices[0]
    assert "skipped" in found.notices[1]


def test_counts_are_merged_and_a_missing_one_stays_unknown() -> None:
    found = turn(
        {**STOP, "usage": {"prompt_tokens": 5, "completion_tokens": None}},
        {"choices": [], "usage": {"completion_tokens": 7, "prompt_cache_hit_tokens": 2}},
        {"choices": [], "usage": None},
    )
    assert found.usage is not None
    assert found.usage == (5, 7, None, 2, None)


@pytest.mark.parametrize(
    "chunk",
    [
        {"error": {"message": "the cause"}},
        {"error": "the cause"},
        {"choices": [], "error": {"message": "the cause", "code": 502}},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "error": {"message": "the cause"}}]},
        {"object": "error", "message": "the cause"},
        {"detail": "the cause"},
        {"code": 1301, "msg": "the cause"},
    ],
)
@pytest.mark.parametrize("is_before", [True, False])
def test_an_error_fails_the_turn_before_and_after_its_end(chunk: dict, is_before: bool) -> None:
    chunks = [chunk, STOP] if is_before else [STOP, chunk]
    found = turn(delta(content="x"), *chunks, "[DONE]")
    assert found.failure is not None
    assert found.failure.reason is FailureReason.ERROR
    assert "the cause" in found.failure.message
    assert found.text == "x"


def test_an_answer_in_ollamas_own_shape_says_what_to_change() -> None:
    found = turn({"model": "m", "message": {"role": "assistant", "content": "x"}, "done": True})
    assert found.failure is not None
    assert "Ollama" in found.failure.message


def test_the_end_is_known_before_the_connection_closes() -> None:
    decoding = decoder(Dialect(), is_body=False)
    decoding.feed(b'data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n')
    assert (decoding.has_proof, decoding.is_finished) == (True, False)
    decoding.feed(b"data: [DONE]\n\n")
    assert (decoding.has_proof, decoding.is_finished) == (True, True)


def test_reasoning_that_comes_in_its_channel_and_in_tags_is_not_doubled() -> None:
    found = turn(delta(reasoning_content="hm"), delta(content="<think>hm</think>yes"), STOP)
    assert found.parts == (ReasoningPart("hm"), TextPart("yes"))
    other = turn(delta(reasoning_content="hm"), delta(content="<think>more</think>yes"), STOP)
    assert other.parts == (ReasoningPart("hm"), ReasoningPart("more"), TextPart("yes"))


def test_an_event_framed_twice_is_read() -> None:
    assert (
        turn("data: " + json.dumps(delta(content="a")), "data:data: " + json.dumps(STOP), "data: [DONE]").text
        == "a"
    )


ZEROS = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


def test_counts_that_are_all_zero_are_placeholders() -> None:
    assert turn(delta(content="x"), STOP, {"choices": [], "usage": ZEROS}).usage is None
    real = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 0, "total_tokens": 5}}
    for chunks in ([real, {"choices": [], "usage": ZEROS}], [{"choices": [], "usage": ZEROS}, real]):
        usage = turn(delta(content="x"), STOP, *chunks).usage
        assert usage is not None
        assert usage[:3] == (5, 0, 5)


@pytest.mark.parametrize("said", ["warming up", "place 3 in the queue"])
@pytest.mark.parametrize("beside", [{}, {"status": "queued"}, {"code": 200}, {"type": "info"}])
def test_a_message_of_progress_is_no_error_once_the_answer_is_proved(said: str, beside: dict) -> None:
    told = {"message": said, **beside}
    assert turn(told, delta(content="x"), STOP, "[DONE]").phase is Phase.COMPLETED
    failure = turn(told, delta(content="x")).failure
    assert failure is not None
    assert said in failure.message


@pytest.mark.parametrize("done", ["[DONE]", "[done]", " [Done] "])
def test_the_end_is_known_in_any_case(done: str) -> None:
    decoding = decoder(Dialect(), is_body=False)
    decoding.feed(f"data: {json.dumps(STOP)}\n\ndata: {done}\n\n".encode())
    assert decoding.is_finished


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("error", '"the cause"'),
        ("error", "the cause"),
        ("error", '{"message": "the cause"}'),
        ("exception", '{"message": "the cause"}'),
        ("internalServerException", '{"message": "the cause"}'),
        ("", '{"modelStreamErrorException": {"message": "the cause"}}'),
    ],
)
def test_an_event_named_after_an_error_is_one_whatever_it_holds(name: str, data: str) -> None:
    stream = f"data: {json.dumps(delta(content='x'))}\n\nevent: {name}\ndata: {data}\n\n"
    found = turn_of(decoder(Dialect(), is_body=False), [stream.encode()])
    assert found.failure is not None
    assert found.failure.reason is FailureReason.ERROR
    assert "the cause" in found.failure.message


@pytest.mark.parametrize("data", ["", "null", "{}", "[]"])
def test_an_error_without_words_is_one_too(data: str) -> None:
    stream = f"data: {json.dumps(STOP)}\n\nevent: error\ndata: {data}\n\n"
    found = turn_of(decoder(Dialect(), is_body=False), [stream.encode()])
    assert found.phase is Phase.FAILED


@pytest.mark.parametrize(
    "odd",
    [
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 5}},
        {"choices": None, "usage": {"prompt_tokens": 3, "completion_tokens": 5}},
        {"usage": {"prompt_tokens": 3, "completion_tokens": 5}},
        {
            "choices": [{"index": 0, "delta": None, "finish_reason": None}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 5},
        },
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_chunks_without_choices_or_delta_end_nothing_and_their_usage_is_kept(odd: dict, place: int) -> None:
    chunks: list[object] = [delta(content="Hi"), STOP]
    chunks.insert(place, odd)
    found = turn(*chunks)
    assert (found.phase, found.text) == (Phase.COMPLETED, "Hi")
    assert found.usage is not None
    assert (found.usage.input_tokens, found.usage.output_tokens) == (3, 5)


def test_of_two_finish_words_a_failure_stays_then_the_wish_for_results_then_the_later_one() -> None:
    for words, word in {
        ("length", "stop"): "length",
        ("stop", "length"): "length",
        ("tool_calls", "stop"): "tool_calls",
        ("stop", "tool_calls"): "tool_calls",
        ("tool_calls", "error"): "error",
    }.items():
        found = turn(tool(index=0, id="c", function={"name": "f", "arguments": "{}"}), *map(delta, words))
        assert found.finish_reason == word


def test_a_finish_reason_that_is_no_word_ends_nothing() -> None:
    for odd in ({}, [], {"type": "stop"}, ["stop"], 1, True):
        chunks = [delta(odd, content=f"{number} ") for number in range(9)]  # type: ignore[arg-type] # that is it
        assert turn(*chunks).phase is Phase.FAILED
        assert turn(*chunks, STOP).text == "0 1 2 3 4 5 6 7 8 "
        assert turn(*chunks, STOP).phase is Phase.COMPLETED


def test_an_error_beside_content_that_holds_no_word_is_none() -> None:
    for nothing in (
        {"code": 0, "message": ""},
        {"message": None},
        {"code": None, "message": "success"},
        [{}],
    ):
        for chunk in (
            {**delta(content="x"), "error": nothing},
            {"choices": [{"delta": {"content": "x"}, "error": nothing}]},
        ):
            found = turn(chunk, STOP)
            assert (found.phase, found.text) == (Phase.COMPLETED, "x")
    assert turn({**delta(content="x"), "error": {"code": 7}}, STOP).phase is Phase.FAILED


def test_what_stands_under_other_names_or_as_a_number_is_not_lost() -> None:
    found = turn(
        delta(reasoning="once ", reasoning_content="once "), delta(reasoning="a", thinking="b"), STOP
    )
    assert [part.text for part in found.parts] == ["once ab"]  # type: ignore[union-attr] # reasoning
    assert turn(delta(content=4), delta(content=2), delta(content=" times"), STOP).text == "42 times"
    assert turn(delta(content=[{"type": "text", "text": {"value": "hi"}}]), STOP).text == "hi"


def test_a_whole_message_behind_the_deltas_adds_only_what_they_did_not_say() -> None:
    def ending(**message: object) -> dict:
        return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}

    for deltas in (["Hi"], ["H", "i"], ["H", "Hi"]):
        said = [delta(content=text) for text in deltas]
        assert turn(*said, ending(content="Hi")).text == "Hi"
        assert turn(*said, ending(content="Hi you")).text == "Hi you"
        assert turn(*said, ending(content="other")).text in ("Hi", "HHi")
    function = {"name": "f", "arguments": "{}"}
    found = turn(
        delta(content="Hi"),
        ending(content="Hi", reasoning_content="why", tool_calls=[{"id": "c", "function": function}]),
    )
    assert [type(part) for part in found.parts] == [TextPart, ReasoningPart, ToolCallPart]
    assert turn(ending(content="a"), ending(content="b")).text == "ab"


def test_calls_at_one_index_without_ids_are_told_apart_when_the_one_before_is_whole() -> None:
    def entry(name: str, arguments: str) -> dict:
        return tool(index=0, id="", function={"name": name, "arguments": arguments})

    for entries, expected in (
        ([("a", "{}"), ("b", "{}")], [("a", "{}"), ("b", "{}")]),
        ([("a", '{"x":1}'), ("a", '{"x":2}')], [("a", '{"x":1}'), ("a", '{"x":2}')]),
        ([("a", '{"x":1}'), ("a", '{"x":1}')], [("a", '{"x":1}')]),
        ([("a", '{"x"'), ("a", ":1}")], [("a", '{"x":1}')]),
    ):
        found = calls_of(turn(*(entry(*one) for one in entries), CALLS))
        assert [call[1:] for call in found] == expected


def test_an_error_of_groq_and_thinking_of_litellm_are_heard() -> None:
    found = turn(delta(content="x"), {**STOP, "x_groq": {"error": "stopped early"}})
    assert found.failure is not None
    assert "stopped early" in found.failure.message
    assert turn({**STOP, "x_groq": {"error": None, "usage": {"prompt_tokens": 3}}}).usage is not None
    thinking = [{"type": "thinking", "thinking": "why", "signature": "s"}]
    (part,) = turn(delta(thinking_blocks=thinking), STOP).parts
    assert isinstance(part, ReasoningPart)
    assert part.text == "why"


def test_what_is_written_where_a_finish_word_belongs_may_be_none() -> None:
    for nothing in ("", " ", "null", "None", "-"):
        assert turn(delta(nothing, content="x"), "[DONE]").phase is Phase.FAILED
        assert turn(delta(nothing, content="x"), STOP).phase is Phase.COMPLETED


def test_json_lines_may_end_as_a_stream_does() -> None:
    for last in (b"[DONE]", b"data: [DONE]", b"data:[DONE]"):
        lines = [json.dumps(chunk).encode() for chunk in (delta(content="x"), STOP)]
        for data in (b"\n".join([*lines, last]), b"\n".join([*lines, last, b""])):
            found = turn_of(decoder(Dialect(), is_body=True), [data])
            assert (found.phase, found.text) == (Phase.COMPLETED, "x")


def test_an_error_inside_delta_or_message_fails_the_answer() -> None:
    for holder in ("delta", "message"):
        found = turn(delta(content="x"), {"choices": [{holder: {"error": {"message": "boom"}}}]}, STOP)
        assert found.failure is not None
        assert "boom" in found.failure.message


def test_the_shape_of_another_protocol_is_named_with_what_to_set() -> None:
    for word, value in {
        "responses": {"type": "response.created", "response": {}},
        "anthropic_messages": {"type": "message_start", "message": {}},
        "/v1": {"message": {"content": "x"}, "done": False},
    }.items():
        found = turn(value)
        assert found.failure is not None
        assert word in found.failure.message


def test_an_empty_stub_of_a_call_is_none() -> None:
    stub = {"name": "", "arguments": ""}
    found = turn(delta(content="x", function_call=stub, tool_calls=[{"index": 0, "function": stub}]), STOP)
    assert [type(part) for part in found.parts] == [TextPart]


@pytest.mark.parametrize(
    "nonsense", [-1, 1.5, True, 10**16, 1e300, float("inf"), float("nan"), "1e3", "9" * 30, []]
)
def test_a_count_that_is_none_is_unknown(nonsense: object) -> None:
    usage = {"prompt_tokens": nonsense, "completion_tokens": "5", "total_tokens": 7.0}
    assert turn(delta(content="x"), {**STOP, "usage": usage}).usage == (None, 5, 7, None, None)
