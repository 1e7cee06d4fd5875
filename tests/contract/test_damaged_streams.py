"""Scripted streams with bytes lost, doubled, changed and mixed: nothing raises, and pieces change nothing."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import pytest
from contract.playing import CUTS, PROTOCOLS, cases, chunked, play, script_of

from chatui.cli.turn_json import turn_json
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


ODD = (
    None, True, False, 0, -1, 2**64, 1e300, float("nan"), "", "null", "stop", "error", "\ud83d", "<think>",
    [], {}, [None], [{}], {"text": "x"}, {"message": "x"}, {"error": {}}, [{"type": "text", "text": "x"}],
)  # fmt: skip


def nested(levels: int, chance: random.Random) -> object:
    value: object = "x"
    name = chance.choice(["error", "text", "content", "arguments"])
    for _ in range(levels):
        value = [value] if chance.random() < 0.5 else {name: value}
    return value


def places(value: object) -> Iterator[tuple[object, object]]:
    """Every holder in a JSON value, with the name or place of what it holds."""
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for place, inner in entries:
        yield value, place
        yield from places(inner)


def with_other_types(body: bytes, chance: random.Random) -> bytes:
    """Some values of some events are of another type than they should be."""
    lines = body.decode("utf-8", "replace").split("\n")
    for at in chance.sample(range(len(lines)), k=min(len(lines), 4)):
        field, colon, said = lines[at].partition(": ")
        try:
            value = json.loads(said)
        except ValueError:
            continue
        found = list(places(value))
        if field == "data" and found:
            holder, place = chance.choice(found)
            odd = (
                nested(chance.choice([20, 120, 400]), chance) if chance.random() < 0.1 else chance.choice(ODD)
            )
            holder[place] = odd  # type: ignore[index] # it was found there
            # Repeated, so that it is learned as well.
            lines[at] = "\n\n".join([field + colon + json.dumps(value)] * chance.choice([1, 1, 9]))
    return "\n".join(lines).encode()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_values_of_any_type_anywhere_give_one_turn_whatever_its_pieces(protocol: str) -> None:
    chance = random.Random(protocol)
    found = load(PROTOCOLS[protocol])
    for _ in range(250):
        data = with_other_types(chance.choice(BODIES[protocol]), chance)
        cut = chance.choice([None, *CUTS.values()])
        make = chance.choice([found.stream_decoder, found.body_decoder])
        turn = play(make(Dialect()), [data], cut)
        # Counted numbers that are none differ from themselves.
        assert repr(play(make(Dialect()), chunked(data, 300), cut)) == repr(turn)
        assert turn.phase in {Phase.COMPLETED, Phase.FAILED}
        json.loads(turn_json(turn, None).encode())
