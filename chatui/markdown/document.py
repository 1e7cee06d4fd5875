"""Stub of the interface; the body is being written.

`IncrementalDocument` parses Markdown while it arrives: append only, closed top-level blocks once, the open tail in
time proportional to itself.
"""

from chatui.markdown.blocks import Block


class IncrementalDocument:
    """Markdown that grows. After `close()`, its blocks equal a parse of the whole text."""

    def __init__(self, text: str = "") -> None:
        raise NotImplementedError

    def append(self, text: str) -> None:
        """More source."""
        raise NotImplementedError

    def close(self) -> None:
        """The source is over: open marks are settled, late references resolved."""
        raise NotImplementedError

    @property
    def source(self) -> str:
        """All source so far."""
        raise NotImplementedError

    @property
    def blocks(self) -> "list[Block]":
        """Top-level blocks (or pieces of very long ones); closed ones keep identity, key and revision."""
        raise NotImplementedError
