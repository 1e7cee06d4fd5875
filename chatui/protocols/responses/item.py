"""One output item of a response while it is received."""

from typing import Final

from chatui.core.events import PartKey
from chatui.core.json_access import JsonObject
from chatui.core.tagged_text import TaggedText

CALLS: Final = frozenset({"function_call", "custom_tool_call"})
"""Kinds of items that the client is asked to run."""


class Growing:
    """Text under one index of an item, and what was received of it."""

    __slots__ = ("pieces", "tagged")

    def __init__(self, tagged: TaggedText | None = None) -> None:
        self.pieces: list[str] = []
        self.tagged = tagged

    def text(self) -> str:
        """What was received."""
        if len(self.pieces) > 1:
            self.pieces[:] = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""


class Item:
    """One output item."""

    def __init__(self, number: int, kind: str, choice: int) -> None:
        self.number = number
        self.kind = kind
        self.choice = choice
        self.ids: set[str] = set()
        self.call_id = ""
        self.name = ""
        self.texts: dict[tuple[str, int], Growing] = {}
        self.is_finished = False
        self.is_cut = False
        self.is_matched = False
        self.status = ""
        self.fields: JsonObject = {}
        self.detail: list[str] = []
        self.is_told = False

    def key(self, slot: str) -> PartKey:
        """The key of one of its parts."""
        return PartKey(self.choice, f"item:{self.number}:{slot}")
