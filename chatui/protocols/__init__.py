"""One package per wire protocol, found by name; each has a constant `PROTOCOL`.

A new protocol is one package beside these: its name is its folder's.
"""

from importlib import import_module

from chatui.core.errors import ConfigError
from chatui.core.wire import WireProtocol


def names() -> tuple[str, ...]:
    """All protocols there are, in alphabetical order."""
    from pkgutil import iter_modules  # only who wants to know them all needs it

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
