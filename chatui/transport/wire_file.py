"""The file that holds one recorded exchange: JSON lines that tests, `chatui replay` and people read alike.

```
{"chatui_wire": 1, "at": "...", "about": {...}, "request": {"method", "url", "headers", "body"}} {"ms":
12.3, "status": 200, "url": "...", "headers": {...}}           the head of the response, if one came {"ms":
14.0, "text": "data: ..."}  or  {"ms": 14.0, "base64": "..."}   one line for each chunk {"ms": 90.1, "end":
"complete" | "closed" | "connect_failed" | "connection_lost" | "wire_error", "message": ""}
```

Invariant: the bytes come back exactly, and no value of a header that may be a credential is in the file. A
file that was cut off (the process was killed) reads as one whose connection was lost.
"""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from enum import StrEnum
from pathlib import Path
from typing import Final

from chatui.core.errors import ConfigError
from chatui.core.redact import is_secret_header, secrets_of_url
from chatui.core.values import frozen

FORMAT: Final = 1
SUFFIX: Final = ".wire.jsonl"
_SHORTEST_SECRET: Final = 4
_SHOWN_HEADERS: Final = frozenset(
    {
        "accept",
        "accept-encoding",
        "content-type",
        "content-length",
        "content-encoding",
        "transfer-encoding",
        "user-agent",
        "anthropic-version",
        "anthropic-beta",
        "openai-beta",
        "date",
        "server",
        "via",
        "cache-control",
        "connection",
        "retry-after",
        "retry-after-ms",
        "x-request-id",
        "request-id",
        "x-should-retry",
        "location",
    }
)
"""Headers whose values are written; of all others only the length is, because any of them may hold a
secret."""


class Ending(StrEnum):
    """How an exchange ended."""

    COMPLETE = "complete"
    """The body ended as its framing promised."""
    CLOSED = "closed"
    """We stopped reading: the answer was whole, or it was cancelled."""
    CONNECT_FAILED = "connect_failed"
    CONNECTION_LOST = "connection_lost"
    WIRE_ERROR = "wire_error"


@frozen
class Chunk:
    """Bytes of the body and when they came, in milliseconds from the request."""

    at_ms: float
    content: bytes


@frozen(kw_only=True)
class WireRecord:
    """One recorded exchange."""

    about: Mapping[str, object] = field(default_factory=dict)
    request: Mapping[str, object] = field(default_factory=dict)
    status: int | None = None
    head_at_ms: float = 0.0
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    chunks: tuple[Chunk, ...] = ()
    ending: Ending = Ending.CONNECTION_LOST
    end_at_ms: float = 0.0
    message: str = ""


def redacted_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers as they may be written down."""
    return {
        name: value if name.lower() in _SHOWN_HEADERS else f"<{len(value)} characters>"
        for name, value in headers.items()
    }


def secrets_in(headers: Mapping[str, str], url: str) -> Iterator[bytes]:
    """What may be credentials: values of headers, whole and without their scheme, and those of an address."""
    held = [value for name, value in headers.items() if is_secret_header(name)]
    for secret in (*held, *(value.rpartition(" ")[2] for value in held), *secrets_of_url(url)):
        if len(secret) >= _SHORTEST_SECRET:
            yield secret.encode("utf-8", "replace")


def chunk_line(at_ms: float, content: bytes) -> str:
    """The line of one chunk."""
    try:
        return _line({"ms": round(at_ms, 3), "text": content.decode("utf-8")})
    except UnicodeDecodeError:
        return _line({"ms": round(at_ms, 3), "base64": base64.b64encode(content).decode("ascii")})


def event_line(values: Mapping[str, object]) -> str:
    """Any other line."""
    return _line(values)


def read_wire_file(path: Path) -> WireRecord:
    """The record in a file.

    Raises:
        ConfigError: it cannot be read, or it is no recording; the message names the file and line.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            return parse_wire_lines(lines, str(path))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is no recording of chatui: it is not UTF-8") from error


def parse_wire_lines(lines: Iterable[str], name: str) -> WireRecord:
    """The record in lines of text.

    Raises:
        ConfigError: this is no recording; the message names `name` and the line.
    """
    chunks: list[Chunk] = []
    header: dict[str, object] | None = None
    head: dict[str, object] = {}
    end: dict[str, object] = {}
    for number, line in enumerate(lines, 1):
        if not line.endswith("\n") and header is not None and not _is_json(line):
            break  # The process was killed while it wrote this line.
        try:
            values = json.loads(line)
            if not isinstance(values, dict):
                raise TypeError(line)
            if header is None:
                if values.get("chatui_wire") != FORMAT:
                    raise ConfigError(f"{name} is no recording of chatui (or of a newer one)")
                header = values
            elif "status" in values:
                head = values
            elif "end" in values:
                end = values
            elif "text" in values:
                chunks.append(
                    Chunk(float(values["ms"]), str(values["text"]).encode("utf-8", "surrogatepass"))
                )
            else:
                chunks.append(Chunk(float(values["ms"]), base64.b64decode(values["base64"], validate=True)))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise ConfigError(f"{name}:{number}: this line is no part of a recording") from error
    if header is None:
        raise ConfigError(f"{name} is empty")
    return _record(header, head, chunks, end)


def _record(
    header: Mapping[str, object], head: Mapping[str, object], chunks: list[Chunk], end: Mapping[str, object]
) -> WireRecord:
    status, headers = head.get("status"), head.get("headers")
    last_ms = chunks[-1].at_ms if chunks else 0.0
    about, request = header.get("about"), header.get("request")
    ending = str(end.get("end", Ending.CONNECTION_LOST))
    return WireRecord(
        about=about if isinstance(about, dict) else {},
        request=request if isinstance(request, dict) else {},
        status=status if isinstance(status, int) else None,
        head_at_ms=_number(head.get("ms"), 0.0),
        url=str(head.get("url", "")),
        headers={str(key).lower(): str(value) for key, value in headers.items()}
        if isinstance(headers, dict)
        else {},
        chunks=tuple(chunks),
        ending=Ending(ending) if ending in {known.value for known in Ending} else Ending.CONNECTION_LOST,
        end_at_ms=_number(end.get("ms"), last_ms),
        message=str(end.get("message", "")),
    )


def _number(value: object, otherwise: float) -> float:
    return float(value) if isinstance(value, int | float) else otherwise


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _line(values: Mapping[str, object]) -> str:
    return json.dumps(values, ensure_ascii=True, separators=(",", ":")) + "\n"
