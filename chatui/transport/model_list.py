"""Asks servers for their models, and looks for servers on this machine.

Invariants: a limit of time and size on every answer; keys go only where the caller's headers are meant to
go; looking around is done only when a person asked for it, and only on loopback.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from chatui.core.endpoint_url import endpoint_url, is_loopback
from chatui.core.errors import ChatuiError, DeadlineExceeded, TransportError, WireError
from chatui.core.http_failure import http_failure
from chatui.core.model_listing import ListedModel, parse_model_list
from chatui.core.redact import is_secret_header, redact
from chatui.core.values import frozen
from chatui.engine.ports import HttpRequest, Transport

MAX_BYTES: Final = 16 * 1024 * 1024
FETCH_LIMIT_S: Final = 20.0
LOOK_LIMIT_S: Final = 1.5
_BODY_HEADERS: Final = frozenset({"content-type", "accept"})


@frozen
class ListAnswer:
    """An answer to `GET /models`, not yet judged."""

    url: str
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


class ModelListRefusedError(TransportError):
    """The server answered with an error status."""


async def fetch_models(
    transport: Transport, base_url: str, headers: Mapping[str, str], *, limit_s: float = FETCH_LIMIT_S
) -> tuple[ListedModel, ...]:
    """The models of a server.

    Raises:
        ModelListRefusedError: an error status; the message tells which and why.
        TransportError: no connection, or no whole answer in time.
        WireError: the answer is no list of models.
    """
    answer = await ask_for_models(transport, base_url, headers, limit_s=limit_s)
    if answer.status >= 400:
        failure = http_failure(answer.status, answer.headers, answer.body)
        # An error body may repeat the key that it refused.
        secrets = [
            secret
            for name, value in headers.items()
            if is_secret_header(name)
            for secret in (value, value.rpartition(" ")[2])
        ]
        raise ModelListRefusedError(
            redact(f"{failure.message} ({answer.url})", secrets), redact(failure.hint, secrets)
        )
    return parse_model_list(answer.body)


async def ask_for_models(
    transport: Transport, base_url: str, headers: Mapping[str, str], *, limit_s: float = FETCH_LIMIT_S
) -> ListAnswer:
    """What a server answers when it is asked for its models, whatever that is.

    Raises:
        TransportError: no connection, or no whole answer in time.
        WireError: what came back is no HTTP, or too much.
    """
    url = _list_url(base_url)
    try:
        async with asyncio.timeout(limit_s):
            return await _get(transport, url, headers)
    except TimeoutError:
        raise DeadlineExceeded(f"No list of models from {url} within {limit_s:g} s") from None


async def look_for_local_servers(
    transport: Transport, base_urls: Sequence[str], *, limit_s: float = LOOK_LIMIT_S
) -> dict[str, tuple[ListedModel, ...]]:
    """Those of the addresses on this machine that answer with a list of models. No key is sent."""

    async def look(base_url: str) -> tuple[ListedModel, ...] | None:
        try:
            return await fetch_models(transport, base_url, {}, limit_s=limit_s)
        except ModelListRefusedError as refused:
            # Something is there that wants a key: worth telling, without models.
            return () if "401" in refused.message or "403" in refused.message else None
        except ChatuiError:  # nothing there, or something else: not what is looked for
            return None

    local = [base_url for base_url in dict.fromkeys(base_urls) if is_loopback(base_url)]
    found = await asyncio.gather(*(look(base_url) for base_url in local))
    return {base_url: models for base_url, models in zip(local, found, strict=True) if models is not None}


async def _get(transport: Transport, url: str, headers: Mapping[str, str]) -> ListAnswer:
    asked = {name: value for name, value in headers.items() if name.lower() not in _BODY_HEADERS}
    response = await transport.open(HttpRequest("GET", url, {**asked, "accept": "application/json"}, b""))
    try:
        body = bytearray()
        async for chunk in response.chunks():
            body += chunk
            if len(body) > MAX_BYTES:
                raise WireError(f"The list of models from {url} is larger than {MAX_BYTES // 2**20} MiB")
        return ListAnswer(url, response.status, response.headers, bytes(body))
    finally:
        await response.close()


def _list_url(base_url: str) -> str:
    # Anthropic gives 20 models a page unless asked for more; the others have no pages.
    needs_limit = (urlsplit(base_url).hostname or "").endswith("anthropic.com")
    return endpoint_url(base_url, "/models?limit=1000" if needs_limit else "/models")
