"""Protocols are found by name, and each is whole."""

import pytest

from chatui.core.errors import ConfigError
from chatui.core.wire import Dialect
from chatui.protocols import load, names


@pytest.mark.parametrize("name", names())
def test_a_protocol_is_found_by_the_name_of_its_folder_and_can_do_everything(name: str) -> None:
    protocol = load(name)
    assert protocol.name == name
    assert protocol.path.startswith("/")
    assert protocol.http_failure(500, {}, b"").http_status == 500
    for make in (protocol.stream_decoder, protocol.body_decoder):
        decoder = make(Dialect())
        assert decoder.feed(b"") == []
        assert len(decoder.close()) == 1


def test_there_are_the_three_protocols_of_the_field() -> None:
    assert {"anthropic_messages", "chat_completions", "responses"} <= set(names())


def test_an_unknown_protocol_is_named_with_those_there_are() -> None:
    with pytest.raises(ConfigError) as caught:
        load("../secrets")
    assert "responses" in caught.value.hint


@pytest.mark.parametrize("name", names())
def test_a_key_is_in_the_headers_only_if_there_is_one(name: str) -> None:
    assert any("secret" in value for value in load(name).headers("secret").values())
    assert not any("None" in value for value in load(name).headers(None).values())
    assert "authorization" not in load(name).headers(None)
