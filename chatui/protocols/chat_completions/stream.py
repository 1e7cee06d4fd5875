"""Chat Completions: what each chunk, or a whole completion, means.

Invariant: a turn is whole only if every choice said why it stopped; `[DONE]` alone proves nothing, its
absence after that harms nothing; an error in any shape, before or after, fails the turn. Source: OpenAI API
reference "Chat completion chunk object"; DESIGN.md section 3; wire cases.
"""

from functools import partial
from typing import Final

from chatui.core import ending
from chatui.core.errors import Failure
from chatui.core.events import (
    ChoiceFinished,
    NoticeRaised,
    ResponseStarted,
    UnknownEvent,
    Usage,
    UsageReported,
)
from chatui.core.finish_words import reason_of
from chatui.core.foreign_shape import foreign_shape
from chatui.core.interpreter import Context, find_error_in
from chatui.core.json_access import (
    JsonObject,
    as_index,
    as_list,
    as_object,
    as_text,
    as_word,
)
from chatui.core.response_decoder import decoder_of
from chatui.core.usage_fields import merged, usage_of
from chatui.core.wire import Dialect
from chatui.protocols.chat_completions.choice import ChoiceState
from chatui.protocols.chat_completions.lessons import lesson_of
from chatui.protocols.chat_completions.side_notes import citations_of, moderation_notices

_MOST_NAMED: Final = 8
_KNOWN_FIELDS: Final = frozenset({"choices", "usage", "x_groq", "moderation", "prompt_filter_results"})


class ChatInterpreter:
    """Chunks to events."""

    def __init__(self, dialect: Dialect, context: Context) -> None:
        self._dialect = dialect
        self._context = context
        self._sink = context.sink
        self._choices: dict[int, ChoiceState] = {}
        self._first: ChoiceState | None = None
        """The choice with the lowest index."""
        self._open = 0
        """How many choices have no finish word yet."""
        self._started = ResponseStarted()
        self._facts: tuple[object, ...] = ()
        self._usage: Usage | None = None
        self._told_usage: Usage | None = None
        self.is_over = False
        self._foreign = ""

    @property
    def has_proof(self) -> bool:
        """The turn is the first choice, and that has its finish word."""
        return self.finish_reason is not None

    @property
    def has_open_ends(self) -> bool:
        """Another choice has none yet."""
        return self._open > 0

    @property
    def missing(self) -> str:
        """What the proof lacks."""
        if not self._choices:
            return self._foreign or "without any part of a completion"
        return "but never said why it stopped"

    @property
    def finish_reason(self) -> str | None:
        """The word of choice 0, or of the first one there is."""
        return self._first.finish_reason if self._first is not None else None

    def take(self, name: str, value: JsonObject) -> None:
        """One chunk, or a whole completion."""
        choices = as_list(value.get("choices"))
        self._start(value)
        for place, entry in enumerate(choices):
            fields = as_object(entry)
            if fields:
                self._take_choice(fields, place)
        self._take_usage(value)
        if not choices or "error" in value or "base_resp" in value or name:
            error = find_error_in(value, is_lone=not choices and not value.get("usage"), name=name)
            if error is not None:
                self._context.fail_with(error)
                return
            if not choices:
                self._take_other(name, value)
        if ("citations" in value or "search_results" in value) and (
            choice := self._choices.get(0)
        ) is not None:
            for citation in citations_of(value):
                choice.cite(citation)
        if self._context.wants_lesson and len(choices) == 1:
            self._teach(value, as_object(choices[0]))

    def take_done(self) -> None:
        """`[DONE]`: nothing follows."""
        if self.has_proof:
            self.is_over = True
            return
        if self._dialect.is_done_proof and any(choice.has_content for choice in self._choices.values()):
            for choice in self._choices.values():
                choice.finish_reason = choice.finish_reason or "stop"
            self._open = 0
            self.is_over = True
            return
        self._sink.drain_pending()
        self._context.fail(
            ending.without_proof(self._sink.characters, "saying [DONE] but never why it stopped")
        )

    def flush(self) -> None:
        """Counts that ride on each chunk are told once a feed."""
        if self._usage != self._told_usage and self._usage is not None:
            self._told_usage = self._usage
            self._sink.put(UsageReported(self._usage))

    def verdict(self) -> Failure | None:
        """The finish word of the first choice may say that the answer is not whole."""
        word = self.finish_reason or ""
        reason = reason_of(word)
        if reason is None:
            return None
        self._sink.drain_pending()
        return ending.ended_early(reason, word, self._sink.characters)

    def wrap_up(self, *, is_proved: bool) -> None:
        """Give what choices held back."""
        for choice in self._choices.values():
            choice.wrap_up(is_whole=is_proved)
        if is_proved and self._open:
            cut = [str(choice.index) for choice in self._choices.values() if choice.finish_reason is None]
            named = ", ".join(cut[:_MOST_NAMED]) + (", …" if len(cut) > _MOST_NAMED else "")
            who = f"Choice {named}" if len(cut) == 1 else f"Choices {named}"
            self._sink.put(NoticeRaised(f"{who} never said why {'it' if len(cut) == 1 else 'they'} stopped."))
        self.flush()

    def _start(self, value: JsonObject) -> None:
        facts = (
            value.get("id"),
            value.get("model"),
            value.get("service_tier"),
            value.get("system_fingerprint"),
        )
        if facts == self._facts:
            return
        self._facts = facts
        known = self._started
        started = ResponseStarted(
            known.response_id or as_word(value.get("id")),
            known.model or as_word(value.get("model")),
            known.service_tier or as_word(value.get("service_tier")),
            known.system_fingerprint or as_word(value.get("system_fingerprint")),
        )
        if started != known:
            self._started = started
            self._sink.put(started)

    def _take_choice(self, fields: JsonObject, place: int) -> None:
        index = as_index(fields.get("index"))
        if index is None:
            index = place
        choice = self._choices.get(index)
        if choice is None:
            choice = self._choices[index] = ChoiceState(index, self._sink, self._dialect)
            self._open += 1
            if self._first is None or index < self._first.index:
                self._first = choice
        before = choice.finish_reason
        choice.take(fields)
        if choice.finish_reason is not None and choice.finish_reason != before:
            self._open -= before is None
            self._sink.put(ChoiceFinished(index, choice.finish_reason))
        if fields.get("usage"):
            # Moonshot counts inside the choice.
            self._take_usage({"usage": fields["usage"]})
        for holder in (fields, as_object(fields.get("delta")), as_object(fields.get("message"))):
            if holder.get("error") and (error := find_error_in(holder, is_lone=False)) is not None:
                self._context.fail_with(error)

    def _take_usage(self, value: JsonObject) -> None:
        """Counts at the top, or where Groq puts them."""
        usage = usage_of(value.get("usage"))
        if "x_groq" in value:
            groq = as_object(value["x_groq"])
            usage = usage or usage_of(groq.get("usage"))
            error = find_error_in(groq, is_lone=False)
            if error is not None:
                self._context.fail_with(error)
        if usage is not None:
            self._usage = merged(self._usage, usage)

    def _take_other(self, name: str, value: JsonObject) -> None:
        """A chunk without choices."""
        for notice in moderation_notices(value):
            self._sink.put(NoticeRaised(notice))
        self._foreign = self._foreign or foreign_shape(value)
        if not any(field in value for field in _KNOWN_FIELDS):
            self._sink.put(UnknownEvent(name or as_text(value.get("object")) or as_text(value.get("type"))))

    def _teach(self, value: JsonObject, fields: JsonObject) -> None:
        """Teach chunks like this one."""
        choice = self._choices.get(as_index(fields.get("index")) or 0)
        lesson = lesson_of(value, choice, self._take_usage) if choice is not None else None
        if lesson is not None:
            self._context.teach(lesson)


decoder = partial(decoder_of, ChatInterpreter)
"""A decoder of one response."""
