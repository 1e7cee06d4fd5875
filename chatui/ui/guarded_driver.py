"""Textual's Linux driver (it serves macOS too) with a guarded keyboard; see `input_driver` for what is guarded."""

import os
import selectors
from codecs import getincrementaldecoder

from textual import events
from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from chatui.ui.input_driver import PASTE_PATIENCE_S, InputGuard, Pasted, Piece

READ_BYTES = 65_536
POLL_S = 0.1


class GuardedDriver(LinuxDriver):
    """Reads the keyboard through an `InputGuard`."""

    def run_input_thread(self) -> None:
        """Read, guard, parse, hand over; ends when the app does."""
        selector = selectors.SelectSelector()
        selector.register(self.fileno, selectors.EVENT_READ)
        parser = XTermParser(self._debug)
        guard = InputGuard()
        decode = getincrementaldecoder("utf-8")("replace").decode
        silent_s = 0.0

        def take(pieces: "list[Piece]") -> None:
            for piece in pieces:
                if isinstance(piece, Pasted):
                    self.process_message(events.Paste(piece.text))
                else:
                    for message in parser.feed(piece.text):
                        self.process_message(message)

        try:
            while not self.exit_event.is_set():
                if selector.select(POLL_S):
                    data = os.read(self.fileno, READ_BYTES)
                    if not data:
                        break
                    silent_s = 0.0
                    take(list(guard.feed(decode(data))))
                else:
                    silent_s += POLL_S
                    if silent_s >= PASTE_PATIENCE_S or not guard.is_pasting:
                        take(list(guard.give_up()))
                for message in parser.tick():
                    self.process_message(message)
        finally:
            selector.close()
            try:
                for _ in parser.feed(""):
                    pass
            except (EOFError, ParseError):
                pass
