"""Messages as values: a role and typed parts. Identity belongs to the turn and to storage, never to a part.

Text is raw, as received or typed; it is made safe where it is shown (`core.safe_text`).
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from chatui.core.values import frozen


class Role(StrEnum):
    """Who speaks. A protocol maps these to its own words."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class ToolCallState(StrEnum):
    """How far a tool call got."""

    STREAMING = "streaming"
    WHOLE = "whole"
    """Arguments are complete and a valid JSON object (or free text): may be approved and run."""
    UNFINISHED = "unfinished"
    """The stream ended before the arguments did: shown, never run, never sent back."""
    UNPARSABLE = "unparsable"
    """The protocol called them whole, but they are no valid JSON: shown, never run, never sent back."""


class ToolOutcome(StrEnum):
    """How a call ended, told beside its result."""

    OK = "ok"
    FAILED = "failed"
    """The tool ran and could not do it, ran into its limit, or there is no such tool."""
    DENIED = "denied"
    """The person, or a rule of the person, did not allow it."""
    INTERRUPTED = "interrupted"
    """It was stopped, or the program ended, before there was a result."""
    INVALID = "invalid"
    """Its arguments are not what the tool takes: it was not run."""


@frozen
class Citation:
    """A source that a provider attached to text."""

    title: str
    url: str = ""
    quote: str = ""


@frozen
class TextPart:
    """Text of an answer or of a prompt."""

    text: str
    citations: tuple[Citation, ...] = ()
    opaque: Mapping[str, object] = field(default_factory=dict)
    """State the provider wants back with this part; stored, never shown."""


@frozen
class ReasoningPart:
    """What the model thought, when the provider shows it."""

    text: str
    is_summary: bool = False
    is_redacted: bool = False
    opaque: Mapping[str, object] = field(default_factory=dict)
    """Signature or encrypted content that the provider wants back; stored, never shown."""


@frozen
class RefusalPart:
    """A refusal in a field of its own."""

    text: str


@frozen
class ToolCallPart:
    """A call that the model asks the client to make."""

    call_id: str
    name: str
    arguments_raw: str
    state: ToolCallState
    is_free_text: bool = False
    """A custom tool: `arguments_raw` is its input, not JSON."""
    opaque: Mapping[str, object] = field(default_factory=dict)


@frozen
class ToolActivityPart:
    """Something a hosted tool did on the provider's side (web search, code interpreter, MCP call, ...)."""

    activity_id: str
    name: str
    status: str
    """The protocol's own word, e.g. `searching`, `completed`."""
    detail: str = ""
    """Query, code or arguments."""
    result: str = ""
    opaque: Mapping[str, object] = field(default_factory=dict)
    """The whole item if the provider wants it back on the next turn."""


@frozen
class ToolResultPart:
    """What a call gave, sent back to the model."""

    call_id: str
    name: str
    text: str
    is_error: bool = False
    outcome: ToolOutcome | None = None
    """How the call ended, where this program made it; None is not known (imported, or made elsewhere)."""


@frozen
class ImagePart:
    """An image: base64 data, or the address of one."""

    media_type: str
    data_base64: str = ""
    url: str = ""
    name: str = ""


@frozen
class FilePart:
    """A file such as a PDF, as base64."""

    name: str
    media_type: str
    data_base64: str


@frozen
class AudioPart:
    """A spoken answer; `transcript` is what is shown."""

    audio_id: str
    transcript: str
    data_base64: str = ""
    expires_at_epoch_s: int | None = None


Part = (
    TextPart
    | ReasoningPart
    | RefusalPart
    | ToolCallPart
    | ToolActivityPart
    | ToolResultPart
    | ImagePart
    | FilePart
    | AudioPart
)


@frozen
class Message:
    """A role and its parts."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """All text parts, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))


def user_message(text: str) -> Message:
    """A plain prompt."""
    return Message(Role.USER, (TextPart(text),))
