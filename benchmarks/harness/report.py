"""Tables of what was measured, each line with its target and whether it holds."""

from dataclasses import dataclass
from typing import Final

_WIDTHS: Final = (58, 12, 12)


@dataclass(frozen=True, slots=True)
class Check:
    """One number and what it must not exceed.

    Attributes:
        name: What was measured.
        value: The number; None was not seen.
        target: The most it may be; None is only told.
        unit: What both count.
    """

    name: str
    value: float | None
    target: float | None
    unit: str = "times"

    @property
    def holds(self) -> bool:
        """Whether the target is kept."""
        return self.target is None or (self.value is not None and self.value <= self.target)

    def line(self) -> str:
        """As a line of the table."""
        verdict = "" if self.target is None else "ok" if self.holds else "OVER"
        target = "" if self.target is None else f"<= {_number(self.target)}"
        cells = (self.name, _number(self.value), target)
        return (
            "  ".join(cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=True))
            + f"{self.unit:<10} {verdict}"
        )


def _number(value: float | None) -> str:
    if value is None:
        return "not seen"
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"


class Report:
    """Prints checks as they come and remembers them."""

    def __init__(self) -> None:
        self._checks: list[Check] = []

    def section(self, title: str) -> None:
        """Begin a part."""
        print(f"\n{title}\n{'-' * len(title)}", flush=True)

    def add(self, name: str, value: float | None, target: float | None = None, unit: str = "times") -> None:
        """Tell one number."""
        check = Check(name, value, target, unit)
        self._checks.append(check)
        print(check.line(), flush=True)

    def note(self, text: str) -> None:
        """Tell something that is no number."""
        print(f"  {text}", flush=True)

    def end(self) -> int:
        """Tell how many hold; returns the exit status: 0 if all do."""
        asked = [check for check in self._checks if check.target is not None]
        over = [check for check in asked if not check.holds]
        print(f"\n{len(asked) - len(over)} of {len(asked)} targets hold")
        for check in over:
            print(
                f"  over: {check.name}: {_number(check.value)} {check.unit}, target {_number(check.target)}"
            )
        return 1 if over else 0
