"""Marks that are still open while text streams look as they will when they are closed; none flashes raw.

Guards: what is guessed is only shown, never kept, and costs no second reading: it is made of the nodes that
are there.
"""

import re
from collections.abc import Sequence
from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.markdown.addresses import scheme_before
from chatui.markdown.blocks import Spans
from chatui.markdown.formula_marks import judge, shown_formula
from chatui.markdown.formulas import mark_at
from chatui.markdown.inline_reader import InlineReader
from chatui.markdown.inline_state import InlineState
from chatui.markdown.marks import OpenMark
from chatui.markdown.nodes import Kind, Node, is_blank, joined, linked, paired, plain, spans_of
from chatui.markdown.ticks import code_text

_ADDRESS: Final = late_pattern(r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w.-]*)\Z")
_HALF_SCHEME: Final = late_pattern(r"<(?:h(?:t(?:t(?:ps?)?)?)?|m(?:a(?:i(?:l(?:to?)?)?)?)?|f(?:tp?)?)?\Z")
_HALF_ENTITY: Final = late_pattern(
    r"&(?:#[xX]?[0-9a-fA-F]{0,6}|a(?:mp?|p(?:os?)?)?|lt?|gt?|q(?:u(?:ot?)?)?|n(?:b(?:sp?)?|d(?:a(?:sh?)?)?)?"
    r"|m(?:d(?:a(?:sh?)?)?)?|h(?:e(?:l(?:l(?:ip?)?)?)?)?|c(?:o(?:py?)?)?|r(?:eg?|arr?)?)?\Z"
)
"""An entity that is being written."""
_HALF_BREAK: Final = late_pattern(r"<(?:b(?:r(?:[ \t]*/?)?)?)?\Z", re.IGNORECASE)
_STRONG_REACH: Final = 800
_WEAK_REACH: Final = 240
_MOST: Final = 12
"""More open marks than this are no writing."""
_AFTER_ADDRESS: Final = "?!.,:*_~')"


def shown_spans(reader: InlineReader, *, is_exact: bool = False) -> Spans:
    """Spans of what a reader has not settled yet, as they will most likely read in the end.

    Args:
        reader: Of a text that goes on.
        is_exact: Nothing is put off.
    """
    if is_exact and reader.waits_at >= 0 and reader.state.text[reader.waits_at] in "$\\":
        judge(reader.state, reader.waits_at)
    if len(reader.state.stack) > _MOST:
        return _flood(reader)
    has_blank = reader.waits_at >= 0 and reader.state.text[reader.waits_at] == "&"
    return spans_of(_shown_nodes(reader), is_stripped=not has_blank)


def _flood(reader: InlineReader) -> Spans:
    """So many marks are open that they are no writing: they are shown as they stand, each once."""
    state = reader.state
    count, known = state.flood
    added = [
        Node(Kind.TEXT, node.text * max(node.size, 1)) if node.kind is Kind.RUN else node
        for node in state.nodes[count:]
    ]
    state.flood = (len(state.nodes), joined(known, spans_of(added)))
    rest = Node(Kind.TEXT, state.text[state.text_start :])
    return joined(state.flood[1], spans_of([rest], is_stripped=True))


def _shown_nodes(reader: InlineReader) -> list[Node]:
    state = reader.state
    nodes, marks = state.nodes.copy(), state.stack.copy()
    text, waits_at = state.text, reader.waits_at
    stop = waits_at if waits_at >= 0 else len(text)
    if stop > state.text_start:
        nodes.append(Node(Kind.TEXT, text[state.text_start : stop]))
    if len(marks) > _MOST:
        return [*nodes, Node(Kind.TEXT, text[stop:])]
    if waits_at >= 0:
        _decide(state, waits_at, nodes, marks)
    _close(text[: stop + text.startswith(("`", "w"), stop)], nodes, marks)
    return nodes


def _decide(state: InlineState, at: int, nodes: list[Node], marks: list[OpenMark]) -> None:
    """Add what is undecided as if it were decided the likely way."""
    text = state.text
    tail = text[at:]
    match text[at]:
        case "`":
            inside = tail.lstrip("`").rstrip("`")
            if inside.strip():
                nodes.append(Node(Kind.CODE, code_text(inside)))
        case "<":
            if _HALF_SCHEME.match(tail) or _HALF_BREAK.match(tail):
                pass
            elif _ADDRESS.match(tail):
                nodes.append(Node(Kind.ADDRESS, tail[1:], tail[1:]))
            else:
                nodes.append(Node(Kind.TEXT, tail))
        case "&":
            if not _HALF_ENTITY.match(tail):
                nodes.append(Node(Kind.TEXT, tail))
        case ":" | "w":
            _add_address(state, at, nodes, marks)
        case "$" | "\\" if len(tail) > 1:
            if state.guess is not None:
                nodes.append(shown_formula(state.guess, tail))
            else:
                nodes += _aside(state, tail)
        case "@":
            nodes.append(Node(Kind.TEXT, tail))
        case "]":
            _close_bracket(text, at, nodes, marks)
        case _:
            pass


def _aside(state: InlineState, tail: str) -> list[Node]:
    """What is not likely a formula, read as running text, as it will be if it is none."""
    mark = mark_at(tail, 0)
    if len(tail) <= len(mark):
        return []
    if state.aside is None:
        state.aside = InlineReader(state.references)
    rest = tail[len(mark) + len(state.aside.rest) :]
    if state.references.can_guess(len(rest)):
        state.aside.feed(rest)
        rest = ""
    return [Node(Kind.TEXT, mark.lstrip("\\")), *paired(_shown_nodes(state.aside)), Node(Kind.TEXT, rest)]


def _add_address(state: InlineState, at: int, nodes: list[Node], marks: list[OpenMark]) -> None:
    """An address that may go on leads where it leads so far; a bracket that closes behind it is a link."""
    begin = at - len(scheme_before(state, at)) if state.text[at] == ":" else at
    if begin < at:
        before = nodes.pop().text[: begin - at]
        if before:
            nodes.append(Node(Kind.TEXT, before))
    tail = state.text[begin:]
    shut = tail.find("](") if any(mark.mark == "[" for mark in marks) else -1
    if shut >= 0:
        nodes.append(Node(Kind.TEXT, tail[:shut]))
        _close_bracket(state.text, begin + shut, nodes, marks)
        return
    address = tail.rstrip(_AFTER_ADDRESS)
    if begin + len(address) <= at + 3:
        nodes.append(Node(Kind.TEXT, tail))
        return
    nodes.append(Node(Kind.ADDRESS, address, address if begin < at else f"http://{address}"))
    if rest := tail[len(address) :].rstrip("*_~"):  # marks at the end close what is open
        nodes.append(Node(Kind.TEXT, rest))


def _close_bracket(text: str, at: int, nodes: list[Node], marks: list[OpenMark]) -> None:
    last = next(index for index in range(len(marks) - 1, -1, -1) if marks[index].mark == "[")
    is_likely = _is_likely_link(text[:at], nodes, marks, last)
    if at == len(text) - 1:
        # What follows decides whether this is a link: it goes on to look as it did while it was open.
        if not is_likely and not text.endswith("![]"):
            nodes.append(Node(Kind.TEXT, "]"))
            del marks[last]
    elif is_likely or text.startswith("(", at + 1):
        _wrap(nodes, marks[last].node)
        del marks[last:]
    else:
        nodes.append(Node(Kind.TEXT, text[at:]))
        del marks[last]


def _wrap(nodes: list[Node], begin: int) -> None:
    inside = nodes[begin + 1 :]
    if nodes[begin].text == "![":
        nodes[begin:] = [Node(Kind.IMAGE, plain(paired(inside)))]
    else:
        nodes[begin:] = linked(inside, "")


def _close(body: str, nodes: list[Node], marks: Sequence[OpenMark]) -> None:
    """Close what is open where it is likely; drop a mark that nothing follows yet."""
    is_closed = False
    for index in range(len(marks) - 1, -1, -1):
        mark = marks[index]
        if is_blank(nodes[mark.node + 1 :]):
            if not is_closed:
                left = nodes[mark.node].size - mark.size
                nodes[mark.node :] = [nodes[mark.node]._replace(size=left)] if left > 0 else []
        elif mark.mark == "[":
            if _is_likely_link(body, nodes, marks, index):
                _wrap(nodes, mark.node)
                is_closed = True
        elif _is_likely(body, mark):
            size = mark.size - mark.size % 2 if mark.mark == "~" else mark.size
            opener = nodes[mark.node]
            nodes.append(Node(Kind.RUN, mark.mark, size=size, can_close=True, closes=opener))
            is_closed = True


def _is_likely_link(body: str, nodes: Sequence[Node], open_marks: Sequence[OpenMark], index: int) -> bool:
    """Whether an open bracket begins a link or an image, not an index, a citation or a footnote."""
    at = open_marks[index].at
    if open_marks[index].is_dead or len(body) - at > _WEAK_REACH:
        return False
    inside = body[at + 1 :]
    if not inside.strip() or inside[0] == "^" or inside.isdigit():
        return False
    before = body[at - 1] if at else " "
    if before == "!":
        return True
    at_node = open_marks[index].node
    if at_node and nodes[at_node - 1].kind in (Kind.LINK_END, Kind.IMAGE):
        return True
    if before in "_)]" or (before.isalnum() and before.isascii()) or ("](" in inside and "![" not in inside):
        return False
    # A link holds no link: of several open brackets none is one, unless the others are images.
    links = [mark for mark in open_marks if mark.mark == "[" and body[mark.at - 1 : mark.at] != "!"]
    return len(links) == 1


def _is_likely(body: str, mark: OpenMark) -> bool:
    """A single star inside a word (`5*3`) is more often no mark, nor are two before a digit (`2**8`)."""
    size = len(body) - mark.at - mark.size
    before = body[mark.at - 1] if mark.at else " "
    if mark.size >= 2:
        after = body[mark.at + mark.size : mark.at + mark.size + 1]
        is_power = before.isalnum() and after.isascii() and after.isdigit()
        return size <= _STRONG_REACH and not is_power
    return size <= _WEAK_REACH and not before.isalnum()
