"""The one owner of a live turn: folds events into parts and freezes snapshots.

Invariant: the phase changes only through `TRANSITIONS`; the turn costs time in proportion to its text,
whatever the number of its deltas, because pieces are joined only when a snapshot is taken and untouched
parts are not rebuilt. Source: DESIGN.md section 3; pieces of a UTF-16 surrogate pair that arrive in two
deltas (servers written in JavaScript cut there) are joined, a half that never finds its partner becomes
U+FFFD.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, TypeVar, assert_never

from chatui.core.errors import Failure, ProgrammingError
from chatui.core.events import (
    AudioDelta,
    ChoiceFinished,
    CitationAdded,
    ImageReceived,
    LogprobsReceived,
    NoticeRaised,
    OpaqueReceived,
    PartFinished,
    PartKey,
    ReasoningDelta,
    RefusalDelta,
    ResponseStarted,
    StreamCompleted,
    StreamEvent,
    StreamFailed,
    TextDelta,
    TextReclassified,
    ToolActivityChanged,
    ToolCallDelta,
    UnknownEvent,
    Usage,
    UsageReported,
)
from chatui.core.part_buffers import (
    ActivityBuffer,
    AudioBuffer,
    ImageBuffer,
    PartBuffer,
    ReasoningBuffer,
    RefusalBuffer,
    TextBuffer,
    ToolCallBuffer,
)
from chatui.core.surrogates import mended
from chatui.core.turn import TRANSITIONS, Choice, Outcome, Phase, Signal, Turn, TurnId

_Buffer = TypeVar("_Buffer", bound=PartBuffer)


def signal_of(event: StreamEvent) -> Signal:
    """What an event means for the phase."""
    match event:
        case StreamCompleted():
            return Signal.FINISH
        case StreamFailed():
            return Signal.FAIL
        case (
            ResponseStarted()
            | TextDelta()
            | ReasoningDelta()
            | RefusalDelta()
            | ToolCallDelta()
            | PartFinished()
            | TextReclassified()
            | OpaqueReceived()
            | CitationAdded()
            | ToolActivityChanged()
            | AudioDelta()
            | ImageReceived()
            | LogprobsReceived()
            | UsageReported()
            | ChoiceFinished()
            | NoticeRaised()
            | UnknownEvent()
        ):
            return Signal.CONTENT
        case _:
            assert_never(event)


_SIGNALS: dict[type, Signal] = {}
"""What `signal_of` said of each kind of event: it depends on nothing else."""


_GROWING: Final = frozenset({TextDelta, ReasoningDelta, RefusalDelta, ToolCallDelta, AudioDelta})
"""Events that hold pieces of text: half a character in one may find its rest in the next."""


class _ChoiceBuffer:
    """One choice while it is received."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.parts: dict[str, PartBuffer] = {}
        self.finish_reason: str | None = None
        self.logprobs: list[object] = []
        self._frozen: Choice | None = None

    def touch(self) -> None:
        """Something changed since the last snapshot."""
        self._frozen = None

    def freeze(self, phase: Phase) -> Choice:
        """The choice as it stands; the same object as before if nothing changed."""
        if self._frozen is None or phase is not Phase.RECEIVING:
            frozen = (part.freeze(phase) for part in self.parts.values())
            self._frozen = Choice(
                self.index,
                tuple(part for part in frozen if part is not None),
                self.finish_reason,
                tuple(self.logprobs),
            )
        return self._frozen


class TurnBuilder:
    """Folds the events of one response into a turn."""

    def __init__(self, base: Turn | None = None) -> None:
        """Begin with `base`: everything that is known before the response (ids, input, provider)."""
        self._base = base if base is not None else Turn(turn_id=TurnId(""))
        self._phase = Phase.RECEIVING
        self._failure: Failure | None = None
        self._finish_reason: str | None = None
        self._choices: dict[int, _ChoiceBuffer] = {}
        self._usage: Usage | None = None
        self._started = ResponseStarted()
        self._notices: dict[str, None] = {}
        self._unknown_events = 0
        self._delta_count = 0
        self._snapshot: Turn | None = None

    @property
    def phase(self) -> Phase:
        """Where the turn is."""
        return self._phase

    def apply_all(self, events: Iterable[StreamEvent]) -> None:
        """Fold several events, in order."""
        for event in events:
            self.apply(event)

    def apply(self, event: StreamEvent) -> None:
        """Fold one event.

        Raises:
            ProgrammingError: content or a second end after the turn has ended.
        """
        kind = type(event)
        signal = _SIGNALS.get(kind)
        if signal is None:
            signal = _SIGNALS[kind] = signal_of(event)
        phase, outcome = TRANSITIONS[self._phase, signal]
        match outcome:
            case Outcome.IGNORE:
                return
            case Outcome.FORBID:
                raise ProgrammingError(f"{type(event).__name__} after the turn has {self._phase}")
            case Outcome.APPLY:
                self._phase = phase
                self._snapshot = None
                self._fold(event if kind in _GROWING else mended(event))

    def snapshot(self) -> Turn:
        """The turn as it stands, frozen."""
        if self._snapshot is None:
            choices = tuple(self._choices[index].freeze(self._phase) for index in sorted(self._choices))
            first = choices[0].finish_reason if choices else None
            self._snapshot = replace(
                self._base,
                phase=self._phase,
                failure=self._failure,
                choices=choices,
                usage=self._usage,
                finish_reason=self._finish_reason or first,
                response_id=self._started.response_id,
                model=self._started.model,
                service_tier=self._started.service_tier,
                system_fingerprint=self._started.system_fingerprint,
                notices=tuple(self._notices),
                unknown_events=self._unknown_events,
                delta_count=self._delta_count,
            )
        return self._snapshot

    def _fold(self, event: StreamEvent) -> None:  # noqa: C901 - one line for each kind of event is the point
        match event:
            case TextDelta(key, text, count):
                self._part(key, TextBuffer).append(text)
                self._delta_count += count
            case ReasoningDelta(key, text, count, is_summary):
                reasoning = self._part(key, ReasoningBuffer)
                reasoning.append(text)
                reasoning.is_summary = is_summary
                self._delta_count += count
            case RefusalDelta(key, text, count):
                self._part(key, RefusalBuffer).append(text)
                self._delta_count += count
            case ToolCallDelta():
                self._part(event.key, ToolCallBuffer).grow(event)
                self._delta_count += event.count
            case PartFinished(key, text):
                if (part := self._known(key)) is not None:
                    part.finish(text)
            case TextReclassified(key):
                self._reclassify(key)
            case OpaqueReceived(key, values, is_redacted):
                part = self._known(key) or self._part(key, ReasoningBuffer)
                part.add_opaque(values, is_redacted=is_redacted)
            case CitationAdded(key, citation):
                if isinstance(part := self._known(key), TextBuffer):
                    part.add_citation(citation)
            case ToolActivityChanged(key, activity):
                self._part(key, ActivityBuffer).replace(activity)
            case AudioDelta():
                self._part(event.key, AudioBuffer).grow(event)
                self._delta_count += 1
            case ImageReceived(key, image):
                self._part(key, ImageBuffer).replace(image)
                self._delta_count += 1
            case LogprobsReceived(choice, entries):
                self._choice(choice).logprobs.extend(entries)
            case UsageReported(usage):
                self._usage = usage
            case ChoiceFinished(choice, finish_reason):
                self._choice(choice).finish_reason = finish_reason
            case ResponseStarted():
                self._start(event)
            case NoticeRaised(text):
                self._notices[text] = None
            case UnknownEvent():
                self._unknown_events += 1
            case StreamCompleted(reason):
                self._finish_reason = reason
            case StreamFailed(failure, reason):
                self._failure = failure
                self._finish_reason = reason
            case _:
                assert_never(event)

    def _start(self, event: ResponseStarted) -> None:
        known = self._started
        self._started = ResponseStarted(
            known.response_id or event.response_id,
            known.model or event.model,
            known.service_tier or event.service_tier,
            known.system_fingerprint or event.system_fingerprint,
        )

    def _choice(self, index: int) -> _ChoiceBuffer:
        choice = self._choices.get(index)
        if choice is None:
            choice = self._choices[index] = _ChoiceBuffer(index)
        choice.touch()
        return choice

    def _known(self, key: PartKey) -> PartBuffer | None:
        choice = self._choices.get(key.choice)
        if choice is None:
            return None
        choice.touch()
        return choice.parts.get(key.slot)

    def _part(self, key: PartKey, kind: type[_Buffer]) -> _Buffer:
        parts = self._choice(key.choice).parts
        part = parts.get(key.slot)
        if part is None:
            part = parts[key.slot] = kind()
        if not isinstance(part, kind):
            raise ProgrammingError(f"{key} is a {type(part).__name__}, not a {kind.__name__}")
        return part

    def _reclassify(self, key: PartKey) -> None:
        part = self._known(key)
        if not isinstance(part, TextBuffer):
            return
        parts = self._choices[key.choice].parts
        # The slot keeps its place in the order; what follows under the same slot would be reasoning, so the
        # decoder goes on under another one.
        parts[key.slot] = part.as_reasoning()
