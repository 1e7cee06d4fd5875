"""Turns in memory and turns known by name: whoever reads sees no difference, and memory has a limit."""

from collections.abc import Collection, Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st
from support.plain_turns import completed

from chatui.core.turn import Turn, TurnId
from chatui.core.turn_outline import TurnOutline
from chatui.ui.turns.held_turns import MOST_HELD_BYTES, turn_bytes
from chatui.ui.turns.turn_entries import LATEST_HELD, READ_BYTES, TurnEntries
from chatui.view.badge import Badge, turn_badge
from chatui.view.glyphs import UNICODE


class Kept:
    """A source with turns of these sizes; some of them cannot be read again."""

    def __init__(self, sizes: Sequence[int], lost: Collection[int] = ()) -> None:
        self.turns = [completed(f"t{n}", answer="x" * size) for n, size in enumerate(sizes)]
        self.lost = {TurnId(f"t{number}") for number in lost}
        self.reads = 0

    def read(self, turn_ids: Sequence[TurnId]) -> Mapping[TurnId, tuple[Turn, Badge]]:
        self.reads += 1
        known = {turn.turn_id: turn for turn in self.turns}
        return {name: (known[name], turn_badge(known[name], UNICODE)) for name in turn_ids}

    def kept(self, turn_ids: Collection[TurnId]) -> Collection[TurnId]:
        return {name for name in turn_ids if name not in self.lost}

    def holding(self, wanted: str) -> Collection[TurnId]:
        return {turn.turn_id for turn in self.turns if wanted in turn.text}

    def outlines(self) -> list[TurnOutline]:
        return [TurnOutline(turn.turn_id, None, turn_bytes(turn)) for turn in self.turns]


SIZES = st.lists(st.sampled_from([10, 1000, 40_000, 300_000]), min_size=1, max_size=300)


@given(SIZES, st.data())
def test_every_turn_is_read_as_it_was_saved_and_memory_keeps_its_limit(
    sizes: list[int], data: st.DataObject
) -> None:
    lost = data.draw(st.sets(st.integers(0, len(sizes) - 1), max_size=3))
    source = Kept(sizes, lost)
    entries = TurnEntries(source)
    entries.prepend(source.outlines())
    largest = max(turn_bytes(turn) for turn in source.turns)
    latest = sum(turn_bytes(turn) for turn in source.turns[-LATEST_HELD:])
    for _ in range(20):
        index = data.draw(st.integers(0, len(sizes) - 1))
        turn, _ = entries.present(index)
        assert turn == source.turns[index]
        held = {entry.turn_id: entry.turn for entry in entries if entry.turn is not None}
        size = sum(turn_bytes(found) for name, found in held.items() if name not in source.lost)
        assert size <= MOST_HELD_BYTES + latest + READ_BYTES + 3 * largest


def test_what_cannot_be_read_again_stays() -> None:
    source = Kept([40_000] * 300, lost=[3])
    entries = TurnEntries(source)
    entries.prepend(source.outlines())
    for index in range(300):
        entries.present(index)
    assert entries[3].turn is not None
    assert sum(entry.turn is not None for entry in entries) < 200
    assert source.reads < 100, "turns are read in pages"


def test_large_turns_are_read_with_few_others() -> None:
    source = Kept([300_000] * 50)
    entries = TurnEntries(source)
    entries.prepend(source.outlines())
    entries.present(25)
    assert sum(entry.turn is not None for entry in entries) <= 3
