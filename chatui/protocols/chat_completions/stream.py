"""Chat Completions: what each chunk, or a whole completion, means.

Invariant: a turn is whole only if every choice said why it stopped; `[DONE]` alone proves nothing, its absence after
that harms nothing; an error in any shape, before or after, fails the turn.
Source: OpenAI API reference "Chat completion chunk object"; DESIGN.md section 3; wire cases.
"""

from collections.abc import Callable
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
from chatui.core.json_access import (
    JsonObject,
    as_index,
    as_label,
    as_list,
    as_object,
    as_text,
    as_word,
)
from chatui.core.line_shape import Holes, Path
from chatui.core.messages import Citation
from chatui.core.response_decoder import Context, Lesson, ResponseDecoder, find_error_in
from chatui.core.usage_fields import merged, usage_of
from chatui.core.wire import Dialect, StreamDecoder
from chatui.protocols.chat_completions.choice import REASONING_FIELDS, ChoiceState
from chatui.protocols.chat_completions.finish_words import NOT_A_WORD, reason_of

_KNOWN_FIELDS: Final = frozenset({"choices", "usage", "x_groq", "moderation", "prompt_filter_results"})
_CONSTANT_FIELDS: Final = frozenset(
    {
        "usage",
        "id",
        "object",
        "created",
        "model",
        "system_fingerprint",
        "service_tier",
        "provider",
        "choices",
        "obfuscation",
    }
)
_CONSTANT_CHOICE_FIELDS: Final = frozenset({"index", "delta", "content_filter_results"})


def decoder(dialect: Dialect, *, is_body: bool, has_fast_path: bool = True) -> StreamDecoder:
    """A decoder of one response."""
    context = Context()
    return ResponseDecoder(
        ChatInterpreter(dialect, context), context, is_body=is_body, has_fast_path=has_fast_path
    )


class ChatInterpreter:
    """Chunks to events."""

    def __init__(self, dialect: Dialect, context: Context) -> None:
        self._dialect = dialect
        self._context = context
        self._sink = context.sink
        self._choices: dict[int, ChoiceState] = {}
        self._started = ResponseStarted()
        self._facts: tuple[object, ...] = ()
        self._usage: Usage | None = None
        self._told_usage: Usage | None = None
        self.is_over = False
        self._looks_native = False

    @property
    def has_proof(self) -> bool:
        """Every choice that was seen has its finish word."""
        return bool(self._choices) and all(
            choice.finish_reason is not None for choice in self._choices.values()
        )

    @property
    def missing(self) -> str:
        """What the proof lacks."""
        if self._looks_native:
            return "in the shape of Ollama's own API: use its /v1 address as base URL"
        if not self._choices:
            return "without any part of a completion"
        return "but never said why it stopped"

    @property
    def finish_reason(self) -> str | None:
        """The word of choice 0, or of the first one there is."""
        return self._choices[min(self._choices)].finish_reason if self._choices else None

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
        if "citations" in value or "search_results" in value:
            self._take_citations(value)
        if self._context.wants_lesson:
            self._make_lesson(value, choices)

    def take_done(self) -> None:
        """`[DONE]`: nothing follows."""
        if self.has_proof:
            self.is_over = True
            return
        if self._dialect.is_done_proof and any(choice.has_content for choice in self._choices.values()):
            for choice in self._choices.values():
                choice.finish_reason = choice.finish_reason or "stop"
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
        before = choice.finish_reason
        choice.take(fields)
        if choice.finish_reason is not None and choice.finish_reason != before:
            self._sink.put(ChoiceFinished(index, choice.finish_reason))
        if fields.get("usage"):
            # Moonshot counts inside the choice.
            self._take_usage({"usage": fields["usage"]})
        if fields.get("error"):
            error = find_error_in(fields, is_lone=False)
            if error is not None:
                self._context.fail_with(error)

    def _take_usage(self, value: JsonObject) -> None:
        """Counts at the top, or where Groq puts them."""
        usage = usage_of(value.get("usage"))
        if usage is None and "x_groq" in value:
            usage = usage_of(as_object(value["x_groq"]).get("usage"))
        if usage is not None:
            self._usage = merged(self._usage, usage)

    def _take_other(self, name: str, value: JsonObject) -> None:
        """A chunk without choices."""
        moderation = as_object(value.get("moderation"))
        for side in ("input", "output"):
            if text := _moderation_notice(side, as_object(moderation.get(side))):
                self._sink.put(NoticeRaised(text))
        if "message" in value and "done" in value:
            self._looks_native = True
        if not any(field in value for field in _KNOWN_FIELDS):
            self._sink.put(UnknownEvent(name or as_text(value.get("object")) or as_text(value.get("type"))))

    def _take_citations(self, value: JsonObject) -> None:
        choice = self._choices.get(0)
        if choice is None:
            return
        results = [as_object(entry) for entry in as_list(value.get("search_results"))]
        titles = {as_text(entry.get("url")): as_text(entry.get("title")) for entry in results}
        for entry in (*as_list(value.get("citations")), *titles):
            url = as_text(entry) or as_text(as_object(entry).get("url"))
            title = titles.get(url) or as_text(as_object(entry).get("title")) or url
            if url:
                choice.cite(Citation(title, url))

    def _make_lesson(self, value: JsonObject, choices: list[object]) -> None:
        """Teach lines like this one, if it says nothing but one delta of one choice."""
        if len(choices) != 1:
            return
        fields = as_object(choices[0])
        delta = as_object(fields.get("delta"))
        index = as_index(fields.get("index")) or 0
        choice = self._choices.get(index)
        if choice is None or not (
            _is_constant(value, _CONSTANT_FIELDS) and _is_constant(fields, _CONSTANT_CHOICE_FIELDS)
        ):
            return
        said = [name for name, entry in delta.items() if name != "role" and entry not in (None, "", [])]
        if len(said) != 1:
            return
        where: Path = ("choices", 0, "delta", said[0])
        if said[0] == "content" and isinstance(delta["content"], str):
            self._teach(value, where, choice.add_contents)
        elif said[0] in REASONING_FIELDS and isinstance(delta[said[0]], str):
            self._teach(value, where, choice.add_reasonings)
        elif said[0] == "tool_calls":
            self._teach_arguments(value, choice, delta["tool_calls"], where)

    def _teach(self, value: JsonObject, where: Path, take: Callable[[list[str]], None]) -> None:
        """Lines like this one: beside the text only a timestamp, padding and counts may change."""
        ignored: list[Path] = []
        if isinstance(value.get("created"), int):
            ignored.append(("created",))
        if isinstance(value.get("obfuscation"), str):
            ignored.append(("obfuscation",))
        usage = value.get("usage")
        numbers = _integers(usage, ("usage",)) if isinstance(usage, dict) else ()
        if numbers is None:
            return
        number = partial(self._take_numbers, numbers) if numbers else None
        self._context.teach(Lesson(Holes(where, None, numbers, tuple(ignored)), take, number=number))

    def _take_numbers(self, paths: tuple[Path, ...], numbers: tuple[int, ...]) -> None:
        """The counts of a usage object, from their places."""
        usage: JsonObject = {}
        for path, number in zip(paths, numbers, strict=True):
            holder = usage
            for step in path[1:-1]:
                holder = holder.setdefault(str(step), {})  # type: ignore[assignment] # made here, so a dict
            holder[str(path[-1])] = number
        self._take_usage({"usage": usage})

    def _teach_arguments(self, value: JsonObject, choice: ChoiceState, entries: object, where: Path) -> None:
        """An entry with nothing but an index and more arguments."""
        calls = as_list(entries)
        call = as_object(calls[0]) if len(calls) == 1 else {}
        function = as_object(call.get("function"))
        index = as_index(call.get("index"))
        is_plain = all(
            name in {"index", "function", "type"} or entry in (None, "") for name, entry in call.items()
        ) and all(name == "arguments" or entry in (None, "") for name, entry in function.items())
        if is_plain and index is not None and isinstance(function.get("arguments"), str):
            take = partial(choice.calls.take_arguments, index)
            self._teach(value, (*where, 0, "function", "arguments"), take)


def _integers(value: JsonObject, path: Path) -> tuple[Path, ...] | None:
    """Paths of all counts in an object; None if it holds anything else, which might change as well."""
    found: list[Path] = []
    for name, entry in value.items():
        here = (*path, name)
        if isinstance(entry, dict):
            inner = _integers(entry, here)
            if inner is None:
                return None
            found += inner
        elif isinstance(entry, int) and not isinstance(entry, bool) and entry >= 0:
            found.append(here)
        elif entry is not None:
            return None
    return tuple(found)


def _is_constant(fields: JsonObject, allowed: frozenset[str]) -> bool:
    """Taking these fields once more would change nothing."""
    return all(
        name in allowed or value is None or (name == "finish_reason" and value in NOT_A_WORD)
        for name, value in fields.items()
    )


def _moderation_notice(side: str, result: JsonObject) -> str:
    """What a moderation result says, if it says anything that a person should know."""
    if as_text(result.get("type")) == "error":
        return f"Moderation of the {side} failed: {as_label(result.get('message')) or as_label(result.get('code'))}"
    flagged: list[str] = []
    for entry in as_list(result.get("results")):
        fields = as_object(entry)
        if fields.get("flagged") is True:
            categories = as_object(fields.get("categories"))
            flagged += [category for category, is_hit in categories.items() if is_hit is True] or ["flagged"]
    return f"Moderation of the {side}: {', '.join(dict.fromkeys(flagged))}" if flagged else ""
