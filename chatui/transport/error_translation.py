"""Turns the errors of httpx, httpcore, h11, TLS and the operating system into ours, with the stage named.

Invariant: this is the one place where that is decided, and no message repeats text that may hold a header
or a key.
"""

import errno
import os
import socket
import ssl
from collections.abc import Iterator
from typing import Final

import httpcore
import httpx

from chatui.core.endpoint_url import place_of
from chatui.core.errors import ChatuiError, ConnectFailed, ConnectionLost, WireError
from chatui.core.values import frozen
from chatui.engine.ports import OpenStage
from chatui.transport.certificates import named_certificates

HTTP_ERRORS: Final = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.TimeoutException,
    httpcore.UnsupportedProtocol,
    httpcore.ConnectionNotAvailable,
    httpx.HTTPError,
    httpx.StreamError,
    OSError,
)
"""Everything that the libraries below raise for what network and peer do."""

_CUT_WORDS: Final = ("incomplete", "without sending", "without response", "received 0 bytes", "disconnected")
"""How h11 and httpcore say that the peer went away, as opposed to sending nonsense."""


@frozen
class ProxyUsed:
    """The proxy that a request went through."""

    place: str
    """Host and port, without user and password."""
    origin: str
    """The variable that names it, or `the system's settings`."""

    @property
    def words(self) -> str:
        """The proxy in the middle of a sentence."""
        return f"the proxy {self.place} (from {self.origin})"


def translate_error(
    error: BaseException, stage: OpenStage | None, url: str = "", proxy: ProxyUsed | None = None
) -> ChatuiError:
    """Our error for one of a library below.

    Args:
        error: What was raised.
        stage: How far the opening got; None while the body is read.
        url: What was asked, for the message.
        proxy: What stands between, for the message.
    """
    if stage is None:
        return _body_error(error)
    place = place_of(url) or "the server"
    if isinstance(error, httpcore.ProxyError | httpx.ProxyError):
        who = proxy.words if proxy is not None else "the proxy"
        name = proxy.origin if proxy is not None else "HTTPS_PROXY"
        return ConnectFailed(
            f"{_capital(who)} refused the connection to {place}: {error}", f"Check {name} and NO_PROXY."
        )
    if isinstance(error, httpcore.UnsupportedProtocol | httpx.UnsupportedProtocol | httpx.InvalidURL):
        return ConnectFailed(
            f"{url or 'The base URL'} is not an http or https address", "Check the base URL."
        )
    if isinstance(
        error, httpcore.LocalProtocolError | httpx.LocalProtocolError | ValueError
    ) and not isinstance(error, ssl.SSLError):
        return ConnectFailed(
            "The request could not be written: a header holds characters that HTTP does not allow",
            "Check the API key for line ends, spaces and letters outside ASCII.",
        )
    if stage is OpenStage.CONNECTING and proxy is not None:
        found = _connect_error(error, stage, proxy.words)
        return ConnectFailed(_capital(found.message), f"Check {proxy.origin}, the proxy and the network.")
    if stage in (OpenStage.CONNECTING, OpenStage.SECURING):
        return _connect_error(error, stage, place)
    if isinstance(error, httpcore.RemoteProtocolError | httpx.RemoteProtocolError):
        if _is_cut(error):
            return ConnectionLost(f"{place} closed the connection without an answer")
        return WireError(
            f"{place} answered with something that is not HTTP", "Check the base URL and its port."
        )
    return ConnectionLost(f"The connection to {place} broke while {stage}")


def _connect_error(error: BaseException, stage: OpenStage, place: str) -> ChatuiError:
    for cause in _chain(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return ConnectFailed(
                f"The certificate of {place} cannot be trusted: {cause.verify_message}",
                _certificate_hint(),
            )
        if isinstance(cause, ssl.SSLError):
            return ConnectFailed(
                f"TLS with {place} failed: {cause.reason or 'handshake failure'}",
                "Check whether the server speaks https on this port; for a local one use http://.",
            )
        if isinstance(cause, socket.gaierror):
            return ConnectFailed(
                f"The name of {place} cannot be resolved", "Check the base URL, network and DNS."
            )
        if isinstance(cause, OSError) and cause.errno is not None:
            return _os_error(cause, place)
    if stage is OpenStage.SECURING:
        return ConnectFailed(
            f"{place} closed the connection during the TLS handshake",
            "Check whether the server speaks https on this port; for a local one use http://.",
        )
    return ConnectFailed(f"No connection to {place}", "Check the base URL and the network.")


def _certificate_hint() -> str:
    variable, path = named_certificates(os.environ)
    if variable:
        return f"{variable} is in force ({path}): it has to hold the authority that signed it. Or unset it."
    return "If this network has its own certificate authority, point SSL_CERT_FILE to its certificate."


def _os_error(error: OSError, place: str) -> ChatuiError:
    match error.errno:
        case errno.ECONNREFUSED:
            return ConnectFailed(
                f"{place} refused the connection", "Is the server running, and is the port right?"
            )
        case errno.ENETUNREACH | errno.EHOSTUNREACH | errno.ENETDOWN | errno.EADDRNOTAVAIL:
            return ConnectFailed(f"{place} cannot be reached: {error.strerror}", "Check the network.")
        case errno.ECONNRESET | errno.EPIPE | errno.ECONNABORTED:
            return ConnectFailed(f"{place} closed the connection while it was being opened")
        case _:
            return ConnectFailed(
                f"No connection to {place}: {error.strerror or 'system error'}", "Check the network."
            )


def _body_error(error: BaseException) -> ChatuiError:
    if isinstance(error, httpcore.RemoteProtocolError | httpx.RemoteProtocolError) and not _is_cut(error):
        return WireError(
            "The framing of the answer is broken: the server or a proxy sent bytes that are not HTTP"
        )
    return ConnectionLost("The connection broke")


def _is_cut(error: BaseException) -> bool:
    text = str(error).lower()
    return any(words in text for words in _CUT_WORDS)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and everything that led to it, deepest last; groups are looked into."""
    pending: list[BaseException | None] = [error]
    seen: set[int] = set()
    while pending:
        at = pending.pop(0)
        if at is None or id(at) in seen:
            continue
        seen.add(id(at))
        yield at
        if isinstance(at, BaseExceptionGroup):
            pending.extend(at.exceptions)
        pending.extend((at.__cause__, at.__context__))


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
