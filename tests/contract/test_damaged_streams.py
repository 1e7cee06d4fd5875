"""Scripted streams with bytes lost, doubled, changed and mixed: nothing raises, and pieces change nothing."""

from __future__ import annotations

import random

import pytest
from contract.playing import CUTS, PROTOCOLS, cases, chunked, play, script_of

from chatui.core.turn import Phase
from chatui.core.wire import Dialect
from chatui.protocols import load

DAMAGE = (
    b"null",
    b"{}",
    b"[]",
    b'""',
    b"-1",
    b"1e999",
    b"true",
    b'"\\ud83d"',
    b"\n\n",
    b"\r",
    b"\x00",
    b"\xff",
)
BODIES = {
    protocol: [
        body for case in cases(protocol) if (body := script_of(case["script"][0])[0]) and len(body) < 50_000
    ]
    for protocol in PROTOCOLS
}


def damaged(body: bytes, others: list[bytes], chance: random.Random) -> bytes:
    data = bytearray(body)
    for _ in range(chance.randint(1, 5)):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.randint(1, 60))
        match chance.randrange(5):
            case 0:
                del data[start:end]
            case 1:
                data[start:start] = data[start:end]
            case 2:
                other = chance.choice(others)
                at = chance.randrange(len(other))
                data[start:start] = other[at : at + 200]
            case 3:
                data[start:end] = chance.choice(DAMAGE)
            case _:
                del data[start:]
    return bytes(data)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_stream_gives_one_turn_whatever_its_pieces(protocol: str, seed: int) -> None:
    chance = random.Random(seed)
    found = load(PROTOCOLS[protocol])
    for _ in range(60):
        data = damaged(chance.choice(BODIES[protocol]), BODIES[protocol], chance)
        cut = chance.choice([None, *CUTS.values()])
        make = chance.choice([found.stream_decoder, found.body_decoder])
        turn = play(make(Dialect()), [data], cut)
        assert play(make(Dialect()), chunked(data, chance.choice([1, 7, 50])), cut) == turn
        assert turn.phase in {Phase.COMPLETED, Phase.FAILED}
        repr(turn).encode()
