r"""TeX tokens to signs, by recursive descent.

Guards: a command that is not in the table, a brace that is not closed or nesting that is too deep makes the
whole formula not understood; nothing is half converted. Of a formula that is still being written what is
missing is empty. Each token is read once.
"""

from collections.abc import Sequence
from typing import Final

from chatui.view.maths.boxes import Box, beside
from chatui.view.maths.commands import COMMANDS
from chatui.view.maths.environments import Rows, laid_out
from chatui.view.maths.spacing import (
    Atom,
    atom,
    blank,
    flat,
    fraction,
    is_simple,
    joined,
    with_accent,
    with_scripts,
)
from chatui.view.maths.symbols import Kind, in_font, symbols
from chatui.view.maths.tokens import BLANK, END, NotUnderstoodError, TokenStream
from chatui.view.maths.words import worded, words

DEEPEST: Final = 48
"""Arguments within braces within arguments; a person writes eight."""
_STOPS: Final = frozenset((END, "}", "&", r"\\", r"\cr", r"\newline", r"\end", r"\right"))
_FRACTIONS: Final = frozenset(
    (r"\frac", r"\dfrac", r"\tfrac", r"\cfrac", r"\nicefrac", r"\sfrac", r"\flatfrac")
)
_LONGEST_LENGTH: Final = 12
_UNITS: Final = ("pt", "em", "ex", "mm", "cm", "in")
_PRIMES: Final = {1: "′", 2: "″", 3: "‴", 4: "⁗"}


class Reading(TokenStream):
    """A formula that is being read."""

    def __init__(self, source: str, *, is_block: bool, is_open: bool, depth: int = 0) -> None:
        super().__init__(source, is_open=is_open)
        self.is_block = is_block
        self._depth = depth

    # --- a whole formula --------------------------------------------------------------------------

    def formula(self) -> Box:
        """All of it."""
        rows = self.rows()
        if self.peek() != END:
            raise NotUnderstoodError(f"{self.peek()} without its beginning")
        if len(rows) == 1 and len(rows[0]) == 1:
            return joined(rows[0][0])
        return laid_out("aligned", rows, is_block=self.is_block)

    def rows(self) -> Rows:
        """Rows of cells up to what is neither `&` nor a line end."""
        rows: Rows = [[self.sequence()]]
        while True:
            match self.peek():
                case "&":
                    self.take()
                    rows[-1].append(self.sequence())
                case r"\\" | r"\cr" | r"\newline":
                    self.take()
                    self._skip_row_space()
                    rows.append([self.sequence()])
                case _:
                    break
        if len(rows) > 1 and not any(sign.kind is not Kind.SPACE for cell in rows[-1] for sign in cell):
            rows.pop()
        return rows

    def _skip_row_space(self) -> None:
        """Skip what tells how much room is below a row: a length in square brackets, a star."""
        self.takes("*")
        ahead = 1
        while self.peek(ahead) not in ("]", END) and ahead < _LONGEST_LENGTH:
            ahead += 1
        length = "".join(self.peek(at) for at in range(1, ahead)).strip()
        if self.peek() == "[" and length[:1] in "-.0123456789" and length[-2:] in _UNITS:
            self.take_until("]")

    def sequence(self) -> list[Atom]:
        """Signs up to what ends them."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise NotUnderstoodError("too deep")
        signs: list[Atom] = []
        while (piece := self.peek()) not in _STOPS:
            if piece == BLANK:
                self.take()
            elif piece in "^_'":
                self._scripts(signs or [atom("")], signs)
            else:
                found = self.element()
                following = self._following_script()
                if following and piece == "{" and len(found) > 1:
                    found = [atom(self.as_one(found))]
                signs.extend(found)
                if following and not signs:
                    signs.append(atom(""))
        self._depth -= 1
        return signs

    def as_one(self, signs: Sequence[Atom]) -> str:
        """Signs as one operand."""
        text = flat(joined(signs))
        return text if is_simple(text) or not text else f"({text})"

    def _following_script(self) -> bool:
        ahead = 0
        while self.peek(ahead) in (BLANK, r"\limits", r"\nolimits"):
            ahead += 1
        return self.peek(ahead) in ("^", "_", "'")

    # --- what stands above and below --------------------------------------------------------------

    def _scripts(self, base: list[Atom], signs: list[Atom]) -> None:
        """Read scripts and set them on the last sign."""
        lower = upper = primes = ""
        while True:
            piece = self.skip_blanks()
            if piece == "'":
                count = 0
                while self.takes("'"):
                    count += 1
                primes = _PRIMES.get(count, "′" * count)
            elif piece == "^" and not upper:
                self.take()
                upper = self.script()
            elif piece == "_" and not lower:
                self.take()
                lower = self.script()
            elif piece in (r"\limits", r"\nolimits"):
                self.take()
            elif piece in ("^", "_"):
                raise NotUnderstoodError("two scripts at one place")
            else:
                break
        sign = base[-1]
        if primes:
            sign = Atom(beside([sign.box, Box((primes,))]), sign.kind)
        signs[-1:] = [with_scripts(sign, lower, upper)]

    def script(self) -> str:
        """The text of what stands above or below."""
        return flat(joined(self.argument(), is_tight=True))

    # --- elements ---------------------------------------------------------------------------------

    def argument(self) -> list[Atom]:
        """What a command takes: a group, or one sign."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise NotUnderstoodError("too deep")
        signs = self._argument()
        self._depth -= 1
        return signs

    def _argument(self) -> list[Atom]:
        piece = self.skip_blanks()
        if piece == "{":
            return self.group()
        if piece in _STOPS or piece in ("^", "_"):
            if self.is_at_open_end:
                return []
            raise NotUnderstoodError("an argument is missing")
        return self.element()

    def group(self) -> list[Atom]:
        """Signs between braces."""
        self.expect("{")
        signs = self.sequence()
        self.expect("}")
        return signs

    def optional(self) -> str:
        """The text of an argument in square brackets, or nothing."""
        if not self.takes("["):
            return ""
        signs: list[Atom] = []
        while (piece := self.skip_blanks()) != "]":
            if piece in _STOPS:
                if self.is_at_open_end:
                    return ""
                raise NotUnderstoodError("] is missing")
            signs.extend(self.element())
            if self.skip_blanks() in ("^", "_"):
                self._scripts(signs, signs)
        self.take()
        return flat(joined(signs, is_tight=True))

    def within(self, source: str) -> str:
        """A formula within words."""
        inner = Reading(source, is_block=False, is_open=self.is_open, depth=self._depth + 1)
        return flat(inner.formula())

    def element(self) -> list[Atom]:
        """One sign, a command with its arguments, or a group; without its scripts."""
        if self.peek() == "{":
            signs = self.group()
            if len(signs) == 1 and signs[0].kind in (Kind.PUNCTUATION, Kind.RELATION, Kind.OPERATOR):
                return [signs[0]._replace(kind=Kind.LETTER)]
            return signs
        piece = self.take()
        if piece[0] != "\\" or len(piece) == 1:
            return [self._character(piece)]
        return self._command(piece)

    def _character(self, character: str) -> Atom:
        match character:
            case "~":
                return blank(1)
            case "-" if self.takes(">"):
                return atom("→", Kind.RELATION)
            case "-":
                return atom("−", Kind.OPERATOR)
            case "#" | "$" | "\\":
                raise NotUnderstoodError(f"{character} within a formula")
            case ":":
                return self._colon()
            case "," if self._stands_in_number():
                return atom(",")
            case _:
                return atom(character, symbols().kinds.get(character, Kind.LETTER))

    def _stands_in_number(self) -> bool:
        return self.last.isdigit() and all(self.peek(ahead).isdigit() for ahead in range(3))

    def _colon(self) -> Atom:
        if self.takes("="):
            return atom(":=", Kind.RELATION)
        if self.last == BLANK:
            return atom(":", Kind.RELATION)
        return atom(":", Kind.PUNCTUATION if self.peek() in (BLANK, END) else Kind.LETTER)

    def _command(self, piece: str) -> list[Atom]:
        name = piece[1:]
        table = symbols()
        if piece in _FRACTIONS:
            return [fraction(self.argument(), self.argument())]
        special = COMMANDS.get(name)
        if special is not None:
            return special(self)
        if name in table.spaces:
            return [blank(table.spaces[name])]
        if name in table.ignored:
            return []
        if name in table.ignored_arguments:
            self.takes("*")
            words(self)
            return [blank(1)] if name.endswith("space") else []
        if name in table.texts:
            return worded(words(self))
        if name in table.fonts:
            return self._in_font(table.fonts[name])
        if name in table.accents:
            return self._accented(name, table.accents[name])
        if name in table.wraps:
            opener, closer = table.wraps[name]
            inside = flat(joined(self.argument()))
            return [*([blank(1)] if opener == "(mod " else []), atom(opener + inside + closer)]
        sign = table.signs.get(name)
        if sign is None:
            raise NotUnderstoodError(piece)
        return [atom(*sign)]

    def _in_font(self, font: str) -> list[Atom]:
        signs = self.argument()
        if len(signs) == 1:
            kind = signs[0].kind
            return [atom(in_font(flat(signs[0].box), font), kind)]
        text = in_font(flat(joined(signs)), font)
        is_word = not font and text.isalpha() and len(text) > 1
        return [atom(text, Kind.WORD if is_word else Kind.LETTER)]

    def _accented(self, name: str, mark: str) -> list[Atom]:
        signs = self.argument()
        if not signs:
            return []
        if name == "not" and len(signs) > 1:
            raise NotUnderstoodError("what is not meant by several signs")
        return [
            atom(with_accent(flat(joined(signs)), mark), signs[0].kind if len(signs) == 1 else Kind.LETTER)
        ]
