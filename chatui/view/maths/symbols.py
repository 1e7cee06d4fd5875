"""The table of TeX commands, read from its file when the first formula is shown.

Guards: what is not in the table is not understood; no command is guessed.
"""

import tomllib
import unicodedata
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from chatui.core.values import frozen


class Kind(Enum):
    """How a sign stands among others."""

    LETTER = "letter"
    WORD = "word"
    """Words that are set as words."""
    OPERATOR = "operator"
    RELATION = "relation"
    PUNCTUATION = "punctuation"
    OPEN = "open"
    CLOSE = "close"
    LARGE = "large"
    """A sum, an integral, a limit."""
    FUNCTION = "function"
    FRACTION = "fraction"
    SPACE = "space"
    BOX = "box"
    """Several lines."""


class Sign(NamedTuple):
    """What a command stands for."""

    text: str
    kind: Kind


_KINDS: Final = {
    "letters": Kind.LETTER,
    "signs": Kind.LETTER,
    "operators": Kind.OPERATOR,
    "relations": Kind.RELATION,
    "punctuation": Kind.PUNCTUATION,
    "large": Kind.LARGE,
    "functions": Kind.FUNCTION,
    "open": Kind.OPEN,
    "close": Kind.CLOSE,
}


@frozen(kw_only=True)
class Symbols:
    """The table."""

    signs: dict[str, Sign]
    kinds: dict[str, Kind]
    """Of signs that are written as such."""
    spaces: dict[str, int]
    ignored: frozenset[str]
    ignored_arguments: frozenset[str]
    accents: dict[str, str]
    wraps: dict[str, tuple[str, str]]
    fonts: dict[str, str]
    texts: frozenset[str]
    letters: dict[str, dict[str, str]]
    """By font: letters whose names do not tell it."""
    fractions: dict[str, str]
    above: dict[str, str]
    below: dict[str, str]
    raised: frozenset[str]


@cache
def symbols() -> Symbols:
    """The table; read once."""
    table = tomllib.loads(files(__package__).joinpath("symbols.toml").read_text("utf-8"))
    signs = {
        name: Sign(text, kind) for section, kind in _KINDS.items() for name, text in table[section].items()
    }
    scripts: dict[str, str] = table["scripts"]
    return Symbols(
        signs=signs,
        kinds=_written(signs),
        spaces=table["spaces"],
        ignored=frozenset(table["ignored"]["names"]),
        ignored_arguments=frozenset(table["ignored"]["arguments"]),
        accents=table["accents"],
        wraps={name: (pair[0], pair[1]) for name, pair in table["wraps"].items()},
        fonts=table["fonts"],
        texts=frozenset(table["texts"]["names"]),
        letters=_letters(table),
        fractions=table["fractions"],
        above=dict(zip(scripts["plain_above"], scripts["above"], strict=True)),
        below=dict(zip(scripts["plain_below"], scripts["below"], strict=True)),
        raised=frozenset(scripts["raised"]),
    )


def _written(signs: dict[str, Sign]) -> dict[str, Kind]:
    """Kinds of the characters that are written for themselves."""
    kinds: dict[str, Kind] = {
        sign.text: sign.kind
        for sign in signs.values()
        if len(sign.text) == 1 and not sign.text.isascii() and sign.kind is not Kind.LETTER
    }
    kinds.update(dict.fromkeys("+-−*", Kind.OPERATOR))
    kinds.update(dict.fromkeys("=<>", Kind.RELATION))
    kinds.update(dict.fromkeys(",;", Kind.PUNCTUATION))
    kinds.update(dict.fromkeys("([", Kind.OPEN))
    kinds.update(dict.fromkeys(")]", Kind.CLOSE))
    return kinds


def _letters(table: dict[str, Any]) -> dict[str, dict[str, str]]:
    return {
        "DOUBLE-STRUCK": table["double-struck"],
        "SCRIPT": table["script"],
        "FRAKTUR": table["fraktur"],
        "BOLD": {},
        "": {},
    }


_DIGITS: Final = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")


def in_font(text: str, font: str) -> str:
    """Letters and digits of a text in a font of Unicode's; every other character as it is."""
    if not font:
        return text
    return "".join(_lettered(character, font) for character in text)


@cache
def _lettered(character: str, font: str) -> str:
    known = symbols().letters[font].get(character)
    if known is not None:
        return known
    if character.isascii() and character.isdigit():
        name = f"MATHEMATICAL {font} DIGIT {_DIGITS[int(character)]}"
    else:
        plain = unicodedata.name(character, "")
        greek = plain.removeprefix("GREEK ").removeprefix("LATIN ").replace(" LETTER ", " ")
        name = f"MATHEMATICAL {font} {greek}"
    try:
        return unicodedata.lookup(name)
    except KeyError:
        return character
