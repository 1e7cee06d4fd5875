"""The output items of a response: messages, reasoning, calls, and what hosted tools did.

Invariants: an item is found by its id, else by its output_index, else by order, because servers leave out or change
any of them; whole text that comes again in a `done` event or in the final response is held against what was received
and never appended twice; what only stands there is not lost.
Source: OpenAI API reference "Streaming events" of Responses; llama.cpp (no indexes), GitHub Copilot (new item_id in
each event), wire cases.
"""

import json
from typing import Final

from chatui.core.event_sink import EventSink, Growth
from chatui.core.events import (
    CitationAdded,
    OpaqueReceived,
    PartFinished,
    PartKey,
    ToolActivityChanged,
    ToolCallDelta,
)
from chatui.core.json_access import JsonObject, as_index, as_label, as_list, as_object, as_text
from chatui.core.messages import Citation, ToolActivityPart
from chatui.core.part_buffers import mend_surrogates
from chatui.core.tagged_text import TaggedText, visible_text

CALLS: Final = frozenset({"function_call", "custom_tool_call"})
ECHOED_TOOLS: Final = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
    }
)
"""Hosted tools that are whole in themselves: their items may go back as they came."""

_PARAGRAPH: Final = "\n\n"


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
        self.is_dirty = False
        self.is_told = False

    def key(self, slot: str) -> PartKey:
        """The key of one of its parts."""
        return PartKey(self.choice, f"item:{self.number}:{slot}")


class Items:
    """All items of one response."""

    def __init__(self, sink: EventSink, *, has_think_tags: bool) -> None:
        self._sink = sink
        self._has_think_tags = has_think_tags
        self._all: list[Item] = []
        self._by_id: dict[str, Item] = {}
        self._by_index: dict[int, Item] = {}
        self.choice = 0
        """Where new items go: a server that was asked for two answers sends two responses in one stream."""

    def __len__(self) -> int:
        return len(self._all)

    # -- finding ----------------------------------------------------------------------------------------------------

    def find(self, event: JsonObject, kind: str) -> Item:
        """The item that an event of this kind belongs to; begun here if a server never announced it."""
        item_id = as_text(event.get("item_id"))
        index = as_index(event.get("output_index"))
        item = self._by_id.get(item_id) if item_id else None
        if item is None and index is not None:
            item = self._by_index.get(index)
        if item is None and not item_id and index is None:
            item = next((known for known in reversed(self._all) if known.kind == kind), None)
        if item is None or (item.kind != kind and kind in {"message", "reasoning", *CALLS}):
            item = self._begin(kind, item_id, index)
        elif item_id and item_id not in item.ids:
            item.ids.add(item_id)
            self._by_id[item_id] = item
        return item

    def added(self, event: JsonObject) -> None:
        """`response.output_item.added`."""
        fields = as_object(event.get("item"))
        kind = as_text(fields.get("type"))
        item_id = as_text(fields.get("id"))
        known = self._by_id.get(item_id) if item_id else None
        item = known or self._begin(kind, item_id, as_index(event.get("output_index")))
        self._describe(item, fields)
        if item.kind not in CALLS:
            self._take_fields(item, fields)

    def done(self, event: JsonObject) -> None:
        """`response.output_item.done`: the whole item."""
        fields = as_object(event.get("item"))
        kind = as_text(fields.get("type"))
        item = self._match(fields, as_index(event.get("output_index")), kind)
        self._take_whole(item, fields)

    def reconcile(self, output: list[object]) -> None:
        """The output of a final response, or of a body: what is missing is taken from it."""
        for item in self._all:
            item.is_matched = False
        wholes = [fields for entry in output if (fields := as_object(entry))]
        found = [self._by_id.get(as_text(fields.get("id"))) for fields in wholes]
        for place, (fields, known) in enumerate(zip(wholes, found, strict=True)):
            kind = as_text(fields.get("type"))
            match = known if known is not None else self._similar(fields, kind, place)
            if match is None or match.is_matched:
                match = self._begin(kind, as_text(fields.get("id")), None)
            match.is_matched = True
            self._take_whole(match, fields)

    def _match(self, fields: JsonObject, index: int | None, kind: str) -> Item:
        item_id = as_text(fields.get("id"))
        item = self._by_id.get(item_id) if item_id else None
        if item is None and index is not None:
            item = self._by_index.get(index)
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
        at_place = self._by_index.get(place)
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
            self._by_index[index] = item
        return item

    # -- growing ----------------------------------------------------------------------------------------------------

    def text(self, item: Item, index: int, text: str, count: int = 1) -> None:
        """Answer text, of `count` deltas."""
        if text:
            growing = self._growing(item, "text", index)
            growing.pieces.append(text)
            if growing.tagged is not None:
                growing.tagged.feed(text, count)

    def refusal(self, item: Item, index: int, text: str) -> None:
        """Text of a refusal."""
        if text:
            self._growing(item, "refusal", index).pieces.append(text)
            self._sink.grow(Growth.REFUSAL, item.key(f"refusal:{index}"), text)

    def reasoning(self, item: Item, slot: str, index: int, text: str, count: int = 1) -> None:
        """Reasoning text (`slot` content) or its summary: each index a paragraph of one part."""
        if not text:
            return
        if (slot, index) not in item.texts and any(known == slot for known, _ in item.texts):
            self._sink.grow(_growth(slot), item.key(slot), _PARAGRAPH, 0)
        self._growing(item, slot, index).pieces.append(text)
        self._sink.grow(_growth(slot), item.key(slot), text, count)

    def arguments(self, item: Item, text: str, count: int = 1) -> None:
        """Arguments of a function call, or the input of a custom tool."""
        if text:
            self._growing(item, "arguments", 0).pieces.append(text)
            self._sink.grow(Growth.ARGUMENTS, item.key("call"), text, count)

    def cite(self, item: Item, index: int, annotation: JsonObject) -> None:
        """A source for answer text."""
        url = as_text(annotation.get("url"))
        title = as_text(annotation.get("title")) or as_text(annotation.get("filename"))
        if url or title or as_text(annotation.get("file_id")):
            growing = self._growing(item, "text", index)
            key = growing.tagged.text_key if growing.tagged is not None else item.key(f"text:{index}")
            citation = Citation(title or url or as_text(annotation.get("file_id")), url)
            self._sink.put(CitationAdded(key, citation))

    def activity(self, item: Item, *, status: str = "", detail: str = "") -> None:
        """A hosted tool did something; told at the end of the feed."""
        item.status = status or item.status
        if detail:
            item.detail.append(detail)
        self._mark(item)

    def _mark(self, item: Item) -> None:
        """To be told at the end of the feed; the first time at once, so that it stands in its place."""
        item.is_dirty = True
        if not item.is_told:
            item.is_told = True
            self.flush()

    def _growing(self, item: Item, slot: str, index: int) -> Growing:
        growing = item.texts.get((slot, index))
        if growing is None:
            tagged = self._tagged(item, index) if slot == "text" else None
            growing = item.texts[slot, index] = Growing(tagged)
        return growing

    def _tagged(self, item: Item, index: int) -> TaggedText:
        """Where answer text goes. A message after a message begins a paragraph of its own."""
        earlier = [known for known in self._all if known is not item and known.choice == item.choice]
        texts = [known for known in earlier if any(slot == "text" for slot, _ in known.texts)]
        is_first = not texts and not item.texts and not any(known.kind == "reasoning" for known in earlier)
        key = item.key(f"text:{index}")
        if texts and not any(slot == "text" for slot, _ in item.texts):
            self._sink.grow(Growth.TEXT, key, _PARAGRAPH, 0)
        return TaggedText(
            self._sink,
            key,
            item.key(f"think:{index}"),
            item.key(f"answer:{index}"),
            has_tags=self._has_think_tags and is_first,
        )

    # -- whole items ------------------------------------------------------------------------------------------------

    def _describe(self, item: Item, fields: JsonObject) -> None:
        """Name and ids of a call, state of a hosted tool."""
        item.fields = fields
        item.status = as_text(fields.get("status")) or item.status
        if item.kind not in CALLS:
            return
        call_id = as_label(fields.get("call_id")) or as_label(fields.get("id"))
        name = as_text(fields.get("name"))
        new_id = call_id if call_id and call_id != item.call_id else None
        new_name = name if name and name != item.name else None
        if new_id is not None or new_name is not None:
            item.call_id = call_id or item.call_id
            item.name = name or item.name
            self._sink.put(
                ToolCallDelta(
                    item.key("call"),
                    new_id,
                    new_name,
                    count=0,
                    is_free_text=item.kind == "custom_tool_call",
                )
            )

    def _take_whole(self, item: Item, fields: JsonObject) -> None:
        self._describe(item, fields)
        self._take_fields(item, fields)
        status = as_text(fields.get("status"))
        item.is_cut = status in {"incomplete", "failed"} if status else item.is_cut
        item.is_finished = not item.is_cut
        if item.kind in CALLS and item.is_finished:
            self._sink.put(PartFinished(item.key("call")))

    def _take_fields(self, item: Item, fields: JsonObject) -> None:
        match item.kind:
            case "message":
                for index, part in enumerate(as_list(fields.get("content"))):
                    self.whole_part(item, index, as_object(part))
                if isinstance(fields.get("content"), str):
                    self._whole(item, "text", 0, as_text(fields.get("content")))
            case "reasoning":
                for slot in ("summary", "content"):
                    for index, part in enumerate(as_list(fields.get(slot))):
                        said = part if isinstance(part, str) else as_text(as_object(part).get("text"))
                        self._whole(item, slot, index, said)
                if fields.get("encrypted_content"):
                    slot = "content" if any(slot == "content" for slot, _ in item.texts) else "summary"
                    self._sink.put(OpaqueReceived(item.key(slot), {"item": fields}))
            case _ if item.kind in CALLS:
                whole = fields.get("arguments" if item.kind == "function_call" else "input")
                if isinstance(whole, dict):
                    whole = json.dumps(whole, ensure_ascii=False)
                self._whole(item, "arguments", 0, as_text(whole))
            case _:
                self._mark(item)

    def whole_part(self, item: Item, index: int, part: JsonObject) -> None:
        """A whole content part of a message (or of reasoning)."""
        match as_text(part.get("type")):
            case "output_text" | "text" | "input_text":
                self._whole(item, "text", index, as_text(part.get("text")))
                for annotation in as_list(part.get("annotations")):
                    self.cite(item, index, as_object(annotation))
            case "refusal":
                self._whole(item, "refusal", index, as_text(part.get("refusal")))
            case "reasoning_text":
                slot = "content" if item.kind == "reasoning" else "thought"
                self._whole(item, slot, index, as_text(part.get("text")))
            case _:
                pass  # A part of a kind that nobody knows: the answer's text is elsewhere.

    def _whole(self, item: Item, slot: str, index: int, whole: str) -> None:
        """Whole text that was received already, in part, or not at all."""
        if not whole:
            return
        known = item.texts.get((slot, index))
        received = known.text() if known is not None else ""
        if whole == received:
            return
        if whole.startswith(received):
            self._grow_by(item, slot, index, whole[len(received) :])
        elif mend_surrogates(received) != mend_surrogates(whole) and known is not None:
            known.pieces = [whole]
            self._replace(item, slot, index, whole, known)

    def _grow_by(self, item: Item, slot: str, index: int, text: str) -> None:
        match slot:
            case "text":
                self.text(item, index, text)
            case "refusal":
                self.refusal(item, index, text)
            case "arguments":
                self.arguments(item, text)
            case _:
                self.reasoning(item, slot, index, text)

    def _replace(self, item: Item, slot: str, index: int, whole: str, known: Growing) -> None:
        """What was received differs from the whole: deltas were lost, and the whole is what counts."""
        match slot:
            case "text":
                key = known.tagged.text_key if known.tagged is not None else item.key(f"text:{index}")
                self._sink.put(PartFinished(key, visible_text(whole, has_tags=self._has_think_tags)))
            case "refusal":
                self._sink.put(PartFinished(item.key(f"refusal:{index}"), whole))
            case "arguments":
                self._sink.put(PartFinished(item.key("call"), whole))
            case _:
                parts = [growing.text() for (place, _), growing in item.texts.items() if place == slot]
                self._sink.put(PartFinished(item.key(slot), _PARAGRAPH.join(parts)))

    def whole_text(self, item: Item, slot: str, index: int, text: str) -> None:
        """A `done` event of one text."""
        self._whole(item, slot, index, text)
        if slot == "arguments":
            item.is_finished = True
            self._sink.put(PartFinished(item.key("call")))

    # -- the end ----------------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Tell what hosted tools did since the last time."""
        for item in self._all:
            if item.is_dirty:
                item.is_dirty = False
                self._sink.put(ToolActivityChanged(item.key("tool"), _activity(item)))

    def wrap_up(self, *, is_proved: bool) -> None:
        """The response is over: proved, every call that was not cut is whole."""
        for item in self._all:
            for growing in item.texts.values():
                if growing.tagged is not None:
                    growing.tagged.close()
            if is_proved and item.kind in CALLS and not item.is_cut and not item.is_finished:
                self._sink.put(PartFinished(item.key("call")))
        self.flush()


def _growth(slot: str) -> Growth:
    return Growth.SUMMARY if slot == "summary" else Growth.REASONING


def _activity(item: Item) -> ToolActivityPart:
    """A hosted tool's item, in words."""
    fields = item.fields
    action = as_object(fields.get("action"))
    detail = "".join(item.detail)
    queries = [as_text(query) for query in as_list(fields.get("queries")) or as_list(action.get("queries"))]
    for said in (
        as_text(fields.get("code")),
        as_text(fields.get("arguments")),
        as_text(action.get("query")),
        "\n".join(filter(None, queries)),
        as_text(action.get("url")),
        "\n".join(as_text(command) for command in as_list(action.get("commands"))),
        as_text(action.get("command")),
        as_text(fields.get("revised_prompt")),
        as_text(fields.get("prompt")),
    ):
        detail = detail or said
    name = as_text(fields.get("name")) or item.kind.removesuffix("_call")
    label = as_text(fields.get("server_label"))
    error = as_object(fields.get("error"))
    failed = as_text(fields.get("error")) or as_text(error.get("message"))
    result = failed or as_text(fields.get("output")) or _outputs(fields)
    opaque: dict[str, object] = {"item": fields} if item.is_finished and item.kind in ECHOED_TOOLS else {}
    return ToolActivityPart(
        next(iter(sorted(item.ids)), ""),
        f"{label}: {name}" if label else name,
        "failed" if failed else item.status or ("completed" if item.is_finished else "in_progress"),
        detail,
        result,
        opaque,
    )


def _outputs(fields: JsonObject) -> str:
    """Readable outputs and results: logs, text, file names; no images."""
    lines: list[str] = []
    for entry in (
        *as_list(fields.get("outputs")),
        *as_list(fields.get("results")),
        *as_list(fields.get("output")),
    ):
        output = as_object(entry)
        said = [as_text(output.get(name)) for name in ("logs", "filename", "text", "stdout", "stderr", "url")]
        lines += filter(None, said)
    tools = [as_text(as_object(tool).get("name")) for tool in as_list(fields.get("tools"))]
    return "\n".join(lines) or ", ".join(filter(None, tools))
