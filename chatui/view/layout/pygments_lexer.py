"""The rarer languages, by Pygments' lexers run line by line. Pygments is imported at the first such block."""

from typing import Any, Final

from chatui.view.layout.highlight import Token
from chatui.view.lines import Tone

_LONGEST_LINE: Final = 400


class PygmentsLexer:
    """A lexer of Pygments that goes on from the stack of states in which the line before ended."""

    def __init__(self, lexer: Any) -> None:
        self._lexer = lexer
        self._tones: dict[Any, Tone] = {}

    def start(self) -> object:
        """The stack of a fresh lexer."""
        return ("root",)

    def read(self, line: str, state: object) -> tuple[list[Token], object]:
        """Tokens of a line: the lexer's own rules, with the stack kept for the next line."""
        if len(line) > _LONGEST_LINE:
            return [], state
        text = line + "\n"
        stack: list[str] = list(state) if isinstance(state, tuple) else ["root"]
        definitions: Any = self._lexer._tokens  # noqa: SLF001 - the compiled rules have no public name
        out: list[Token] = []
        position = 0
        while position < len(text):
            for match_rule, action, new_state in definitions.get(stack[-1], ()):
                found = match_rule(text, position)
                if not found:
                    continue
                self._take(action, found, out)
                _shift(stack, new_state)
                if found.end() == position and new_state is None:
                    continue
                position = found.end()
                break
            else:
                if text[position] == "\n":
                    break
                out.append(Token(position + 1, Tone.SYNTAX_TEXT))
                position += 1
        limit = len(line)
        return [Token(min(stop, limit), tone) for stop, tone in out], tuple(stack[-16:] or ("root",))

    def _take(self, action: Any, found: Any, out: list[Token]) -> None:
        if action is None:
            return
        if isinstance(action, tuple):
            out.append(Token(found.end(), self._tone(action)))
            return
        for start, kind, value in action(self._lexer, found, None) or ():
            out.append(Token(start + len(value), self._tone(kind)))

    def _tone(self, kind: Any) -> Tone:
        known = self._tones.get(kind)
        if known is None:
            known = self._tones[kind] = _tone_of(str(kind))
        return known


def _shift(stack: list[str], new_state: Any) -> None:
    if new_state is None:
        return
    if isinstance(new_state, tuple):
        for name in new_state:
            if name == "#pop":
                if len(stack) > 1:
                    stack.pop()
            elif name == "#push":
                stack.append(stack[-1])
            else:
                stack.append(name)
    elif isinstance(new_state, int):
        if abs(new_state) >= len(stack):
            del stack[1:]
        else:
            del stack[new_state:]
    elif new_state == "#push":
        stack.append(stack[-1])


_TONES: Final = (
    ("Token.Comment", Tone.SYNTAX_COMMENT),
    ("Token.Keyword.Type", Tone.SYNTAX_TYPE),
    ("Token.Keyword", Tone.SYNTAX_KEYWORD),
    ("Token.Operator.Word", Tone.SYNTAX_KEYWORD),
    ("Token.Literal.String", Tone.SYNTAX_STRING),
    ("Token.Literal.Number", Tone.SYNTAX_NUMBER),
    ("Token.Name.Function", Tone.SYNTAX_FUNCTION),
    ("Token.Name.Class", Tone.SYNTAX_TYPE),
    ("Token.Name.Builtin", Tone.SYNTAX_TYPE),
    ("Token.Name.Attribute", Tone.SYNTAX_NAME),
    ("Token.Name.Tag", Tone.SYNTAX_NAME),
    ("Token.Name.Variable", Tone.SYNTAX_NAME),
    ("Token.Name.Decorator", Tone.SYNTAX_NAME),
)


def _tone_of(kind: str) -> Tone:
    return next((tone for prefix, tone in _TONES if kind.startswith(prefix)), Tone.SYNTAX_TEXT)


def pygments_lexer(language: str) -> PygmentsLexer | None:
    """A lexer for a language that Pygments knows and reads by rules."""
    from pygments.lexer import ExtendedRegexLexer, RegexLexer
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    if not isinstance(lexer, RegexLexer) or isinstance(lexer, ExtendedRegexLexer):
        return None
    if type(lexer).get_tokens_unprocessed is not RegexLexer.get_tokens_unprocessed:
        return None
    return PygmentsLexer(lexer)
