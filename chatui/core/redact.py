"""Takes secrets out of text and headers before they are shown, logged or recorded.

Invariant: applying it twice changes nothing more; a known key never survives; unknown text that merely
looks like a key is masked too, because an error body may echo the key it refused. Source: key formats of
OpenAI, Anthropic, OpenRouter, Groq, xAI, Google, Hugging Face, GitHub, AWS, JWT (RFC 7519).
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from chatui.core.late_pattern import late_pattern

MASK: Final = "[redacted]"

_SHORTEST_KNOWN: Final = 4
_SECRET_HEADERS: Final = frozenset(
    {
        "authorization",
        "proxy-authorization",
        "x-api-key",
        "api-key",
        "x-goog-api-key",
        "cookie",
        "set-cookie",
        "x-auth-token",
        "x-amz-security-token",
        "openai-organization",
        "openai-project",
        "cf-access-client-secret",
        "ocp-apim-subscription-key",
    }
)
_SECRET_NAME: Final = late_pattern(r"(?i)(?:key|token|secret|auth|cookie|password|credential|session)")
_SECRET_TEXT: Final = late_pattern(
    r"""
      (?<![A-Za-z0-9])(?:sk|pk|rk)-[A-Za-z0-9_-]{8,}          # OpenAI, Anthropic, OpenRouter, DeepSeek
    | (?<![A-Za-z0-9])(?:gsk|xai|hf|ghp|gho|ghs|pplx|fw|csk|nvapi|r8|tgp)[_-][A-Za-z0-9_-]{12,}
    | (?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{20,}
    | (?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{30,}                  # Google
    | (?<![A-Za-z0-9])AKIA[A-Z0-9]{16}                        # AWS
    | (?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+   # JWT
    """,
    re.VERBOSE,
)
_SECRET_FIELD: Final = late_pattern(
    r"""(?ix)
    (?P<before>
        \b(?:bearer|basic)\s+
      | \b(?:api[_-]?key|x-api-key|access[_-]?token|auth[_-]?token|client[_-]?secret|password)
        (?:["']?\s*[:=]\s*["']?)
    )
    (?P<secret>[A-Za-z0-9+/=._~-]{8,})
    """
)
_USER_INFO: Final = late_pattern(r"(?i)\b(https?://)[^/\s@:]+:[^/\s@]+@")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` without the given secrets and without anything that looks like one."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_KNOWN:
            text = text.replace(secret, MASK)
    text = _SECRET_TEXT.sub(MASK, text)
    text = _SECRET_FIELD.sub(_mask_field, text)
    return _USER_INFO.sub(rf"\1{MASK}@", text)


def redact_headers(headers: Mapping[str, str], secrets: Iterable[str] = ()) -> dict[str, str]:
    """Headers with every value that may be a credential masked."""
    known = tuple(secrets)
    return {name: MASK if is_secret_header(name) else redact(value, known) for name, value in headers.items()}


def is_secret_header(name: str) -> bool:
    """Whether a header of this name may carry a credential."""
    lower = name.lower()
    if lower.startswith(("x-ratelimit", "anthropic-ratelimit")):
        return False
    return lower in _SECRET_HEADERS or bool(_SECRET_NAME.search(lower))


def secrets_of_url(url: str) -> list[str]:
    """What an address holds that may be a credential: values of its query, and a password."""
    try:
        parts = urlsplit(url)
        found = [value for name, value in parse_qsl(parts.query) if value and is_secret_header(name)]
        return [*found, parts.password] if parts.password else found
    except ValueError:  # it is no address
        return []


def _mask_field(found: re.Match[str]) -> str:
    return found["before"] + MASK
