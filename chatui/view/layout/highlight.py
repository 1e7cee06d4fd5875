"""Colours for code, line by line: each line is read once, from the state in which the line before it ended.

Guards: the text is never changed, only cut into tokens; a line costs what it is long; what is inside a
comment or a string over several lines is told by the state alone, so a block that grows is never read from
its start again.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple, Protocol

from chatui.view.layout.grammars import Grammar, grammar_of
from chatui.view.lines import Tone

_KEPT: Final = 256


class Token(NamedTuple):
    """Where a token ends, and its tone."""

    stop: int
    tone: Tone


class LineLexer(Protocol):
    """Reads one line; `state` is what the line before left open."""

    def read(self, line: str, state: object) -> tuple[list[Token], object]:
        """Tokens of the line, and the state after it."""
        ...

    def start(self) -> object:
        """The state before the first line."""
        ...


class Highlighter:
    """Colours of one code block."""

    def __init__(self, lexer: LineLexer) -> None:
        self._lexer = lexer
        self._states: list[object] = [lexer.start()]
        """State before each line that was read, and after the last."""
        self._recent: dict[int, list[Token]] = {}

    def forget(self, first: int) -> None:
        """Lines from `first` on have changed."""
        if len(self._states) > first + 1:
            del self._states[first + 1 :]
            for number in [number for number in self._recent if number >= first]:
                del self._recent[number]

    def tokens(self, lines: Sequence[str], number: int, tab_cells: int) -> list[Token]:
        """Tokens of a line, tabs expanded."""
        while len(self._states) <= number + 1:
            at = len(self._states) - 1
            found, state = self._lexer.read(lines[at].expandtabs(tab_cells), self._states[at])
            self._states.append(state)
            self._recent[at] = found
            if len(self._recent) > 2 * _KEPT:
                for old in list(self._recent)[:_KEPT]:
                    del self._recent[old]
        known = self._recent.get(number)
        if known is None:
            known, _ = self._lexer.read(lines[number].expandtabs(tab_cells), self._states[number])
        return known


def highlighter(language: str) -> Highlighter | None:
    """A highlighter for a language; None if it is not known."""
    lexer = _lexer(language.lower())
    return Highlighter(lexer) if lexer is not None else None


@lru_cache(maxsize=128)
def _lexer(language: str) -> LineLexer | None:
    if language in ("diff", "patch", "udiff"):
        return DiffLexer()
    if language in ("text", "txt", "plain", "plaintext", "output", "log"):
        return None
    grammar = grammar_of(language)
    if grammar is not None:
        return GrammarLexer(grammar)
    from chatui.view.layout.pygments_lexer import pygments_lexer

    return pygments_lexer(language)


class DiffLexer:
    """A whole line has one colour."""

    def start(self) -> object:
        """Nothing is carried from line to line."""
        return 0

    def read(self, line: str, state: object) -> tuple[list[Token], object]:
        """The tone of a line of a diff."""
        if line.startswith(("+++", "---", "diff ", "index ", "@@")):
            tone = Tone.DIFF_HUNK
        elif line.startswith(("+", ">")):
            tone = Tone.DIFF_ADDED
        elif line.startswith(("-", "<")):
            tone = Tone.DIFF_REMOVED
        else:
            tone = Tone.SYNTAX_TEXT
        return [Token(len(line), tone)], state


class GrammarLexer:
    """Reads lines by one regular expression made from a grammar; the state is the open block, or -1."""

    def __init__(self, grammar: Grammar) -> None:
        self._blocks = grammar.blocks
        self._ignores_case = grammar.ignores_case
        self._words: dict[str, Tone] = dict.fromkeys(grammar.types, Tone.SYNTAX_TYPE)
        self._words |= dict.fromkeys(grammar.keywords, Tone.SYNTAX_KEYWORD)
        self._capitals_are_types = grammar.capitals_are_types
        parts: list[str] = []
        for number, (opening, _, _) in enumerate(grammar.blocks):
            prefix = f"[{grammar.prefixes}]{{0,2}}" if grammar.prefixes and opening[0] in "\"'" else ""
            parts.append(f"(?P<b{number}>{prefix}{re.escape(opening)})")
        if grammar.variables:
            parts.append(f"(?P<variable>{grammar.variables})")
        if grammar.line_comments:
            comments = "|".join(
                r"(?:^|(?<=[\s;]))#" if mark == "#" else re.escape(mark) for mark in grammar.line_comments
            )
            parts.append(f"(?P<comment>(?:{comments}).*)")
        if grammar.quotes:
            prefix = f"[{grammar.prefixes}]{{0,2}}" if grammar.prefixes else ""
            strings = "|".join(rf"{quote}(?:[^{quote}\\]|\\.)*(?:{quote}|$)" for quote in grammar.quotes)
            parts.append(f"(?P<string>{prefix}(?:{strings}))")
        name = r"[A-Za-z_][\w-]*" if grammar.has_dashed_names else r"[^\W\d]\w*"
        parts.append(rf"(?P<call>{name}(?=\())")
        parts.append(f"(?P<word>{name})")
        parts.append(r"(?P<number>0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.[\d_]+)?(?:[eE][-+]?\d+)?\w*)")
        self._pattern = re.compile("|".join(parts), re.MULTILINE)

    def start(self) -> object:
        """Nothing is open."""
        return -1

    def read(self, line: str, state: object) -> tuple[list[Token], object]:
        """Tokens of a line."""
        out: list[Token] = []
        position = 0
        block = state if isinstance(state, int) else -1
        text = Tone.SYNTAX_TEXT
        if block >= 0:
            position, block = self._close(line, 0, block, out)
        search = self._pattern.search
        while block < 0 and (found := search(line, position)):
            if found.start() > position:
                out.append(Token(found.start(), text))
            kind, stop = found.lastgroup, found.end()
            match kind:
                case "word" | "call":
                    tone = self._word(found[0], kind == "call")
                case "string":
                    tone = Tone.SYNTAX_STRING
                case "number":
                    tone = Tone.SYNTAX_NUMBER
                case "comment":
                    tone = Tone.SYNTAX_COMMENT
                case "variable":
                    tone = Tone.SYNTAX_NAME
                case _:
                    stop, block = self._close(line, stop, int((kind or "b0")[1:]), out)
                    position = stop
                    continue
            out.append(Token(stop, tone))
            if stop == position:
                position += 1
            else:
                position = stop
        return out, block

    def _word(self, word: str, is_call: bool) -> Tone:
        known = self._words.get(word.lower() if self._ignores_case else word)
        if known is not None:
            return known
        if self._capitals_are_types and word[0].isupper():
            return Tone.SYNTAX_TYPE
        return Tone.SYNTAX_FUNCTION if is_call else Tone.SYNTAX_TEXT

    def _close(self, line: str, position: int, block: int, out: list[Token]) -> tuple[int, int]:
        """Read on inside a block; returns where it ends and -1, or the end of the line and the block."""
        _, closing, is_comment = self._blocks[block]
        tone = Tone.SYNTAX_COMMENT if is_comment else Tone.SYNTAX_STRING
        at = line.find(closing, position)
        while at > 0 and not is_comment and line[at - 1] == "\\" and at < len(line):
            at = line.find(closing, at + 1)
        if at < 0:
            out.append(Token(len(line), tone))
            return len(line), block
        out.append(Token(at + len(closing), tone))
        return at + len(closing), -1
