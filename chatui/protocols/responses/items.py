"""The output items of a response: which item an event belongs to.

Invariant: an item is found by its id, else by its output_index, else by order, because servers leave out or
change any of them. Source: OpenAI API reference "Streaming events" of Responses; llama.cpp (no indexes),
GitHub Copilot (a new item_id in each event), wire cases.
"""

from collections import deque
from collections.abc import Callable

from chatui.core.event_sink import EventSink
from chatui.core.json_access import JsonObject, as_index, as_label, as_object, as_text
from chatui.protocols.responses.item import CALLS, Item
from chatui.protocols.responses.parts import Parts

_KINDS_OF_TEXT = frozenset({"message", "reasoning", *CALLS})
"""Kinds whose events can never belong to an item of another of these kinds."""


class Items:
    """All items of one response."""

    def __init__(self, sink: EventSink, *, has_think_tags: bool) -> None:
        self._all: list[Item] = []
        self._by_id: dict[str, Item] = {}
        self._by_index: dict[tuple[int, str], Item] = {}
        self._kind_at: dict[int, str] = {}
        """The kind of the first item at an index."""
        self._last: dict[str, Item] = {}
        self._unfinished: dict[str, deque[Item]] = {}
        self.parts = Parts(sink, self._all, has_think_tags=has_think_tags)
        self._has_announced = False
        self.choice = 0
        """Where new items go: a server that was asked for two answers sends two responses in one stream."""

    def __len__(self) -> int:
        return len(self._all)

    def find(self, event: JsonObject, kind: str) -> Item:
        """The item that an event of this kind belongs to; begun here if a server never announced it."""
        item_id = as_text(event.get("item_id"))
        index = as_index(event.get("output_index"))
        item = self._by_id.get(item_id) if item_id else None
        if item is not None and item.kind in _KINDS_OF_TEXT and item.kind != kind and kind in _KINDS_OF_TEXT:
            item = None
        if item is None and index is not None:
            item = self._at(index, kind)
        if item is None and index is None:
            item = self._last_open(kind, is_named=bool(item_id))
        if item is None:
            return self._begin(kind, item_id, index)
        if item_id and item_id not in item.ids:
            item.ids.add(item_id)
            self._by_id[item_id] = item
        return item

    def _at(self, index: int, kind: str) -> Item | None:
        """The item at this index. Gateways that give several items one index are told apart by kind."""
        item = self._by_index.get((index, kind))
        if item is None and kind not in _KINDS_OF_TEXT:
            item = self._by_index.get((index, self._kind_at.get(index, "")))
        return item

    def _last_open(self, kind: str, *, is_named: bool) -> Item | None:
        """The newest item of this kind, for events without an address that is known."""
        item = self._last.get(kind)
        if item is None or not is_named:
            return item
        # Where items are announced, an id that never was is a changing id; elsewhere it is a new item.
        return item if self._has_announced and not item.is_finished else None

    def added(self, event: JsonObject) -> None:
        """`response.output_item.added`."""
        fields = as_object(event.get("item"))
        kind = as_text(fields.get("type"))
        if not kind or _is_echo(fields):
            return
        self._has_announced = True
        item_id = as_text(fields.get("id"))
        known = self._by_id.get(item_id) if item_id else None
        item = known if known is not None else self._begin(kind, item_id, as_index(event.get("output_index")))
        self.parts.describe(item, fields)
        if item.kind not in CALLS:
            self.parts.take_fields(item, fields)

    def done(self, event: JsonObject) -> None:
        """`response.output_item.done`: the whole item."""
        fields = as_object(event.get("item"))
        kind = as_text(fields.get("type"))
        if not kind or _is_echo(fields):
            return
        item = self._match(fields, as_index(event.get("output_index")), kind)
        self.parts.take_whole(item, fields)

    def reconcile(self, output: list[object]) -> None:
        """The output of a final response, or of a body: what is missing is taken from it."""
        wholes = [
            fields
            for entry in output
            if (fields := as_object(entry)) and as_text(fields.get("type")) and not _is_echo(fields)
        ]
        found = [self._by_id.get(as_text(fields.get("id"))) for fields in wholes]
        unmatched = _Unmatched(self._all)
        for place, (fields, known) in enumerate(zip(wholes, found, strict=True)):
            kind = as_text(fields.get("type"))
            match = known
            if match is None:
                match = unmatched.like(fields, kind, self._by_index.get((place, kind)))
            if match is None or match.is_matched:
                match = self._begin(kind, as_text(fields.get("id")), None)
            match.is_matched = True
            self.parts.take_whole(match, fields)

    def _match(self, fields: JsonObject, index: int | None, kind: str) -> Item:
        item_id = as_text(fields.get("id"))
        item = self._by_id.get(item_id) if item_id else None
        if item is None and index is not None:
            item = self._by_index.get((index, kind))
        if item is None and not item_id and index is None:
            item = _first(self._unfinished.get(kind), lambda known: known.is_finished)
        if item is None or item.kind != kind:
            return self._begin(kind, item_id, index)
        if item_id:
            item.ids.add(item_id)
            self._by_id[item_id] = item
        return item

    def _begin(self, kind: str, item_id: str, index: int | None) -> Item:
        item = Item(len(self._all), kind, self.choice)
        self._all.append(item)
        self._last[kind] = item
        self._unfinished.setdefault(kind, deque()).append(item)
        self.parts.begun(item)
        if item_id:
            item.ids.add(item_id)
            self._by_id[item_id] = item
        if index is not None:
            self._by_index[index, kind] = item
            self._kind_at.setdefault(index, kind)
        return item


class _Unmatched:
    """Items that no whole one of a final response was found to be so far."""

    def __init__(self, items: list[Item]) -> None:
        self._by_kind: dict[str, deque[Item]] = {}
        self._by_call: dict[tuple[str, str], deque[Item]] = {}
        for item in items:
            item.is_matched = False
            self._by_kind.setdefault(item.kind, deque()).append(item)
            self._by_call.setdefault((item.kind, item.call_id), deque()).append(item)

    def like(self, fields: JsonObject, kind: str, at_place: Item | None) -> Item | None:
        """The item without a known id that a whole one most likely is."""
        if call_id := as_label(fields.get("call_id")):
            return _first(self._by_call.get((kind, call_id)), lambda item: item.is_matched)
        if at_place is not None and not at_place.is_matched:
            return at_place
        return _first(self._by_kind.get(kind), lambda item: item.is_matched)


def _first(items: deque[Item] | None, is_over: Callable[[Item], bool]) -> Item | None:
    """The first item that is not over; those before it are let go."""
    while items and is_over(items[0]):
        items.popleft()
    return items[0] if items else None


def _is_echo(fields: JsonObject) -> bool:
    """Messages of anyone else are what was sent: some gateways put the input into the output."""
    return as_text(fields.get("role")) in {"user", "system", "developer"}
