"""Schemas come from MCP servers: whatever one says ends in words, and never stops chatui."""

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.errors import ConfigError
from chatui.tools import schema as schema_module
from chatui.tools.schema import ArgumentSchema


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ({"properties": {"a": {"$ref": "#/nowhere"}}}, {"a": 1}),
        ({"properties": {"a": {"$dynamicRef": "#nowhere"}}}, {"a": 1}),
        ({"properties": {"a": {"$id": "http://[", "$ref": "#/x"}}}, {"a": 1}),
        ({"properties": {"a": {"multipleOf": 0.01}}}, {"a": 10**400}),
        ({"$ref": "#"}, {}),
    ],
)
def test_a_schema_that_only_a_call_shows_to_be_broken_refuses_the_call(
    schema: dict[str, object], arguments: dict[str, object]
) -> None:
    assert "cannot be checked" in ArgumentSchema(schema, "a tool").problem_with(arguments)


@pytest.mark.parametrize("name", [[], {}, 5, None, "http://["])
def test_a_schema_of_no_known_kind_is_told(name: object) -> None:
    with pytest.raises(ConfigError, match="no valid schema"):
        ArgumentSchema({"$schema": name}, "a tool")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer that interrupts")
def test_an_expression_that_takes_for_ever_on_what_a_model_wrote_refuses_the_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(schema_module, "CHECK_S", 0.05)
    schema = ArgumentSchema({"properties": {"a": {"pattern": "^(a+)+$"}}}, "a tool")
    handler = signal.getsignal(signal.SIGALRM)
    assert "TookTooLong" in schema.problem_with({"a": "a" * 60 + "!"})
    assert schema.problem_with({"a": "aaa"}) == ""
    assert signal.getsignal(signal.SIGALRM) is handler


NAMES = [
    "$id", "$ref", "$schema", "$defs", "$anchor", "$dynamicRef", "properties", "type", "pattern", "enum", "items",
    "required", "multipleOf", "id", "allOf", "not", "format", "a",
]  # fmt: skip
WORDS = ["#", "#/a", "#x", "http://[", "::", "string", "(", "", "http://json-schema.org/draft-04/schema#"]
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(NAMES), ANY, max_size=4))
def test_whatever_a_schema_says_it_is_refused_or_answers_in_words(schema: dict[str, object]) -> None:
    try:
        made = ArgumentSchema(schema, "a tool")
    except ConfigError:
        return
    assert isinstance(made.problem_with({"a": 1}), str)
