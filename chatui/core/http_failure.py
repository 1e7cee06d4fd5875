"""The failure that an HTTP error response tells, in the person's words; the same for all protocols.

Invariant: never raises, whatever the body; the message holds the status and what the server said; what a
retry cannot cure is not marked retryable. Sources: RFC 9110 (statuses, Retry-After), error references of
OpenAI, Anthropic, Azure, OpenRouter; llama.cpp.
"""

import re
from collections.abc import Mapping
from typing import Final

from chatui.core.error_shapes import ErrorFound, find_error
from chatui.core.errors import Failure, FailureReason
from chatui.core.json_access import BadJson, parse_values
from chatui.core.redact import redact
from chatui.core.retry_after import retry_after_s

_BODY_LIMIT: Final = 64 * 1024
_EXCERPT: Final = 300

_PHRASES: Final = {
    400: "Bad Request",
    401: "Unauthorized",
    402: "Payment Required",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    409: "Conflict",
    413: "Request Too Large",
    415: "Unsupported Media Type",
    422: "Unprocessable Content",
    429: "Too Many Requests",
    500: "Internal Server Error",
    501: "Not Implemented",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
    522: "Connection Timed Out",
    524: "A Timeout Occurred",
    529: "Overloaded",
}
_RETRYABLE: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_QUOTA_WORDS: Final = (
    "insufficient_quota",
    "exceeded your current quota",
    "billing",
    "insufficient balance",
    "insufficient_balance",
    "insufficient credit",
    "insufficient funds",
    "credit balance",
    "out of credits",
    "payment required",
    "spending limit",
    "arrearage",
    "quota exhausted",
    "account_deactivated",
)
_CONTEXT_WORDS: Final = (
    "context_length_exceeded",
    "exceed_context_size",
    "context length",
    "context size",
    "context window",
    "context_window",
    "prompt is too long",
    "input is too long",
    "input length",
    "too many tokens",
    "maximum number of tokens",
    "exceeds the maximum number of input tokens",
    "reduce the length of the messages",
    "string_above_max_length",
    "tokens_exceeded",
    "token limit",
)
_REQUEST_ID_HEADERS: Final = (
    "x-request-id",
    "request-id",
    "apim-request-id",
    "x-ms-request-id",
    "x-amzn-requestid",
    "x-goog-request-id",
    "cf-ray",
)


def http_failure(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """The failure of a response with an error status. Header names are lower case."""
    text = body[:_BODY_LIMIT].decode("utf-8", "replace").removeprefix("\ufeff").strip()
    error = _error_in(text)
    said = error.message if error is not None else _excerpt(text)
    if error is not None and error.metadata and error.metadata not in said:
        said = f"{said} ({error.metadata})"
    phrase = _PHRASES.get(status, "")
    message = f"HTTP {status}" + (f" {phrase}" if phrase else "")
    if said and said.lower() != phrase.lower():
        message = f"{message}: {said}"
    code = error.code if error is not None else ""
    telling = f"{code} {said}".lower()
    is_quota = status in {402, 429, 403} and any(word in telling for word in _QUOTA_WORDS)
    is_long = is_context_error(code, said) and status in {400, 413, 422, 429, 500}
    return Failure(
        reason=FailureReason.HTTP,
        message=redact(message),
        hint=_hint(status, telling, is_quota=is_quota, is_long=is_long),
        code=code,
        http_status=status,
        request_id=request_id_of(headers) or (error.request_id if error is not None else None),
        retry_after_s=retry_after_s(headers),
        is_retryable=status in _RETRYABLE and not is_quota and not is_long,
        is_context_too_long=is_long,
    )


def is_context_error(code: str, message: str) -> bool:
    """Whether these are the words for a conversation that does not fit the model's window."""
    telling = f"{code} {message}".lower()
    return any(word in telling for word in _CONTEXT_WORDS)


def is_quota_error(code: str, message: str) -> bool:
    """Whether these are the words for money or quota that waiting does not bring back."""
    telling = f"{code} {message}".lower()
    return any(word in telling for word in _QUOTA_WORDS)


def request_id_of(headers: Mapping[str, str]) -> str | None:
    """The id that the server's operator can find this request by."""
    return next((headers[name] for name in _REQUEST_ID_HEADERS if headers.get(name)), None)


def _error_in(text: str) -> ErrorFound | None:
    if text.startswith(("data:", "event:")):
        # An error status with an event stream inside.
        lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
        text = "\n".join(lines).replace("[DONE]", "").strip()
    if not text.startswith(("{", "[")):
        return None
    try:
        values = parse_values(text)
    except BadJson:
        return None
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    return next((error for value in values if (error := find_error(value)) is not None), None)


def _excerpt(text: str) -> str:
    """The start of a body that is no JSON error; of a web page its title."""
    if not text:
        return ""
    if text.startswith("<"):
        title = html_title(text)
        return f"a web page, “{title}”" if title else "a web page"
    line = " ".join(text[:2000].split())
    return line if len(line) <= _EXCERPT else line[:_EXCERPT] + "…"


def html_title(text: str) -> str:
    """Title of a web page, or of its first heading."""
    found = re.search(r"(?is)<title[^>]*>(.{0,300}?)</title>|<h1[^>]*>(.{0,300}?)</h1>", text[:20_000])
    return " ".join((found[1] or found[2] or "").split()) if found else ""


def _hint(status: int, telling: str, *, is_quota: bool, is_long: bool) -> str:
    if is_long:
        return "The conversation is too long for this model: leave out old turns or take another."
    if is_quota or status == 402:
        return "The account has no quota or credit left: check plan and billing, or use another provider."
    match status:
        case 401:
            return "The key was not accepted: check that it is the right one for this provider."
        case 403:
            return "The key may not use this model or endpoint, or the provider refuses this region."
        case 404 if "model" in telling:
            return "The server does not know this model: check its name with the provider's list."
        case 404 | 405:
            return (
                "The address may be wrong: check the base URL (is /v1 missing or doubled?) and the protocol."
            )
        case 408 | 504 | 522 | 524:
            return "The server gave up waiting: try again."
        case 413:
            return "The request is too large: send fewer or smaller files, or a shorter conversation."
        case 400 | 422 if "unsupported" in telling or "unknown" in telling or "unrecognized" in telling:
            return "The server does not take one of the options: leave it out or set it as unsupported."
        case 429:
            return "Too many requests: wait a little and try again."
        case 300 | 301 | 302 | 303 | 307 | 308:
            return "The server sends elsewhere: set the base URL to the address it names."
        case 503 if "loading" in telling:
            return "The model is still being loaded: try again shortly."
        case _ if status >= 500:
            return "The fault is on the server's side: try again later."
        case _:
            return ""
