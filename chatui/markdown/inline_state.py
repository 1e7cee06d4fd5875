"""What reading running text keeps between two characters.

Guards: text that has become a node is never looked at again; what has been looked at ahead is remembered, so
that it is not looked at twice while more text is awaited.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from chatui.markdown.blocks import Spans
from chatui.markdown.marks import OpenMark
from chatui.markdown.nodes import Kind, Node
from chatui.markdown.references import References
from chatui.markdown.targets import Target

if TYPE_CHECKING:
    from chatui.markdown.formula_marks import Telling
    from chatui.markdown.inline_reader import InlineReader

WAIT: Final = -1
"""More text decides."""


@dataclass(slots=True)
class InlineState:
    """Text, the nodes made of it, and what waits."""

    references: References
    text: str = ""
    nodes: list[Node] = field(default_factory=list)
    """Of the piece that is being read."""
    flood: tuple[int, Spans] = (0, ())
    """How many of the nodes are in these spans, when so many marks are open that none is guessed at."""
    text_start: int = 0
    """Text from here on is no node yet."""
    stack: list[OpenMark] = field(default_factory=list)
    misses: set[str] = field(default_factory=set)
    """Labels that the piece looked up in vain."""
    seen: int = 0
    """How far the mark that waits has been looked ahead; 0 if none does."""
    target: Target | None = None
    """The target of the bracket that waits."""
    guess: Node | None = None
    """What the formula that waits will be."""
    formulas_in_vain: int = 0
    """What was spent on marks that open no formula, in characters; it depends on the text alone."""
    judged: int = 0
    """What could close it before this does not."""
    telling: "deque[Telling]" = field(default_factory=deque)
    """What was seen ahead that closes a formula or rules it out."""
    telling_seen: int = 0
    """How far was looked ahead for that."""
    aside: "InlineReader | None" = None
    """Reads what follows a mark that would open a formula, which it is not likely to be."""
    tick_runs: dict[int, deque[int]] = field(default_factory=dict)
    """Where runs of ticks of each length were seen ahead."""
    ticks_seen: int = 0
    """How far was looked ahead for ticks."""
    no_address_before: int = 0
    """Addresses that would begin before this were found to be none."""
    looked_in_vain: int = 0
    """Characters after brackets that turned out to be no target."""
    offset: int = 0
    """Characters that were dropped."""

    def flush(self, stop: int) -> None:
        """Make a node of the text before `stop`."""
        if stop > self.text_start:
            self.nodes.append(Node(Kind.TEXT, self.text[self.text_start : stop]))
            self.text_start = stop

    def emit(self, node: Node, start: int, stop: int) -> int:
        """Make a node of `start` to `stop`; returns `stop`."""
        self.flush(start)
        self.nodes.append(node)
        self.text_start = stop
        return stop

    def look(self, begin: int, stop: int) -> None:
        """Look ahead up to `stop` from `begin` or from where it was looked already."""
        self.references.characters_read += max(stop - max(begin, self.seen), 0)
        self.seen = max(stop, self.seen)

    def take_looked(self, node: Node, start: int, looked: int, stop: int) -> int:
        """Make a node of `start` to `stop` of text that was looked at from `looked` on.

        What is passed over is not read again, and is counted by the reader that passes over it.
        """
        self.references.characters_read -= max(min(self.seen, stop) - looked, 0)
        return self.emit(node, start, stop)

    def run_end(self, at: int, size: int, most: int) -> int:
        """Where the run of equal characters that begins at `at` ends, as far as it has come."""
        mark = self.text[at]
        stop = max(at + 1, self.seen)
        size = min(size, at + most)
        while stop < size and self.text[stop] == mark:
            stop += 1
        return stop

    def forget_waiting(self) -> None:
        """What waited is decided."""
        self.seen, self.judged = 0, 0
        self.target = self.guess = self.aside = None

    def forget(self, gone: int) -> None:
        """Drop the beginning of the text."""
        self.text = self.text[gone:]
        self.offset += gone
        self.text_start -= gone
        self.seen = max(self.seen - gone, 0)
        self.judged = max(self.judged - gone, 0)
        self.ticks_seen = max(self.ticks_seen - gone, 0)
        self.telling_seen = max(self.telling_seen - gone, 0)
        self.telling = deque(known._replace(at=known.at - gone) for known in self.telling if known.at >= gone)
        self.no_address_before = max(self.no_address_before - gone, 0)
        self.stack = [mark._replace(at=mark.at - gone) for mark in self.stack]
        self.tick_runs = {
            size: deque(at - gone for at in known if at >= gone) for size, known in self.tick_runs.items()
        }
