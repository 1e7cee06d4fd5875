"""The quotes, list items and footnotes that are open, and where a leaf that begins now stands.

Guards: a line is matched against the open containers once, from the outside in; whether there is space
above a leaf depends only on what stands right before it, so a list that turns loose late changes nothing
above; a number is shown as it was written, unless the list counts by itself (`1. 1. 1.`).
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from chatui.markdown.blocks import Alert, Container, ListItem, Note, Path, Place, Quote, TaskState
from chatui.markdown.lines import advance, measure

INDENTED: Final = 4
"""Columns from which on white space means code."""
MOST_NESTED: Final = 200
"""Containers in each other; the sign of one more is text, as a line of such signs would cost its square."""


class _List(NamedTuple):
    ordinal: int
    kind: str
    """Its bullet, or what stands after its numbers."""
    shown: int
    """Number of its last item."""
    written: int
    """The same as it was written."""
    counts_itself: bool
    """A number was written twice in a row: what is written tells nothing."""
    depth: int

    def following(self, written: int) -> "_List":
        """The list with one more item."""
        counts_itself = self.counts_itself or written == self.written
        shown = self.shown + 1 if counts_itself else written
        return self._replace(shown=shown, written=written, counts_itself=counts_itself)


@dataclass(slots=True)
class Frame:
    """An open container and what its next child must know."""

    container: Container | None
    content_column: int = 0
    """Columns that a line must be indented by to belong to an item or a note."""
    has_content: bool = False
    has_leaf: bool = False
    """Something of it can be seen."""
    last_list: _List | None = None
    """The list that ended last here, if nothing came after it."""


@dataclass(slots=True)
class OpenContainers:
    """The stack of open containers; its first frame is the document."""

    frames: list[Frame] = field(default_factory=lambda: [Frame(None)])
    path: Path = ()
    had_blank: bool = False
    """A blank line stands between the last leaf and what comes next."""
    _previous: tuple[Path, int] = ((), 0)
    """Path of the last leaf, and where its top-level block starts."""
    _has_blocks: bool = False
    _before: tuple[tuple[Path, int], bool, bool] = (((), 0), False, False)
    """What was known before the last leaf was placed."""
    _ordinal: int = 0

    def match(self, line: str) -> tuple[str, int, int]:
        """How much of the line the open containers take: the rest, its column, and how many frames go on."""
        rest, column, matched = line, 0, 1
        for frame in self.frames[1:]:
            indent, body = measure(rest, column)
            if isinstance(frame.container, Quote):
                if indent >= INDENTED or not body.startswith(">"):
                    break
                rest, column = advance(body[1:], column + indent + 1, 1)
            elif not body:
                if not frame.has_content:
                    break
                rest, column = "", column + indent
            elif indent >= frame.content_column:
                rest, column = advance(rest, column, frame.content_column)
            else:
                break
            matched += 1
        return rest, column, matched

    def open_quote(self) -> None:
        """A quote begins."""
        self._ordinal += 1
        self._push(Quote(self._ordinal), 0)

    def name_quote(self, alert: Alert) -> None:
        """The quote that begins is an alert."""
        frame = self.frames[-1]
        if isinstance(frame.container, Quote):
            frame.container = Quote(frame.container.ordinal, alert)
            self.path = (*self.path[:-1], frame.container)

    def open_note(self, label: str) -> None:
        """A footnote begins."""
        self._ordinal += 1
        self._push(Note(self._ordinal, label), INDENTED)

    def open_item(self, kind: str, number: int | None, task: TaskState, width: int) -> None:
        """A list item begins; it goes on with the list before it if that is of the same kind."""
        self._ordinal += 1
        parent = self.frames[-1]
        known = parent.last_list
        if known is not None and known.kind == kind:
            listing = known.following(number or 0)
        else:
            depth = sum(isinstance(frame.container, ListItem) for frame in self.frames)
            listing = _List(self._ordinal, kind, number or 0, number or 0, False, depth)
        shown = None if number is None else listing.shown
        self._push(ListItem(self._ordinal, listing.ordinal, shown, listing.depth, task), width)
        parent.last_list = listing

    def _push(self, container: Container, content_column: int) -> None:
        self.frames[-1].has_content = True
        self.frames[-1].last_list = None
        self.frames.append(Frame(container, content_column))
        self.path = (*self.path, container)

    def pop(self) -> None:
        """The innermost container ends."""
        self.frames.pop()
        self.frames[-1].has_leaf = True
        self.path = self.path[:-1]

    def first_ended_by_blank(self, matched: int) -> int | None:
        """The first container that ends with an unmatched blank line: a quote, an item without content."""
        for index in range(matched, len(self.frames)):
            if isinstance(self.frames[index].container, Quote) or not self.frames[index].has_content:
                return index
        return None

    def following(self) -> Place:
        """The place of a leaf that goes on with the one before it."""
        return Place(path=self.path, shared=len(self.path), start=self._previous[1])

    def place(self, line_start: int) -> Place:
        """The place of a leaf that begins in a line that starts at `line_start`."""
        path, (previous, previous_start) = self.path, self._previous
        shared = 0
        for one, other in zip(path, previous, strict=False):
            if one is not other:
                break
            shared += 1
        is_sibling = False
        if shared < len(path) and shared < len(previous):
            match previous[shared], path[shared]:
                case ListItem() as before, ListItem() as after:
                    is_sibling = before.list_ordinal == after.list_ordinal
                case Note(), Note():
                    is_sibling = True
                case _:
                    pass
        is_local = is_sibling or (shared > 0 and not isinstance(path[shared - 1], Quote))
        is_same_root = self._has_blocks and (shared > 0 or (is_sibling and isinstance(path[0], ListItem)))
        frame = self.frames[-1]
        frame.has_content = frame.has_leaf = True
        frame.last_list = None
        self._before = (self._previous, self._has_blocks, self.had_blank)
        place = Place(
            path=path,
            shared=shared,
            has_gap=self._has_blocks and (self.had_blank if is_local else True),
            start=previous_start if is_same_root else line_start,
        )
        self._previous = (path, place.start)
        self._has_blocks, self.had_blank = True, False
        return place

    def take_back_place(self) -> None:
        """The leaf that was placed last turned out to show nothing."""
        self._previous, self._has_blocks, self.had_blank = self._before
        self.frames[-1].has_leaf = False
