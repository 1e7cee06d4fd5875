"""Errors in every shape: inside a stream, as a body, as an HTTP response."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.error_shapes import find_error
from chatui.core.errors import FailureReason
from chatui.core.http_failure import http_failure
from chatui.core.redact import MASK, is_secret_header, redact, redact_headers
from chatui.core.retry_after import retry_after_s

junk = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    "error",
                    "message",
                    "code",
                    "type",
                    "detail",
                    "errors",
                    "base_resp",
                    "status_code",
                    "msg",
                    "loc",
                    "object",
                ]
            ),
            inner,
            max_size=4,
        ),
    ),
)


@pytest.mark.parametrize(
    ("value", "message", "code"),
    [
        ({"error": {"message": "m", "type": "t", "code": "c"}}, "m", "c"),
        ({"error": {"message": "m", "code": 502, "type": "server_error"}}, "m", "server_error"),
        ({"error": "plain"}, "plain", ""),
        ({"error": ["a", {"message": "b"}]}, "a; b", ""),
        ({"error": True, "message": "m"}, "m", ""),
        ({"error": {"error": {"message": "inner"}}}, "inner", ""),
        ({"type": "error", "message": "flat", "code": "late"}, "flat", "late"),
        (
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
            "Overloaded",
            "overloaded_error",
        ),
        ({"object": "error", "message": "vllm", "code": 400}, "vllm", "400"),
        (
            {"choices": None, "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}},
            "insufficient balance",
            "1008",
        ),
        ({"detail": "Not Found"}, "Not Found", ""),
        (
            {"detail": [{"loc": ["body", "messages"], "msg": "Field required"}]},
            "Field required (body.messages)",
            "",
        ),
        ({"success": False, "errors": [{"code": 7003, "message": "no route"}]}, "no route", ""),
        ({"error_code": 17, "error_msg": "daily limit"}, "daily limit", "17"),
        ({"error": {"errors": [{"message": "inner"}], "code": 400}}, "inner", "400"),
        ({"throttlingException": {"message": "slow down"}}, "slow down", "throttlingException"),
        ({"message": "Endpoint request timed out"}, "Endpoint request timed out", ""),
        ({"code": "Throttling", "message": "slow down", "request_id": "r"}, "slow down", "Throttling"),
    ],
)
def test_an_error_is_found_in_whatever_shape_it_comes(value: object, message: str, code: str) -> None:
    found = find_error(value)
    assert found is not None
    assert (found.message, found.code) == (message, code)


@pytest.mark.parametrize(
    "value",
    [
        {"error": None, "choices": []},
        {"error": {}},
        {"error": ""},
        {"moderation": {"output": {"type": "error", "message": "skipped"}}},
        {"base_resp": {"status_code": 0, "status_msg": ""}},
        {},
        [],
        None,
    ],
)
def test_what_is_no_error_is_not_taken_for_one(value: object) -> None:
    assert find_error(value) is None


def test_beside_an_answer_a_message_is_no_error() -> None:
    assert find_error({"message": "hello", "code": 1}, is_lone=False) is None


@given(value=junk)
def test_no_value_makes_the_search_for_an_error_fail(value: object) -> None:
    find_error(value)
    http_failure(500, {}, json.dumps(value).encode())


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (
            401,
            b'{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}',
            ["401", "Incorrect API key"],
        ),
        (404, b"404 page not found\n", ["404", "page not found"]),
        (404, b"", ["404", "Not Found"]),
        (502, b"<html><head><title>502 Bad Gateway</title></head></html>", ["502", "web page"]),
        (413, b"<html><h1>413 Request Entity Too Large</h1>", ["413", "Too Large"]),
        (400, b'data: {"error":{"message":"bad parameter"}}\n\n', ["400", "bad parameter"]),
        (400, b'{"type":"error","error":{"type":"invalid_request_error","mess', ["400"]),
        (422, b'{"detail":[{"msg":"Field required","loc":["body"]}]}', ["422", "Field required"]),
        (
            400,
            b'[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT"}}]',
            ["API key not valid"],
        ),
        (500, b"\xff\xfe\x00", ["500"]),
        (
            529,
            b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
            ["529", "Overloaded"],
        ),
        (
            502,
            b'{"error":{"message":"Provider returned error","metadata":{"raw":"upstream said no"}}}',
            ["upstream said no"],
        ),
    ],
)
def test_an_error_response_is_told_with_its_status_and_the_servers_words(
    status: int, body: bytes, words: list[str]
) -> None:
    failure = http_failure(status, {}, body)
    assert failure.reason is FailureReason.HTTP
    assert failure.http_status == status
    assert all(word in failure.message for word in words), failure.message


@pytest.mark.parametrize(
    ("status", "body", "is_retryable"),
    [
        (429, b'{"error":{"message":"Rate limit reached"}}', True),
        (429, b'{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}', False),
        (429, b'{"error":{"message":"credit balance is too low"}}', False),
        (500, b"", True),
        (503, b'{"error":{"message":"Loading model"}}', True),
        (529, b"", True),
        (408, b"", True),
        (400, b"", False),
        (401, b"", False),
        (403, b"", False),
        (501, b"", False),
        (500, b'{"error":{"message":"maximum context length is 4096 tokens"}}', False),
    ],
)
def test_only_what_waiting_may_cure_is_retried(status: int, body: bytes, is_retryable: bool) -> None:
    assert http_failure(status, {}, body).is_retryable is is_retryable


@pytest.mark.parametrize(
    "body",
    [
        b'{"error":{"message":"m","code":"context_length_exceeded"}}',
        b'{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum","type":"invalid_request_error"}}',
        b'{"error":{"code":400,"message":"request (9031 tokens) exceeds the available context size","type":"exceed_context_size_error"}}',
    ],
)
def test_a_conversation_too_long_is_recognised(body: bytes) -> None:
    failure = http_failure(400, {}, body)
    assert failure.is_context_too_long
    assert "too long" in failure.hint


def test_request_id_and_wait_are_read_from_the_headers() -> None:
    failure = http_failure(429, {"x-request-id": "req_1", "retry-after": "7"}, b"")
    assert (failure.request_id, failure.retry_after_s) == ("req_1", 7.0)
    body = b'{"type":"error","error":{"message":"m"},"request_id":"req_2"}'
    assert http_failure(500, {}, body).request_id == "req_2"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "7, 7"}, 7.0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:10 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 10.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:27:00 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 99 Foo 2026 07:28:10 GMT"}, None),
        ({"retry-after": "99999999999"}, 86400.0),
    ],
)
def test_the_wait_is_read_as_seconds_or_date_and_never_negative(
    headers: dict[str, str], seconds: float
) -> None:
    assert retry_after_s(headers) == seconds


def test_an_error_that_echoes_the_key_does_not_show_it() -> None:
    body = b'{"error":{"message":"Incorrect API key provided: sk-proj-abcdefghijklmnop"}}'
    assert "abcdefghijklmnop" not in http_failure(401, {}, body).message


@pytest.mark.parametrize(
    "text",
    [
        "Bearer abcdef123456789",
        "api_key=abcdef123456789",
        '"api-key": "abcdef123456789"',
        "sk-ant-api03-abcdef123456789",
        "gsk_abcdef123456789",
        "https://user:abcdef123456789@host/v1",
        "AIzaSyabcdef123456789abcdef123456789abcdef",
        "eyJhbGciOiJIUzI1NiJ9.abcdef123456789.abcdef123456789",
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str) -> None:
    masked = redact(f"before {text} after")
    assert "abcdef123456789" not in masked
    assert MASK in masked
    assert masked.startswith("before ")
    assert redact(masked) == masked


@given(text=st.text(max_size=60), secret=st.text("abcdefgh0123", min_size=6, max_size=20))
def test_a_known_key_never_survives(text: str, secret: str) -> None:
    assert secret not in redact(f"{text}{secret}{text}", [secret])


def test_ordinary_words_are_left_alone() -> None:
    text = "The task-runner reads token limits and asks for a basic plan; see https://example.org/a@b"
    assert redact(text) == text


def test_headers_that_may_hold_a_credential_are_masked() -> None:
    headers = {
        "Authorization": "Bearer x",
        "x-api-key": "k",
        "Content-Type": "text/plain",
        "x-custom-token": "t",
    }
    assert redact_headers(headers) == {
        "Authorization": MASK,
        "x-api-key": MASK,
        "Content-Type": "text/plain",
        "x-custom-token": MASK,
    }
    assert not is_secret_header("x-ratelimit-remaining-tokens")
