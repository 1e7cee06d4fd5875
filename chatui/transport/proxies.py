"""Which proxy an address is reached through: what environment or system say, as other programs read them.

Invariant: loopback never goes through a proxy, so the embedded engine works behind any.
"""

from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx


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


def proxy_credentials(proxy: str) -> tuple[str, str] | None:
    """User and password in the address of a proxy."""
    url = httpx.URL(proxy)
    return (url.username, url.password) if url.username else None


def without_credentials(proxy: str) -> str:
    """The address of a proxy without user and password."""
    return str(httpx.URL(proxy).copy_with(username=None, password=None))
