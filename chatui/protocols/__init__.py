"""One package per wire protocol, found by being here; each has a constant `PROTOCOL`.

Invariant: nothing outside lists the protocols that there are: a new one is a package beside these, and its
name is its folder's. To name them loads nothing of how they are spoken (`core.late_protocol`).
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from urllib.parse import urlsplit

from chatui.core.errors import ConfigError
from chatui.core.wire import WireProtocol


@cache
def names() -> tuple[str, ...]:
    """All protocols there are, in alphabetical order."""
    from pkgutil import iter_modules

    return tuple(sorted(module.name for module in iter_modules(__path__)))


def load(name: str) -> WireProtocol:
    """The protocol of this name.

    Raises:
        ConfigError: there is none.
    """
    if name not in names():
        raise ConfigError(f"There is no protocol {name!r}", f"Known protocols: {', '.join(names())}")
    protocol: WireProtocol = import_module(f"{__name__}.{name}").PROTOCOL
    return protocol


@cache
def endpoints() -> Mapping[str, str]:
    """The protocol that is spoken at an endpoint, by the last part of its path, in the order of these."""
    return dict(sorted((load(name).path, name) for name in names()))


def protocol_of_url(url: str) -> str | None:
    """The protocol that a full endpoint address names; None for a base URL."""
    try:
        path = urlsplit(url.strip()).path.rstrip("/")
    except ValueError:
        return None
    last = path.rpartition("/")[2]
    if not last or (last.startswith("v") and last[1:].isdigit()):
        return None  # a host or a version, as nearly always: no protocol is loaded to be told so
    return next((name for endpoint, name in endpoints().items() if path.endswith(endpoint)), None)
