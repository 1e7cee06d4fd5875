import json
from dataclasses import replace

import pytest
from hypothesis import given
from support.plain_turns import completed
from support.turn_samples import TURNS

from chatui.core.events import Usage
from chatui.core.messages import TextPart
from chatui.core.turn import Choice, Phase, Turn, TurnId
from chatui.history.codec import PART_TYPES, CodecError, decode_turn, dump, encode_turn, parse


def round_trip(turn: Turn) -> Turn:
    return decode_turn(parse(dump(encode_turn(turn))))


@given(TURNS)
def test_every_turn_comes_back_equal(turn: Turn) -> None:
    assert round_trip(turn) == turn


@given(TURNS)
def test_what_is_stored_can_be_stored_in_sqlite(turn: Turn) -> None:
    stored = dump(encode_turn(turn))
    assert isinstance(stored, bytes) or stored.encode()


def test_a_surrogate_pair_that_came_in_two_deltas_is_not_joined() -> None:
    turn = Turn(turn_id=TurnId("t"), choices=(Choice(0, (TextPart("\ud83d" + "\ude00"),)),))
    assert len(round_trip(turn).text) == 2


def test_unknown_usage_zero_and_no_usage_stay_apart() -> None:
    for usage in (None, Usage(), Usage(0), Usage(0, 0, 0, 0, 0)):
        turn = Turn(turn_id=TurnId("t"), usage=usage)
        assert round_trip(turn).usage == usage
        assert (round_trip(turn).usage is None) == (usage is None)


def test_members_of_a_later_version_are_ignored() -> None:
    encoded = encode_turn(completed("t"))
    encoded["colour"] = "green"
    encoded["choices"][0]["parts"][0]["mood"] = 3
    assert decode_turn(encoded) == completed("t")


def test_every_kind_of_part_has_a_name() -> None:
    from typing import get_args

    from chatui.core.messages import Part

    assert set(PART_TYPES.values()) == set(get_args(Part))


@pytest.mark.parametrize(
    "stored",
    [
        "",
        "{",
        "[]",
        "3",
        "{}",
        '{"turn_id": 3}',
        '{"turn_id": "t", "phase": "unheard of"}',
        '{"turn_id": "t", "input": {}}',
        '{"turn_id": "t", "choices": [{"index": 0, "parts": [{"type": "smell"}]}]}',
        '{"turn_id": "t", "choices": [{"index": 0, "parts": [{"type": "text", "text": 3}]}]}',
        '{"turn_id": "t", "usage": []}',
        "[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_damage_is_named_and_never_another_error(stored: str | bytes) -> None:
    with pytest.raises(CodecError):
        decode_turn(parse(stored))


def test_the_stored_form_is_readable_json() -> None:
    stored = dump(encode_turn(completed("t", answer="Grüße 中文")))
    assert isinstance(stored, str)
    assert "Grüße 中文" in stored
    assert json.loads(stored)["phase"] == Phase.COMPLETED


def test_what_many_turns_have_is_in_memory_once() -> None:
    system = "You are terse. " * 200
    first, second = (
        round_trip(replace(completed(name, parent=parent), system=system))
        for name, parent in (("a", None), ("b", "a"))
    )
    assert first.system == system
    assert first.system is second.system
    assert first.model is second.model
    assert first.turn_id is second.parent_id
