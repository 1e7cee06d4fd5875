"""Plays scripted responses straight through the decoders: no HTTP, no waiting."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from chatui.core.errors import Failure, FailureReason
from chatui.core.messages import (
    AudioPart,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolCallState,
)
from chatui.core.turn import Choice, Turn
from chatui.core.turn_builder import TurnBuilder
from chatui.core.wire import Dialect, StreamDecoder
from chatui.protocols import load

HERE = Path(__file__).parent
PROTOCOLS = {"chat": "chat_completions", "responses": "responses", "messages": "anthropic_messages"}
CUTS = {
    "reset": Failure(reason=FailureReason.DISCONNECT, message="The connection was reset"),
    "eof": Failure(reason=FailureReason.DISCONNECT, message="The server closed the connection"),
    "stall": Failure(reason=FailureReason.TIMEOUT, message="Nothing arrived for 2 s"),
}


def cases(protocol: str | None = None) -> list[dict]:
    folders = [protocol] if protocol else list(PROTOCOLS)
    files = [path for folder in folders for path in sorted((HERE / "wire" / "cases" / folder).glob("*.json"))]
    return [json.loads(path.read_text()) for path in files]


def script_of(response: dict) -> tuple[bytes, Failure | None]:
    """All bytes of the body as the decoder gets them, and what cuts the input."""
    body = bytearray()
    for step in response.get("steps", []):
        for piece in _pieces(step):
            body += piece
        if "raw" in step:
            return bytes(body), CUTS["eof"]
        if "short_chunk" in step:
            body += step["short_chunk"]["send"].encode("utf-8", "surrogatepass")
            return bytes(body), CUTS["eof"]
        for ending, cut in CUTS.items():
            if step.get(ending):
                is_clean = ending == "eof" and response.get("framing") == "close"
                return bytes(body), None if is_clean else cut
    if response.get("content_length", 0) > len(body):
        return bytes(body), CUTS["eof"]
    return bytes(body), None


def _pieces(step: dict) -> Iterator[bytes]:
    if "b64" in step:
        yield base64.b64decode(step["b64"])
    if "fill" in step:
        fill = step["fill"]
        yield (fill["before"] + fill["unit"] * fill["times"] + fill["after"]).encode("utf-8", "surrogatepass")
    if "send" in step:
        send = step["send"]
        whole = send if isinstance(send, str) else "".join(send)
        for number in range(step.get("repeat", 1)):
            text = whole.replace("{i}", str(number)) if step.get("subst") else whole
            yield text.encode("utf-8", "surrogatepass")


def play(
    decoder: StreamDecoder, chunks: Iterable[bytes], cut: Failure | None = None, *, snapshots: bool = False
) -> Turn:
    builder = TurnBuilder()
    for chunk in chunks:
        builder.apply_all(decoder.feed(chunk))
        if snapshots:
            builder.snapshot()
        if decoder.is_finished:
            break
    builder.apply_all(decoder.close(cut))
    return builder.snapshot()


def chunked(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def turn_of_case(case: dict, *, size: int = 16384, dialect: Dialect | None = None) -> Turn:
    """The turn of the case's last response."""
    response = case["script"][0]
    if case["fault"] == "retry" and response.get("status", 200) != 200:
        response = case["script"][-1]
    protocol = load(PROTOCOLS[case["protocol"]])
    body, cut = script_of(response)
    status = response.get("status", 200)
    if not 200 <= status < 300:
        headers = {name.lower(): value for name, value in response.get("headers", [])}
        from chatui.core.events import StreamFailed

        builder = TurnBuilder()
        builder.apply(StreamFailed(protocol.http_failure(status, headers, body)))
        return builder.snapshot()
    content_type = dict(response.get("headers", [])).get("content-type", "")
    dialect = dialect or Dialect()
    make = protocol.body_decoder if content_type.startswith("application/json") else protocol.stream_decoder
    return play(make(dialect), chunked(body, size), cut)


def parts_text(choice: Choice, kind: type) -> str:
    return "".join(part.text for part in choice.parts if isinstance(part, kind))


def _calls(choice: Choice, states: tuple[ToolCallState, ...]) -> list[dict]:
    found = []
    for part in choice.parts:
        if isinstance(part, ToolCallPart) and part.state in states:
            call = {"id": part.call_id, "name": part.name, "raw": part.arguments_raw}
            call["arguments_raw"] = part.arguments_raw
            if part.is_free_text:
                call["input"] = part.arguments_raw
            elif part.state is ToolCallState.WHOLE:
                raw = part.arguments_raw.strip()
                call["arguments"] = json.loads(raw) if raw not in {"", "null"} else {}
            found.append(call)
    return found


def result_of(turn: Turn) -> dict:
    """The turn as `compare` wants it."""
    choices = [
        {
            "index": choice.index,
            "text": parts_text(choice, TextPart),
            "reasoning": parts_text(choice, ReasoningPart),
            "refusal": parts_text(choice, RefusalPart),
            "tool_calls": _calls(choice, (ToolCallState.WHOLE,)),
            "finish_reason": choice.finish_reason,
        }
        for choice in turn.choices
    ]
    first = choices[0] if choices else {"text": "", "reasoning": "", "refusal": "", "tool_calls": []}
    broken = [
        call
        for choice in turn.choices[:1]
        for call in _calls(choice, (ToolCallState.UNFINISHED, ToolCallState.UNPARSABLE))
    ]
    usage = turn.usage
    failure = turn.failure
    audio = [part for choice in turn.choices for part in choice.parts if isinstance(part, AudioPart)]
    return {
        "state": turn.phase.value,
        "reason": failure.reason.value if failure else None,
        "text": first["text"] or "".join(part.transcript for part in audio),
        "reasoning": first["reasoning"],
        "refusal": first["refusal"],
        "tool_calls": first["tool_calls"],
        "broken_tool_calls": broken,
        "finish_reason": turn.finish_reason,
        "usage": None
        if usage is None
        else {
            "prompt": usage.input_tokens,
            "completion": usage.output_tokens,
            "total": usage.total_tokens,
            "cached": usage.cached_tokens,
            "reasoning": usage.reasoning_tokens,
        },
        "choices": choices,
        "error": f"{failure.message} {failure.hint}" if failure else "",
        "http_status": failure.http_status if failure else None,
    }
