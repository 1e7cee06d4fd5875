"""What the way from bytes to the final turn costs, against `json.loads` of the same data lines alone.

Both are measured in one run, in turns, and the least time of each counts, so the machine's speed and load
drop out. The ratio must be at most 1.5 and the cost per delta the same at 1,000 and at 100,000 deltas.

    python benchmarks/decode.py [--read 16384] [--slow] [--check]
"""

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable

from chatui.core.turn import Phase, Turn
from chatui.core.turn_builder import TurnBuilder
from chatui.core.wire import Dialect, StreamDecoder
from chatui.protocols import anthropic_messages, chat_completions, responses
from chatui.protocols.anthropic_messages.stream import decoder as messages_decoder
from chatui.protocols.chat_completions.stream import decoder as chat_decoder
from chatui.protocols.responses.stream import decoder as responses_decoder

WORDS = (
    "The ",
    "capital",
    " of",
    " France",
    " is",
    " Paris",
    ",\n",
    " where",
    " “light”",
    " é",
    " 日本",
    ".",
)
LIMIT = 1.5


def chat_lines(deltas: int, *, shape: str) -> list[str]:
    envelope = {
        "id": "chatcmpl-9xYzAbCdEfGhIjKlMnOpQrStUvWx",
        "object": "chat.completion.chunk",
        "created": 1767225600,
        "model": "gpt-4.1-mini-2026-01-01",
        "service_tier": "default",
        "system_fingerprint": "fp_0123456789",
    }

    def chunk(delta: dict[str, object], finish: str | None = None, **more: object) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return "data: " + json.dumps({**envelope, "choices": [choice], **more}, separators=(",", ":"))

    lines = [chunk({"role": "assistant", "content": "", "refusal": None})]
    for number in range(deltas):
        word = WORDS[number % len(WORDS)]
        more: dict[str, object] = {"obfuscation": "x" * (number % 9)} if shape == "padded" else {}
        if shape == "usage":
            more["usage"] = {"prompt_tokens": 9, "completion_tokens": number, "total_tokens": 9 + number}
        lines.append(chunk({"content": word}, **more))
    return [*lines, chunk({}, "stop"), "data: [DONE]"]


def responses_lines(deltas: int, *, shape: str) -> list[str]:
    response = {"id": "resp_1", "object": "response", "status": "in_progress", "model": "m", "output": []}
    place = {"item_id": "msg_0123456789abcdef", "output_index": 0, "content_index": 0}
    text = "".join(WORDS[number % len(WORDS)] for number in range(deltas))
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    item = {"id": place["item_id"], "type": "message", "role": "assistant", "status": "completed"}
    events: list[dict[str, object]] = [
        {"type": "response.created", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
    ]
    for number in range(deltas):
        delta = {
            "type": "response.output_text.delta",
            **place,
            "delta": WORDS[number % len(WORDS)],
            "logprobs": [],
        }
        if shape == "padded":
            delta["obfuscation"] = "x" * (number % 9)
        events.append(delta)
    whole = {**item, "content": [part]}
    events += [
        {"type": "response.output_text.done", **place, "text": text},
        {"type": "response.content_part.done", **place, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": whole},
        {"type": "response.completed", "response": {**response, "status": "completed", "output": [whole]}},
    ]
    return [
        f"event: {event['type']}\ndata: "
        + json.dumps({"type": event.pop("type"), "sequence_number": number, **event}, separators=(",", ":"))
        for number, event in enumerate(events)
    ]


def messages_lines(deltas: int, *, shape: str) -> list[str]:
    del shape
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    events: list[dict[str, object]] = [
        {"type": "message_start", "message": {**message, "usage": {"input_tokens": 12, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    ]
    events += [
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": WORDS[number % len(WORDS)]},
        }
        for number in range(deltas)
    ]
    events += [
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": deltas}},
        {"type": "message_stop"},
    ]
    return [f"event: {event['type']}\ndata: " + json.dumps(event, separators=(",", ":")) for event in events]


def decode(make: Callable[[], StreamDecoder], reads: list[bytes]) -> Turn:
    decoder = make()
    builder = TurnBuilder()
    for data in reads:
        builder.apply_all(decoder.feed(data))
    builder.apply_all(decoder.close())
    return builder.snapshot()


def load_lines(lines: list[str]) -> None:
    for line in lines:
        json.loads(line)


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def measure(make: Callable[[], StreamDecoder], blocks: list[str], read_bytes: int) -> tuple[float, float]:
    """Least seconds of decoding and of `json.loads` alone."""
    body = "".join(f"{block}\n\n" for block in blocks).encode()
    reads = [body[at : at + read_bytes] for at in range(0, len(body), read_bytes)]
    lines = [block.rpartition("data: ")[2] for block in blocks if not block.endswith("[DONE]")]
    turn = decode(make, reads)
    assert turn.phase is Phase.COMPLETED, turn.failure
    best = [float("inf"), float("inf")]
    gc.disable()
    for _ in range(7 if len(blocks) > 50_000 else 40):
        best[0] = min(best[0], seconds(lambda: decode(make, reads)))
        best[1] = min(best[1], seconds(lambda: load_lines(lines)))
        gc.collect()
    gc.enable()
    return best[0], best[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--read", type=int, default=16384, help="bytes of a read")
    parser.add_argument("--slow", action="store_true", help="without the fast path")
    parser.add_argument("--check", action="store_true", help="fail if a ratio is above the limit")
    options = parser.parse_args()
    protocols = (
        (chat_completions.PROTOCOL.name, chat_decoder, chat_lines, ("plain", "padded", "usage")),
        (responses.PROTOCOL.name, responses_decoder, responses_lines, ("plain", "padded")),
        (anthropic_messages.PROTOCOL.name, messages_decoder, messages_lines, ("plain",)),
    )
    worst = 0.0
    print(f"{'protocol':<20}{'shape':<8}{'deltas':>8}{'us/delta':>10}{'json us':>9}{'ratio':>7}")
    for name, make, lines, shapes in protocols:
        for shape in shapes:
            for deltas in (1_000, 100_000):
                blocks = lines(deltas, shape=shape)
                ours, theirs = measure(
                    lambda make=make: make(Dialect(), is_body=False, has_fast_path=not options.slow),
                    blocks,
                    options.read,
                )
                ratio = ours / theirs
                worst = max(worst, ratio)
                each = 1e6 / deltas
                print(
                    f"{name:<20}{shape:<8}{deltas:>8}{ours * each:>10.2f}{theirs * each:>9.2f}{ratio:>7.2f}"
                )
    print(f"worst ratio {worst:.2f}, limit {LIMIT}")
    return 1 if options.check and worst > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
