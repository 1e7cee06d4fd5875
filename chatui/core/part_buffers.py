"""Parts of a message while they grow: lists of pieces, joined when a snapshot asks for them.

Invariant: `freeze` gives the same object again if nothing changed, and its text holds no lone surrogate.
Source: `core.surrogates`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from chatui.core.events import AudioDelta, ToolCallDelta
from chatui.core.json_access import is_object_text
from chatui.core.messages import (
    AudioPart,
    Citation,
    ImagePart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolCallState,
)
from chatui.core.surrogates import begun_at_end, holds_surrogates, mend_surrogates, pairs_joined
from chatui.core.turn import Phase


class PieceBuffer:
    """Text that grows by pieces."""

    __slots__ = ("_held", "_pieces", "joins")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._held = ""
        self.joins = 0
        """How often pieces were joined: tests hold it against the number of snapshots."""

    def append(self, text: str) -> None:
        """Add a piece. Half a character at its end waits for the rest."""
        if not text:
            return
        if self._held:
            text = self._held + text
            self._held = ""
        if holds_surrogates(text):
            text = pairs_joined(text)
            if begun := begun_at_end(text):
                self._held = text[-begun:]
                text = text[:-begun]
            text = mend_surrogates(text)
        if text:
            self._pieces.append(text)

    def set(self, text: str) -> None:
        """Replace everything."""
        self._held = ""
        self._pieces = [mend_surrogates(text)]

    def text(self, *, is_over: bool = False) -> str:
        """Everything so far; at the end a held half becomes U+FFFD."""
        if is_over and self._held:
            self._pieces.append("\ufffd")
            self._held = ""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
            self.joins += 1
        return self._pieces[0] if self._pieces else ""


class _Growing(ABC):
    """What every buffer of text has."""

    def __init__(self) -> None:
        self._text = PieceBuffer()
        self._opaque: dict[str, object] = {}
        self._is_finished = False
        self._frozen: Part | None = None
        self._is_over = False

    def append(self, text: str) -> None:
        self._frozen = None
        self._text.append(text)

    def finish(self, text: str | None) -> None:
        self._frozen = None
        self._is_finished = True
        if text is not None and text != self._text.text():
            self._text.set(text)

    def add_opaque(self, values: Mapping[str, object], *, is_redacted: bool) -> None:
        self._frozen = None
        self._opaque.update(values)
        del is_redacted

    def freeze(self, phase: Phase) -> Part | None:
        is_over = phase is not Phase.RECEIVING
        if self._frozen is None or is_over != self._is_over:
            self._is_over = is_over
            self._frozen = self._build(self._text.text(is_over=is_over), phase)
        return self._frozen

    @abstractmethod
    def _build(self, text: str, phase: Phase) -> Part | None:
        """The part as it stands, or None if there is nothing to show or keep."""


class TextBuffer(_Growing):
    """Grows a `TextPart`."""

    def __init__(self) -> None:
        super().__init__()
        self._citations: dict[Citation, None] = {}

    def add_citation(self, citation: Citation) -> None:
        """Add a source, once."""
        if citation not in self._citations:
            self._frozen = None
            self._citations[citation] = None

    def as_reasoning(self) -> "ReasoningBuffer":
        """The same text as reasoning."""
        reasoning = ReasoningBuffer()
        reasoning.append(self._text.text())
        return reasoning

    def _build(self, text: str, phase: Phase) -> Part | None:
        del phase
        return TextPart(text, tuple(self._citations), dict(self._opaque)) if text or self._opaque else None


class ReasoningBuffer(_Growing):
    """Grows a `ReasoningPart`."""

    def __init__(self) -> None:
        super().__init__()
        self.is_summary = False
        self._is_redacted = False

    def add_opaque(self, values: Mapping[str, object], *, is_redacted: bool) -> None:
        """State to send back."""
        super().add_opaque(values, is_redacted=is_redacted)
        self._is_redacted = self._is_redacted or is_redacted

    def _build(self, text: str, phase: Phase) -> Part | None:
        del phase
        if not text and not self._opaque:
            return None
        return ReasoningPart(text, self.is_summary, self._is_redacted, dict(self._opaque))


class RefusalBuffer(_Growing):
    """Grows a `RefusalPart`."""

    def _build(self, text: str, phase: Phase) -> Part | None:
        del phase
        return RefusalPart(text) if text else None


class ToolCallBuffer(_Growing):
    """Grows a `ToolCallPart`; arguments are parsed once, when the protocol says that they are whole."""

    def __init__(self) -> None:
        super().__init__()
        self._call_id = ""
        self._name = ""
        self._is_free_text = False
        self._parsed: tuple[str, bool] | None = None

    def grow(self, event: ToolCallDelta) -> None:
        """Take what the delta knows."""
        self.append(event.arguments)
        if event.call_id is not None:
            self._call_id = mend_surrogates(event.call_id)
        if event.name is not None:
            self._name = mend_surrogates(event.name)
        self._is_free_text = self._is_free_text or event.is_free_text

    def _is_valid(self, text: str) -> bool:
        if self._is_free_text:
            return True
        if self._parsed is None or self._parsed[0] is not text:
            self._parsed = (text, is_object_text(text))
        return self._parsed[1]

    def _state(self, text: str, phase: Phase) -> ToolCallState:
        # A call without a name cannot be run, whatever the protocol says of it.
        if not self._is_finished or not self._name:
            return ToolCallState.STREAMING if phase is Phase.RECEIVING else ToolCallState.UNFINISHED
        if not self._is_valid(text):
            return ToolCallState.UNPARSABLE
        # A call that a failed turn leaves behind is not offered: the model never said that it was done.
        return ToolCallState.UNFINISHED if phase is Phase.FAILED else ToolCallState.WHOLE

    def _build(self, text: str, phase: Phase) -> Part | None:
        state = self._state(text, phase)
        return ToolCallPart(self._call_id, self._name, text, state, self._is_free_text, dict(self._opaque))


class ActivityBuffer(_Growing):
    """Holds a `ToolActivityPart`."""

    def __init__(self) -> None:
        super().__init__()
        self._activity: ToolActivityPart | None = None

    def replace(self, activity: ToolActivityPart) -> None:
        """Take the newest state."""
        self._frozen = None
        self._activity = activity

    def _build(self, text: str, phase: Phase) -> Part | None:
        del text, phase
        return self._activity


class AudioBuffer(_Growing):
    """Grows an `AudioPart`."""

    def __init__(self) -> None:
        super().__init__()
        self._audio_id = ""
        self._data: list[str] = []
        self._expires_at_epoch_s: int | None = None

    def grow(self, event: AudioDelta) -> None:
        """Take what the delta knows."""
        self.append(event.transcript)
        self._frozen = None
        self._audio_id = mend_surrogates(event.audio_id or "") or self._audio_id
        if event.data_base64:
            self._data.append(mend_surrogates(event.data_base64))
        if event.expires_at_epoch_s is not None:
            self._expires_at_epoch_s = event.expires_at_epoch_s

    def _build(self, text: str, phase: Phase) -> Part | None:
        del phase
        if len(self._data) > 1:
            self._data = ["".join(self._data)]
        data = self._data[0] if self._data else ""
        return AudioPart(self._audio_id, text, data, self._expires_at_epoch_s)


class ImageBuffer(_Growing):
    """Holds an `ImagePart`."""

    def __init__(self) -> None:
        super().__init__()
        self._image: ImagePart | None = None

    def replace(self, image: ImagePart) -> None:
        """Take the newest one."""
        self._frozen = None
        self._image = image

    def _build(self, text: str, phase: Phase) -> Part | None:
        del text, phase
        return self._image


PartBuffer = (
    TextBuffer | ReasoningBuffer | RefusalBuffer | ToolCallBuffer | ActivityBuffer | AudioBuffer | ImageBuffer
)
