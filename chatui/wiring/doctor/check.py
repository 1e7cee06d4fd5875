"""What a check is: the one interface of the files in `checks`."""

from collections.abc import Awaitable, Callable, Iterable
from importlib import import_module
from pkgutil import iter_modules

from chatui.core.diagnosis import Finding
from chatui.core.values import frozen
from chatui.wiring.doctor.patient import Patient


@frozen(kw_only=True)
class Check:
    """Something that is looked at."""

    title: str
    order: int
    """Where its section stands in the report."""
    look: Callable[[Patient], Awaitable[Iterable[Finding]]]
    """Looks; what it raises is told as a fault of the check."""
    is_network: bool = False
    """Left out when the person wants nothing to be asked."""
    is_asking: bool = False
    """Sends a request to the model: only when the person wants it."""


def all_checks() -> tuple[Check, ...]:
    """The checks of the folder, in their order."""
    import chatui.wiring.doctor.checks as folder

    found: list[Check] = [
        import_module(f"{folder.__name__}.{module.name}").CHECK for module in iter_modules(folder.__path__)
    ]
    return tuple(sorted(found, key=lambda check: check.order))
