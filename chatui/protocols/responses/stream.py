"""OpenAI Responses: what each event, or a whole response, means.

Invariant: a turn is whole only after `response.completed` whose response does not say otherwise (a body:
status `completed`); gaps in `sequence_number` are told and tolerated, because numbers order nothing on one
connection. Source: OpenAI API reference "Streaming events" of Responses; DESIGN.md section 3; wire cases;
llama.cpp, aimock.
"""

from functools import partial
from typing import Final

from chatui.core import ending
from chatui.core.error_shapes import ErrorFound
from chatui.core.errors import Failure, FailureReason
from chatui.core.events import (
    ChoiceFinished,
    NoticeRaised,
    ResponseStarted,
    Usage,
    UsageReported,
)
from chatui.core.finish_words import reason_of
from chatui.core.foreign_shape import foreign_shape
from chatui.core.interpreter import Context, find_error_in
from chatui.core.json_access import (
    JsonObject,
    as_count,
    as_index,
    as_list,
    as_object,
    as_text,
    as_word,
)
from chatui.core.response_decoder import decoder_of
from chatui.core.usage_fields import merged, usage_of
from chatui.core.wire import Dialect
from chatui.protocols.responses.deltas import Deltas
from chatui.protocols.responses.hosted_texts import took_hosted
from chatui.protocols.responses.item import Item
from chatui.protocols.responses.items import Items

_ENDS: Final = {
    "response.completed": "completed",
    "response.done": "",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
    "response.canceled": "cancelled",
}
_ENDED: Final = frozenset({"completed", "incomplete", "failed", "cancelled", "canceled"})


class ResponsesInterpreter:
    """Events of the protocol to events of ours."""

    has_open_ends = False
    """Responses end all together."""

    def __init__(self, dialect: Dialect, context: Context) -> None:
        self._context = context
        self._sink = context.sink
        self._items = Items(context.sink, has_think_tags=dialect.has_think_tags)
        self._parts = self._items.parts
        self._deltas = Deltas(self._items, context.sink)
        self._usage: Usage | None = None
        self._choices: dict[str, int] = {}
        self._ended: dict[int, tuple[str, JsonObject]] = {}
        self.is_over = False
        self._number: int | None = None
        self._has_told_gap = False
        self._status = ""
        self._foreign = ""
        self._started = ResponseStarted()

    @property
    def has_proof(self) -> bool:
        """Every response of the stream has ended, one way or another: `verdict` tells which."""
        return self.is_over

    @property
    def missing(self) -> str:
        """What the proof lacks."""
        if self._foreign and not self._choices:
            return self._foreign
        if self._status and not self._items:
            return f"with the response still {self._status.replace('_', ' ')}"
        return (
            "without response.completed" if self._choices or self._items else "without any part of a response"
        )

    @property
    def finish_reason(self) -> str | None:
        """The status, or why it is incomplete."""
        if 0 not in self._ended:
            return None
        status, response = self._ended[0]
        return as_word(as_object(response.get("incomplete_details")).get("reason")) or status

    def take(self, name: str, value: JsonObject) -> None:
        """One event, or a whole response."""
        kind = as_text(value.get("type"))
        if not kind.startswith("response.") and name.startswith("response."):
            kind = name
        if "sequence_number" in value and (number := as_count(value["sequence_number"])) is not None:
            self._sequence(number)
        if kind.endswith(".delta") and self._deltas.take(kind, value):
            if self._context.wants_lesson:
                lesson = self._deltas.lesson_of(kind, value, self._sequences)
                if lesson is not None:
                    self._context.teach(lesson)
            return
        if kind in _ENDS:
            self._end(_ENDS[kind], as_object(value.get("response")))
            return
        if not self._is_error(kind, name, value):
            self._other(kind, name, value)

    def take_done(self) -> None:
        """`[DONE]` is no word of this protocol; without response.completed it ends in failure."""
        if not self.is_over:
            self._sink.drain_pending()
            self._context.fail(
                ending.without_proof(self._sink.characters, "saying [DONE] but without response.completed")
            )

    def flush(self) -> None:
        """Tell what hosted tools did."""
        self._parts.flush()

    def verdict(self) -> Failure | None:
        """What the final response says against completion."""
        status, response = self._ended[min(self._ended)]
        self._sink.drain_pending()
        characters = self._sink.characters
        error = find_error_in(response, is_lone=False)
        if status == "completed" and error is None:
            return None
        if status == "incomplete":
            reason = as_text(as_object(response.get("incomplete_details")).get("reason"))
            if not reason:
                return ending.ended_unexplained(characters)
            return ending.ended_early(reason_of(reason) or FailureReason.ERROR, reason, characters)
        if error is not None:
            return ending.reported(error, characters)
        if status == "failed":
            return ending.reported(ErrorFound("the response failed without saying why"), characters)
        return ending.ended_early(FailureReason.ERROR, status, characters)

    def wrap_up(self, *, is_proved: bool) -> None:
        """Give what items held back."""
        self._parts.wrap_up(is_proved=is_proved)

    def _other(self, kind: str, name: str, value: JsonObject) -> None:
        items, parts = self._items, self._parts
        index = as_index(value.get("content_index")) or 0
        match kind:
            case "response.created" | "response.in_progress" | "response.queued":
                self._begin(as_object(value.get("response")), kind.removeprefix("response."))
            case "response.output_item.added":
                items.added(value)
            case "response.output_item.done":
                items.done(value)
            case (
                "response.content_part.added"
                | "response.content_part.done"
                | "response.reasoning_part.added"
                | "response.reasoning_part.done"
            ):
                part = as_object(value.get("part"))
                is_reasoning = as_text(part.get("type")) == "reasoning_text"
                parts.whole_part(items.find(value, "reasoning" if is_reasoning else "message"), index, part)
            case "response.output_text.done" | "response.text.done":
                parts.whole_text(items.find(value, "message"), "text", index, as_text(value.get("text")))
            case "response.refusal.done":
                refusal = as_text(value.get("refusal"))
                parts.whole_text(items.find(value, "message"), "refusal", index, refusal)
            case "response.reasoning_text.done" | "response.reasoning.done":
                item = items.find(value, "reasoning")
                parts.whole_text(item, "content", index, as_text(value.get("text")))
            case "response.reasoning_summary_text.done" | "response.reasoning_summary.done":
                summary_index = as_index(value.get("summary_index")) or 0
                item = items.find(value, "reasoning")
                parts.whole_text(item, "summary", summary_index, as_text(value.get("text")))
            case "response.reasoning_summary_part.added" | "response.reasoning_summary_part.done":
                summary_index = as_index(value.get("summary_index")) or 0
                said = as_text(as_object(value.get("part")).get("text"))
                parts.whole_text(items.find(value, "reasoning"), "summary", summary_index, said)
            case "response.function_call_arguments.done":
                self._call_done(items.find(value, "function_call"), value, "arguments")
            case "response.custom_tool_call_input.done":
                self._call_done(items.find(value, "custom_tool_call"), value, "input")
            case "response.output_text.annotation.added" | "response.output_text_annotation.added":
                parts.cite(items.find(value, "message"), index, as_object(value.get("annotation")))
            case _:
                self._rare(kind or name, value)

    def _call_done(self, item: Item, value: JsonObject, field: str) -> None:
        self._parts.whole_text(item, "arguments", 0, as_text(value.get(field)))

    def _rare(self, kind: str, value: JsonObject) -> None:
        if kind in {"ping", "keepalive", "response.keepalive", "heartbeat"}:
            return
        if took_hosted(self._items, kind, value):
            return
        if as_text(value.get("object")) == "response" or ("output" in value and "status" in value):
            self._end("", value)
            return
        self._foreign = self._foreign or foreign_shape(value)
        self._context.take_unknown(kind, value, name=kind)

    def _begin(self, response: JsonObject, status: str) -> None:
        response_id = as_text(response.get("id"))
        self._status = as_text(response.get("status")) or status
        if response_id not in self._choices and status == "created":
            if not self._items:
                # One that was announced and never said anything: a gateway has asked again.
                self._choices.clear()
            self._choices[response_id] = len(self._choices)
            self._items.choice = self._choices[response_id]
        self._start(response)

    def _start(self, response: JsonObject) -> None:
        known = self._started
        started = ResponseStarted(
            known.response_id or as_word(response.get("id")),
            known.model or as_word(response.get("model")),
            known.service_tier or as_word(response.get("service_tier")),
        )
        if started != known:
            self._started = started
            self._sink.put(started)

    def _end(self, status: str, response: JsonObject) -> None:
        """A response is over; what it holds says how, more than the name of the event.

        Args:
            status: what the event says; empty for a body, whose own status is the only proof.
            response: the response.
        """
        self._start(response)
        choice = self._choices.get(as_text(response.get("id")), 0)
        self._items.choice = choice
        self._items.reconcile(as_list(response.get("output")))
        if not self._items and (text := as_text(response.get("output_text"))):
            # A convenience of SDKs that some gateways send in place of the output.
            self._parts.text(self._items.find({}, "message"), 0, text)
        usage = usage_of(response.get("usage"))
        if usage is not None:
            self._usage = merged(self._usage, usage) if choice == 0 else self._usage or usage
            self._sink.put(UsageReported(self._usage))
        self._status = as_text(response.get("status"))
        if self._status in _ENDED and status in {"", "completed"}:
            status = self._status
        if not status:
            return
        if status == "completed" and as_object(response.get("incomplete_details")).get("reason"):
            status = "incomplete"
        self._ended[choice] = (status, response)
        self.is_over = len(self._ended) >= len(self._choices)
        self._sink.put(ChoiceFinished(choice, self._word(status, response)))
        limit = as_count(response.get("max_output_tokens"))
        if status == "completed" and usage is not None and limit and (usage.output_tokens or 0) >= limit:
            self._sink.put(NoticeRaised(f"The answer used its whole limit of {limit} tokens: it may be cut."))

    @staticmethod
    def _word(status: str, response: JsonObject) -> str:
        return as_text(as_object(response.get("incomplete_details")).get("reason")) or status

    def _is_error(self, kind: str, name: str, value: JsonObject) -> bool:
        """Whether an event was an error and nothing else."""
        is_named = kind in {"error", "response.error"}
        if not is_named and (not value.get("error") or kind == "response"):
            return False
        error = find_error_in(value, is_lone=is_named or not kind, name=kind or name)
        if error is None and not is_named:
            return False
        self._context.fail_with(error or ErrorFound("unnamed error"))
        return True

    def _sequences(self, numbers: list[int]) -> None:
        first, last = numbers[0], numbers[-1]
        if last - first != len(numbers) - 1 or numbers != list(range(first, last + 1)):
            for number in numbers:
                self._sequence(number)
            return
        self._sequence(first)
        self._number = last

    def _sequence(self, number: int) -> None:
        known = self._number
        if known is not None and number > known + 1 and not self._has_told_gap:
            self._has_told_gap = True
            self._sink.put(
                NoticeRaised("Events of the stream are not numbered without gaps: one may have been lost.")
            )
        self._number = number


decoder = partial(decoder_of, ResponsesInterpreter)
"""A decoder of one response."""
