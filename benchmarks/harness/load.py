"""The name of a load, which is also the name of the model that streams it: KIND-SIZE-RATE, as in
`md-10k-200`.
"""

import re
from dataclasses import dataclass
from typing import Final

from harness.corpus import KINDS

_NAME: Final = re.compile(rf"(?:.*[/:])?({'|'.join(KINDS)})-(\d+)k-(\d+)")


@dataclass(frozen=True, slots=True)
class Load:
    """What a server streams."""

    kind: str
    token_count: int
    rate: int
    """Tokens a second; 0 is as fast as the socket takes them."""

    @property
    def name(self) -> str:
        """As a model name."""
        return f"{self.kind}-{self.token_count // 1000}k-{self.rate}"

    @property
    def duration_s(self) -> float:
        """How long the server takes at its rate; 0 at full speed."""
        return self.token_count / self.rate if self.rate else 0.0

    def __str__(self) -> str:
        speed = f"{self.rate} tokens/s" if self.rate else "full speed"
        return f"{self.kind} {self.token_count // 1000}k, {speed}"


def parse_load(name: str) -> Load | None:
    """The load that a model name asks for; None if it is no such name."""
    found = _NAME.fullmatch(name)
    return Load(found[1], int(found[2]) * 1000, int(found[3])) if found else None
