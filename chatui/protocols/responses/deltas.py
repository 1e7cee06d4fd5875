"""The `.delta` events of Responses, and what of them needs no full parse.

Invariant: a lesson is given only for an event in which nothing but the text, the number and the padding can
change; its text goes the same way as from a full parse. Source: OpenAI API reference "Streaming events" of
Responses, with the older names that gateways still send.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from chatui.core.event_sink import EventSink
from chatui.core.events import AudioDelta, LogprobsReceived, PartKey
from chatui.core.interpreter import Lesson
from chatui.core.json_access import JsonObject, as_index, as_label, as_list, as_text
from chatui.core.line_shape import Holes
from chatui.protocols.responses.hosted_texts import took_hosted_delta
from chatui.protocols.responses.items import Items

_CONSTANT_FIELDS: Final = frozenset(
    {
        "type",
        "item_id",
        "output_index",
        "content_index",
        "summary_index",
        "delta",
        "sequence_number",
        "obfuscation",
    }
)


class Deltas:
    """Takes the deltas of one response."""

    def __init__(self, items: Items, sink: EventSink) -> None:
        self._items = items
        self._parts = items.parts
        self._sink = sink

    def take(self, kind: str, value: JsonObject) -> bool:
        """A `.delta` event; False if it is none that says text."""
        text = value.get("delta")
        if isinstance(text, dict):
            text = as_text(text.get("text"))
        if not isinstance(text, str) and not (text := as_label(text)):
            return False
        items, parts = self._items, self._parts
        index = as_index(value.get("content_index")) or 0
        match kind:
            case "response.output_text.delta" | "response.text.delta":
                parts.text(items.find(value, "message"), index, text)
                if entries := as_list(value.get("logprobs")):
                    self._sink.put(LogprobsReceived(items.find(value, "message").choice, tuple(entries)))
            case "response.refusal.delta":
                parts.refusal(items.find(value, "message"), index, text)
            case "response.reasoning_text.delta" | "response.reasoning.delta":
                parts.reasoning(items.find(value, "reasoning"), "content", index, text)
            case "response.reasoning_summary_text.delta" | "response.reasoning_summary.delta":
                summary_index = as_index(value.get("summary_index")) or 0
                parts.reasoning(items.find(value, "reasoning"), "summary", summary_index, text)
            case "response.function_call_arguments.delta":
                parts.arguments(items.find(value, "function_call"), text)
            case "response.custom_tool_call_input.delta":
                parts.arguments(items.find(value, "custom_tool_call"), text)
            case _:
                return self._rare_delta(kind, value, text)
        return True

    def _rare_delta(self, kind: str, value: JsonObject, text: str) -> bool:
        """What hosted tools stream, and speech."""
        match kind:
            case "response.audio.delta" | "response.output_audio.delta":
                self._sink.put(AudioDelta(PartKey(0, "audio"), data_base64=text))
            case "response.audio.transcript.delta" | "response.output_audio_transcript.delta":
                self._sink.put(AudioDelta(PartKey(0, "audio"), transcript=text))
                self._sink.characters += len(text)
            case _:
                return took_hosted_delta(self._items, kind, value, text)
        return True

    def lesson_of(self, kind: str, value: JsonObject, count: Callable[[list[int]], None]) -> Lesson | None:
        """The lesson of a delta; `count` hears its sequence numbers."""
        is_constant = all(
            name in _CONSTANT_FIELDS or entry is None or entry == [] for name, entry in value.items()
        )
        take = self._taker(kind, value)
        if take is None or not is_constant or not isinstance(value.get("delta"), str):
            return None
        has_number = isinstance(value.get("sequence_number"), int)
        ignored = (("obfuscation",),) if isinstance(value.get("obfuscation"), str) else ()
        holes = Holes(("delta",), ("sequence_number",) if has_number else None, ignored=ignored)
        return Lesson(holes, take, count)

    def _taker(self, kind: str, value: JsonObject) -> Callable[[list[str]], None] | None:
        index = as_index(value.get("content_index")) or 0
        address: JsonObject = {
            name: value[name] for name in ("item_id", "output_index") if value.get(name) is not None
        }
        match kind:
            case "response.output_text.delta":
                return partial(self._texts_for, address, index)
            case "response.reasoning_text.delta":
                return partial(self._reasonings_for, address, "content", index)
            case "response.reasoning_summary_text.delta":
                return partial(
                    self._reasonings_for, address, "summary", as_index(value.get("summary_index")) or 0
                )
            case "response.function_call_arguments.delta":
                return partial(self._arguments_for, address)
            case _:
                return None

    def _texts_for(self, address: JsonObject, index: int, texts: list[str]) -> None:
        item = self._items.find(address, "message")
        self._parts.text(item, index, "".join(texts), len(texts) - texts.count(""))

    def _reasonings_for(self, address: JsonObject, slot: str, index: int, texts: list[str]) -> None:
        item = self._items.find(address, "reasoning")
        self._parts.reasoning(item, slot, index, "".join(texts), len(texts) - texts.count(""))

    def _arguments_for(self, address: JsonObject, texts: list[str]) -> None:
        item = self._items.find(address, "function_call")
        self._parts.arguments(item, "".join(texts), len(texts) - texts.count(""))
