"""Anthropic Messages: what each event, or a whole message, means.

Invariant: a message is whole only after a `stop_reason` and `message_stop` (a body: its `stop_reason`);
counts of tokens are cumulative, so later ones replace earlier ones. Source: Anthropic API reference
"Streaming messages" and "Handling stop reasons"; DESIGN.md section 3; wire cases.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from chatui.core import ending
from chatui.core.errors import Failure, FailureReason
from chatui.core.events import ChoiceFinished, NoticeRaised, ResponseStarted, Usage, UsageReported
from chatui.core.finish_words import is_word, reason_of, word_that_stays
from chatui.core.foreign_shape import foreign_shape
from chatui.core.interpreter import Context, Lesson, find_error_in
from chatui.core.json_access import (
    JsonObject,
    as_count,
    as_index,
    as_list,
    as_object,
    as_text,
    as_word,
)
from chatui.core.line_shape import Holes
from chatui.core.response_decoder import decoder_of
from chatui.core.usage_fields import REASONING_COUNTS, first_count, later_count
from chatui.core.wire import Dialect
from chatui.protocols.anthropic_messages.blocks import Blocks

_PAUSE: Final = "pause_turn"
_ANEW: Final = "The server began its message anew in the middle: the answer may say things twice."
_USAGE_FIELDS: Final = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "output_tokens",
)
_EVENTS: Final = frozenset(
    {
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    }
)


class MessagesInterpreter:
    """Events of the protocol to events of ours."""

    has_open_ends = False
    """A message is one answer."""

    def __init__(self, dialect: Dialect, context: Context) -> None:
        self._context = context
        self._sink = context.sink
        self._blocks = Blocks(context.sink, has_think_tags=dialect.has_think_tags)
        self._counts: dict[str, int] = {}
        self._reasoning_tokens: int | None = None
        self._usage: Usage | None = None
        self._stop_reason: str | None = None
        self._stop_detail = ""
        self._is_stopped = False
        self.is_over = False
        self._has_started = False
        self._foreign = ""
        self._start_content: list[object] = []

    @property
    def has_proof(self) -> bool:
        """Both halves of the proof, or neither."""
        return self.is_over

    @property
    def missing(self) -> str:
        """What the proof lacks."""
        if self._stop_reason:
            return "without message_stop"
        if self._is_stopped:
            return "but never said why it stopped"
        if self._has_started:
            return "in the middle of the message"
        return self._foreign or "without any part of a message"

    @property
    def finish_reason(self) -> str | None:
        """The stop_reason."""
        return self._stop_reason

    def take(self, name: str, value: JsonObject) -> None:
        """One event, or a whole message."""
        kind = as_text(value.get("type"))
        if kind not in _EVENTS and name in _EVENTS:
            kind = name
        match kind:
            case "content_block_delta":
                index = as_index(value.get("index"))
                self._blocks.delta(index, as_object(value.get("delta")))
                if self._context.wants_lesson and index is not None:
                    self._make_lesson(value, index)
            case "content_block_start":
                self._blocks.start(as_index(value.get("index")), as_object(value.get("content_block")))
            case "content_block_stop":
                self._blocks.stop(as_index(value.get("index")))
            case "message_start":
                self._start(as_object(value.get("message")))
            case "message_delta":
                self._take_delta(value)
            case "message_stop":
                self._stop()
            case "message":
                self._take_body(value)
            case "ping":
                pass
            case _:
                self._foreign = self._foreign or foreign_shape(value)
                self._context.take_unknown(kind or name, value, name=name)

    def take_done(self) -> None:
        """`[DONE]` is no word of this protocol and proves nothing."""

    def flush(self) -> None:
        """Tell what hosted tools did."""
        self._blocks.flush()

    def verdict(self) -> Failure | None:
        """The stop_reason may say that the answer is not whole."""
        word = self._stop_reason or ""
        reason = FailureReason.LENGTH if word == _PAUSE else reason_of(word)
        if reason is None:
            return None
        self._sink.drain_pending()
        if word == _PAUSE:
            return Failure(
                reason=reason,
                message=f"The server paused a long turn {ending.after(self._sink.characters)} (pause_turn)",
                hint="It can be continued from here.",
            )
        return ending.ended_early(reason, word, self._sink.characters, self._stop_detail)

    def wrap_up(self, *, is_proved: bool) -> None:
        """Give what blocks held back."""
        if not self._blocks:
            for block in self._start_content:
                self._blocks.start(None, as_object(block))
        self._blocks.wrap_up(is_proved=is_proved)

    def _start(self, message: JsonObject) -> None:
        if self._has_started:
            if self._blocks:
                self._sink.put(NoticeRaised(_ANEW))
            return
        self._has_started = True
        self._put_started(message)
        usage = as_object(message.get("usage"))
        if as_count(usage.get("input_tokens")) or any(
            as_count(usage.get(name)) for name in _USAGE_FIELDS[1:3]
        ):
            self._take_usage(usage)
        # Zeros here are placeholders of gateways that count late: no prompt has no tokens.
        self._start_content = as_list(message.get("content"))
        self._take_stop(message)

    def _put_started(self, message: JsonObject) -> None:
        usage = as_object(message.get("usage"))
        started = ResponseStarted(
            as_word(message.get("id")), as_word(message.get("model")), as_word(usage.get("service_tier"))
        )
        if started != ResponseStarted():
            self._sink.put(started)

    def _take_delta(self, value: JsonObject) -> None:
        self._take_usage(as_object(value.get("usage")))
        self._take_stop(as_object(value.get("delta")))
        if value.get("error"):
            self._context.take_unknown("message_delta", value, name="")

    def _take_body(self, message: JsonObject) -> None:
        if message.get("error") and (error := find_error_in(message, is_lone=False)) is not None:
            self._context.fail_with(error)
            return
        self._has_started = True
        self._put_started(message)
        content = message.get("content")
        if isinstance(content, str):
            self._blocks.start(None, {"type": "text", "text": content})
        for block in as_list(content):
            if fields := as_object(block):
                self._blocks.start(None, fields)
                self._blocks.stop(None)
        self._take_usage(as_object(message.get("usage")))
        self._take_stop(message)
        self._stop()

    def _stop(self) -> None:
        self._is_stopped = True
        self.is_over = self._stop_reason is not None

    def _take_stop(self, fields: JsonObject) -> None:
        word = as_text(fields.get("stop_reason"))
        if is_word(word):
            self._stop_reason = word = word_that_stays(self._stop_reason, word)
            self.is_over = self._is_stopped
            details = as_object(fields.get("stop_details"))
            explanation = as_text(details.get("explanation"))
            category = as_text(details.get("category"))
            self._stop_detail = explanation or category or self._stop_detail
            self._sink.put(ChoiceFinished(0, word))

    def _take_usage(self, fields: JsonObject) -> None:
        for name in _USAGE_FIELDS:
            count = as_count(fields.get(name))
            if count is not None:
                # What message_start says of the output is no more than a beginning.
                known = None if name == "output_tokens" else self._counts.get(name)
                self._counts[name] = later_count(count, known) or 0
        details = as_object(fields.get("output_tokens_details"))
        self._reasoning_tokens = later_count(first_count(details, *REASONING_COUNTS), self._reasoning_tokens)
        counts = self._counts
        prompt = counts.get("input_tokens")
        if prompt is not None:
            # The protocol counts what came from the cache apart; we count the whole prompt.
            prompt += counts.get("cache_read_input_tokens", 0) + counts.get("cache_creation_input_tokens", 0)
        usage = Usage(
            input_tokens=prompt,
            output_tokens=counts.get("output_tokens"),
            cached_tokens=counts.get("cache_read_input_tokens"),
            reasoning_tokens=self._reasoning_tokens,
        )
        if any(usage) and usage != self._usage:
            self._usage = usage
            self._sink.put(UsageReported(usage))

    def _make_lesson(self, value: JsonObject, index: int) -> None:
        """Teach lines like this one."""
        delta = as_object(value.get("delta"))
        takers: dict[str, tuple[str, Callable[[int, list[str]], None]]] = {
            "text_delta": ("text", self._blocks.texts_at),
            "thinking_delta": ("thinking", self._blocks.thinkings_at),
            "input_json_delta": ("partial_json", self._blocks.inputs_at),
        }
        taker = takers.get(as_text(delta.get("type")))
        if taker is not None and isinstance(delta.get(taker[0]), str):
            self._context.teach(Lesson(Holes(("delta", taker[0])), partial(taker[1], index)))


decoder = partial(decoder_of, MessagesInterpreter)
"""A decoder of one response."""
