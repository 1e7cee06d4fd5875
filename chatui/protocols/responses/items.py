"""The output items of a response: which item an event belongs to.

Invariant: an item is found by its id, else by its output_index, else by order, because servers leave out or
change any of them. Source: OpenAI API reference "Streaming events" of Responses; llama.cpp (no indexes),
GitHub Copilot (a new item_id in each event), wire cases.
"""

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
            item = next((known for (at, _), known in self._by_index.items() if at == index), None)
        return item

    def _last_open(self, kind: str, *, is_named: bool) -> Item | None:
        """The newest item of this kind, for events without an address that is known."""
        item = next((known for known in reversed(self._all) if known.kind == kind), None)
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
        for item in self._all:
            item.is_matched = False
        wholes = [
            fields
            for entry in output
            if (fields := as_object(entry)) and as_text(fields.get("type")) and not _is_echo(fields)
        ]
        found = [self._by_id.get(as_text(fields.get("id"))) for fields in wholes]
        for place, (fields, known) in enumerate(zip(wholes, found, strict=True)):
            kind = as_text(fields.get("type"))
            match = known if known is not None else self._similar(fields, kind, place)
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
            open_items = (known for known in self._all if known.kind == kind and not known.is_finished)
            item = next(open_items, None)
        if item is None or item.kind != kind:
            return self._begin(kind, item_id, index)
        if item_id:
            item.ids.add(item_id)
            self._by_id[item_id] = item
        return item

    def _similar(self, fields: JsonObject, kind: str, place: int) -> Item | None:
        """An item without a known id that this whole one most likely is."""
        call_id = as_label(fields.get("call_id"))
        candidates = [item for item in self._all if item.kind == kind and not item.is_matched]
        if call_id:
            return next((item for item in candidates if item.call_id == call_id), None)
        at_place = self._by_index.get((place, kind))
        if at_place in candidates:
            return at_place
        return candidates[0] if candidates else None

    def _begin(self, kind: str, item_id: str, index: int | None) -> Item:
        item = Item(len(self._all), kind, self.choice)
        self._all.append(item)
        if item_id:
            item.ids.add(item_id)
            self._by_id[item_id] = item
        if index is not None:
            self._by_index[index, kind] = item
        return item


def _is_echo(fields: JsonObject) -> bool:
    """Messages of anyone else are what was sent: some gateways put the input into the output."""
    return as_text(fields.get("role")) in {"user", "system", "developer"}
