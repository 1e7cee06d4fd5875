"""Which proxy an address is reached through: what environment or system say, as other programs read them.

Invariant: loopback never goes through a proxy, so the embedded engine works behind any.
"""

import os
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from chatui.core.errors import ConnectFailed


def proxy_for(url: str) -> str:
    """The proxy for an address; empty for none."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127.") or host.endswith(".localhost"):
        return ""
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all") or ""
    if not proxy or proxy_bypass(host if parts.port is None else f"{host}:{parts.port}"):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def refuse_unusable(proxy: str) -> None:
    """Refuse a proxy that cannot be used; empty is none.

    Raises:
        ConnectFailed: it is a SOCKS proxy, or its address is none. The address is not told: it may hold a
            password.
    """
    if proxy.startswith("socks"):
        raise ConnectFailed(
            "A SOCKS proxy is configured, which chatui cannot use",
            "Unset ALL_PROXY, or set HTTPS_PROXY to an http:// proxy.",
        )
    if proxy and not _is_address(proxy):
        raise ConnectFailed(
            "A proxy is configured whose address is none",
            "Look at HTTPS_PROXY, HTTP_PROXY and ALL_PROXY: http://host:port.",
        )


def _is_address(proxy: str) -> bool:
    try:
        known = httpx.URL(proxy)
        parts = urlsplit(proxy)
        return known.scheme in ("http", "https") and bool(known.host and parts.hostname) and parts.port != 0
    except (httpx.InvalidURL, ValueError):
        return False


def proxy_origin(url: str) -> str:
    """Where the proxy for an address is set: a variable, or the system's settings."""
    scheme = urlsplit(url).scheme
    for wanted in (f"{scheme}_proxy", "all_proxy"):
        if os.environ.get(wanted):
            return wanted
        if wanted not in os.environ:  # a lower-case name that is set, and be it to nothing, counts more
            for name, value in os.environ.items():
                if value and name.lower() == wanted:
                    return name
    return "the system's settings"


def exempted_by(url: str) -> str:
    """The variable that keeps an address from the proxy that is set for others; empty if none does."""
    parts = urlsplit(url)
    proxies = getproxies()
    is_set = bool(proxies.get(parts.scheme) or proxies.get("all"))
    if not is_set or proxy_for(url):
        return ""
    return next((name for name in ("no_proxy", "NO_PROXY") if os.environ.get(name)), "")


def proxy_credentials(proxy: str) -> tuple[str, str] | None:
    """User and password in the address of a proxy."""
    url = httpx.URL(proxy)
    return (url.username, url.password) if url.username else None


def without_credentials(proxy: str) -> str:
    """The address of a proxy without user and password."""
    return str(httpx.URL(proxy).copy_with(username=None, password=None))
