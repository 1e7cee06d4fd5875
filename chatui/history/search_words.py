"""Text as words for the full-text index, in every script, and queries in its language.

FTS5's own word splitting knows spaces and punctuation only, and its trigrams cannot find the two characters
that most Chinese words have. So scripts written without spaces go into the index as overlapping pairs of
characters, and symbols such as emoji as words of their own. Invariant: the function that fills the index is
the one that reads the query, and it depends on no table that changes with the Python version, because entries
are removed by computing them again.

Source: SQLite FTS5, sections 3 (query syntax) and 4.3 (tokenizers); Unicode blocks of the scripts named
below.
"""

import re
import unicodedata
from typing import Final

from chatui.core.late_pattern import late_pattern

_UNSPACED: Final = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff"  # Hangul parts
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u303f"  # CJK radicals, marks, numerals
    "\u3040-\u312f\u3130-\u318f\u31a0-\u31ff"  # Kana, Bopomofo, Hangul letters
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\uac00-\ud7a3\uff66-\uffdc"  # Hangul, half-width forms
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"  # further Kana and Han
)
_SYMBOLS: Final = "\u2190-\u2bff\U0001f000-\U0001faff"
_UNSPACED_RUN: Final = late_pattern(f"[{_UNSPACED}]+")
_UNSPACED_TAIL: Final = late_pattern(f"[{_UNSPACED}]+$")
_SYMBOL: Final = late_pattern(f"[{_SYMBOLS}]")
_SPECIAL: Final = late_pattern(f"[{_UNSPACED}{_SYMBOLS}]")
_WORD: Final = late_pattern(r"[^\W_]+")
_QUERY_PIECE: Final = late_pattern(r'"([^"]*)"?|(\S+)')
PREFIX_FROM: Final = 2
"""A last word of this length or more also finds longer words."""


def fold(text: str) -> str:
    """Text as it is compared in filters: without case, and with full-width forms as plain ones."""
    return unicodedata.normalize("NFKC", text).casefold().replace("\x00", " ")


def index_words(text: str) -> str:
    """Text as it goes into the index."""
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\x00", " ")
    if _SPECIAL.search(text) is None:
        return text
    return _SYMBOL.sub(_symbol_word, _UNSPACED_RUN.sub(_pairs, text))


def is_unspaced(character: str) -> bool:
    """Whether a character is of a script without spaces, or a symbol that is a word of its own."""
    return _SPECIAL.match(character) is not None


def pieces(query: str) -> list[tuple[str, bool]]:
    """The pieces of a person's query that hold a word, each with whether it may be the beginning of a word.

    All pieces have to occur; `"quoted words"` have to stand side by side; the last word is still being typed.
    """
    found: list[tuple[str, bool]] = []
    for match in _QUERY_PIECE.finditer(query):
        quoted, word = match.groups()
        piece = (quoted if word is None else word).strip()
        if not _WORD.search(piece) and not _SPECIAL.search(piece):
            continue
        tail = _WORD.findall(piece)[-1:]
        is_typed = word is not None and match.end() == len(query) and bool(tail) and piece.endswith(tail[0])
        is_long = is_typed and len(tail[0]) >= PREFIX_FROM and _SPECIAL.search(tail[0]) is None
        found.append((piece, is_long))
    return found


def match_query(query: str) -> str:
    """A query of a person in the language of FTS5, or empty if there is no word in it."""
    return " AND ".join(_phrase(piece) + ("*" if may_go_on else "") for piece, may_go_on in pieces(query))


def _phrase(piece: str) -> str:
    """One piece of a query as a phrase of index words, to be split by FTS5 as the index was."""
    words = index_words(piece)
    tail = _UNSPACED_TAIL.search(piece)
    if tail and len(tail.group()) > 1:
        # The text may go on after these characters: its last pair is enough, without the end of the run.
        words = words.rstrip()[:-1]
    phrase = '"' + words.replace('"', " ").strip() + '"'
    return f"{phrase}*" if tail and len(tail.group()) == 1 else phrase


def _pairs(run: re.Match[str]) -> str:
    """`中文字` becomes ` 中文 文字 字 `: pairs, and the last character alone, the beginning of no pair."""
    text = run.group()
    return " " + " ".join(text[at : at + 2] for at in range(len(text))) + " "


def _symbol_word(symbol: re.Match[str]) -> str:
    return f" u{ord(symbol.group()):x}x "
