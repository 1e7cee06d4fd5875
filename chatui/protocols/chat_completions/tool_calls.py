"""Puts tool calls together from the loose shapes in which Chat Completions servers send them.

Invariants: calls are told apart by index, else by id, else by order; a repeated id or name is taken once;
pieces of arguments are never lost, only an exact repeat of all of them is recognised. Sources: OpenAI
streaming reference; Gemini (no index), Fireworks (name repeated), DashScope (empty ids), vLLM and Ollama
(objects, whole calls), gateways that give every call index 0; FIELD.md simonw/llm#1218.
"""

import json
from itertools import pairwise

from chatui.core.event_sink import EventSink, Growth
from chatui.core.events import OpaqueReceived, PartFinished, PartKey, ToolCallDelta
from chatui.core.json_access import (
    JsonObject,
    as_index,
    as_label,
    as_list,
    as_object,
    as_text,
    is_object_text,
)


class _Call:
    """One call while it grows."""

    __slots__ = ("call_id", "key", "name", "pieces")

    def __init__(self, key: PartKey) -> None:
        self.key = key
        self.call_id = ""
        self.name = ""
        self.pieces: list[str] = []

    @property
    def is_whole(self) -> bool:
        """Its arguments could not go on: they are a complete object."""
        text = "".join(self.pieces).strip()
        return text.startswith("{") and text.endswith("}") and is_object_text(text)


class ToolCalls:
    """The calls of one choice."""

    def __init__(self, choice: int, sink: EventSink) -> None:
        self._choice = choice
        self._sink = sink
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}

    def __len__(self) -> int:
        return len(self._calls)

    def take(self, value: object) -> None:
        """The `tool_calls` of a delta or message."""
        entries = as_list(value) or ([value] if isinstance(value, dict) else [])
        for place, entry in enumerate(entries):
            fields = as_object(entry)
            if fields:
                self._entry(fields, place if len(entries) > 1 else None)

    def take_legacy(self, value: object) -> None:
        """The deprecated `function_call`: one call without an id."""
        fields = as_object(value)
        call = self._by_index.get(-1)
        if call is None and any(fields.values()):
            call = self._begin(-1)
        if call is not None:
            self._grow(call, "", as_text(fields.get("name")), fields)

    def take_arguments(self, index: int, texts: list[str]) -> None:
        """More arguments for the call at `index`: what entries that say nothing else mean."""
        texts = [text for text in texts if text]
        call = self._by_index.get(index)
        if call is None:
            for text in texts:
                self._entry({"index": index, "function": {"arguments": text}}, None)
        elif texts:
            call.pieces += texts
            self._sink.grow(Growth.ARGUMENTS, call.key, "".join(texts), len(texts))

    def finish(self) -> None:
        """The protocol said that the calls are whole."""
        for number, call in enumerate(self._calls, start=1):
            if not call.call_id:
                # Results are paired with calls by id, so one is needed even where the server gave none.
                self._sink.put(ToolCallDelta(call.key, call_id=f"chatui_call_{number}", count=0))
            if call.name:
                self._sink.put(PartFinished(call.key, _without_repeat(call.pieces)))

    def _entry(self, entry: JsonObject, place: int | None) -> None:
        custom = as_object(entry.get("custom"))
        function = as_object(entry.get("function")) or custom or entry
        call_id = as_label(entry.get("id"))
        name = as_text(function.get("name"))
        index = as_index(entry.get("index"))
        call = self._find(index, call_id, name, place)
        if call is not None and index is not None and not call_id and _is_another(call, name, function):
            call = None
        if call is None:
            if not (call_id or name or function.get("arguments") or function.get("input")):
                return
            call = self._begin(index)
        self._grow(call, call_id, name, function, is_free_text=bool(custom))
        extra = entry.get("extra_content")
        if extra:
            # Gemini wants its thought signature back with the call.
            self._sink.put(OpaqueReceived(call.key, {"extra_content": extra}))

    def _find(self, index: int | None, call_id: str, name: str, place: int | None) -> _Call | None:
        """The known call that an entry continues, or None for a new one."""
        if index is not None:
            call = self._by_index.get(index)
            if call is None or not call_id or not call.call_id or call_id == call.call_id:
                return call
            known = self._by_id.get(call_id)
            if known is not None or not name:
                return known or call
            # Another id at the same index: a new call, unless the one before is still open and has the same
            # name.
            return call if call.pieces and name == call.name and not call.is_whole else None
        if call_id:
            known = self._by_id.get(call_id)
            if known is not None or name:
                return known
        if place is not None and not name and place < len(self._calls):
            return self._calls[place]
        last = self._calls[-1] if self._calls else None
        if last is None or not name:
            return last
        return last if name == last.name and last.pieces and not last.is_whole else None

    def _begin(self, index: int | None) -> _Call:
        call = _Call(PartKey(self._choice, f"tool:{len(self._calls)}"))
        self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        return call

    def _grow(
        self, call: _Call, call_id: str, name: str, function: JsonObject, *, is_free_text: bool = False
    ) -> None:
        new_id = call_id if call_id and not call.call_id else None
        new_name = _longer_name(call, name)
        arguments = _arguments_text(function.get("input") if is_free_text else _arguments_of(function))
        if new_id is not None:
            call.call_id = new_id
            self._by_id.setdefault(new_id, call)
        if new_name is not None:
            call.name = new_name
        if arguments:
            call.pieces.append(arguments)
        if new_id is not None or new_name is not None or is_free_text:
            self._sink.put(ToolCallDelta(call.key, new_id, new_name, arguments, is_free_text=is_free_text))
            self._sink.characters += len(arguments)
        elif arguments:
            self._sink.grow(Growth.ARGUMENTS, call.key, arguments)


def _is_another(call: _Call, name: str, function: JsonObject) -> bool:
    """Whether an entry at the index of a whole call begins a new one, though no id tells them apart."""
    if not name or not call.pieces or not call.pieces[-1].rstrip().endswith("}") or not call.is_whole:
        return False
    if name != call.name:
        return not call.name.endswith(name)
    known, said = "".join(call.pieces).strip(), _arguments_text(_arguments_of(function)).strip()
    return known != "{}" and said != known and said.startswith("{") and is_object_text(said)


def _longer_name(call: _Call, name: str) -> str | None:
    """The name as it is now known, or None if nothing is new."""
    if not name or name == call.name:
        return None
    if not call.name or name.startswith(call.name):
        return name
    # The rest of a name that was sent in pieces, before any arguments; anything else is noise.
    return None if call.pieces or call.name.endswith(name) else call.name + name


def _arguments_of(function: JsonObject) -> object:
    for name in ("arguments", "parameters", "input"):
        if function.get(name):
            return function[name]
    return None


def _arguments_text(value: object) -> str:
    """Arguments as text: some servers send the object itself."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if value else ""


def _without_repeat(pieces: list[str]) -> str | None:
    """The arguments, if the last piece (or each piece) repeats all of them; None otherwise."""
    if len(pieces) < 2:
        return None
    last = pieces[-1]
    if not (last.lstrip().startswith("{") and last.rstrip().endswith("}")):
        return None
    size = sum(map(len, pieces))
    is_said_again = size == 2 * len(last) and "".join(pieces[:-1]) == last
    is_cumulative = all(after.startswith(before) for before, after in pairwise(pieces))
    if not (is_said_again or is_cumulative) or not is_object_text(last):
        return None
    return None if is_object_text("".join(pieces)) else last
