"""May this be run? The whole call over the chat, scrollable, and the keys that decide.

Invariants: a key that was struck before the question could be read decides nothing: keys count only after
the panel was painted and none came for a moment, and what was being written goes on into the composer; Enter
never says yes; Esc always stops the turn.
"""

from collections.abc import Callable
from typing import ClassVar, Final

from textual import events
from textual._time import get_time
from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import ModalScreen

from chatui.engine.approval import ApprovalRequest, Decision, Verdict
from chatui.engine.ports import Clock
from chatui.ui.screens.text_page import NARROW_CELLS, TALL_ROWS, PageBar, PageLines, mark_room
from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.key_hints import hint_rows
from chatui.ui.widgets.one_line import LinesWidget
from chatui.ui.writing.text_field import TextField
from chatui.view.approval_lines import approval_lines, approval_source, approval_title
from chatui.view.glyphs import Glyphs
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.plain_lines import clip_runs, runs_line

QUIET_S: Final = 0.3
"""No key must have come for so long before one can decide."""
QUIET_OF_WRITING_S: Final = 1.5
"""The same where a prompt is being written: who thinks in mid-sentence goes on with a letter."""
KEYS: Final = (("a", "run once"), ("A", "this conversation"), ("d", "deny"), ("Esc", "stop"), ("y", "copy"))
SHORT: Final = {"run once": "once", "this conversation": "this chat"}
"""For windows where the keys would not fit otherwise: none of them may be out of sight."""
DECIDING: Final = 4
"""So many of the keys decide: in the smallest windows only these are told, for the call needs the rows."""
MOST_KEY_ROWS: Final = 2
PANEL_CELLS: Final = 100
KEYS_OF_REASON: Final = "Enter denies, Esc goes back"


class ReasonLine(LinesWidget):
    """Why a call is denied, while that is being written."""

    surface = "overlay"

    def __init__(self, styles: ThemeStyles, signs: Glyphs) -> None:
        super().__init__(styles, signs)
        self.field = TextField()

    def make_lines(self, width: int) -> list[Line]:
        """The field."""
        before = Run(" Why not? ", Style(Tone.ACCENT, is_bold=True))
        runs = self.field.runs(max(4, width - 12), "may be empty; the model is told")
        return [runs_line(clip_runs((before, *runs), width))]


class DecisionKeys(LinesWidget):
    """What each key does: those that decide are always in sight, in as many rows as that takes."""

    surface = "overlay"
    words = ""
    """What is told in place of the keys."""
    has_more = False
    """Not all of the call is in the window."""

    def make_lines(self, width: int) -> list[Line]:
        """The keys, or what is told."""
        if self.words:
            return [runs_line(clip_runs((Run(f" {self.words}", Style(Tone.MUTED)),), width))]
        keys = [*KEYS, ("PgDn", "more")] if self.has_more else KEYS
        lines = hint_rows(keys, width)
        if len(lines) > 1:
            keys = [(key, SHORT.get(word, word)) for key, word in keys]
            lines = hint_rows(keys, width)
        return lines if len(lines) <= MOST_KEY_ROWS else hint_rows(keys[:DECIDING], width)


class ApprovalScreen(ModalScreen[Decision | None]):
    """Gives the decision, or None to stop the turn.

    Args:
        request: The call.
        styles: Of the theme.
        signs: Glyphs that the terminal can show.
        clock: For the moment without keys.
        copy: Copies a text and says how.
        pass_on: Takes what was being written when the question came.
        is_writing: A prompt was begun when the question came.
    """

    ALLOW_SELECT: ClassVar[bool] = False
    DEFAULT_CSS = """
    ApprovalScreen { align: center middle; background: $background 60%; }
    ApprovalScreen Container { width: 100; height: 80%; background: $panel; }
    ApprovalScreen.-narrow Container { width: 100%; }
    ApprovalScreen.-tall PageBar { height: 2; }
    ApprovalScreen ReasonLine { display: none; }
    ApprovalScreen.-denying ReasonLine { display: block; }
    """

    def __init__(
        self,
        request: ApprovalRequest,
        *,
        styles: ThemeStyles,
        signs: Glyphs,
        clock: Clock,
        copy: Callable[[str, str], str],
        pass_on: Callable[[str], object],
        is_writing: bool = False,
    ) -> None:
        super().__init__()
        self._request = request
        self._clock = clock
        self._copy = copy
        self._pass_on = pass_on
        self._quiet_s = QUIET_OF_WRITING_S if is_writing else QUIET_S
        self._last_key_s: float | None = None
        """When the last key came, or the panel was painted; None: it was not painted yet."""
        self._is_over = False
        self.bar = PageBar(approval_title(request, 80), "", styles, signs)
        self.lines = PageLines(lambda width: approval_lines(request, width, signs), styles, signs)
        self.reason = ReasonLine(styles, signs)
        self.signs = signs
        self.foot = DecisionKeys(styles, signs)
        self.panel = Container()

    def compose(self) -> ComposeResult:
        """Question, call, reason, keys."""
        with self.panel:
            yield self.bar
            yield self.lines
            yield self.reason
            yield self.foot

    def on_mount(self) -> None:
        """From the first paint on the person can read it."""
        self.call_after_refresh(self._painted)

    def _painted(self) -> None:
        if self._last_key_s is None:
            self._last_key_s = self._clock.monotonic_s()

    @property
    def is_denying(self) -> bool:
        """The reason of a denial is being written."""
        return self.has_class("-denying")

    def withdraw(self) -> None:
        """Nobody waits for the answer any more."""
        if not self._is_over:
            self._is_over = True
            self._leave_when_on_top()

    def _leave_when_on_top(self) -> None:
        """Something may have come over it meanwhile; then it goes when that has gone."""
        if self.is_attached and self.app.screen is self:
            _ = self.dismiss(None)

    def on_screen_resume(self) -> None:
        """It is in sight again."""
        if self._is_over:
            self._leave_when_on_top()

    def decide(self, decision: Decision | None) -> None:
        """Close with an answer."""
        if not self._is_over:
            self._is_over = True
            _ = self.dismiss(decision)

    def on_key(self, event: events.Key) -> None:
        """Decide, move, copy; or go on writing elsewhere."""
        event.stop()
        event.prevent_default()
        # When it was struck, not when its turn came: a busy app takes keys late, perhaps behind the paint.
        now_s = self._clock.monotonic_s() - max(0.0, get_time() - event.time)
        last_s = self._last_key_s
        if last_s is not None:
            self._last_key_s = max(last_s, now_s)
        if self.is_denying:
            self._write_reason(event)
        elif event.key in ("escape", "ctrl+c"):
            self.decide(None)
        elif self._move(event.key):
            pass
        elif last_s is None or now_s - last_s < self._quiet_s:
            if event.is_printable and event.character is not None:
                self._pass_on(event.character)
                self._quiet_s = QUIET_OF_WRITING_S
        else:
            self._decide_by(event.key)

    def _decide_by(self, key: str) -> None:
        match key:
            case "a":
                self.decide(Decision(Verdict.ONCE))
            case "A" | "upper_a" | "shift+a":
                self.decide(Decision(Verdict.ALWAYS))
            case "d":
                self._show_denying(is_denying=True)
            case "y":
                self._tell(self._copy(approval_source(self._request), "this call"))
            case _:
                self._tell()

    def _move(self, key: str) -> bool:
        page = self.lines.page_rows()
        steps = {"up": -1, "down": 1, "pageup": -page, "pagedown": page, "home": -(10**9), "end": 10**9}
        if key not in steps:
            return False
        self.lines.scroll_rows(steps[key])
        return True

    def _write_reason(self, event: events.Key) -> None:
        if event.key in ("escape", "ctrl+c"):
            self._show_denying(is_denying=False)
        elif event.key == "enter":
            self.decide(Decision(Verdict.DENY, self.reason.field.text.strip()))
        elif self.reason.field.key(event.key, event.character if event.is_printable else None):
            self.reason.lines_changed()

    def _show_denying(self, *, is_denying: bool) -> None:
        self.set_class(is_denying, "-denying")
        self.reason.lines_changed()
        self._tell(KEYS_OF_REASON if is_denying else "")

    def _tell(self, words: str = "") -> None:
        self.foot.words = words
        self._fit()

    def on_resize(self, event: events.Resize) -> None:
        """The panel is as high as the call, and never higher than the window lets it be."""
        mark_room(self, event.size)
        self._fit()

    def _fit(self) -> None:
        columns, rows = self.size
        is_tall = rows >= TALL_ROWS
        width = columns if columns < NARROW_CELLS else PANEL_CELLS
        call = len(approval_lines(self._request, max(4, width - 2), self.signs))
        around = (2 if is_tall else 1) + int(self.is_denying)
        most = rows * 4 // 5 if is_tall else rows
        self.foot.has_more = False
        keys = len(self.foot.make_lines(width))
        if call + around + keys + int(is_tall) > most:
            self.foot.has_more = True
            keys = len(self.foot.make_lines(width))
        self.foot.styles.height = keys
        self.panel.styles.height = max(4, min(most, call + around + keys + int(is_tall)))
        self.foot.lines_changed()

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is a reason, or goes where it was meant to go; it never decides."""
        event.stop()
        if self.is_denying:
            self.reason.field.insert(event.text)
            self.reason.lines_changed()
        else:
            self._pass_on(event.text)

    def use_theme(self, styles: ThemeStyles) -> None:
        """Paint in another theme."""
        for part in (self.bar, self.lines, self.reason, self.foot):
            part.use_theme(styles)
