"""TeX source to tokens.

Guards: linear in the source; what must not be in a formula (controls, bidi marks) makes it not understood.
"""

import re
import unicodedata
from typing import Final

from chatui.core.late_pattern import late_pattern

LONGEST: Final = 4000
"""Characters of a formula; what is longer is data."""
END: Final = ""
BLANK: Final = " "

_TOKEN: Final = late_pattern(r"\\(?:[A-Za-z]+|.|\Z)|\s+|.", re.DOTALL)
_COMMENT_FREE: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


class NotUnderstoodError(ValueError):
    """The formula stays as it is written."""


def tokens(source: str, *, is_open: bool) -> list[str]:
    r"""Tokens of a formula: commands with their backslash, single characters, one blank for white space.

    Args:
        source: What stands between the marks.
        is_open: The end is still to come: a command that may go on is left out.

    Raises:
        NotUnderstoodError: too long, or it holds what no formula does.
    """
    if len(source) > LONGEST:
        raise NotUnderstoodError("too long")
    if not source.isascii() or not source.isprintable():
        for character in source:
            if character not in "\n\t" and unicodedata.category(character) in _COMMENT_FREE:
                raise NotUnderstoodError("a control character")
    found = [BLANK if token.isspace() else token for token in _TOKEN.findall(source)]
    if is_open:
        while found and found[-1].startswith("\\") and (found[-1] == "\\" or found[-1][1:].isalpha()):
            found.pop()
    elif found and found[-1] == "\\":
        raise NotUnderstoodError("half a command")
    return found


class TokenStream:
    """Tokens, each of which is read once."""

    def __init__(self, source: str, *, is_open: bool) -> None:
        self.is_open = is_open
        self._tokens = tokens(source, is_open=is_open)
        self._at = 0

    def peek(self, ahead: int = 0) -> str:
        """The next token, or one that comes later."""
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else END

    @property
    def last(self) -> str:
        """The token before the one that was read last."""
        return self._tokens[self._at - 2] if self._at > 1 else END

    @property
    def is_at_open_end(self) -> bool:
        """What comes next is still to be written."""
        return self.is_open and self._at >= len(self._tokens)

    def take(self) -> str:
        """The next token, which is then read."""
        token = self.peek()
        self._at += 1
        return token

    def takes(self, token: str) -> bool:
        """Read the next token if it is this one."""
        if self.peek() != token:
            return False
        self._at += 1
        return True

    def skip_blanks(self) -> str:
        """The next token that is no white space."""
        while self.peek() == BLANK:
            self._at += 1
        return self.peek()

    def expect(self, token: str) -> None:
        """Read this token, which a formula that is still being written may not have yet."""
        self.skip_blanks()
        if not self.takes(token) and not self.is_at_open_end:
            raise NotUnderstoodError(f"{token} is missing")

    def raw(self) -> str:
        """The source between braces."""
        self.expect("{")
        begin, depth = self._at, 0
        while (piece := self.peek()) != "}" or depth:
            if piece == END:
                if self.is_open:
                    break
                raise NotUnderstoodError("} is missing")
            depth += (piece == "{") - (piece == "}")
            self._at += 1
        source = "".join(self._tokens[begin : self._at])
        self.takes("}")
        return source

    def take_until(self, token: str) -> str:
        """The source up to a token, which is read too."""
        stop = self._at
        while stop < len(self._tokens) and self._tokens[stop] != token:
            stop += 1
        source = "".join(self._tokens[self._at : stop])
        if stop >= len(self._tokens) and not self.is_open:
            raise NotUnderstoodError(f"{token} is missing")
        self._at = stop + 1
        return source
