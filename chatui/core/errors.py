"""The errors of chatui, and the failure of a turn as a value.

```
ChatuiError                      .message  .hint
├─ ConfigError                                          exit 2
├─ TransportError                                       exit 3
│   ├─ ConnectFailed
│   ├─ ConnectionLost
│   └─ DeadlineExceeded
├─ WireError                     the peer broke its protocol   exit 5
│   └─ LimitExceeded
├─ ToolError                     becomes a tool result
└─ StoreError                                           exit 7
    ├─ StoreBusy
    └─ SchemaTooNew
ProgrammingError(RuntimeError)   we misused our own code; never caught
```

Inside a turn an error is a value: `Failure`.
"""

from enum import IntEnum, StrEnum

from chatui.core.values import frozen


class FailureReason(StrEnum):
    """Why a turn failed. The words are part of the `--json` interface."""

    CANCELLED = "cancelled"
    """The person stopped it, or chatui was ended (`StopCause`)."""
    LENGTH = "length"
    """A token limit or the context window ended it."""
    CONTENT_FILTER = "content_filter"
    """The provider's filter ended it."""
    REFUSAL = "refusal"
    """The provider stopped the answer and wants the context reset."""
    ERROR = "error"
    """The server reported an error inside a 2xx response."""
    DISCONNECT = "disconnect"
    """The connection ended without the protocol's proof of completion."""
    TIMEOUT = "timeout"
    """A deadline passed: connect, first event, gap or total."""
    PROTOCOL = "protocol"
    """The bytes could not be decoded, or ended cleanly but without proof."""
    HTTP = "http"
    """The server answered with an error status."""
    CONNECT = "connect"
    """No connection could be made."""


class StopCause(StrEnum):
    """Who stopped a turn: the `code` of a failure that is `CANCELLED`."""

    PERSON = ""
    TERMINAL_CLOSED = "terminal_closed"
    """SIGHUP: the window was closed, or the connection to it broke."""
    TOLD_TO_END = "told_to_end"
    """SIGTERM: the system or another program ended chatui."""


class ExitCode(IntEnum):
    """Exit codes of `chatui ask`."""

    COMPLETED = 0
    USAGE = 2
    TRANSPORT = 3
    HTTP = 4
    PROTOCOL = 5
    ERROR = 6
    HISTORY = 7
    LENGTH = 8
    FILTERED = 9
    CANCELLED = 130


EXIT_CODES: dict[FailureReason, ExitCode] = {
    FailureReason.CANCELLED: ExitCode.CANCELLED,
    FailureReason.LENGTH: ExitCode.LENGTH,
    FailureReason.CONTENT_FILTER: ExitCode.FILTERED,
    FailureReason.REFUSAL: ExitCode.FILTERED,
    FailureReason.ERROR: ExitCode.ERROR,
    FailureReason.DISCONNECT: ExitCode.TRANSPORT,
    FailureReason.TIMEOUT: ExitCode.TRANSPORT,
    FailureReason.CONNECT: ExitCode.TRANSPORT,
    FailureReason.PROTOCOL: ExitCode.PROTOCOL,
    FailureReason.HTTP: ExitCode.HTTP,
}


@frozen(kw_only=True)
class Failure:
    """Why a turn failed, in words of the person's world. Raw wire text may be inside: sanitise to show."""

    reason: FailureReason
    message: str
    """What happened, e.g. "The server closed the connection after 812 characters"."""
    hint: str = ""
    """What the person can do next; empty if nothing is known."""
    code: str = ""
    """The server's own word for it, e.g. `insufficient_quota`, `overloaded_error`."""
    http_status: int | None = None
    request_id: str | None = None
    retry_after_s: float | None = None
    is_retryable: bool = False
    """True only if the same request may succeed when sent again (429 without quota words, 5xx, connect)."""
    is_context_too_long: bool = False
    """The conversation does not fit the model's window."""


class ChatuiError(Exception):
    """Base of every error a person may be shown."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(ChatuiError):
    """A setting, flag, provider or file is wrong."""


class Unsettled(ConfigError):
    """A provider that was named lacks its key, or a model to ask: what the app can ask the person for."""

    def __init__(self, message: str, hint: str = "", *, provider: str, lacks_key: bool = False) -> None:
        super().__init__(message, hint)
        self.provider = provider
        self.lacks_key = lacks_key


class TransportError(ChatuiError):
    """Bytes could not be sent or received."""


class ConnectFailed(TransportError):
    """No connection: DNS, refused, proxy or TLS; the message names the stage."""


class ConnectionLost(TransportError):
    """The connection broke while the response was being read."""


class DeadlineExceeded(TransportError):
    """A deadline passed."""


class WireError(ChatuiError):
    """The peer broke its protocol."""


class LimitExceeded(WireError):
    """A size limit was passed."""


class ToolError(ChatuiError):
    """A tool could not do its work; becomes a tool result."""


class StoreError(ChatuiError):
    """The history could not be read or written; the message names the file."""


class StoreBusy(StoreError):
    """Another process holds the history."""


class SchemaTooNew(StoreError):
    """The history was written by a newer chatui."""


class ProgrammingError(RuntimeError):
    """We misused our own code."""
