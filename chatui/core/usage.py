"""What a turn cost in tokens, as the server counted.

Invariant: a number that was not reported is unknown, never zero.
"""

from typing import NamedTuple


class Usage(NamedTuple):
    """Token counts as reported; None is unknown, never zero."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
