"""What arrives from the keyboard, made whole before Textual sees it.

Four faults of Textual's own parser (8.2.8) are met here: a paste whose end never arrives keeps the
keyboard dead; ESC CR (Alt+Enter without the kitty protocol) counts as Esc and Enter, and would send; pasted
lines without bracketed paste would be sent one by one; ESC and a letter (Alt without the kitty protocol)
waits a tenth of a second, and is typed as `^` and the letter when the mouse, the terminal or the same key
again says anything meanwhile. Replies of the terminal are found here too, for only here it is known what
stands beside them: an Esc before a reply is no Alt with the key behind it. Invariant: every character that
arrives reaches the app, as a key or as pasted text, once and in its order; only replies do not.
"""

import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

from chatui.core.late_pattern import late_pattern
from chatui.ui.terminal.terminal_replies import ESCAPE, PATIENCE_S, AwaitedReply, TerminalReplies

PASTE_START = "\x1b[200~"
PASTE_END = "\x1b[201~"
PASTE_PATIENCE_S = 1.0
"""So long nothing may arrive in the middle of a paste before it counts as over."""
ESCAPE_PATIENCE_S = 0.02
"""So long after an ESC it may still be the beginning of a sequence.

Sequences are written in one piece (and sent in one over SSH), and Esc stops an answer: it must be felt at
once.
"""
SEQUENCE_PATIENCE_S = 0.1
"""So long the rest of a sequence may take that has begun for certain, or is Alt with `[` or `O`."""
ALT_ENTER = "\x1b[13;3u"
_OTHER_KEY = late_pattern(r"\x1b\[27;(\d+);(\d+)~")
"""A key as xterm and newer tmux write it under modifyOtherKeys; Textual's parser would lose Alt."""
_KEY_BEGUN = late_pattern(r"\x1b(?:O|\[27(?:;\d*){0,2})\Z")
_ALT_KEY = late_pattern(r"\x1b([^\x00-\x1f\x7f\[Ofb]|[\[O](?=\x1b|\Z))")
"""A character with Alt. `[` and `O` begin the sequences of other keys, unless nothing or another ESC follows;
Textual knows ESC with a control character, and with `f` and `b` (macOS: a word on, a word back)."""
BURST_LINES = 2
BURST_CHARACTERS = 16


class Keys(NamedTuple):
    """Input for Textual's parser."""

    text: str


class Pasted(NamedTuple):
    """Text that was pasted."""

    text: str


Piece = Keys | Pasted | AwaitedReply


class InputGuard:
    """Splits input into keys, pastes and replies; holds back what may be the beginning of one.

    Args:
        replies: Those of the terminal that are awaited.
    """

    def __init__(self, replies: TerminalReplies | None = None) -> None:
        self._replies = replies or TerminalReplies()
        self._paste: list[str] | None = None
        self._held = ""
        self._broken = ""
        """The half of a reply that was given up: its rest is no typing either."""

    @property
    def is_pasting(self) -> bool:
        """The end of a paste has not arrived yet."""
        return self._paste is not None

    @property
    def patience_s(self) -> float | None:
        """After so much silence `give_up` should be called; None is never."""
        if self._paste is not None:
            return PASTE_PATIENCE_S
        if not self._held:
            return None
        if self._held == ESCAPE:
            return ESCAPE_PATIENCE_S
        return PATIENCE_S if self._replies.is_begun_by(self._held) else SEQUENCE_PATIENCE_S

    def feed(self, text: str) -> Iterator[Piece]:
        """Pieces of the next input."""
        if self._broken:
            if self._replies.begins(self._broken + text):
                text = self._broken + text
            self._broken = ""
        text = self._held + text
        self._held = ""
        while text:
            if self._paste is None:
                at = text.find(PASTE_START)
                if at < 0:
                    keep = self._begun(text)
                    self._held = text[len(text) - keep :]
                    yield from self._typed(text[: len(text) - keep])
                    return
                yield from self._typed(text[:at])
                text = text[at + len(PASTE_START) :]
                self._paste = []
            else:
                at = text.find(PASTE_END)
                if at < 0:
                    keep = max(_beginning_of(PASTE_END, text), self._replies.begun(text))
                    self._held = text[len(text) - keep :]
                    yield from self._pasted(text[: len(text) - keep])
                    return
                yield from self._pasted(text[:at])
                text = text[at + len(PASTE_END) :]
                yield from self._end_of_paste()

    def give_up(self) -> Iterator[Piece]:
        """Nothing came for a while: a paste without an end is over, held marks are let go."""
        if self._paste is not None:
            self._paste.append(self._held)
            self._held = ""
            yield from self._end_of_paste()
        elif self._replies.is_begun_by(self._held):
            self._broken, self._held = self._held, ""
        elif self._held:
            held, self._held = self._held, ""
            yield from self._typed(held)

    def _begun(self, text: str) -> int:
        """How many characters at the end of a text may be the beginning of something else."""
        key = _KEY_BEGUN.search(text)
        return max(
            _beginning_of(PASTE_START, text),
            self._replies.begun(text),
            len(text) - key.start() if key is not None else 0,
        )

    def _pasted(self, text: str) -> Iterator[Piece]:
        """Terminals write a long paste in pieces, and may answer between two of them."""
        for piece in self._replies.split(text):
            if isinstance(piece, AwaitedReply):
                yield piece
            elif self._paste is not None:
                self._paste.append(piece)

    def _end_of_paste(self) -> Iterator[Piece]:
        text = "".join(self._paste or ())
        self._paste = None
        if text:
            yield Pasted(text.replace("\x00", ""))

    def _typed(self, text: str) -> Iterator[Piece]:
        """A text that nothing is typed right behind of: what follows is no key, or did not come at once."""
        for piece in self._replies.split(text):
            if isinstance(piece, AwaitedReply):
                yield piece
            else:
                struck = piece.rstrip(ESCAPE)
                yield from self._struck(struck)
                for _ in range(len(piece) - len(struck)):  # by itself: the parser joins it to a key
                    yield Keys(ESCAPE)

    def _struck(self, text: str) -> Iterator[Piece]:
        if not text:
            return
        if ESCAPE not in text and len(text) >= BURST_CHARACTERS and _inner_lines(text) >= BURST_LINES:
            yield Pasted(text)
        else:
            text = _OTHER_KEY.sub("\x1b[\\2;\\1u", text.replace("\x1b\r", ALT_ENTER))
            yield Keys(_ALT_KEY.sub(_with_alt, text))


def _with_alt(key: re.Match[str]) -> str:
    """A character with Alt as the kitty protocol writes it: one whole sequence."""
    character = key[1]
    plain = character.lower()
    is_shifted = len(plain) == 1 and plain != character
    return f"\x1b[{ord(plain if is_shifted else character)};{4 if is_shifted else 3}u"


def _inner_lines(text: str) -> int:
    """Line ends that have text after them."""
    return len(text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")) - 1


def _beginning_of(mark: str, text: str) -> int:
    """How many characters at the end of `text` may be the beginning of a mark."""
    for length in range(min(len(mark) - 1, len(text)), 0, -1):
        if text.endswith(mark[:length]):
            return length
    return 0


def driver_class() -> "type | None":
    """The guarded driver of this platform; None lets Textual choose."""
    if sys.platform == "win32":
        return None
    from chatui.ui.terminal.guarded_driver import GuardedDriver

    return GuardedDriver
