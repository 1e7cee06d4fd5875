"""What a decoder says about a stream: a closed union of small frozen values.

A `StreamDecoder` turns bytes into these, a `TurnBuilder` folds them into a turn. Every decoder ends with
exactly one `StreamCompleted` or `StreamFailed`, given by its `close()`.
"""

from collections.abc import Mapping
from typing import NamedTuple

from chatui.core.errors import Failure
from chatui.core.messages import Citation, ImagePart, ToolActivityPart
from chatui.core.usage import Usage as Usage
from chatui.core.values import frozen


class PartKey(NamedTuple):
    """Names one part of one choice while it is being received. `slot` is the decoder's own word."""

    choice: int
    slot: str


@frozen
class ResponseStarted:
    """Facts about the response. Later ones fill what earlier ones left None."""

    response_id: str | None = None
    model: str | None = None
    service_tier: str | None = None
    system_fingerprint: str | None = None


@frozen
class TextDelta:
    """Text appended to an answer part. A decoder may merge neighbouring deltas of one feed into one event."""

    key: PartKey
    text: str
    count: int = 1
    """Deltas on the wire that were merged into this one."""


@frozen
class ReasoningDelta:
    """Text appended to a reasoning part."""

    key: PartKey
    text: str
    count: int = 1
    is_summary: bool = False


@frozen
class RefusalDelta:
    """Text appended to a refusal part."""

    key: PartKey
    text: str
    count: int = 1


@frozen
class ToolCallDelta:
    """A tool call begins or grows. None leaves what is known; `arguments` is appended."""

    key: PartKey
    call_id: str | None = None
    name: str | None = None
    arguments: str = ""
    count: int = 1
    is_free_text: bool = False


@frozen
class PartFinished:
    """The protocol says that this part is whole. `text`, when given, is its authoritative content."""

    key: PartKey
    text: str | None = None


@frozen
class TextReclassified:
    """The text received so far under this key was reasoning: a closing think tag came without an opening one.

    Text that follows comes under another key.
    """

    key: PartKey


@frozen
class OpaqueReceived:
    """State to send back with a part (signature, encrypted content); stored, never shown."""

    key: PartKey
    values: Mapping[str, object]
    is_redacted: bool = False


@frozen
class CitationAdded:
    """A source for a text part."""

    key: PartKey
    citation: Citation


@frozen
class ToolActivityChanged:
    """A hosted tool did something; replaces what was known under this key."""

    key: PartKey
    activity: ToolActivityPart


@frozen
class AudioDelta:
    """A piece of a spoken answer."""

    key: PartKey
    audio_id: str | None = None
    transcript: str = ""
    data_base64: str = ""
    expires_at_epoch_s: int | None = None


@frozen
class ImageReceived:
    """A picture that belongs to the answer, whole."""

    key: PartKey
    image: ImagePart


@frozen
class LogprobsReceived:
    """Log probabilities of a choice, as the wire gave them."""

    choice: int
    entries: tuple[object, ...]


@frozen
class UsageReported:
    """Token counts, replacing earlier ones."""

    usage: Usage


@frozen
class ChoiceFinished:
    """One choice ended, with the protocol's own word."""

    choice: int
    finish_reason: str


@frozen
class NoticeRaised:
    """Something worth telling that is not part of the answer (moderation, a gap in sequence numbers, ...)."""

    text: str


@frozen
class UnknownEvent:
    """An event of a type that nobody knows; counted, otherwise ignored."""

    name: str


@frozen
class StreamCompleted:
    """The protocol's own proof of completion was seen."""

    finish_reason: str | None = None


@frozen
class StreamFailed:
    """The stream ended without proof, or with an error."""

    failure: Failure
    finish_reason: str | None = None


StreamEvent = (
    ResponseStarted
    | TextDelta
    | ReasoningDelta
    | RefusalDelta
    | ToolCallDelta
    | PartFinished
    | TextReclassified
    | OpaqueReceived
    | CitationAdded
    | ToolActivityChanged
    | AudioDelta
    | ImageReceived
    | LogprobsReceived
    | UsageReported
    | ChoiceFinished
    | NoticeRaised
    | UnknownEvent
    | StreamCompleted
    | StreamFailed
)
