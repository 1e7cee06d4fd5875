"""What running text is made of before it is spans: words, code, and marks that may yet pair.

Guards: marks pair by CommonMark's own procedure, in time that is linear in their number; nothing is lost, a
mark that pairs with nothing is text. Source: CommonMark 0.31.2 appendix "process emphasis".
"""

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from chatui.markdown.blocks import (
    PLAIN_FACE,
    CodeText,
    Face,
    Image,
    LineBreak,
    Maths,
    NoteMark,
    Span,
    Spans,
    Text,
)


class Kind(Enum):
    """Of a node."""

    TEXT = "text"
    CODE = "code"
    IMAGE = "image"
    """`target` is where the picture is."""
    ADDRESS = "address"
    """A link that names itself."""
    FORMULA = "formula"
    """`target` is what stands between its marks; `size` is 1 if its end is still to come."""
    NOTE = "note"
    BREAK = "break"
    BRACKET = "bracket"
    """`[` or `![`: text, unless a link or a picture begins there."""
    RUN = "run"
    """`*`, `_` or `~~` that may open or close a face."""
    FACE = "face"
    """`text` is the mark whose face begins (`size` 1) or ends (-1)."""
    LINK = "link"
    """Everything up to LINK_END leads to `target`."""
    LINK_END = "link end"


class Node(NamedTuple):
    """A piece of running text."""

    kind: Kind
    text: str = ""
    target: str = ""
    size: int = 0
    """Marks in a run."""
    can_open: bool = False
    can_close: bool = False
    closes: "Node | None" = None
    """The run that a guess about what will come closes."""


BREAK: Final = Node(Kind.BREAK)
LINK_END: Final = Node(Kind.LINK_END)
_FACE_INDEX: Final = {"__": 0, "**": 0, "_": 1, "*": 1, "~~": 2}


class _Open:
    """A run while its marks pair."""

    __slots__ = ("at", "before", "behind", "left", "node")

    def __init__(self, node: Node, at: int) -> None:
        self.node = node
        self.at = at
        self.left = node.size
        self.before: list[Node] = []
        """Faces that end here."""
        self.behind: list[Node] = []
        """Faces that begin here."""


def paired(nodes: list[Node]) -> list[Node]:
    """The same nodes, with runs turned into faces and text."""
    runs = [_Open(node, at) for at, node in enumerate(nodes) if node.kind is Kind.RUN]
    if not runs:
        return nodes
    _pair(runs)
    out: list[Node] = []
    done = 0
    for run in runs:
        out += nodes[done : run.at]
        out += run.before
        if run.left and run.node.closes is None:
            out.append(Node(Kind.TEXT, run.node.text * run.left))
        out += reversed(run.behind)
        done = run.at + 1
    out += nodes[done:]
    return out


def _pair(runs: list[_Open]) -> None:
    active: list[_Open] = []
    bottoms: dict[tuple[str, bool, int], int] = {}
    """Below these no run opens what such a run closes."""
    for closer in runs:
        node = closer.node
        key = (node.text, node.can_open, node.size % 3)
        while node.can_close and closer.left:
            bottom = bottoms.get(key, 0)
            index = len(active) - 1
            while index >= bottom and not _fits(active[index].node, node):
                index -= 1
            if index < bottom:
                if node.closes is None:
                    bottoms[key] = len(active)
                break
            opener = active[index]
            size = 2 if opener.left >= 2 and closer.left >= 2 else 1
            if node.text == "~" and size < 2:
                break
            mark = node.text * size
            opener.behind.append(Node(Kind.FACE, mark, size=1))
            closer.before.append(Node(Kind.FACE, mark, size=-1))
            opener.left -= size
            closer.left -= size
            del active[index + 1 if opener.left else index :]
            if len(active) < max(bottoms.values(), default=0):
                bottoms = {known: min(at, len(active)) for known, at in bottoms.items()}
        if closer.left and node.can_open:
            active.append(closer)


def _fits(opener: Node, closer: Node) -> bool:
    """Whether one run opens what another closes, by the rule of three too."""
    if closer.closes is not None:
        return opener is closer.closes
    if opener.text != closer.text:
        return False
    if opener.text == "~" or not (closer.can_open or opener.can_close):
        return True
    return (opener.size + closer.size) % 3 != 0 or not (opener.size % 3 or closer.size % 3)


def plain(nodes: Sequence[Node]) -> str:
    """What is left of paired nodes without any marks: the description of a picture."""
    parts: list[str] = []
    for node in nodes:
        match node.kind:
            case Kind.BREAK:
                parts.append(" ")
            case Kind.NOTE:
                parts.append(f"[^{node.text}]")
            case Kind.FACE | Kind.LINK | Kind.LINK_END:
                pass
            case _:
                parts.append(node.text)
    return "".join(parts)


def is_blank(nodes: Sequence[Node]) -> bool:
    """Whether nothing of the nodes can be seen."""
    return all(
        node.kind is Kind.BREAK or (node.kind is Kind.TEXT and not node.text.strip()) for node in nodes
    )


def linked(nodes: list[Node], target: str) -> list[Node]:
    """The inside of brackets as a link; an address in it leads where the link leads."""
    inside = [Node(Kind.TEXT, node.text) if node.kind is Kind.ADDRESS else node for node in paired(nodes)]
    return [Node(Kind.LINK, target=target), *inside, LINK_END]


def spans_of(nodes: list[Node], *, is_stripped: bool = False) -> Spans:
    """Spans of nodes.

    Args:
        nodes: Of a whole piece.
        is_stripped: The text ends here: blanks and breaks at its end are not shown.
    """
    spans: list[Span] = []
    depths = [0, 0, 0]
    face = PLAIN_FACE
    targets = [""]
    words: list[str] = []
    for node in paired(nodes):
        kind = node.kind
        if kind is Kind.TEXT or kind is Kind.BRACKET:
            words.append(node.text)
            continue
        if words:
            _add(spans, words, face, targets[-1])
        match kind:
            case Kind.FACE:
                depths[_FACE_INDEX[node.text]] += node.size
                face = Face(*(depth > 0 for depth in depths)) if any(depths) else PLAIN_FACE
            case Kind.LINK:
                targets.append(node.target)
            case Kind.LINK_END:
                targets.pop()
            case Kind.CODE:
                spans.append(CodeText(node.text, face, targets[-1]))
            case Kind.IMAGE:
                spans.append(Image(node.text, node.target, face, targets[-1]))
            case Kind.ADDRESS:
                spans.append(Text(node.text, face, node.target))
            case Kind.FORMULA:
                spans.append(Maths(node.text, node.target, bool(node.size), face, targets[-1]))
            case Kind.NOTE:
                spans.append(NoteMark(node.text, face))
            case _:
                spans.append(LineBreak())
    if words:
        _add(spans, words, face, targets[-1])
    if is_stripped:
        _strip(spans)
    return tuple(spans)


def _add(spans: list[Span], words: list[str], face: Face, target: str) -> None:
    text = "".join(words)
    words.clear()
    last = spans[-1] if spans else None
    if isinstance(last, LineBreak):
        text = text.lstrip(" ")
    if isinstance(last, Text) and last.face == face and last.target == target == "":
        spans[-1] = Text(last.text + text, face)
    elif text:
        spans.append(Text(text, face, target))


def joined(before: Spans, after: Spans) -> Spans:
    """Spans one after the other; words that belong together are one span."""
    match before[-1:], after[:1]:
        case (Text(text=last, face=face, target=""),), (Text(text=first, face=other, target=""),) if (
            face == other
        ):
            return (*before[:-1], Text(last + first, face), *after[1:])
        case _:
            return (*before, *after)


def _strip(spans: list[Span]) -> None:
    while spans:
        last = spans.pop()
        if isinstance(last, LineBreak):
            continue
        if isinstance(last, Text) and not last.target:
            text = last.text.rstrip(" \t\n")
            if not text:
                continue
            last = Text(text, last.face, last.target)
        spans.append(last)
        return
