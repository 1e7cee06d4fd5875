"""Addresses of endpoints: what a person wrote as base URL, made into the one address that is asked.

Invariant: `normalise_base_url` is idempotent for what it returns, and `endpoint_url` of a normalised base
never doubles a version or an endpoint, and never loses a query. Source: RFC 3986 (generic syntax, section 3).
"""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import SplitResult, urlsplit, urlunsplit

from chatui.core.errors import ConfigError
from chatui.core.late_pattern import late_pattern

_ENDPOINTS: Final = ("/chat/completions", "/responses", "/messages", "/completions", "/models", "/embeddings")
"""What people copy with a base URL from the pages of vendors; that of the protocol is taken off anyway."""
_VERSION: Final = late_pattern(r"/v\d+(?:(?:alpha|beta)\d*)?(?=/|$)")
_DOUBLED_VERSION: Final = late_pattern(r"(/v\d+(?:(?:alpha|beta)\d*)?)(?:\1)+(?=/|$)")
_LOCAL_HOST: Final = late_pattern(r"^(localhost|.*\.localhost|127(\.\d+){3}|0\.0\.0\.0|::1)$")


def is_loopback(url: str) -> bool:
    """Whether the address is on this machine."""
    return bool(_LOCAL_HOST.match(host_of(url)))


def host_of(url: str) -> str:
    """The host name in lower case; empty if there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def place_of(url: str) -> str:
    """Host and port as they may be shown, without user and path; empty where there is no host.

    Without a port none is made up.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    if not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return host if port is None else f"{host}:{port}"


def origin_of(url: str) -> tuple[str, str, int]:
    """Scheme, host and port: what a key is bound to."""
    parts = urlsplit(url)
    default = 443 if parts.scheme == "https" else 80
    return parts.scheme.lower(), (parts.hostname or "").lower(), parts.port or default


def normalise_base_url(written: str, *, version: str = "/v1", may_add_version: bool = True) -> str:
    """The base URL that a person meant.

    Adds a missing scheme, removes trailing and doubled slashes, a doubled version and an endpoint that was
    given with the base; adds `version` to an address without any path. The query is kept.

    Raises:
        ConfigError: it is no http or https address, or it holds a user name or password.
    """
    text = written.strip()
    if not text:
        raise ConfigError("the base URL is empty", 'Give one such as "http://127.0.0.1:8080/v1"')
    parts = _split(text)
    path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
    path, had_endpoint = _without_endpoint(path)
    path = _DOUBLED_VERSION.sub(r"\1", path)
    if not path and not had_endpoint and may_add_version:
        path = version
    return urlunsplit((parts.scheme.lower(), parts.netloc, path, parts.query, ""))


def endpoint_url(base_url: str, path: str) -> str:
    """The address of an endpoint below a base URL, with the base's query kept behind it."""
    parts = urlsplit(base_url.strip())
    own, _, own_query = path.partition("?")
    own = "/" + own.strip("/")
    base, _ = _without_endpoint(parts.path.rstrip("/"), own)
    version = _VERSION.match(own)
    if version and base.endswith(version.group(0)):
        own = own[version.end() :]
    query = "&".join(part for part in (parts.query, own_query) if part)
    return urlunsplit((parts.scheme, parts.netloc, base + own, query, ""))


def likely_fix(url: str, protocols: Mapping[str, str]) -> str:
    """What most likely is wrong with an address that answered 404, in a sentence for the person.

    Args:
        url: The address that was asked.
        protocols: The protocols that could be tried, by the last part of their endpoint's path.
    """
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    base_path, had_endpoint = _without_endpoint(path, *protocols)
    origin = f"{parts.scheme}://{parts.netloc}"
    if _DOUBLED_VERSION.search(path):
        single = _DOUBLED_VERSION.sub(r"\1", base_path)
        return f"The version is in the address twice: use the base URL {origin}{single}."
    if not _VERSION.search(base_path):
        return f"The base URL may lack its version: try {origin}{base_path}/v1."
    if had_endpoint:
        endpoint = path[len(base_path) :]
        others = [name for suffix, name in protocols.items() if suffix != endpoint]
        return (
            f"The server may not know this model, or not have {endpoint}: "
            f"see `chatui models`, or try --protocol {' or '.join(others)}."
        )
    *most, last = protocols
    return f"Check the base URL: it should end where {', '.join(most)} or {last} begins."


def _split(text: str) -> SplitResult:
    if "://" not in text:
        bare_host = re.split(r"[/:?]", text, maxsplit=1)[0].lower()
        text = ("http://" if _LOCAL_HOST.match(bare_host) or text.startswith("[::1]") else "https://") + text
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ConfigError(f"the base URL {text!r} is no valid address: {error}") from error
    if parts.scheme.lower() not in ("http", "https") or not host or any(c.isspace() for c in text):
        raise ConfigError(
            f"the base URL {text!r} is no http or https address", 'Such as "https://api.example.com/v1"'
        )
    if parts.username or parts.password:
        raise ConfigError(
            "the base URL holds a user name or password",
            "Take it out and name the key's variable with --api-key-env",
        )
    return parts


def _without_endpoint(path: str, *own: str) -> tuple[str, bool]:
    for endpoint in (*own, *_ENDPOINTS):
        if path.endswith(endpoint):
            return path[: -len(endpoint)].rstrip("/"), True
    return path, False
