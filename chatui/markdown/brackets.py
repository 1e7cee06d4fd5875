"""Brackets: links, pictures, references and footnotes.

Guards: what a bracket is, is decided when it closes, from the text alone and from what was defined before;
a link holds no link. Source: CommonMark 0.31.2 section 6.3 and its appendix.
"""

import re
from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.markdown.addresses import safe_target
from chatui.markdown.inline_state import WAIT, InlineState
from chatui.markdown.marks import OpenMark
from chatui.markdown.nodes import Kind, Node, linked, paired, plain
from chatui.markdown.targets import TARGET_REACH, Answer, Target

_LABEL: Final = late_pattern(r"(?:[^\[\]\\]+|\\.)*", re.DOTALL)
_LONGEST_LABEL: Final = 999
_NOTE_LABEL: Final = late_pattern(r"\^[^\s\[]+\Z")
_FREE: Final = 512
"""Characters that may be looked at in vain for a target, in addition to a share of the text."""


def open_bracket(state: InlineState, at: int) -> int:
    """Read `[` or `![`."""
    is_image = at > state.text_start and state.text[at - 1] == "!"
    start = at - 1 if is_image else at
    stop = state.emit(Node(Kind.BRACKET, "![" if is_image else "["), start, at + 1)
    state.stack.append(OpenMark("[", at, 1, len(state.nodes) - 1))
    return stop


def close_bracket(state: InlineState, at: int, size: int, *, is_final: bool) -> int:
    """Read `]` and what belongs to it; returns where to go on, or WAIT."""
    stack = state.stack
    index = len(stack) - 1
    while index >= 0 and stack[index].mark != "[":
        index -= 1
    if index < 0:
        return at + 1
    if stack[index].is_dead:
        del stack[index]
        return at + 1
    if at + 1 >= size and not is_final:
        return WAIT
    if _is_note(state, index, at):
        return at + 1
    if state.text.startswith("(", at + 1):
        stop = _with_target(state, index, at, size, is_final=is_final)
        if stop:
            return stop
    return _with_label(state, index, at, size, is_final=is_final)


def wrap(state: InlineState, index: int, at: int, target: str) -> None:
    """Make a link or a picture of everything after a bracket."""
    stack, nodes = state.stack, state.nodes
    begin = stack[index].node
    state.flood = (0, ())
    state.flush(at)
    inside = nodes[begin + 1 :]
    if nodes[begin].text == "![":
        nodes[begin:] = [Node(Kind.IMAGE, plain(paired(inside)), target)]
    else:
        nodes[begin:] = linked(inside, target)
        for number in range(index - 1, -1, -1):
            known = stack[number]
            if known.is_dead:
                break  # and so is everything around it
            if known.mark == "[" and nodes[known.node].text == "[":
                stack[number] = known._replace(is_dead=True)
    del stack[index:]


def _is_note(state: InlineState, index: int, at: int) -> bool:
    mark = state.stack[index]
    text = state.text
    if not text.startswith("^", mark.at + 1) or at - mark.at > _LONGEST_LABEL:
        return False
    inside = text[mark.at + 1 : at]
    if not _NOTE_LABEL.match(inside) or not state.references.has_note(inside[1:], state.misses):
        return False
    opening = state.nodes[mark.node].text
    state.flood = (0, ())
    del state.nodes[mark.node :]
    if opening == "![":
        state.nodes.append(Node(Kind.TEXT, "!"))
    state.nodes.append(Node(Kind.NOTE, inside[1:]))
    state.text_start = at + 1
    del state.stack[index:]
    return True


def _with_target(state: InlineState, index: int, at: int, size: int, *, is_final: bool) -> int:
    """Read `](target)`; returns where it ends, WAIT, or 0 if there is none."""
    if 4 * (state.looked_in_vain - _FREE) > 3 * (state.offset + at):
        return 0
    if state.target is None:
        state.target = Target()
    target = state.target
    before = target.seen
    answer = target.read(state.text, at + 1, size)
    state.references.characters_read += target.seen - before
    if answer is Answer.WAIT and not is_final:
        return WAIT
    state.target = None
    if answer is Answer.YES:
        from chatui.markdown.borrowed import unescapeAll

        leads_to = safe_target(unescapeAll(target.address))
        if leads_to is not None:
            wrap(state, index, at, leads_to)
            state.text_start = at + 1 + target.seen
            state.references.characters_read -= target.seen  # counted as what is passed over
            return state.text_start
    else:
        state.looked_in_vain += min(target.seen, TARGET_REACH)
    return 0


def _with_label(state: InlineState, index: int, at: int, size: int, *, is_final: bool) -> int:
    """Read `][label]`, `][]` or a bracket that is its own label."""
    text, mark = state.text, state.stack[index]
    label, stop = text[mark.at + 1 : at] if at - mark.at <= _LONGEST_LABEL else "", at + 1
    if text.startswith("[", at + 1):
        found = _LABEL.match(text, max(at + 2, state.seen))
        end = found.end() if found else at + 2
        state.look(at + 2, end)
        is_open = end == size or (end == size - 1 and text[end] == "\\")
        if is_open and not is_final and end - at <= _LONGEST_LABEL:
            return WAIT
        if text.startswith("]", end) and end - at <= _LONGEST_LABEL:
            stop = end + 1
            label = text[at + 2 : end] or label
    known = _LABEL.match(label)
    if label.strip() and known and known.end() == len(label):
        leads_to = state.references.target(label, state.misses)
        if leads_to is not None:
            wrap(state, index, at, leads_to)
            state.text_start = stop
            # What was looked at ahead counts as what is passed over.
            state.references.characters_read -= max(stop - at - 3, 0)
            return stop
    del state.stack[index]
    return at + 1
