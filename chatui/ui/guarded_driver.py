"""Textual's Linux driver (it serves macOS too) with a guarded keyboard.

See `input_driver` for what is guarded.

Invariant: the thread sleeps while nothing is typed; it does not poll.
"""

import os
import selectors
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable

from textual import events
from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from chatui.ui.input_driver import InputGuard, Pasted, Piece
from chatui.ui.page_colour import ColourReply, PageColour
from chatui.ui.terminal_replies import PATIENCE_S, ReplyFilter

READ_BYTES = 65_536
ESCAPE = "\x1b"
TELL_KEYS_APART = "\x1b[>4;1m"
"""modifyOtherKeys: Shift+Enter and the like become sequences of their own, all else stays as it is."""
KEYS_AS_BEFORE = "\x1b[>4m"
PARSER_PATIENCE_S = 0.12
"""Textual's parser may wait for the rest of a sequence; so often it is asked whether it gave up."""


class GuardedDriver(LinuxDriver):
    """Reads the keyboard through an `InputGuard`."""

    _wake: tuple[int, int] | None = None
    _is_gone = False
    """The terminal went away: nothing more can be read or written."""

    _awaited: tuple[tuple[ReplyFilter, Callable[[], None]], ...] = ()
    """Replies of the terminal that have not come yet, and what is called then; replaced, never changed."""

    def ask_page_colour(self, told: Callable[[PageColour], None]) -> None:
        """Ask the terminal for the colour of its page; `told` hears of it, if the terminal ever says it."""
        awaited = ColourReply()

        def came() -> None:
            if awaited.colour is not None:
                told(awaited.colour)

        self._ask(awaited, came)

    def ask_keyboard(self, told: Callable[[], None]) -> None:
        """Ask whether the terminal speaks the kitty keyboard protocol; `told` is called if it says so."""
        from chatui.ui.newline_keys import keyboard_reply

        self._ask(keyboard_reply(), told)

    def _ask(self, awaited: ReplyFilter, came: Callable[[], None]) -> None:
        self._awaited = (*self._awaited, (awaited, came))
        self.write(awaited.ask())
        self.flush()

    def _without_reply(self, text: str) -> str:
        """What arrived, without the terminal's answers."""
        for waiting in self._awaited:
            awaited, came = waiting
            text = awaited.feed(text)
            if not awaited.is_waiting:
                self._awaited = tuple(other for other in self._awaited if other is not waiting)
                self._loop.call_soon_threadsafe(self._app.call_later, came)
        return text

    @property
    def _is_holding(self) -> bool:
        """The rest of a reply is awaited."""
        return any(awaited.is_holding for awaited, _ in self._awaited)

    def write(self, data: str) -> None:
        """Write, unless nobody is there: a queue that nobody empties would hold up the whole app."""
        if not self._is_gone and self._writer_thread is not None and self._writer_thread.is_alive():
            super().write(data)

    def close(self) -> None:
        """Stop writing."""
        if not self._is_gone:
            super().close()

    def start_application_mode(self) -> None:
        """Textual asks for the kitty keyboard; tmux knows only the older way to tell keys apart."""
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual leaves it without types
        if os.environ.get("TMUX"):
            self.write(TELL_KEYS_APART)
            self.flush()

    def stop_application_mode(self) -> None:
        """Give the keyboard back as it was."""
        if os.environ.get("TMUX"):
            self.write(KEYS_AS_BEFORE)
        super().stop_application_mode()

    def _terminal_is_gone(self) -> None:
        self._is_gone = True
        # Only ChatApp uses this driver; Textual's type of it is wider.
        self._loop.call_soon_threadsafe(self._app.call_later, self._app.action_leave)  # type: ignore[attr-defined]

    def disable_input(self) -> None:
        """Wake the thread, so that it sees that it is over."""
        if self._wake is not None and not self.exit_event.is_set():
            os.write(self._wake[1], b".")
        super().disable_input()

    def run_input_thread(self) -> None:
        """Read, guard, parse, hand over; ends when the app does."""
        parser = XTermParser(self._debug)
        self._wake = os.pipe()
        selector = selectors.DefaultSelector()
        selector.register(self.fileno, selectors.EVENT_READ)
        selector.register(self._wake[0], selectors.EVENT_READ)
        try:
            self._read_until_woken(selector, parser, self._wake[0])
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

    def _read_until_woken(self, selector: selectors.BaseSelector, parser: XTermParser, wake: int) -> None:
        guard = InputGuard()
        decode = getincrementaldecoder("utf-8")("replace").decode
        is_parsing = False
        while not self.exit_event.is_set():
            patience_s = guard.patience_s
            if patience_s is None and is_parsing:
                patience_s = PARSER_PATIENCE_S
            if patience_s is None and self._is_holding:
                patience_s = PATIENCE_S
            ready = [key.fd for key, _ in selector.select(patience_s)]
            if self.fileno in ready:
                try:
                    data = os.read(self.fileno, READ_BYTES)
                except OSError:
                    data = b""
                if not data:
                    self._terminal_is_gone()
                    return
                self._take(guard.feed(self._without_reply(decode(data))), parser)
                is_parsing = True
            elif wake not in ready:  # the byte stays in the pipe: the event that ends the loop is set at once
                self._take(guard.give_up(), parser)
                is_parsing = False
                for awaited, _ in self._awaited:
                    awaited.give_up()
            for message in parser.tick():
                self.process_message(message)

    def _take(self, pieces: Iterable[Piece], parser: XTermParser) -> None:
        for piece in pieces:
            if isinstance(piece, Pasted):
                self.process_message(events.Paste(piece.text))
            elif piece.text == ESCAPE:
                self.process_message(events.Key("escape", ESCAPE))
            else:
                for message in parser.feed(piece.text):
                    self.process_message(message)
