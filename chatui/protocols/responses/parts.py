"""The parts of output items; whole text is held against what was received.

Invariant: whole text that comes again in a `done` event or in the final response is never appended twice;
what only stands there is not lost; where it differs from what was received, it is what counts. Source:
OpenAI API reference "Streaming events" of Responses; wire cases.
"""

import json
from typing import Final

from chatui.core.event_sink import EventSink, Growth
from chatui.core.events import (
    CitationAdded,
    OpaqueReceived,
    PartFinished,
    ToolActivityChanged,
    ToolCallDelta,
)
from chatui.core.json_access import JsonObject, as_label, as_list, as_object, as_text
from chatui.core.messages import Citation
from chatui.core.surrogates import mend_surrogates
from chatui.core.tagged_text import TaggedText, visible_text
from chatui.protocols.responses.activity import activity_of
from chatui.protocols.responses.item import CALLS, Growing, Item

_PARAGRAPH: Final = "\n\n"


class Parts:
    """Grows the parts of all items of one response."""

    def __init__(self, sink: EventSink, items: list[Item], *, has_think_tags: bool) -> None:
        self._sink = sink
        self._all = items
        self._has_think_tags = has_think_tags
        self._changed: list[Item] = []
        """Hosted tools that did something since it was told."""
        self._reasoning: set[int] = set()
        """Choices with an item of reasoning."""
        self._with_text: dict[int, set[int]] = {}
        """Of each choice, the items with answer text."""

    def begun(self, item: Item) -> None:
        """There is a new item."""
        if item.kind == "reasoning":
            self._reasoning.add(item.choice)

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
        if item.kind not in CALLS:
            # Input of a hosted tool under the name of a function's: never a call for us.
            self.activity(item, detail=text)
        elif text:
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

    def asked(self, item: Item, whole: str) -> None:
        """All that a hosted tool is asked, or one of several things."""
        known = "".join(item.detail)
        if whole.startswith(known):
            item.detail = [whole]
        elif whole not in known:
            item.detail.append(f"\n{whole}")
        self._mark(item)

    def _mark(self, item: Item) -> None:
        """To be told at the end of the feed; the first time at once, so that it stands in its place."""
        self._changed.append(item)
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
        texts = self._with_text.setdefault(item.choice, set())
        has_others = len(texts) > (item.number in texts)
        is_first = not has_others and not item.texts and item.choice not in self._reasoning
        key = item.key(f"text:{index}")
        if has_others and item.number not in texts:
            self._sink.grow(Growth.TEXT, key, _PARAGRAPH, 0)
        texts.add(item.number)
        return TaggedText(
            self._sink,
            key,
            item.key(f"think:{index}"),
            item.key(f"answer:{index}"),
            has_tags=self._has_think_tags and is_first,
        )

    def describe(self, item: Item, fields: JsonObject) -> None:
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

    def take_whole(self, item: Item, fields: JsonObject) -> None:
        """A whole item."""
        status = as_text(fields.get("status"))
        item.is_cut = status in {"incomplete", "failed"} if status else item.is_cut
        item.is_finished = not item.is_cut
        self.describe(item, fields)
        if not status and item.status != "failed":
            item.status = "completed"
        self.take_fields(item, fields)
        if item.kind in CALLS and item.is_finished:
            self._sink.put(PartFinished(item.key("call")))

    def take_fields(self, item: Item, fields: JsonObject) -> None:
        """What an item holds."""
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
        if slot == "arguments" and item.kind not in CALLS:
            return
        self._whole(item, slot, index, text)
        if slot == "arguments":
            item.is_finished = True
            self._sink.put(PartFinished(item.key("call")))

    def flush(self) -> None:
        """Tell what hosted tools did since the last time."""
        changed, self._changed = dict.fromkeys(self._changed), []
        for item in changed:
            self._sink.put(ToolActivityChanged(item.key("tool"), activity_of(item)))

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
