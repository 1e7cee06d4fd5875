r"""Where running text holds a formula: `$...$`, `$$...$$`, `\(...\)`, `\[...\]`.

Guards: what is a formula depends on the text alone, and on no more of it than the formula's own reach, so
that the settler and the inline parser agree at every split; prices, shell variables and escaped brackets
are text. A formula is found before escapes and emphasis are read: it loses no backslash and no underscore.

Source: pandoc's `tex_math_dollars` (what may stand beside a dollar), made stricter by a look at what stands
between them, because in a chat a dollar is a price or a variable more often than a formula.
"""

import re
from enum import Enum
from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.core.values import frozen

REACH: Final = 300
"""How far `$...$` may reach."""
DISPLAY_REACH: Final = 2000
"""How far the other marks may reach within a paragraph."""

CLOSERS: Final = {"$$": "$$", "$": "$", "\\(": "\\)", "\\[": "\\]"}
_SPELLED: Final = (
    r"\\(?:text[a-z]*|math(?:rm|sf|tt|it|bf|bb|cal|frak|scr|op)|mbox|hbox|operatorname\*?|begin|end|tag\*?|label"
    r"|(?:text)?color|ce|mod|pmod|boldsymbol|bm|under(?:brace|set)|overset|boxed)\s*\{"
)
NO_MATHS: Final = r"`|\*\*|__|~~|\]\((?:/|#|www\.)|://"
"""What cannot stand in a formula."""
_NO_MATHS: Final = late_pattern(NO_MATHS)
_TEXT_GROUP: Final = late_pattern(_SPELLED + r"[^{}]*(?:\}|\Z)")
_COMMAND: Final = late_pattern(r"\\(?:[A-Za-z]+\*?|.|\Z)", re.DOTALL)
_TEX_COMMAND: Final = late_pattern(r"\\(?:[A-Za-z]{2,}|[,;:!{}|])")
_HALF_COMMAND: Final = late_pattern(r"(?:\A|[^\w\\])\\[A-Za-z]?\Z")
_TEX_WORD: Final = late_pattern(r"\\[A-Za-z]{2,}")
"""Between escaped brackets other escapes are as likely as commands of one sign."""
_FUNCTIONS: Final = (
    r"(?:arc)?(?:sin|cos|tan|cot|sec|csc)h?|log|ln|lg|exp|lim|max|min|sup|inf|det|dim|ker|deg|gcd|arg|mod"
    r"|rank|tr|diag|sgn|Pr|Var|Cov|span|argmax|argmin"
)
_PROSE: Final = late_pattern(
    rf"(?<![^\W\d_])(?!(?:{_FUNCTIONS})\b)[^\W\d_]{{2,}}[ \t\n,]+[*_]?(?!(?:{_FUNCTIONS})\b)[^\W\d_]{{2,}}"
    r"|[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
)
"""Two words that stand side by side, or a script that needs no blanks for it."""
_LONG_WORD: Final = late_pattern(r"[^\W\d_]{2,}")
_SHORT_WORD: Final = late_pattern(
    r"(?!(?:am|an|as|at|be|by|do|go|he|if|in|is|it|me|my|no|of|on|or|so|to|up|us|we)\Z)"
    rf"(?:[a-z]{{2}}|[A-Za-z]?[A-Z][A-Za-z]?|[A-Z]{{3}}|[a-z]?[A-Z]{{2}}|{_FUNCTIONS})\Z"
)
_PLAIN_MATHS: Final = late_pattern(r"""[^\x00-\x09\x0b-\x1f"#$;?@\\`]*+\Z""")
_RELATION: Final = late_pattern(r"[=<>+≤≥≠≈×÷±→∈]| [-*/] ")
"""What makes a formula of words that stand in escaped brackets."""
_SHORT_COMMAND: Final = late_pattern(r"\\[A-Za-z]")
"""Where there is no longer one, it is an escape of another language (`\\d+`)."""
_SUBSCRIPT: Final = late_pattern(r"[\w)}\]']_(?:[\w{\\]|\Z)")
_IDENTIFIER: Final = late_pattern(r"\{?[A-Za-z]{2,}(?:_\w*)+\}?\Z|_|\w*__|\{[A-Za-z_]{2,}\}|\.[A-Za-z]")
_AFTER_DOLLAR: Final = late_pattern(r"(?:th|st|nd|rd|s|D)\b|\[\^|[^\w($\\{`#@\[]|[^\x00-\x7f]|\Z")
"""What may follow a closing dollar: no digit and no word, but the end of an ordinal (`$n$th`)."""


class Verdict(Enum):
    """There is no formula to hand out."""

    NONE = "none"
    UNDECIDED = "undecided"
    """More text decides."""


@frozen
class FoundFormula:
    """A formula in running text."""

    body: str
    """What stands between the marks."""
    stop: int
    """Where the text goes on."""


def mark_at(text: str, at: int) -> str:
    """The mark that may open a formula at a place, or nothing."""
    two = text[at : at + 2]
    if two in ("\\(", "\\["):
        return two
    if not two.startswith("$") or (at and text[at - 1] == "$"):
        return ""
    if two != "$$":
        return "$"
    return "" if text.startswith("$", at + 2) else "$$"


def read_formula(text: str, at: int, stop: int, *, is_final: bool) -> FoundFormula | Verdict:
    """Read a formula whose opening mark may stand at a place.

    Args:
        text: Running text.
        at: Where a dollar or a backslash stands.
        stop: Where the text ends.
        is_final: No more text follows.
    """
    if at + 1 >= stop:
        return Verdict.NONE if is_final else Verdict.UNDECIDED
    mark = mark_at(text, at)
    if not mark:
        return Verdict.NONE
    begin = at + len(mark)
    if mark[0] == "$" and begin >= stop:
        return Verdict.NONE if is_final else Verdict.UNDECIDED  # a third dollar may follow
    if mark == "$" and not _may_open(text, at):
        return Verdict.NONE
    reach = REACH if mark == "$" else DISPLAY_REACH
    limit = min(stop, begin + reach)
    if mark == "\\(" or mark == "\\[":
        end = closing_bracket(text, begin, limit, mark)
    else:
        end = closing_dollars(text, begin, limit, mark)
    if end >= 0:
        return _closed(text, begin, end, stop, mark, is_final=is_final)
    if end == NEVER or is_final or stop - begin >= reach or not can_be_maths(text[begin:stop]):
        return Verdict.NONE
    return Verdict.UNDECIDED


class Outlook(Enum):
    """What text from an opening mark on will be, whose end is still to come."""

    NONE = "none"
    POSSIBLE = "possible"
    LIKELY = "likely"


def outlook(opened: str) -> Outlook:
    """Whether text from an opening mark on can be a formula, and whether it most likely is one."""
    mark = mark_at(opened, 0)
    body = opened[len(mark) :]
    if not mark or not can_be_maths(body):
        return Outlook.NONE
    inside = body.strip()
    if mark == "$" and _IDENTIFIER.match(body):
        return Outlook.POSSIBLE
    if len(inside) == 1 and inside != "\\":
        return Outlook.LIKELY if inside.isalpha() and mark != "\\[" else Outlook.POSSIBLE
    bare = _COMMAND.sub(" ", _TEXT_GROUP.sub(" ", body))
    is_likely = (
        _TEX_COMMAND.search(body) is not None
        or _HALF_COMMAND.search(body) is not None
        or _SUBSCRIPT.search(bare) is not None
        or "^" in bare
        or (_RELATION.search(bare) is not None if mark != "$" else "=" in bare)
    )
    return Outlook.LIKELY if is_likely else Outlook.POSSIBLE


def ruled_out_at(text: str) -> int:
    """Where the first thing ends that cannot stand in a formula; 0 if there is none."""
    found = _NO_MATHS.search(text)
    return found.end() if found else 0


def can_be_maths(body: str) -> bool:
    """Whether what follows an opening mark may still be a formula, whatever comes."""
    if _NO_MATHS.search(body):
        return False
    return not _PROSE.search(_COMMAND.sub(" + ", _TEXT_GROUP.sub(" + ", body)))


def looks_like_maths(body: str, mark: str) -> bool:
    """Whether what stands between two marks is a formula."""
    inside = body.strip()
    if not inside or not can_be_maths(body) or not _is_balanced(body):
        return False
    if mark == "$" and _IDENTIFIER.match(inside):
        return False
    bare = _COMMAND.sub(" ", _TEXT_GROUP.sub(" ", body))
    command = _TEX_WORD if mark == "\\[" else _TEX_COMMAND
    if command.search(body) or "^" in bare or _SUBSCRIPT.search(bare):
        return True
    if not _PLAIN_MATHS.match(bare) or _SHORT_COMMAND.search(body):
        return False
    if not any(map(str.isalnum, bare)):
        return inside in ("=", "<", ">", "+", "-")
    if "=" in bare or (mark != "$" and _RELATION.search(bare)):
        return True
    return mark != "\\[" and all(_SHORT_WORD.match(word) for word in _LONG_WORD.findall(bare))


NEVER: Final = -2
"""No closing mark can come any more."""


def _may_open(text: str, at: int) -> bool:
    following = text[at + 1]
    if following.isspace():
        return False
    before = text[at - 1] if at else " "
    if before.isascii() and (before.isalnum() or before == "_"):
        return before.isdigit() and following == "\\"  # a factor: 3$\sigma$
    return True


def closing_dollars(text: str, begin: int, limit: int, mark: str) -> int:
    """Where dollars (or the end of an environment) close what begins; negative if nowhere."""
    at = begin
    while True:
        at = text.find(mark, at, limit)
        if at < 0:
            return -1
        if not _is_escaped(text, at, begin):
            return at
        at += 1


def closing_bracket(text: str, begin: int, limit: int, mark: str) -> int:
    """Where an escaped bracket closes what begins; negative if nowhere."""
    closer = CLOSERS[mark]
    at = begin
    while True:
        at = text.find("\\", at, limit)
        if at < 0 or at + 1 >= limit:
            return -1
        pair = text[at : at + 2]
        if pair == closer:
            return at
        if pair in ("\\(", "\\["):
            return NEVER
        at += 2


def _is_escaped(text: str, at: int, begin: int) -> bool:
    """Whether a place comes after an odd number of backslashes."""
    first = at
    while first > begin and text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1


def _closed(
    text: str, begin: int, end: int, stop: int, mark: str, *, is_final: bool
) -> FoundFormula | Verdict:
    body = text[begin:end]
    after = end + len(mark)
    if mark == "$":
        if body[-1:].isspace() or "\n\n" in body:
            return Verdict.NONE
        if after >= stop and not is_final:
            return Verdict.UNDECIDED if looks_like_maths(body, mark) else Verdict.NONE
        if not is_final and after + 2 >= stop and text.startswith(("t", "s", "n", "r", "["), after, stop):
            return Verdict.UNDECIDED if looks_like_maths(body, mark) else Verdict.NONE
        if after < stop and not _AFTER_DOLLAR.match(text, after, stop):
            return Verdict.NONE
    if mark == "$$" and after >= stop and not is_final:
        return Verdict.UNDECIDED if looks_like_maths(body, mark) else Verdict.NONE
    if mark == "$$" and text.startswith("$", after, stop):
        return Verdict.NONE
    return FoundFormula(body, after) if looks_like_maths(body, mark) else Verdict.NONE


def _is_balanced(body: str) -> bool:
    """Whether every brace is closed."""
    depth = 0
    at = 0
    while at < len(body):
        match body[at]:
            case "\\":
                at += 1
            case "{":
                depth += 1
            case "}":
                depth -= 1
                if depth < 0:
                    return False
            case _:
                pass
        at += 1
    return not depth
