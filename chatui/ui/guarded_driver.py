"""Textual's Linux driver (it serves macOS too) with a guarded keyboard.

See `input_driver` for what is guarded.

Invariant: the thread sleeps while nothing is typed; it does not poll.
"""

import os
import selectors
from codecs import getincrementaldecoder
from collections.abc import Iterable

from textual import events
from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from chatui.ui.input_driver import InputGuard, Pasted, Piece

READ_BYTES = 65_536
ESCAPE = "\x1b"
PARSER_PATIENCE_S = 0.12
"""Textual's parser may wait for the rest of a sequence; so often it is asked whether it gave up."""


class GuardedDriver(LinuxDriver):
    """Reads the keyboard through an `InputGuard`."""

    _wake: tuple[int, int] | None = None

    def disable_input(self) -> None:
        """Wake the thread, so that it sees that it is over."""
        if self._wake is not None and not self.exit_event.is_set():
            os.write(self._wake[1], b".")
        super().disable_input()

    def run_input_thread(self) -> None:
        """Read, guard, parse, hand over; ends when the app does."""
        parser = XTermParser(self._debug)
        guard = InputGuard()
        decode = getincrementaldecoder("utf-8")("replace").decode
        is_parsing = False

        def take(pieces: Iterable[Piece]) -> None:
            for piece in pieces:
                if isinstance(piece, Pasted):
                    self.process_message(events.Paste(piece.text))
                elif piece.text == ESCAPE:
                    self.process_message(events.Key("escape", ESCAPE))
                else:
                    for message in parser.feed(piece.text):
                        self.process_message(message)

        self._wake = os.pipe()
        selector = selectors.DefaultSelector()
        selector.register(self.fileno, selectors.EVENT_READ)
        selector.register(self._wake[0], selectors.EVENT_READ)
        try:
            while not self.exit_event.is_set():
                patience_s = guard.patience_s
                if patience_s is None and is_parsing:
                    patience_s = PARSER_PATIENCE_S
                ready = [key.fd for key, _ in selector.select(patience_s)]
                if self.fileno in ready:
                    data = os.read(self.fileno, READ_BYTES)
                    if not data:
                        break
                    take(guard.feed(decode(data)))
                    is_parsing = True
                elif self._wake[0] in ready:
                    os.read(self._wake[0], 16)
                else:
                    take(guard.give_up())
                    is_parsing = False
                for message in parser.tick():
                    self.process_message(message)
        finally:
            selector.close()
            for end in self._wake:
                os.close(end)
            self._wake = None
            try:
                for _ in parser.feed(""):
                    pass
            except (EOFError, ParseError):
                pass
