"""What is sent next: the messages after a path of turns, checked and repaired so that any server takes them.

Invariants, each for all three protocols: every tool call is followed at once by exactly one result; no result
without its call; no empty text; nothing unfinished; roles alternate (neighbours of one role are joined) and a
person speaks first. Every omission and repair is named in words.

Source: FIELD reports of calls without results and of empty text blocks that made every later request fail;
the message rules of Chat Completions, Responses (function_call_output) and Messages (tool_result first).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from chatui.core.errors import FailureReason
from chatui.core.messages import (
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    Part,
    ReasoningPart,
    RefusalPart,
    Role,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolCallState,
    ToolResultPart,
)
from chatui.core.turn import Phase, Turn, TurnId
from chatui.core.values import frozen

INTERRUPTED_RESULT = "Interrupted: this call has no result."
"""The text of a result that stands in for one that never came."""

NEW_INPUT = TurnId("")
"""The turn of an omission in the new input, which has no turn yet."""

_PROMPT_PARTS: Final = (TextPart, ImagePart, FilePart, AudioPart)


@frozen
class Omission:
    """Something of the conversation that is not sent, and why; in words for the person."""

    turn_id: TurnId
    what: str
    why: str


@frozen
class SendPlan:
    """What is sent next."""

    messages: tuple[Message, ...]
    omissions: tuple[Omission, ...] = ()


def plan_messages(
    path: tuple[Turn, ...], new_input: tuple[Message, ...], provider: str = "", *, left_out: int = 0
) -> SendPlan:
    """The messages to send after `path`: no call without its result, no empty text, nothing unfinished.

    Everything that is left out or repaired is named in `omissions`. Signatures and encrypted reasoning go
    back only to the `provider` that made them (empty: do not look): any other refuses them. The first
    `left_out` turns of the path are not sent: the person chose so.
    """
    draft = _Draft()
    if left_out:
        oldest = "The oldest turn" if left_out == 1 else f"The {left_out} oldest turns"
        draft.omit(path[left_out - 1].turn_id, oldest, "dropped so that the conversation fits the model")
    for turn in path[left_out:]:
        if turn.phase is Phase.RECEIVING:
            draft.omit(turn.turn_id, "A turn", "its answer is still being received")
        elif turn.phase is Phase.FAILED and not turn.is_accepted_cut:
            draft.omit(turn.turn_id, "An unfinished turn", "it failed or was cancelled and was not accepted")
        elif turn.failure is not None and turn.failure.reason is FailureReason.REFUSAL:
            draft.omit(turn.turn_id, "A refused exchange", "the provider wants the context without it")
        else:
            draft.add_input(turn.turn_id, turn.input)
            is_foreign = bool(provider and turn.provider) and turn.provider != provider
            draft.add_answer(turn, is_foreign)
    draft.add_input(NEW_INPUT, new_input)
    draft.close_calls(NEW_INPUT)
    return SendPlan(tuple(draft.messages), tuple(draft.omissions))


@dataclass(slots=True)
class _Draft:
    """The plan while it grows. `open_calls` are calls of the last answer that still wait for results."""

    messages: list[Message] = field(default_factory=list)
    omissions: list[Omission] = field(default_factory=list)
    open_calls: dict[str, ToolCallPart] = field(default_factory=dict)

    def omit(self, turn_id: TurnId, what: str, why: str) -> None:
        self.omissions.append(Omission(turn_id, what, why))

    def add_input(self, turn_id: TurnId, messages: tuple[Message, ...]) -> None:
        """What a person or a tool said, and answers given as examples (imported conversations have them)."""
        said: list[Message] = []
        for message in messages:
            if message.role is Role.ASSISTANT:
                self._add_said(turn_id, said)
                said = []
                self._append_answer(turn_id, message.parts)
            else:
                said.append(message)
        self._add_said(turn_id, said)

    def _add_said(self, turn_id: TurnId, messages: list[Message]) -> None:
        """Tool results first, since they must follow their calls, then what the person said."""
        parts = [part for message in messages for part in message.parts]
        self._answer_calls(turn_id, [part for part in parts if isinstance(part, ToolResultPart)])
        for message in messages:
            others = tuple(part for part in message.parts if not isinstance(part, ToolResultPart))
            if message.role is Role.SYSTEM:
                self.omit(turn_id, "A system message", "instructions are sent apart from the conversation")
            elif message.role is Role.TOOL and others:
                self.omit(turn_id, "Part of a tool message", "it is no tool result")
            elif message.role is Role.USER and (others or not message.parts):
                self._append_prompt(turn_id, others)

    def add_answer(self, turn: Turn, is_foreign: bool = False) -> None:
        """The answer of choice 0, as far as it can be sent."""
        if len(turn.choices) > 1:
            others = len(turn.choices) - 1
            what = "An alternative answer" if others == 1 else f"{others} alternative answers"
            self.omit(turn.turn_id, what, "one answer of a turn can be continued")
        parts = turn.parts
        if is_foreign and any(_is_sealed(part) for part in parts):
            self.omit(turn.turn_id, "Sealed state of an answer", f"only {turn.provider} can read it")
            parts = tuple(map(_unsealed, parts))
        self._append_answer(turn.turn_id, parts)

    def close_calls(self, turn_id: TurnId) -> None:
        """Give every call that still waits a result that says so."""
        self._answer_calls(turn_id, [])

    def _append_prompt(self, turn_id: TurnId, parts: tuple[Part, ...]) -> None:
        of_a_person = tuple(part for part in parts if isinstance(part, _PROMPT_PARTS))
        if len(of_a_person) < len(parts):
            self.omit(turn_id, "Part of a prompt", "only a model can say it")
        kept = tuple(part for part in of_a_person if not _is_blank(part))
        if len(kept) < len(of_a_person) or not parts:
            self.omit(turn_id, "Empty text in a prompt", "providers reject empty text")
        if kept:
            self.close_calls(turn_id)
            self._append(Role.USER, kept)

    def _append_answer(self, turn_id: TurnId, parts: tuple[Part, ...]) -> None:
        kept = self._sendable(turn_id, parts)
        if not any(_is_content(part) for part in kept):
            thought = any(isinstance(part, ReasoningPart) for part in parts)
            what = "An answer of reasoning only" if thought else "An empty answer"
            self.omit(turn_id, what, "there is nothing in it that can be sent")
            return
        if not self.messages:
            self.omit(turn_id, "An answer before the first prompt", "a person has to speak first")
            return
        self.close_calls(turn_id)
        self._append(Role.ASSISTANT, kept)
        self.open_calls = {part.call_id: part for part in kept if isinstance(part, ToolCallPart)}

    def _sendable(self, turn_id: TurnId, parts: Iterable[Part]) -> tuple[Part, ...]:
        kept: list[Part] = []
        call_ids: set[str] = set()
        for part in parts:
            if isinstance(part, ToolCallPart):
                why = _why_not_sendable(part, call_ids)
                call_ids.add(part.call_id)
                if why:
                    self.omit(turn_id, f"A call of {part.name or 'a tool'}", why)
                    continue
            elif isinstance(part, ToolResultPart):
                self.omit(turn_id, f"A result of {part.name or 'a tool'}", "it stands in an answer")
                continue
            elif isinstance(part, ImagePart):
                self.omit(turn_id, "A picture in an answer", "models take pictures only from a person")
                continue
            elif _is_blank(part):
                self.omit(turn_id, "Empty text in an answer", "providers reject empty text")
                continue
            kept.append(part)
        return tuple(kept)

    def _answer_calls(self, turn_id: TurnId, results: list[ToolResultPart]) -> None:
        found: dict[str, ToolResultPart] = {}
        for result in results:
            if result.call_id not in self.open_calls:
                self.omit(
                    turn_id, f"A result of {result.name or 'a tool'}", "the call it answers is not sent"
                )
            elif result.call_id in found:
                self.omit(turn_id, f"A second result of {result.name or 'a tool'}", "a call has one result")
            else:
                found[result.call_id] = result
        if not self.open_calls:
            return
        answers: list[Part] = []
        for call_id, call in self.open_calls.items():
            if call_id not in found:
                self.omit(turn_id, f"The missing result of {call.name}", "sent as interrupted")
            answers.append(
                _not_blank(found[call_id])
                if call_id in found
                else ToolResultPart(call_id, call.name, INTERRUPTED_RESULT, is_error=True)
            )
        self.open_calls = {}
        self._append(Role.TOOL, tuple(answers))

    def _append(self, role: Role, parts: tuple[Part, ...]) -> None:
        if self.messages and self.messages[-1].role is role:
            self.messages[-1] = Message(role, self.messages[-1].parts + parts)
        else:
            self.messages.append(Message(role, parts))


def _why_not_sendable(call: ToolCallPart, earlier_ids: set[str]) -> str:
    if call.state is ToolCallState.UNPARSABLE:
        return "its arguments are no valid JSON"
    if call.state is not ToolCallState.WHOLE:
        return "its arguments were cut off"
    if not call.call_id or not call.name:
        return "it has no name or id that a result could refer to"
    if call.call_id in earlier_ids:
        return "another call of the same answer has the same id"
    return ""


def _is_sealed(part: Part) -> bool:
    """Whether a part carries state that its provider wants back."""
    return bool(getattr(part, "opaque", None))


def _unsealed(part: Part) -> Part:
    match part:
        case TextPart() | ReasoningPart() | ToolCallPart() | ToolActivityPart():
            return replace(part, opaque={})
        case _:
            return part


def _is_blank(part: Part) -> bool:
    return isinstance(part, TextPart | RefusalPart) and not part.text.strip()


def _is_content(part: Part) -> bool:
    """Whether a part can carry an answer alone; reasoning and pictures of a model cannot be sent alone."""
    match part:
        case TextPart() | RefusalPart() | ToolCallPart():
            return True
        case AudioPart(audio_id=audio_id, transcript=transcript):
            return bool(audio_id or transcript.strip())
        case ToolActivityPart(opaque=opaque):
            return bool(opaque)
        case _:
            return False


def _not_blank(result: ToolResultPart) -> ToolResultPart:
    """A result with words: some providers reject an empty one."""
    return result if result.text.strip() else replace(result, text="(no output)")
