"""What goes out: any conversation gives a body that the protocol's vendor accepts."""

import base64
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.legal_messages import INTERRUPTED, legal_messages
from chatui.core.messages import (
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    ReasoningPart,
    RefusalPart,
    Role,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolCallState,
    ToolResultPart,
    user_message,
)
from chatui.core.request import ChatRequest, Sampling, ToolSpec
from chatui.core.wire import Dialect
from chatui.protocols.anthropic_messages.request import build_body as messages_body
from chatui.protocols.chat_completions.request import build_body as chat_body
from chatui.protocols.responses.request import build_body as responses_body

BUILDERS = {"chat": chat_body, "responses": responses_body, "messages": messages_body}
WEATHER = ToolSpec(
    "weather", "Weather of a city", {"type": "object", "properties": {"city": {"type": "string"}}}
)
PATCH = ToolSpec("patch", "Apply a patch", {}, is_free_text=True)


def assistant(*parts):
    return Message(Role.ASSISTANT, parts)


def call(call_id="c1", arguments='{"city":"Paris"}', state=ToolCallState.WHOLE, **more):
    return ToolCallPart(call_id, "weather", arguments, state, **more)


def result(call_id="c1", text="18 C", **more):
    return Message(Role.TOOL, (ToolResultPart(call_id, "weather", text, **more),))


def request(*messages, **more):
    return ChatRequest(model="m", messages=messages or (user_message("hi"),), **more)


# What each protocol wants


def test_a_plain_prompt_to_chat_completions_is_as_small_as_can_be():
    assert chat_body(request(), Dialect()) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_a_plain_prompt_to_responses_is_not_stored_at_the_provider():
    assert responses_body(request(), Dialect()) == {
        "model": "m",
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}],
        "stream": True,
        "store": False,
    }


def test_messages_always_gets_the_limit_that_it_demands():
    body = messages_body(request(), Dialect())
    assert body["max_tokens"] == 8192
    assert messages_body(request(), Dialect(default_max_output_tokens=32000))["max_tokens"] == 32000
    assert messages_body(request(sampling=Sampling(max_output_tokens=7)), Dialect())["max_tokens"] == 7


def test_system_text_stands_where_each_protocol_wants_it():
    asked = request(system="Be brief.")
    assert chat_body(asked, Dialect())["messages"][0] == {"role": "system", "content": "Be brief."}
    assert chat_body(asked, Dialect(system_role="developer"))["messages"][0]["role"] == "developer"
    assert responses_body(asked, Dialect())["instructions"] == "Be brief."
    as_item = responses_body(asked, Dialect(system_role="system"))
    assert "instructions" not in as_item
    assert as_item["input"][0]["role"] == "system"
    assert messages_body(asked, Dialect())["system"] == "Be brief."


def test_a_system_message_in_mid_conversation_moves_to_the_top_of_messages():
    body = messages_body(
        request(user_message("a"), Message(Role.SYSTEM, (TextPart("now in French"),)), user_message("b")),
        Dialect(),
    )
    assert body["system"] == "now in French"
    assert [message["role"] for message in body["messages"]] == ["user"]


def test_options_have_the_names_of_their_protocol():
    sampling = Sampling(
        max_output_tokens=5, temperature=0.0, top_p=0.5, stop=("END",), seed=3, reasoning_effort="low"
    )
    chat = chat_body(request(sampling=sampling), Dialect())
    assert (chat["max_tokens"], chat["temperature"], chat["top_p"]) == (5, 0.0, 0.5)
    assert (chat["stop"], chat["seed"], chat["reasoning_effort"]) == (["END"], 3, "low")
    assert (
        chat_body(request(sampling=sampling), Dialect(max_tokens_field="max_completion_tokens"))[
            "max_completion_tokens"
        ]
        == 5
    )
    responses = responses_body(request(sampling=sampling), Dialect())
    assert (responses["max_output_tokens"], responses["reasoning"]) == (5, {"effort": "low"})
    assert "stop" not in responses
    messages = messages_body(request(sampling=sampling), Dialect())
    assert (messages["max_tokens"], messages["stop_sequences"]) == (5, ["END"])
    assert messages["output_config"] == {"effort": "low"}


def test_a_body_without_stream_asks_for_no_usage_chunk():
    assert "stream_options" not in chat_body(request(is_streaming=False), Dialect())
    assert "stream_options" not in chat_body(request(), Dialect(sends_usage_option=False))


def test_effort_and_budget_go_to_the_place_that_the_dialect_names():
    dialect = Dialect(reasoning_effort_field="reasoning.effort", thinking_budget_field="reasoning.max_tokens")
    body = chat_body(request(sampling=Sampling(reasoning_effort="high", thinking_budget_tokens=9)), dialect)
    assert body["reasoning"] == {"effort": "high", "max_tokens": 9}
    assert "reasoning_effort" not in body


def test_thinking_leaves_the_answer_its_room_and_no_temperature():
    sampling = Sampling(thinking_budget_tokens=2000, max_output_tokens=1000, temperature=0.3)
    body = messages_body(request(sampling=sampling), Dialect())
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 2000}
    assert body["max_tokens"] > 2000
    assert "temperature" not in body


def test_models_that_measure_their_own_thinking_get_no_budget():
    dialect = Dialect(reasoning_models=("m",))
    body = messages_body(request(sampling=Sampling(thinking_budget_tokens=2000)), dialect)
    assert body["thinking"] == {"type": "adaptive", "display": "summarized"}


def test_thinking_is_not_begun_in_the_middle_of_a_round_of_calls():
    sampling = Sampling(thinking_budget_tokens=2000)
    begun = request(user_message("?"), assistant(call()), result(), sampling=sampling)
    assert "thinking" not in messages_body(begun, Dialect())
    thought = ReasoningPart("hm", opaque={"signature": "s"})
    going_on = request(user_message("?"), assistant(thought, call()), result(), sampling=sampling)
    assert messages_body(going_on, Dialect())["thinking"]["type"] == "enabled"


def test_a_family_of_models_may_have_members_that_do_not_reason():
    dialect = Dialect(reasoning_models=("gpt-5", "-gpt-5-chat"))
    assert [dialect.is_reasoning_model(name) for name in ("gpt-5.5", "gpt-5-chat-latest", "gpt-4")] == [
        True,
        False,
        False,
    ]


def test_the_persons_own_members_win_and_are_merged_deeply():
    dialect = Dialect(extra_body={"a": {"x": 1, "y": 1}, "gone": 1}, unsupported=("gone", "a.y", "seed"))
    sampling = Sampling(seed=1, extra={"a": {"z": 2}, "seed": 4})
    body = chat_body(request(sampling=sampling), dialect)
    assert body["a"] == {"x": 1, "z": 2}
    assert "gone" not in body
    assert body["seed"] == 4
    assert dialect.extra_body == {"a": {"x": 1, "y": 1}, "gone": 1}


# Attachments

PNG = ImagePart("image/png", data_base64="iVBORw0KGgo=")
PDF = FilePart("a.pdf", "application/pdf", base64.b64encode(b"%PDF").decode())
NOTES = FilePart("notes.md", "text/markdown", base64.b64encode(b"a ```` b").decode())


def test_images_and_files_become_content_parts():
    asked = request(Message(Role.USER, (TextPart("see"), PNG, PDF)))
    chat = chat_body(asked, Dialect())["messages"][0]["content"]
    assert [part["type"] for part in chat] == ["text", "image_url", "file"]
    assert chat[1]["image_url"]["url"] == "data:image/png;base64,iVBORw0KGgo="
    assert chat[2]["file"] == {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}
    responses = responses_body(asked, Dialect())["input"][0]["content"]
    assert [part["type"] for part in responses] == ["input_text", "input_image", "input_file"]
    messages = messages_body(asked, Dialect())["messages"][0]["content"]
    assert [part["type"] for part in messages] == ["text", "image", "document"]
    assert messages[1]["source"] == {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}


def test_an_image_of_an_address_is_sent_as_its_address():
    asked = request(Message(Role.USER, (ImagePart("image/png", url="https://example.com/a.png"),)))
    assert messages_body(asked, Dialect())["messages"][0]["content"][0]["source"]["type"] == "url"
    content = chat_body(asked, Dialect())["messages"][0]["content"]
    assert content[0]["image_url"]["url"] == "https://example.com/a.png"


def test_a_text_file_is_sent_as_text_in_a_fence_that_it_cannot_close():
    content = chat_body(request(Message(Role.USER, (NOTES, TextPart("sum up")))), Dialect())["messages"][0][
        "content"
    ]
    assert content == "notes.md:\n`````\na ```` b\n`````\n\nsum up"


# Tools


def test_tools_have_the_shape_of_their_protocol():
    asked = request(tools=(WEATHER, PATCH), tool_choice="weather")
    chat = chat_body(asked, Dialect())
    assert chat["tools"][0]["function"]["name"] == "weather"
    assert chat["tools"][1] == {"type": "custom", "custom": {"name": "patch", "description": "Apply a patch"}}
    assert chat["tool_choice"] == {"type": "function", "function": {"name": "weather"}}
    responses = responses_body(asked, Dialect())
    assert responses["tools"][0]["strict"] is False
    assert responses["tools"][1]["type"] == "custom"
    assert responses["tool_choice"] == {"type": "function", "name": "weather"}
    messages = messages_body(asked, Dialect())
    assert messages["tools"][0]["input_schema"]["properties"] == {"city": {"type": "string"}}
    assert messages["tools"][1]["input_schema"]["required"] == ["input"]
    assert messages["tool_choice"] == {"type": "tool", "name": "weather"}


@pytest.mark.parametrize(("choice", "word"), [("auto", "auto"), ("none", "none"), ("required", "any")])
def test_messages_has_its_own_words_for_the_choice_of_tools(choice, word):
    assert messages_body(request(tools=(WEATHER,), tool_choice=choice), Dialect())["tool_choice"] == {
        "type": word
    }


def test_a_forced_call_switches_thinking_off_because_the_two_exclude_each_other():
    asked = request(tools=(WEATHER,), tool_choice="required", sampling=Sampling(thinking_budget_tokens=2000))
    assert "thinking" not in messages_body(asked, Dialect())


def test_a_call_and_its_result_go_back_in_each_protocol():
    asked = request(user_message("?"), assistant(TextPart("Let me see."), call()), result(is_error=True))
    chat = chat_body(asked, Dialect())["messages"]
    assert chat[1]["tool_calls"][0]["function"] == {"name": "weather", "arguments": '{"city":"Paris"}'}
    assert chat[2] == {"role": "tool", "tool_call_id": "c1", "content": "18 C"}
    responses = responses_body(asked, Dialect())["input"]
    assert [item["type"] for item in responses] == [
        "message",
        "message",
        "function_call",
        "function_call_output",
    ]
    messages = messages_body(asked, Dialect())["messages"]
    assert messages[1]["content"][1] == {
        "type": "tool_use",
        "id": "c1",
        "name": "weather",
        "input": {"city": "Paris"},
    }
    assert messages[2]["content"] == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "18 C", "is_error": True}
    ]


def test_a_free_text_call_goes_back_as_what_it_was():
    custom = ToolCallPart("c1", "patch", "*** Begin", ToolCallState.WHOLE, is_free_text=True)
    asked = request(user_message("?"), assistant(custom), result())
    assert chat_body(asked, Dialect())["messages"][1]["tool_calls"][0]["custom"]["input"] == "*** Begin"
    kinds = [item["type"] for item in responses_body(asked, Dialect())["input"]]
    assert kinds == ["message", "custom_tool_call", "custom_tool_call_output"]
    block = messages_body(asked, Dialect())["messages"][1]["content"][0]
    assert block["input"] == {"input": "*** Begin"}


def test_a_call_that_was_cut_is_never_sent_back():
    cut = call(arguments='{"ci', state=ToolCallState.UNFINISHED)
    asked = request(user_message("?"), assistant(TextPart("One moment."), cut), user_message("go on"))
    for build in BUILDERS.values():
        assert "weather" not in json.dumps(build(asked, Dialect()))


@pytest.mark.parametrize(
    "arguments",
    ['{"n":NaN}', '{"n":1e999}', '{"n":' + "9" * 5000 + "}", '{"n":' * 950 + "1" + "}" * 950],
    ids=["NaN", "infinite", "very long", "very deep"],
)
@pytest.mark.parametrize("body", [chat_body, responses_body, messages_body])
def test_an_older_call_that_no_server_could_read_again_does_not_spoil_every_later_request(body, arguments):
    said = (user_message("hi"), assistant(call(arguments=arguments)), Message(Role.TOOL, (result(),)))
    made = json.dumps(body(request(*said), Dialect()), allow_nan=False)
    assert "c1" not in made


def test_a_call_without_a_result_gets_one_that_says_so():
    asked = request(user_message("?"), assistant(call()), user_message("never mind"))
    for build in BUILDERS.values():
        assert INTERRUPTED in json.dumps(build(asked, Dialect()))


def test_results_stand_before_the_persons_next_words():
    asked = request(user_message("?"), assistant(call()), user_message("and?"), result())
    content = messages_body(asked, Dialect())["messages"][2]["content"]
    assert [block["type"] for block in content] == ["tool_result", "text"]


def test_ids_of_another_provider_are_made_legal_for_messages_and_mistral():
    asked = request(user_message("?"), assistant(call("functions.weather:0")), result("functions.weather:0"))
    messages = messages_body(asked, Dialect())["messages"]
    assert (
        messages[1]["content"][0]["id"] == "functions_weather_0" == messages[2]["content"][0]["tool_use_id"]
    )
    chat = chat_body(asked, Dialect(tool_call_id_length=9))["messages"]
    assert re.fullmatch("[A-Za-z0-9]{9}", chat[1]["tool_calls"][0]["id"])
    assert chat[1]["tool_calls"][0]["id"] == chat[2]["tool_call_id"]


def test_two_calls_of_one_id_keep_their_own_results():
    asked = request(
        user_message("?"), assistant(call("x")), result("x", "one"), assistant(call("x")), result("x", "two")
    )
    chat = chat_body(asked, Dialect())["messages"]
    ids = [message["tool_calls"][0]["id"] for message in chat if "tool_calls" in message]
    assert len(set(ids)) == 2
    assert [(m["tool_call_id"], m["content"]) for m in chat if m["role"] == "tool"] == [
        (ids[0], "one"),
        (ids[1], "two"),
    ]


# State that providers want back


def test_thinking_goes_back_unchanged_with_its_signature_and_never_without():
    thought = ReasoningPart("Let me think\n", opaque={"signature": "sig=="})
    hidden = ReasoningPart("", is_redacted=True, opaque={"data": "xyz"})
    foreign = ReasoningPart("from another provider")
    asked = request(
        user_message("?"), assistant(thought, hidden, foreign, TextPart("42")), user_message("why?")
    )
    assert messages_body(asked, Dialect())["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "Let me think\n", "signature": "sig=="},
        {"type": "redacted_thinking", "data": "xyz"},
        {"type": "text", "text": "42"},
    ]
    assert "Let me think" not in json.dumps(chat_body(asked, Dialect()))


def test_server_tool_blocks_go_back_to_messages_as_they_came():
    use = {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {"query": "x"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srv1", "content": []}
    activity = ToolActivityPart("srv1", "web_search", "completed", opaque={"block": use, "result": found})
    asked = request(user_message("?"), assistant(activity, TextPart("found")), user_message("ok"))
    assert messages_body(asked, Dialect())["messages"][1]["content"][:2] == [use, found]


def test_state_of_one_protocol_is_not_sent_to_another():
    item = {"type": "web_search_call", "id": "ws1"}
    block = {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {}}
    search = ToolActivityPart("ws1", "web_search", "completed", opaque={"item": item})
    hosted = ToolActivityPart(
        "srv1", "web_search", "completed", opaque={"block": block, "result": {"type": "r_result"}}
    )
    signed = ReasoningPart("hm", opaque={"signature": "sig=="})
    asked = request(user_message("?"), assistant(search, hosted, signed, TextPart("42")), user_message("ok"))
    assert "web_search_call" not in json.dumps(messages_body(asked, Dialect()))
    assert "server_tool_use" not in json.dumps(responses_body(asked, Dialect()))
    assert "sig==" not in json.dumps([responses_body(asked, Dialect()), chat_body(asked, Dialect())])


ENCRYPTED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA", "status": None}


@pytest.mark.parametrize(
    "opaque", [ENCRYPTED, {"item": ENCRYPTED}, {"id": "rs_1", "encrypted_content": "gAAA"}]
)
def test_encrypted_reasoning_goes_back_to_responses_before_what_followed_it(opaque):
    asked = request(
        user_message("?"), assistant(ReasoningPart("", opaque=opaque), TextPart("42")), user_message("ok")
    )
    body = responses_body(asked, Dialect())
    assert body["input"][1] == {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
    assert body["input"][2]["content"][0] == {"type": "output_text", "text": "42", "annotations": []}
    assert body["include"] == ["reasoning.encrypted_content"]
    assert body["store"] is False


def test_encrypted_reasoning_is_asked_of_models_that_reason_only():
    assert "include" not in responses_body(request(), Dialect(reasoning_models=("gpt-5",)))
    assert "include" in responses_body(request(), Dialect(reasoning_models=("m",)))
    assert "include" in responses_body(request(sampling=Sampling(reasoning_effort="low")), Dialect())


def test_reasoning_that_nothing_follows_is_not_sent():
    alone = assistant(ReasoningPart("hm", opaque=ENCRYPTED))
    asked = request(user_message("?"), alone, user_message("well?"))
    assert [item["type"] for item in responses_body(asked, Dialect())["input"]] == ["message", "message"]


def test_plain_reasoning_goes_back_only_where_the_dialect_wants_it():
    asked = request(user_message("?"), assistant(ReasoningPart("hm"), TextPart("42")), user_message("ok"))
    assert "hm" not in json.dumps(chat_body(asked, Dialect()))
    assert chat_body(asked, Dialect(is_reasoning_echoed=True))["messages"][1]["reasoning_content"] == "hm"


def test_details_and_signatures_of_gateways_go_back_as_they_came():
    details = [{"type": "reasoning.encrypted", "data": "x", "index": 0}]
    signed = call(opaque={"extra_content": {"google": {"thought_signature": "s"}}})
    asked = request(
        user_message("?"),
        assistant(ReasoningPart("hm", opaque={"reasoning_details": details}), signed),
        result(),
    )
    sent = chat_body(asked, Dialect(is_reasoning_echoed=True))["messages"][1]
    assert sent["reasoning_details"] == details
    assert "reasoning_content" not in sent
    assert sent["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "s"}}


# Whatever was stored, what is sent is legal

texts = st.text(st.characters(codec=None), max_size=12) | st.sampled_from(
    ["", " ", "\n\n", "\ud83d", "\ud83d\ude00", "ok"]
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
opaques = st.dictionaries(
    st.sampled_from(
        ["signature", "data", "item", "id", "encrypted_content", "type", "reasoning_details", "block"]
    ),
    json_values | st.just("x"),
    max_size=3,
)
call_ids = st.sampled_from(["", "a", "b", "a:1", "\ud800", "a_2"])
parts = st.one_of(
    st.builds(TextPart, texts),
    st.builds(ReasoningPart, texts, st.booleans(), st.booleans(), opaques),
    st.builds(RefusalPart, texts),
    st.builds(
        ToolCallPart,
        call_ids,
        st.sampled_from(["weather", "patch", ""]),
        st.sampled_from(["", "{}", '{"city":"x"}', "[1]", "{", "null"]) | texts,
        st.sampled_from(list(ToolCallState)),
        st.booleans(),
        opaques,
    ),
    st.builds(ToolActivityPart, texts, texts, texts, opaque=opaques),
    st.builds(ToolResultPart, call_ids, texts, texts, st.booleans()),
    st.builds(
        ImagePart, st.just("image/png"), st.sampled_from(["", "aaaa"]), st.sampled_from(["", "https://e.x/"])
    ),
    st.builds(
        FilePart,
        texts,
        st.sampled_from(["application/pdf", "text/plain"]),
        st.sampled_from(["", "!", "YQ=="]),
    ),
    st.builds(AudioPart, texts, texts),
)
conversations = st.lists(
    st.builds(Message, st.sampled_from(list(Role)), st.lists(parts, max_size=4).map(tuple)), max_size=6
).map(tuple)
samplings = st.builds(
    Sampling,
    max_output_tokens=st.none() | st.integers(1, 5000),
    temperature=st.none() | st.floats(0, 2),
    stop=st.just(()) | st.just(("", "END")),
    reasoning_effort=st.none() | st.just("low"),
    thinking_budget_tokens=st.none() | st.integers(0, 4000),
)
requests = st.builds(
    ChatRequest,
    model=st.sampled_from(["m", "gpt-5"]),
    messages=conversations,
    system=texts,
    sampling=samplings,
    tools=st.sampled_from([(), (WEATHER,), (WEATHER, PATCH)]),
    tool_choice=st.sampled_from([None, "auto", "none", "required", "weather", "patch"]),
    is_streaming=st.booleans(),
)
dialects = st.builds(
    Dialect,
    is_reasoning_echoed=st.booleans(),
    reasoning_models=st.sampled_from([(), ("gpt-5",)]),
    tool_call_id_length=st.sampled_from([None, 9]),
    system_role=st.sampled_from(["", "developer"]),
)


def no_nulls(value):
    if isinstance(value, dict):
        return all(v is not None and no_nulls(v) for k, v in value.items() if k != "content")
    return True


@given(requests, dialects)
def test_any_conversation_gives_a_legal_chat_body(asked, dialect):
    body = chat_body(asked, dialect)
    json.dumps(body, allow_nan=False)
    assert no_nulls({name: value for name, value in body.items() if name not in ("messages", "tools")})
    waiting = []
    taken = set()
    for message in body["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
            assert message["content"]
            continue
        assert not waiting
        if message["role"] == "assistant":
            waiting = [one["id"] for one in message.get("tool_calls", [])]
            assert message["content"] or waiting
            assert not taken & set(waiting)
            taken |= set(waiting)
            for one in message.get("tool_calls", []):
                if one["type"] == "function":
                    assert isinstance(json.loads(one["function"]["arguments"]), dict)
        else:
            assert message["content"]
    assert not waiting
    assert ("tool_choice" in body) <= ("tools" in body)


@given(requests, dialects)
def test_any_conversation_gives_a_legal_responses_body(asked, dialect):
    body = responses_body(asked, dialect)
    json.dumps(body, allow_nan=False)
    assert body["store"] is False
    open_calls = {}
    items = body["input"]
    for position, item in enumerate(items):
        match item["type"]:
            case "message":
                assert item["content"]
                assert all(part.get("text", "x") != "" for part in item["content"])
            case "function_call" | "custom_tool_call":
                assert item["call_id"] not in open_calls
                open_calls[item["call_id"]] = item["type"] + "_output"
            case "function_call_output" | "custom_tool_call_output":
                assert open_calls[item["call_id"]] == item["type"]
                open_calls[item["call_id"]] = "answered"
            case "reasoning":
                assert position + 1 < len(items)
    assert set(open_calls.values()) <= {"answered"}


@given(requests, dialects)
def test_any_conversation_gives_a_legal_messages_body(asked, dialect):
    body = messages_body(asked, dialect)
    json.dumps(body, allow_nan=False)
    roles = [message["role"] for message in body["messages"]]
    assert roles == [("user", "assistant")[position % 2] for position in range(len(roles))]
    used: set[str] = set()
    waiting: set[str] = set()
    for message in body["messages"]:
        assert message["content"]
        results = {block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"}
        assert results == waiting
        kinds = [block["type"] == "tool_result" for block in message["content"]]
        assert kinds == sorted(kinds, reverse=True)
        waiting = {block["id"] for block in message["content"] if block["type"] == "tool_use"}
        assert not used & waiting
        used |= waiting
        for block in message["content"]:
            if block["type"] == "text":
                assert block["text"].strip()
            if block["type"] == "tool_use":
                assert re.fullmatch("[a-zA-Z0-9_-]+", block["id"])
                assert isinstance(block["input"], dict)
            if block["type"] == "thinking":
                assert block["signature"]
    assert not waiting
    thinking = body.get("thinking", {})
    if thinking.get("type") == "enabled":
        assert 1024 <= thinking["budget_tokens"] < body["max_tokens"]
        assert "temperature" not in body


@given(conversations)
def test_making_messages_legal_twice_changes_nothing_more(messages):
    once = legal_messages(messages)
    assert legal_messages(once) == once
