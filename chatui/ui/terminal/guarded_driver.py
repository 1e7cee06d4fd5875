"""Textual's Linux driver (it serves macOS too) with a guarded keyboard.

See `input_driver` for what is guarded.

Invariant: the thread sleeps while nothing is typed; it does not poll.
"""

import os
import selectors
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from textual import events
from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from chatui.ui.terminal.input_driver import InputGuard, Pasted, Piece
from chatui.ui.terminal.page_colour import ColourReply, PageColour
from chatui.ui.terminal.terminal_replies import ESCAPE, AwaitedReply, TerminalReplies

READ_BYTES = 65_536
TELL_KEYS_APART = "\x1b[>4;1m"
"""modifyOtherKeys: Shift+Enter and the like become sequences of their own, all else stays as it is."""
KEYS_AS_BEFORE = "\x1b[>4m"
PARSER_PATIENCE_S = 0.12
"""Textual's parser may wait for the rest of a sequence; so often it is asked whether it gave up."""
Heard = Message | AwaitedReply


class Hearing:
    """What arrives becomes messages, in its order; the caller tells when nothing came for a while.

    Args:
        replies: Those of the terminal that are awaited.
        parser: Textual's.
    """

    def __init__(self, replies: TerminalReplies, parser: XTermParser) -> None:
        self._guard = InputGuard(replies)
        self._parser = parser
        self._may_parser_wait = False

    @property
    def patience_s(self) -> float | None:
        """After so much silence `silence` should be called; None is never."""
        patience_s = self._guard.patience_s
        return PARSER_PATIENCE_S if patience_s is None and self._may_parser_wait else patience_s

    def hear(self, text: str) -> Iterator[Heard]:
        """Something arrived."""
        self._may_parser_wait = True
        yield from self._understood(self._guard.feed(text))

    def silence(self) -> Iterator[Heard]:
        """Nothing came for a while."""
        let_go = tuple(self._guard.give_up())
        self._may_parser_wait = bool(let_go)
        yield from self._understood(let_go)

    def _understood(self, pieces: Iterable[Piece]) -> Iterator[Heard]:
        for piece in pieces:
            if isinstance(piece, AwaitedReply):
                yield piece
            elif isinstance(piece, Pasted):
                yield events.Paste(piece.text)
            elif piece.text == ESCAPE:
                yield events.Key("escape", ESCAPE)
            else:
                yield from self._parser.feed(piece.text)
        yield from self._parser.tick()


class GuardedDriver(LinuxDriver):
    """Reads the keyboard through an `InputGuard`."""

    _wake: tuple[int, int] | None = None
    _is_gone = False
    """The terminal went away: nothing more can be read or written."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._replies = TerminalReplies()
        self._told: dict[AwaitedReply, Callable[[], None]] = {}
        """What is called when a reply has come."""

    def ask_page_colour(self, told: Callable[[PageColour], None]) -> None:
        """Ask the terminal for the colour of its page; `told` hears of it, if the terminal ever says it."""
        awaited = ColourReply()

        def came() -> None:
            if awaited.colour is not None:
                told(awaited.colour)

        self._ask(awaited, came)

    def ask_keyboard(self, told: Callable[[], None]) -> None:
        """Ask whether the terminal speaks the kitty keyboard protocol; `told` is called if it says so."""
        from chatui.ui.terminal.newline_keys import keyboard_reply

        self._ask(keyboard_reply(), told)

    def _ask(self, awaited: AwaitedReply, came: Callable[[], None]) -> None:
        self._told[awaited] = came
        self.write(self._replies.ask(awaited))
        self.flush()

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
        hearing = Hearing(self._replies, parser)
        decode = getincrementaldecoder("utf-8")("replace").decode
        while not self.exit_event.is_set():
            ready = [key.fd for key, _ in selector.select(hearing.patience_s)]
            if self.fileno in ready:
                try:
                    data = os.read(self.fileno, READ_BYTES)
                except OSError:
                    data = b""
                if not data:
                    self._terminal_is_gone()
                    return
                self._tell(hearing.hear(decode(data)))
            elif wake not in ready:  # the byte stays in the pipe: the event that ends the loop is set at once
                self._tell(hearing.silence())

    def _tell(self, heard: Iterable[Heard]) -> None:
        for one in heard:
            if isinstance(one, AwaitedReply):
                self._loop.call_soon_threadsafe(self._app.call_later, self._told.pop(one))
            else:
                self.process_message(one)
