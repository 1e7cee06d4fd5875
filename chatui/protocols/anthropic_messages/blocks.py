"""The content blocks of a message: text, thinking, tool calls, and what hosted tools did.

Invariants: a block is known by its index while it is open, and a new block at an old index is a new part;
blocks that are never started or never stopped are read all the same; input of hosted tools is never offered
as a call to run. Source: Anthropic API reference "Streaming messages", guides on thinking, citations,
server tools and MCP connector.
"""

import json
from typing import Final

from chatui.core.event_sink import EventSink, Growth
from chatui.core.events import (
    CitationAdded,
    ImageReceived,
    NoticeRaised,
    OpaqueReceived,
    PartFinished,
    PartKey,
    ToolActivityChanged,
    ToolCallDelta,
    UnknownEvent,
)
from chatui.core.json_access import JsonObject, as_label, as_list, as_object, as_text
from chatui.core.tagged_text import TaggedText
from chatui.protocols.anthropic_messages.activity import Activity
from chatui.protocols.anthropic_messages.side_notes import citation_of, handed_over, image_of

_SERVER_TOOLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})
_KINDS: Final = frozenset({"text", "thinking", "tool_use"})
_DELTA_FIELDS: Final = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "input_json_delta": "partial_json",
    "signature_delta": "signature",
}
_KIND_OF_DELTA: Final = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "input_json_delta": "tool_use",
    "signature_delta": "thinking",
    "citations_delta": "text",
}


class Block:
    """One content block while it is open."""

    __slots__ = ("activity", "has_delta", "key", "kind", "signature_pieces", "start_input", "tagged")

    def __init__(self, kind: str, key: PartKey) -> None:
        self.kind = kind
        self.key = key
        self.tagged: TaggedText | None = None
        self.activity: Activity | None = None
        self.start_input = ""
        self.has_delta = False
        self.signature_pieces: list[str] = []


class Blocks:
    """All blocks of one message."""

    def __init__(self, sink: EventSink, *, has_think_tags: bool) -> None:
        self._sink = sink
        self._has_think_tags = has_think_tags
        self._open: dict[int, Block] = {}
        self._all: list[Block] = []
        self._has_said = False
        """There is a block of text or thinking."""
        self._activities: dict[str, Activity] = {}
        self._changed: list[Activity] = []
        """Activities that were not told since they changed, also when another took their id."""
        self._signed: list[Block] = []
        """Blocks whose signature goes on."""

    def __len__(self) -> int:
        return len(self._all)

    def start(self, index: int | None, fields: JsonObject) -> None:
        """`content_block_start`, or a whole block of a body."""
        kind = as_text(fields.get("type")) or "text"
        block = self._begin(len(self._all) if index is None else index, kind)
        match kind:
            case "text":
                self._text(block, as_text(fields.get("text")))
                for citation in as_list(fields.get("citations")):
                    self._cite(block, as_object(citation))
            case "thinking":
                self._grow(block, Growth.REASONING, as_text(fields.get("thinking")))
                self._sign(block, as_text(fields.get("signature")))
            case "redacted_thinking":
                self._sink.put(
                    OpaqueReceived(block.key, {"data": as_text(fields.get("data"))}, is_redacted=True)
                )
            case "tool_use":
                block.start_input = _input_text(fields.get("input"))
                self._sink.put(
                    ToolCallDelta(block.key, as_label(fields.get("id")), as_text(fields.get("name")), count=0)
                )
            case _ if kind in _SERVER_TOOLS:
                block.activity = Activity(block.key, fields)
                self._activities[as_text(fields.get("id")) or block.key.slot] = block.activity
                self._changed.append(block.activity)
                self.flush()
            case _ if kind.endswith("_tool_result"):
                self._result(block, fields)
            case "image":
                if (image := image_of(fields)) is not None:
                    self._sink.put(ImageReceived(block.key, image))
            case "fallback":
                self._sink.put(NoticeRaised(handed_over(fields)))
            case _:
                self._sink.put(UnknownEvent(kind))

    def delta(self, index: int | None, delta: JsonObject) -> None:
        """`content_block_delta`."""
        kind = as_text(delta.get("type")) or _guess(delta)
        block = self._block_for(index, kind)
        if block is None:
            self._sink.put(UnknownEvent(kind))
            return
        match kind:
            case "text_delta":
                self._text(block, as_label(delta.get("text")))
            case "thinking_delta":
                self._grow(block, Growth.REASONING, as_label(delta.get("thinking")))
            case "input_json_delta":
                self._input(block, delta.get("partial_json"))
            case "signature_delta":
                self._sign(block, as_text(delta.get("signature")))
            case "citations_delta":
                self._cite(block, as_object(delta.get("citation")))
            case _:
                self._sink.put(UnknownEvent(kind))

    def texts_at(self, index: int, texts: list[str]) -> None:
        """Text deltas for the block at this index."""
        if (block := self._block_for(index, "text_delta")) is not None:
            if block.tagged is None:
                for text in texts:
                    self._text(block, text)
            elif new := "".join(texts):
                block.tagged.feed(new, len(texts) - texts.count(""))

    def thinkings_at(self, index: int, texts: list[str]) -> None:
        """Thinking deltas for the block at this index."""
        if (block := self._block_for(index, "thinking_delta")) is not None:
            self._grow(block, Growth.REASONING, "".join(texts), len(texts) - texts.count(""))

    def inputs_at(self, index: int, texts: list[str]) -> None:
        """Pieces of input for the block at this index."""
        if (block := self._block_for(index, "input_json_delta")) is not None:
            self._input(block, "".join(texts), len(texts) - texts.count(""))

    def stop(self, index: int | None) -> None:
        """`content_block_stop`. The block stays known: late deltas of its index are not lost."""
        block = self._known(index)
        if block is not None:
            self._finish(block)

    def flush(self) -> None:
        """Tell what hosted tools did since the last time."""
        for activity in dict.fromkeys(self._changed):
            self._sink.put(ToolActivityChanged(activity.key, activity.part()))
        self._changed.clear()
        for block in dict.fromkeys(self._signed):
            self._tell_signature(block)
        self._signed.clear()

    def wrap_up(self, *, is_proved: bool) -> None:
        """The message is over: proved, every call is whole, stopped or not."""
        for block in self._all:
            if block.tagged is not None:
                block.tagged.close()
            if is_proved:
                self._finish(block)
        self.flush()

    def _begin(self, index: int, kind: str) -> Block:
        number = len(self._all)
        block = Block(kind, PartKey(0, f"block:{number}"))
        if kind == "text":
            is_first = not self._has_said
            block.tagged = TaggedText(
                self._sink,
                block.key,
                PartKey(0, f"block:{number}:think"),
                PartKey(0, f"block:{number}:answer"),
                has_tags=self._has_think_tags and is_first,
            )
        self._has_said = self._has_said or kind in {"text", "thinking"}
        self._all.append(block)
        self._open[index] = block
        return block

    def _known(self, index: int | None) -> Block | None:
        if index is not None:
            return self._open.get(index)
        return self._all[-1] if self._all else None

    def _block_for(self, index: int | None, kind: str) -> Block | None:
        """The block that a delta belongs to; begun here if a server forgot to."""
        block = self._known(index)
        wanted = _KIND_OF_DELTA.get(kind)
        if index is None and block is not None and wanted in _KINDS and block.kind in _KINDS:
            # Without a usable index (missing, -1) only the kind tells blocks apart.
            block = block if block.kind == wanted else None
        if block is None and wanted is not None:
            block = self._begin(len(self._all) if index is None else index, wanted)
            if wanted == "tool_use":
                self._sink.put(ToolCallDelta(block.key, count=0))
        return block

    def _text(self, block: Block, text: str) -> None:
        if not text:
            return
        if block.tagged is None:
            # Text addressed to a block of another kind: it must not get into arguments or thinking.
            key = PartKey(0, f"{block.key.slot}:text")
            if text.strip():
                self._sink.grow(Growth.TEXT, key, text)
            return
        block.tagged.feed(text)

    def _grow(self, block: Block, growth: Growth, text: str, count: int = 1) -> None:
        if not text:
            return
        key = block.key if block.kind == "thinking" else PartKey(0, f"{block.key.slot}:think")
        self._sink.grow(growth, key, text, count)

    def _input(self, block: Block, value: object, count: int = 1) -> None:
        text = _input_text(value)
        if not text:
            return
        block.has_delta = True
        if block.activity is not None:
            block.activity.pieces.append(text)
            self._changed.append(block.activity)
        elif block.kind == "tool_use":
            self._sink.grow(Growth.ARGUMENTS, block.key, text, count)
        else:
            for _ in range(count):
                self._sink.put(UnknownEvent("input_json_delta"))

    def _sign(self, block: Block, signature: str) -> None:
        if signature and block.signature_pieces:
            block.signature_pieces.append(signature)
            self._signed.append(block)
        elif signature:
            block.signature_pieces.append(signature)
            self._tell_signature(block)

    def _tell_signature(self, block: Block) -> None:
        key = block.key if block.kind == "thinking" else PartKey(0, f"{block.key.slot}:think")
        block.signature_pieces = ["".join(block.signature_pieces)]
        self._sink.put(OpaqueReceived(key, {"signature": block.signature_pieces[0]}))

    def _cite(self, block: Block, citation: JsonObject) -> None:
        found = citation_of(citation)
        if block.tagged is not None and found is not None:
            self._sink.put(CitationAdded(block.tagged.text_key, found))

    def _result(self, block: Block, fields: JsonObject) -> None:
        """What a hosted tool gave; shown with its call."""
        call_id = as_text(fields.get("tool_use_id"))
        activity = self._activities.get(call_id)
        if activity is None:
            kind = as_text(fields.get("type"))
            name = kind.removesuffix("_tool_result")
            activity = Activity(
                block.key, {"type": "server_tool_use", "id": call_id, "name": name, "input": {}}
            )
            self._activities[call_id or block.key.slot] = activity
        activity.result = fields
        self._changed.append(activity)
        self.flush()

    def _finish(self, block: Block) -> None:
        if block.activity is not None and not block.activity.is_asked:
            block.activity.is_asked = True
            self._changed.append(block.activity)
        if block.kind != "tool_use":
            return
        if block.start_input and not block.has_delta:
            block.has_delta = True
            self._sink.grow(Growth.ARGUMENTS, block.key, block.start_input)
        self._sink.put(PartFinished(block.key))


def _input_text(value: object) -> str:
    """Input as text: it comes as the value itself, as its JSON, or not at all."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if value else ""


def _guess(delta: JsonObject) -> str:
    """The type of a delta that does not say it."""
    return next((kind for kind, field in _DELTA_FIELDS.items() if field in delta), "")
