"""Takes the way to a server one step at a time: name, TCP, tunnel, TLS; for a person who asks why it fails.

Invariant: every step uses the same code as a real request (name look-up, race of addresses, certificates,
words of an error), so that what passes here passes there; nothing but a CONNECT to a proxy is ever sent, and
no key.

Source: RFC 9110 section 9.3.6 (CONNECT).
"""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

import httpcore

from chatui.core.errors import ChatuiError, ConnectFailed
from chatui.core.values import frozen
from chatui.engine.ports import Clock, OpenStage
from chatui.transport.certificates import trusting_context
from chatui.transport.connecting import resolve
from chatui.transport.error_translation import HTTP_ERRORS, ProxyUsed, translate_error
from chatui.transport.httpx_transport import proxy_used
from chatui.transport.paced_network import PacedBackend
from chatui.transport.proxies import proxy_credentials, proxy_for, refuse_unusable

_MOST_HEAD_BYTES: Final = 64 * 1024


class Step(StrEnum):
    """What is done on the way, in order; the values are what it is called."""

    NAME = "DNS"
    CONNECT = "TCP"
    TUNNEL = "tunnel"
    SECURE = "TLS"


_SILENCE: Final = {
    Step.NAME: "The name server is silent: check the network, VPN and DNS.",
    Step.CONNECT: "A firewall may drop what is sent: check the network, VPN and proxy.",
    Step.TUNNEL: "The proxy is silent: check it, or name the host in NO_PROXY.",
    Step.SECURE: "Check whether the server speaks https on this port; for a local one use http://.",
}
"""What to look at when a step gets no answer."""


@frozen
class StepTaken:
    """How one step ended."""

    step: Step
    words: str = ""
    """What was found; empty if it failed."""
    error: ChatuiError | None = None
    took_ms: float = 0.0
    expires_at_epoch_s: float | None = None
    """When the server's certificate ends."""


async def take_steps(url: str, limit_s: float, clock: Clock) -> AsyncIterator[StepTaken]:
    """Every step to a server, up to the first that fails.

    Args:
        url: Whom to reach.
        limit_s: So long each step may take.
        clock: Measures them.
    """
    walk = _Walk(url, limit_s)
    try:
        for step in walk.steps:
            began_s = clock.monotonic_s()
            try:
                words = await walk.take(step)
            except ChatuiError as error:
                yield StepTaken(step, error=error, took_ms=(clock.monotonic_s() - began_s) * 1000)
                return
            took_ms = (clock.monotonic_s() - began_s) * 1000
            yield StepTaken(step, words, took_ms=took_ms, expires_at_epoch_s=walk.expires_at_epoch_s)
    finally:
        await walk.close()


class _Walk:
    def __init__(self, url: str, limit_s: float) -> None:
        self._url = url
        self._limit_s = limit_s
        parts = urlsplit(url)
        self._is_secure = parts.scheme == "https"
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if self._is_secure else 80)
        self._proxy = proxy_for(url)
        self._proxy_used: ProxyUsed | None = proxy_used(url)
        self._stream: httpcore.AsyncNetworkStream | None = None
        self.expires_at_epoch_s: float | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """What has to be done for this address."""
        if not self._is_secure:
            return (Step.NAME, Step.CONNECT)
        if self._proxy:
            return (Step.NAME, Step.CONNECT, Step.TUNNEL, Step.SECURE)
        return (Step.NAME, Step.CONNECT, Step.SECURE)

    async def take(self, step: Step) -> str:
        """Take a step; what was found.

        Raises:
            ChatuiError: it failed, in the words of a real request.
        """
        stage = OpenStage.SECURING if step is Step.SECURE else OpenStage.CONNECTING
        try:
            async with asyncio.timeout(self._limit_s):
                match step:
                    case Step.NAME:
                        return await self._find()
                    case Step.CONNECT:
                        return await self._connect()
                    case Step.TUNNEL:
                        return await self._tunnel()
                    case Step.SECURE:
                        return await self._secure()
        except TimeoutError:
            raise ConnectFailed(
                f"{step} to {self._target(stage)} did not end within {self._limit_s:g} s", _SILENCE[step]
            ) from None
        except (*HTTP_ERRORS, ValueError) as error:
            raise translate_error(error, stage, self._url, self._proxy_used) from error

    async def close(self) -> None:
        """Hang up."""
        if self._stream is not None:
            await self._stream.aclose()

    def _target(self, stage: OpenStage) -> str:
        if self._proxy_used is not None and stage is OpenStage.CONNECTING:
            return self._proxy_used.words
        return f"{self._host}:{self._port}"

    def _first_hop(self) -> tuple[str, int]:
        if not self._proxy:
            return self._host, self._port
        parts = urlsplit(self._proxy)
        return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)

    async def _find(self) -> str:
        refuse_unusable(self._proxy)
        host, port = self._first_hop()
        addresses = await resolve(host, port)
        if addresses == [host]:
            return "an address already"
        more = f" and {len(addresses) - 3} more" if len(addresses) > 3 else ""
        return f"{host} is {', '.join(addresses[:3])}{more}"

    async def _connect(self) -> str:
        host, port = self._first_hop()
        self._stream = await PacedBackend().connect_tcp(host, port)
        if self._proxy.startswith("https:"):
            self._stream = await self._stream.start_tls(await asyncio.to_thread(trusting_context), host)
        return f"connected to {host}:{port}"

    async def _tunnel(self) -> str:
        stream = self._stream
        assert stream is not None
        target = f"[{self._host}]:{self._port}" if ":" in self._host else f"{self._host}:{self._port}"
        lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
        credentials = proxy_credentials(self._proxy)
        if credentials is not None:
            token = base64.b64encode(":".join(credentials).encode()).decode()
            lines.append(f"Proxy-Authorization: Basic {token}")
        await stream.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        head = b""
        while b"\r\n\r\n" not in head:
            piece = await stream.read(4096)
            head += piece
            if not piece or len(head) > _MOST_HEAD_BYTES:
                raise httpcore.ProxyError("no answer that is HTTP")
        words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
        if len(words) < 2 or not words[0].startswith("HTTP/") or not words[1].startswith("2"):
            raise httpcore.ProxyError(" ".join(words[1:]) or "no answer that is HTTP")
        return f"the proxy opened a tunnel to {target}"

    async def _secure(self) -> str:
        assert self._stream is not None
        context = await asyncio.to_thread(trusting_context)
        self._stream = await self._stream.start_tls(context, self._host)
        secured = self._stream.get_extra_info("ssl_object")
        certificate = secured.getpeercert() or {}
        ends = certificate.get("notAfter")
        self.expires_at_epoch_s = float(ssl.cert_time_to_seconds(ends)) if isinstance(ends, str) else None
        return f"{secured.version()}, certificate verified, issued by {_issuer(certificate)}"


def _issuer(certificate: "dict[str, object]") -> str:
    """Who signed a certificate, as `SSLObject.getpeercert` tells it."""
    names: dict[str, str] = {}
    issuer = certificate.get("issuer")
    for group in issuer if isinstance(issuer, tuple) else ():
        for name, value in group:
            names[name] = value
    return names.get("organizationName") or names.get("commonName") or "somebody without a name"
