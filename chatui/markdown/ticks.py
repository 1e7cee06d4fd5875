"""Inline code: where the ticks close that have been opened.

Guards: the text behind open ticks is looked through once, whatever other ticks are in it.
Source: CommonMark 0.31.2 section 6.1.
"""

from collections import deque
from typing import Final

from chatui.markdown.inline_state import WAIT, InlineState
from chatui.markdown.nodes import Kind, Node

CODE_REACH: Final = 4000
"""How far inline code may reach; nothing after an open tick is settled before."""
_LONGEST_RUN: Final = 256


def read_ticks(state: InlineState, at: int, size: int, *, is_final: bool) -> int:
    """Read ticks that open code; returns where to go on, or WAIT."""
    begin = state.run_end(at, size, _LONGEST_RUN)
    if begin == size and begin - at < _LONGEST_RUN and not is_final:
        state.seen = begin
        return WAIT
    count, limit = begin - at, at + CODE_REACH
    closing = _closing(state, begin, count, limit, is_final=is_final)
    if closing >= 0:
        node = Node(Kind.CODE, code_text(state.text[begin:closing]))
        state.references.characters_read -= closing + count - begin  # counted as what is passed over
        return state.emit(node, at, closing + count)
    if closing == WAIT:
        state.seen = begin
        return WAIT
    return begin


def code_text(inside: str) -> str:
    """What is shown of inline code."""
    text = inside.replace("\n", " ")
    if text.startswith(" ") and text.endswith(" ") and text.strip(" "):
        return text[1:-1]
    return text


_NONE: Final = -2


def _closing(state: InlineState, begin: int, count: int, limit: int, *, is_final: bool) -> int:
    """Where `count` ticks close code that begins at `begin`; WAIT or _NONE if nowhere."""
    known = state.tick_runs.get(count)
    while known and known[0] < begin:
        known.popleft()
    if known:
        return known[0] if known[0] + count <= limit else _NONE
    text, position = state.text, max(state.ticks_seen, begin)
    size = min(len(text), limit)
    before = position
    answer = _NONE if is_final or len(text) >= limit else WAIT
    while position < size:
        start = text.find("`", position, size)
        if start < 0:
            position = size
            break
        stop = start + 1
        while stop < len(text) and text[stop] == "`":
            stop += 1
        if stop == len(text) and not is_final:
            position, answer = start, WAIT
            break
        position = stop
        if stop - start == count:
            answer = start if stop <= limit else _NONE
            break
        state.tick_runs.setdefault(stop - start, deque()).append(start)
    state.references.characters_read += position - before
    state.ticks_seen = position
    return answer
