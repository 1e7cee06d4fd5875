"""Every scripted case, played straight through the decoders: what a client must conclude."""

from __future__ import annotations

import random

import pytest
from contract.playing import cases, result_of, turn_of_case
from contract.wire.compare import compare

ENGINE_ONLY = {"chat_to_stall_before_headers"}
"""Nothing ever reaches a decoder."""

ALL = [case for case in cases() if case["name"] not in ENGINE_ONLY]
SMALL = [
    case
    for case in ALL
    if not case["name"].split("_", 1)[1].startswith("size_") and case["script"][0].get("status", 200) < 300
]


@pytest.mark.parametrize("case", ALL, ids=lambda case: case["name"])
def test_a_scripted_response_gives_the_turn_a_client_must_conclude(case: dict) -> None:
    assert compare(case["expect"], result_of(turn_of_case(case))) == []


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case["name"])
def test_a_scripted_response_gives_the_same_turn_however_its_bytes_are_split(case: dict) -> None:
    whole = turn_of_case(case, size=1 << 30)
    for size in (1, 2, 7, random.Random(case["name"]).randrange(3, 300)):
        assert turn_of_case(case, size=size) == whole, size
