"""The turns of a transcript by place: all by name and size, those that were looked at last with their text.

Invariants: a turn is let go only after its source said that it can be read again; the one that runs, the
last ones and those that are laid out stay. Who reads a turn never sees whether it was in memory.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from chatui.core.turn import Phase, Turn, TurnId
from chatui.ui.turns.held_turns import MOST_HELD_BYTES, HeldTurns
from chatui.view.badge import Badge

if TYPE_CHECKING:
    from chatui.core.turn_outline import TurnOutline
    from chatui.ui.turns.turn_source import TurnSource
    from chatui.view.turn_view import TurnView

LET_GO_BYTES: Final = MOST_HELD_BYTES // 4
"""So much more goes at once than has to, so that the source is not asked for each turn."""
LATEST_HELD: Final = 100
"""The last turns stay in memory: the session has them anyway."""
READ_AROUND: Final = 24
"""So many turns before and after one that is read are read with it."""
READ_BYTES: Final = 200_000
"""Where turns are large, no more than so much is read beside the wanted one."""
FACTS_BYTES: Final = 500
"""Of what is stored of a turn, so much is no text."""
CHARACTERS_A_LINE: Final = 250
"""Where the text is not known."""


@dataclass(slots=True)
class Entry:
    """A turn and what is known of its look."""

    turn_id: TurnId
    size_bytes: int = 0
    """About what the turn takes of the memory."""
    characters: int = 0
    line_ends: int = 0
    turn: Turn | None = None
    """None while it is not in memory."""
    badge: Badge | None = None
    view: "TurnView | None" = None
    is_unfolded: bool = False
    shows_details: bool = False
    revision: int = 0
    """How often the turn was replaced."""

    def take(self, turn: Turn, badge: Badge) -> None:
        """Hold the turn as it is now."""
        self.turn = turn
        self.badge = badge

    def measure(self) -> None:
        """Know the size of the text that is held."""
        if self.turn is not None:
            prompt, text = self.turn.prompt, self.turn.text
            self.characters = len(prompt) + len(text)
            self.line_ends = prompt.count("\n") + text.count("\n")

    @property
    def is_running(self) -> bool:
        """The turn grows."""
        return self.turn is not None and self.turn.phase is Phase.RECEIVING


class TurnEntries:
    """Entries in order, by place and by name."""

    def __init__(self, source: "TurnSource | None" = None) -> None:
        self.source = source
        """Where turns are read again; None keeps all in memory."""
        self._entries: list[Entry] = []
        self._index_of: dict[TurnId, int] = {}
        self._held = HeldTurns()

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def __getitem__(self, index: int) -> Entry:
        return self._entries[index]

    def index_of(self, turn_id: TurnId) -> int | None:
        """Where a turn stands."""
        return self._index_of.get(turn_id)

    def holding(self, wanted: str) -> list[int]:
        """Turns that may show a folded text; none that does is left out."""
        from chatui.view.text_matches import source_pattern

        pattern = source_pattern(wanted)
        is_away = self.source is not None and any(entry.turn is None for entry in self._entries)
        stored = self.source.holding(wanted) if self.source is not None and is_away else ()
        found: list[int] = []
        for index, entry in enumerate(self._entries):
            turn = entry.turn
            if entry.turn_id in stored if turn is None else pattern.search(folded_source(turn)):
                found.append(index)
        return found

    # Content

    def show(self, turns: Sequence[tuple[Turn, Badge]]) -> None:
        """Hold other turns."""
        self._held.clear()
        self._entries = [self._entry(turn, badge) for turn, badge in turns]
        self._index_again()

    def add(self, turn: Turn, badge: Badge) -> Entry:
        """One more at the end."""
        self._let_go()
        entry = self._entry(turn, badge)
        self._index_of[turn.turn_id] = len(self._entries)
        self._entries.append(entry)
        return entry

    def prepend(self, outlines: "Sequence[TurnOutline]") -> list[Entry]:
        """More at the beginning, read when they are looked at."""
        entries = [_outlined(outline) for outline in outlines]
        self._entries = [*entries, *self._entries]
        self._index_again()
        return entries

    def use_sizes(self, sizes: Iterable[tuple[TurnId, int]]) -> Iterator[tuple[int, Entry]]:
        """Know better how much is stored of turns that are not in memory; tells those that changed."""
        for turn_id, size_bytes in sizes:
            index = self._index_of.get(turn_id)
            if index is not None and (entry := self._entries[index]).turn is None:
                entry.size_bytes = size_bytes
                entry.characters, entry.line_ends = _text_size(size_bytes)
                yield index, entry

    def drop(self, index: int) -> None:
        """Take a turn away."""
        self._held.let_go(self._entries.pop(index).turn_id)
        self._index_again()

    def replace(self, index: int, turn: Turn, badge: Badge) -> Entry:
        """A turn has changed."""
        entry = self._entries[index]
        if entry.turn is not turn:
            entry.revision += 1
            if turn.phase is not Phase.RECEIVING:
                entry.size_bytes = self._held.hold(turn)
        entry.take(turn, badge)
        return entry

    def present(self, index: int) -> tuple[Turn, Badge]:
        """A turn and its badge, read again if it is not in memory."""
        entry = self._entries[index]
        if entry.turn is None:
            self._let_go()
            self._read_around(index)
        assert entry.turn is not None
        assert entry.badge is not None
        self._held.use(entry.turn_id)
        return entry.turn, entry.badge

    # Memory

    def _entry(self, turn: Turn, badge: Badge) -> Entry:
        entry = Entry(turn.turn_id, turn=turn, badge=badge)
        entry.measure()
        if turn.phase is not Phase.RECEIVING:
            entry.size_bytes = self._held.hold(turn)
        return entry

    def _index_again(self) -> None:
        self._index_of = {entry.turn_id: index for index, entry in enumerate(self._entries)}

    def _read_around(self, index: int) -> None:
        assert self.source is not None, "an outline comes from a source"
        away = [self._entries[at] for at in self._page(index) if self._entries[at].turn is None]
        found = self.source.read([entry.turn_id for entry in away])
        for entry in away:
            entry.take(*found[entry.turn_id])
            entry.measure()
            entry.size_bytes = self._held.hold(found[entry.turn_id][0])

    def _page(self, index: int) -> range:
        """A turn with some before and after it."""
        first, stop, size = index, index + 1, 0
        while size < READ_BYTES and stop - first < 2 * READ_AROUND:
            reached = first, stop
            if first > 0:
                first -= 1
                size += self._entries[first].size_bytes
            if stop < len(self._entries):
                size += self._entries[stop].size_bytes
                stop += 1
            if reached == (first, stop):
                break
        return range(first, stop)

    def _let_go(self) -> None:
        """Let go of turns that were not used for long and can be read again."""
        excess = self._held.excess_bytes
        if self.source is None or excess <= 0:
            return
        stop = len(self._entries) - LATEST_HELD
        wanted: list[Entry] = []
        size = 0
        for turn_id, turn_size in self._held.oldest():
            index = self._index_of[turn_id]
            if index < stop and self._entries[index].view is None:
                wanted.append(self._entries[index])
                size += turn_size
                if size >= excess + LET_GO_BYTES:
                    break
        kept = self.source.kept([entry.turn_id for entry in wanted]) if wanted else ()
        for entry in wanted:
            self._held.let_go(entry.turn_id)  # one that is only here stays for good
            if entry.turn_id in kept:
                entry.turn = entry.badge = None


def folded_source(turn: Turn) -> str:
    """The text of a turn in one case."""
    return f"{turn.text}\n{turn.prompt}".casefold()


def _outlined(outline: "TurnOutline") -> Entry:
    size_bytes = outline.size_bytes
    return Entry(outline.turn_id, size_bytes, *_text_size(size_bytes))


def _text_size(size_bytes: int) -> tuple[int, int]:
    """About the characters and line ends of a turn of which so much is stored."""
    characters = max(0, size_bytes - FACTS_BYTES)
    return characters, characters // CHARACTERS_A_LINE
