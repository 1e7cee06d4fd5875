"""Running text to spans, by markdown-it-py's inline rules (HTML off: tags are text).

Guards: no text is lost, and what is looked up in vain (a reference or a footnote that is not defined yet)
is noted, so that a later definition finds the places that wait for it. markdown-it-py is imported at the
first text that holds any mark; plain words never need it. Source: CommonMark 0.31.2 section 6, GFM
strikethrough and autolinks.
"""

import re
from copy import copy, deepcopy
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

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
from chatui.markdown.formulas import FoundFormula, read_formula
from chatui.markdown.settle import flanks

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_MARKED: Final = re.compile(r"[\\`*_~\[\]<&$\n]|://|www\.|@")
"""What makes text more than plain words."""
_BARE: Final = re.compile(r"www\.|@")
"""Bare addresses that are found after emphasis; those with `://` are found before."""
_BREAK_TAG: Final = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_SCHEME: Final = re.compile(r"(?:^|[^A-Za-z0-9.+-])([A-Za-z][A-Za-z0-9.+-]*)\Z")
_LONGEST_ADDRESS: Final = 4096
_MANY_BRACKETS: Final = 100
_MAX_NESTING: Final = 60
"""Brackets deeper than this stay text; markdown-it-py recurses for each."""


class Definition(NamedTuple):
    """What a reference stands for."""

    target: str
    title: str


class References:
    """Definitions known so far, and in `misses` the labels that were looked up in vain."""

    def __init__(self) -> None:
        self.links: dict[str, Definition] = {}
        self.notes: set[str] = set()
        self.misses: set[str] = set()

    def get(self, label: str, default: None = None) -> dict[str, str] | None:
        """The look-up of markdown-it-py's link rule."""
        found = self.links.get(label)
        if found is None:
            self.misses.add(label)
            return default
        return {"href": found.target, "title": found.title}

    def has_note(self, label: str) -> bool:
        """Whether a footnote is defined."""
        if label in self.notes:
            return True
        self.misses.add("^" + label)
        return False


def _note_rule(state: "StateInline", silent: bool) -> bool:
    """`[^label]`, if the note is defined."""
    if state.src[state.pos] != "[" or not state.src.startswith("[^", state.pos):
        return False
    stop = state.src.find("]", state.pos + 2, state.posMax)
    label = state.src[state.pos + 2 : stop]
    if stop < 0 or not label or any(character in " \t\n[" for character in label):
        return False
    if not state.env["references"].has_note(label):
        return False
    if not silent:
        token = state.push("footnote_ref", "", 0)
        token.meta = {"label": label}
    state.pos = stop + 1
    return True


def _formula_rule(state: "StateInline", silent: bool) -> bool:
    """A formula; read before escapes and emphasis, which would take its marks."""
    at = state.pos
    if state.src[at] not in "$\\":
        return False
    found = read_formula(state.src, at, state.posMax, is_final=True)
    if not isinstance(found, FoundFormula):
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.content = state.src[at : found.stop - int(found.is_open)]
        token.meta = {"body": found.body, "is_open": found.is_open}
    state.pos = found.stop
    return True


def _emphasis_rule(state: "StateInline", silent: bool) -> bool:
    """`*`, `_` and `~~`, by the same reading of what can open and close as in `settle`."""
    from markdown_it.rules_inline.state_inline import Delimiter

    source, at = state.src, state.pos
    mark = source[at]
    if silent or mark not in "*_~":
        return False
    stop = at
    while stop < state.posMax and source[stop] == mark:
        stop += 1
    count = stop - at
    step = 2 if mark == "~" else 1
    if count < step:
        return False
    before = source[at - 1] if at else " "
    after = source[stop] if stop < state.posMax else " "
    can_open, can_close = flanks(mark, before, after)
    if count % step:
        state.push("text", "", 0).content = mark
    for _ in range(count // step):
        state.push("text", "", 0).content = mark * step
        state.delimiters.append(
            Delimiter(
                marker=ord(mark),
                length=count if step == 1 else 0,
                token=len(state.tokens) - 1,
                end=-1,
                open=can_open,
                close=can_close,
            )
        )
    state.pos += count
    return True


def _address_rule(state: "StateInline", silent: bool) -> bool:
    """A bare address with `://`; read before emphasis, whose marks may be part of it."""
    source, at = state.src, state.pos
    if not source.startswith("://", at) or state.linkLevel > 0:
        return False
    scheme = _SCHEME.search(state.pending)
    if scheme is None:
        return False
    begin = len(scheme[1])
    found = _linkifier().match_at_start(source[at - begin : at + _LONGEST_ADDRESS])
    if found is None:
        return False
    address = found.url.partition("\\")[0].rstrip("*_~")  # a backslash escapes, or breaks the line
    target = state.md.normalizeLink(address)
    if len(address) <= begin + 3 or not state.md.validateLink(target):
        return False
    if not silent:
        state.pending = state.pending[:-begin]
        state.push("link_open", "a", 1).attrs = {"href": target}
        state.push("text", "", 0).content = address
        state.push("link_close", "a", -1)
    state.pos += len(address) - begin
    return True


@lru_cache(maxsize=1)
def parser() -> "MarkdownIt":
    """The one markdown-it-py, for inline text only."""
    from markdown_it import MarkdownIt

    rules = MarkdownIt("commonmark", {"html": False, "maxNesting": _MAX_NESTING}).enable("strikethrough")
    rules.disable("html_inline")
    rules.inline.ruler.disable("strikethrough")
    rules.inline.ruler.at("emphasis", _emphasis_rule)
    rules.inline.ruler.before("link", "note", _note_rule)
    rules.inline.ruler.after("text", "address", _address_rule)
    rules.inline.ruler.before("escape", "formula", _formula_rule)
    return rules


@lru_cache(maxsize=1)
def _bracketless_parser() -> "MarkdownIt":
    """For text with a flood of brackets that never close, which would cost their number squared."""
    rules = copy(parser())
    rules.inline = deepcopy(rules.inline)
    rules.inline.ruler.disable(["link", "image", "note"])
    return rules


def is_plain(text: str, start: int = 0) -> bool:
    """Whether text from `start` on holds no mark at all."""
    return _MARKED.search(text, start) is None


@lru_cache(maxsize=1)
def _linkifier() -> Any:
    from linkify_it import LinkifyIt

    return LinkifyIt()


def parse_inline(text: str, references: References) -> Spans:
    """Spans of text that is complete: a whole paragraph, or a piece cut where marks are settled."""
    if is_plain(text):
        return (Text(text),) if text else ()
    brackets = text.count("[")
    rules = parser() if brackets < _MANY_BRACKETS or brackets < 2 * text.count("]") else _bracketless_parser()
    tokens: list[Token] = []
    rules.inline.parse(text, rules, {"references": references}, tokens)
    spans: list[Span] = []
    _convert(tokens, spans)
    if _BARE.search(text):
        spans = _linkified(spans)
    return tuple(spans)


def parse_cell(text: str, references: References) -> Spans:
    """Spans of a table cell, where `<br>` is the only way to write a line end."""
    if "<" not in text:
        return parse_inline(text, references)
    spans: list[Span] = []
    for span in parse_inline(text, references):
        if isinstance(span, Text) and "<" in span.text:
            for number, part in enumerate(_BREAK_TAG.split(span.text)):
                if number:
                    spans.append(LineBreak())
                if part:
                    spans.append(Text(part, span.face, span.target))
        else:
            spans.append(span)
    return tuple(spans)


_FACES: Final = ("strong", "em", "s")
"""Tokens that open and close a face, in the order of its fields."""


def _convert(tokens: "list[Token]", spans: list[Span]) -> None:
    """Flatten tokens: what opens and closes becomes a face and a target."""
    depths = [0, 0, 0]
    targets = [""]
    face = PLAIN_FACE
    text: list[str] = []
    for token in tokens:
        kind = token.type
        if kind in ("text", "text_special"):
            text.append(token.content)
            continue
        if kind == "softbreak":
            text.append(" ")
            continue
        _add_text(spans, text, face, targets[-1])
        name, _, side = kind.rpartition("_")
        if name in _FACES:
            depths[_FACES.index(name)] += 1 if side == "open" else -1
            face = Face(*(depth > 0 for depth in depths)) if any(depths) else PLAIN_FACE
        elif name == "link":
            if side == "open":
                targets.append(str(token.attrs.get("href", "")))
            else:
                targets.pop()
        elif (span := _leaf_span(token, face, targets[-1])) is not None:
            spans.append(span)
        else:
            text.append(token.content)
    _add_text(spans, text, face, targets[-1])


def _add_text(spans: list[Span], text: list[str], face: Face, target: str) -> None:
    words = "".join(text)
    text.clear()
    if words:
        spans.append(Text(words, face, target))


def _leaf_span(token: "Token", face: Face, target: str) -> Span | None:
    match token.type:
        case "code_inline":
            return CodeText(token.content, face, target)
        case "hardbreak":
            return LineBreak()
        case "image":
            return Image(_plain(token.children or []), str(token.attrs.get("src", "")), face, target)
        case "formula":
            return Maths(token.content, token.meta["body"], token.meta["is_open"], face, target)
        case "footnote_ref":
            return NoteMark(str(token.meta["label"]), face)
        case _:
            return None


def _plain(tokens: "list[Token]") -> str:
    parts: list[str] = []
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "footnote_ref":
            parts.append(f"[^{token.meta['label']}]")
        elif token.children:
            parts.append(_plain(token.children))
        else:
            parts.append(token.content)
    return "".join(parts)


def _linkified(spans: list[Span]) -> list[Span]:
    """Bare addresses in words that are no link yet become links; the words stay as they are written."""
    out: list[Span] = []
    for span in spans:
        if not isinstance(span, Text) or span.target or not _BARE.search(span.text):
            out.append(span)
            continue
        position = 0
        for found in _linkifier().match(span.text) or ():
            target = parser().normalizeLink(found.url)
            if not parser().validateLink(target) or found.index < position:
                continue
            if not _BARE.search(span.text[found.index : found.last_index]):
                continue  # a bare host name (`main.rs`) is not an address
            if found.index > position:
                out.append(Text(span.text[position : found.index], span.face))
            out.append(Text(span.text[found.index : found.last_index], span.face, target))
            position = found.last_index
        if position < len(span.text):
            out.append(Text(span.text[position:], span.face))
    return out
