"""Whatever way a person writes a base URL, one right address is asked, and a 404 says what to try."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.endpoint_url import (
    endpoint_url,
    is_loopback,
    likely_fix,
    normalise_base_url,
    origin_of,
    place_of,
)
from chatui.core.errors import ConfigError
from chatui.protocols import endpoints, protocol_of_url


@pytest.mark.parametrize(
    ("written", "base"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080//v1//", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1/v1", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1/chat/completions/", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1/v1/responses", "http://127.0.0.1:8080/v1"),
        ("https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1"),
        ("https://example.com/chat/completions", "https://example.com"),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"),
        ("https://open.bigmodel.cn/api/paas/v4/", "https://open.bigmodel.cn/api/paas/v4"),
        ("https://x.example/v1beta/openai/", "https://x.example/v1beta/openai"),
        ("https://x.example/v1?api-version=2", "https://x.example/v1?api-version=2"),
        ("https://x.example?k=v", "https://x.example/v1?k=v"),
        ("localhost:11434", "http://localhost:11434/v1"),
        ("127.0.0.1:1/v1", "http://127.0.0.1:1/v1"),
        ("[::1]:8080", "http://[::1]:8080/v1"),
        ("api.example.com", "https://api.example.com/v1"),
        ("  HTTPS://api.example.com/v1#top ", "https://api.example.com/v1"),
    ],
)
def test_a_base_url_is_understood_as_it_was_meant(written, base):
    assert normalise_base_url(written) == base


@pytest.mark.parametrize(
    "written", ["", "ftp://x/v1", "http://", "http://[x", "http://a b/", "http://x:port/", "file:///etc"]
)
def test_what_is_no_address_is_refused_in_one_line(written):
    with pytest.raises(ConfigError) as caught:
        normalise_base_url(written)
    assert "\n" not in caught.value.message


def test_a_password_in_the_address_is_refused_without_showing_it():
    with pytest.raises(ConfigError) as caught:
        normalise_base_url("https://me:hunter2@example.com/v1")
    assert "hunter2" not in caught.value.message + caught.value.hint


@pytest.mark.parametrize("path", ["/chat/completions", "/responses", "/messages", "/models"])
def test_a_query_is_kept_behind_the_endpoint(path):
    assert (
        endpoint_url("https://x.example/openai?api-version=1", path)
        == f"https://x.example/openai{path}?api-version=1"
    )


def test_an_endpoint_or_version_is_never_doubled():
    assert endpoint_url("http://h/v1/chat/completions", "/chat/completions") == "http://h/v1/chat/completions"
    assert endpoint_url("http://h/v1", "/v1/messages") == "http://h/v1/messages"
    assert endpoint_url("http://h/v1/", "models?limit=5") == "http://h/v1/models?limit=5"


pieces = st.sampled_from(
    ["", "/", "//", "/v1", "/v1/", "/api", "/v1beta/openai", "/chat/completions", "/responses", "/v4"]
)
bases = st.builds(
    lambda host, parts, query: f"http://{host}{''.join(parts)}{query}",
    st.sampled_from(["h", "h:1", "127.0.0.1:8080", "api.x.example"]),
    st.lists(pieces, max_size=4),
    st.sampled_from(["", "?a=b"]),
)


@given(bases, st.sampled_from(["/chat/completions", "/responses", "/messages"]))
def test_normalised_bases_give_one_clean_address(written, path):
    base = normalise_base_url(written)
    url = endpoint_url(base, path)
    assert endpoint_url(url, path) == url
    assert "//" not in url.partition("://")[2]
    assert "/v1/v1/" not in url
    assert url.partition("?")[0].endswith(path)
    assert ("?a=b" in url) == ("?a=b" in written)


def test_a_full_endpoint_tells_its_protocol():
    assert protocol_of_url("http://h/v1/messages") == "anthropic_messages"
    assert protocol_of_url("http://h/v1/responses/") == "responses"
    assert protocol_of_url("http://h/v1") is None


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://h/v1/v1/chat/completions", "use the base URL http://h/v1."),
        ("http://h/chat/completions", "try http://h/v1."),
        ("http://h/api/responses", "try http://h/api/v1."),
        ("http://h/v1/responses", "--protocol chat_completions or anthropic_messages"),
        ("http://h/v1/chat/completions", "`chatui models`"),
        ("http://h/v1/other", "base URL"),
    ],
)
def test_a_404_names_the_likely_fix(url, words):
    assert words in likely_fix(url, endpoints())


def test_a_place_is_shown_without_who_asks_and_what_for():
    assert place_of("https://user:secret@a.example:1/v1?key=x") == "a.example:1"
    assert place_of("http://[::1]:80/") == "[::1]:80"
    assert place_of("https://a.example") == "a.example"
    for none in ("", "a.example:1", "http://[x/", "http://a.example:port/"):
        assert not place_of(none)


def test_hosts_are_told_apart_with_scheme_and_port():
    assert origin_of("https://a.example/v1") == origin_of("https://A.example:443/x")
    assert origin_of("http://a.example/v1") != origin_of("https://a.example/v1")
    assert is_loopback("http://127.0.0.1:1/v1")
    assert is_loopback("http://localhost/")
    assert is_loopback("http://[::1]:1/")
    assert not is_loopback("http://127.0.0.1.evil.example/")
    assert not is_loopback("http://localhost.evil.example/")
