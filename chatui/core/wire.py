"""The interface of a protocol, and the deviations of a server as data.

A protocol is one package in `chatui.protocols` with a constant `PROTOCOL` of type `WireProtocol`.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from chatui.core.errors import Failure
from chatui.core.request import ChatRequest
from chatui.core.values import frozen

if TYPE_CHECKING:
    from chatui.core.events import StreamEvent


@frozen(kw_only=True)
class Dialect:
    """How a server deviates from its protocol; defaults suit the vendor itself and tolerant servers."""

    is_done_proof: bool = False
    """Accept `[DONE]` without a finish_reason as the end (a person's deliberate choice)."""
    is_stop_call_proof: bool = False
    """Calls in an answer that ended with `stop` are run too (a person's deliberate choice)."""
    has_cumulative_deltas: bool | None = None
    """Each delta repeats the whole text so far. None: noticed from the stream."""
    has_think_tags: bool = True
    """`<think>` at the start of content is reasoning."""
    sends_usage_option: bool = True
    """Ask for the usage chunk (`stream_options.include_usage`)."""
    max_tokens_field: str = ""
    """Name of the output limit in the body; empty: the protocol's own."""
    system_role: str = ""
    """`system` or `developer`; empty: the protocol's own choice."""
    reasoning_effort_field: str = ""
    """Dotted path of the reasoning effort in the body; empty: the protocol's own."""
    thinking_budget_field: str = ""
    """Dotted path of the thinking budget in the body; empty: the protocol's own, or not sent."""
    is_reasoning_echoed: bool = False
    """Send earlier reasoning back (`reasoning_content`)."""
    reasoning_models: tuple[str, ...] = ()
    """Beginnings of the names of models that reason (with a leading `-`: of those that do not): encrypted
    reasoning is asked for (Responses), or an effort makes them think without a budget (Messages)."""
    continues_answers: bool = False
    """An answer that stands last in the messages is continued by models that do not think (a prefill)."""
    tool_call_id_length: int | None = None
    """Tool calls need ids of exactly so many letters and digits."""
    default_max_output_tokens: int | None = None
    """Sent when the person gave no limit and the protocol demands one."""
    unsupported: tuple[str, ...] = ()
    """Members of the body that this server rejects; left out."""
    extra_body: Mapping[str, object] = field(default_factory=dict)
    """Members always put into the body."""

    def is_reasoning_model(self, model: str) -> bool:
        """Whether a model is known to reason."""
        longest = max(
            (word for word in self.reasoning_models if model.startswith(word.lstrip("-"))),
            key=len,
            default="",
        )
        return bool(longest) and not longest.startswith("-")


@frozen(kw_only=True)
class FileLimits:
    """What the vendor's own servers take of files; None is not known to be limited."""

    request_bytes: int | None = None
    """All files of a request, as base64."""
    image_bytes: int | None = None
    image_pixels: int | None = None
    """The longer side of an image."""
    takes_moving_pictures: bool = True


class StreamDecoder(Protocol):
    """Bytes in, events out; synchronous, without clock or I/O. One instance decodes one response."""

    @property
    def is_finished(self) -> bool:
        """The protocol's own end was seen: nothing more needs to be read."""
        ...

    @property
    def has_proof(self) -> bool:
        """The proof of completion was seen; only usage may still follow, for which the engine waits shortly.

        Chat Completions: every choice has its finish_reason, `[DONE]` not yet. Same as `is_finished` where
        the proof is the last event.
        """
        ...

    def feed(self, data: bytes) -> "list[StreamEvent]":
        """Events of the next bytes, split anywhere. Never raises for what the wire says."""
        ...

    def close(self, cut: Failure | None = None) -> "list[StreamEvent]":
        """The input is over: `cut` is None after a clean end of the body, otherwise what broke it.

        The last event is exactly one `StreamCompleted` or `StreamFailed`. Proof seen before the cut still
        counts.
        """
        ...


class WireProtocol(Protocol):
    """What the engine needs to know of a protocol."""

    @property
    def name(self) -> str:
        """That of its package, as in `--protocol chat_completions`."""
        ...

    @property
    def path(self) -> str:
        """Endpoint below the base URL, e.g. `/chat/completions`."""
        ...

    @property
    def file_limits(self) -> FileLimits:
        """What is told before files are sent."""
        ...

    def headers(self, api_key: str | None) -> dict[str, str]:
        """Headers that authenticate and version a request."""
        ...

    def body(self, request: ChatRequest, dialect: Dialect) -> dict[str, object]:
        """The JSON body of a request."""
        ...

    def stream_decoder(self, dialect: Dialect) -> StreamDecoder:
        """A decoder of an event stream."""
        ...

    def body_decoder(self, dialect: Dialect) -> StreamDecoder:
        """A decoder of a whole JSON body; gives the same turn as the same answer streamed."""
        ...

    def http_failure(self, status: int, headers: Mapping[str, str], body: bytes) -> Failure:
        """The failure that an error response tells. Header names are lower case."""
        ...
