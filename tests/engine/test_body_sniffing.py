"""What a body is, from what it says and how it begins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.engine.body_sniffing import BodyKind, sniff

SSE, JSON = "text/event-stream; charset=utf-8", "application/json"


@pytest.mark.parametrize(
    ("content_type", "start", "kind"),
    [
        (SSE, b"data: {}", BodyKind.EVENT_STREAM),
        (SSE, b": comment", BodyKind.EVENT_STREAM),
        (SSE, b"anything", BodyKind.EVENT_STREAM),
        (SSE, b'{"id":1}', BodyKind.JSON),
        (SSE, b"<html>", BodyKind.HTML),
        (JSON, b"data: {}", BodyKind.EVENT_STREAM),
        (JSON, b"event: x", BodyKind.EVENT_STREAM),
        (JSON, b'\xef\xbb\xbf \r\n{"id":1}', BodyKind.JSON),
        (JSON, b"[{}]", BodyKind.JSON),
        (JSON, b"null", BodyKind.JSON),
        (JSON, b'"x"', BodyKind.JSON),
        ("application/problem+json", b"12", BodyKind.JSON),
        ("", b"data:{}", BodyKind.EVENT_STREAM),
        ("text/plain", b"id: 3\n", BodyKind.EVENT_STREAM),
        ("text/html", b"event: x", BodyKind.EVENT_STREAM),
        ("text/html", b"<!DOCTYPE html>", BodyKind.HTML),
        ("text/plain", b"Bad Gateway", BodyKind.OTHER),
        ("text/plain", b"null", BodyKind.OTHER),
        ("application/octet-stream", b"\x1f\x8b\x08", BodyKind.OTHER),
    ],
)
def test_the_first_bytes_decide_and_the_content_type_where_they_do_not(
    content_type: str, start: bytes, kind: BodyKind
) -> None:
    assert sniff(content_type, start, is_whole=False) is kind


@pytest.mark.parametrize("start", [b"", b"\xef", b"\n\n", b"d", b"dat", b"even", b"r"])
def test_more_is_awaited_while_it_may_be_either(start: bytes) -> None:
    assert sniff("text/plain", start, is_whole=False) is None


@pytest.mark.parametrize("content_type", ["", JSON, SSE])
def test_nothing_at_all_is_empty(content_type: str) -> None:
    assert sniff(content_type, b"", is_whole=True) is BodyKind.EMPTY


@given(st.sampled_from([SSE, JSON, "", "text/html"]), st.binary(max_size=30))
def test_a_whole_body_is_always_something(content_type: str, body: bytes) -> None:
    assert sniff(content_type, body, is_whole=True) is not None
