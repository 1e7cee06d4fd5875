"""How much of a model's window a conversation takes: counted where the server said it, estimated elsewhere.

Invariant: a number that holds any estimate says so; nothing is ever dropped here, only proposed.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.core.messages import Message, TextPart, ToolResultPart
from chatui.core.turn import Turn
from chatui.core.values import frozen

_DENSE: Final = late_pattern("[\u2e80-\U0010ffff]+")
CHARACTERS_A_TOKEN: Final = 4
"""Of text in letters; a character beyond them is about a token of its own."""
EMBEDDED_WINDOW_TOKENS: Final = 4096
"""The window with which chatui starts the embedded model."""
ROOM_FOR_ANSWER: Final = 0.6
"""The share of the window that is filled again after turns were dropped."""


@frozen
class ContextSize:
    """What the next request takes of the window."""

    tokens: int
    is_estimated: bool


def text_tokens(text: str) -> int:
    """About how many tokens a text has."""
    if text.isascii():
        return -(-len(text) // CHARACTERS_A_TOKEN)
    dense = len(text) - len(_DENSE.sub("", text))
    return dense - (dense - len(text)) // CHARACTERS_A_TOKEN


def turn_tokens(turn: Turn) -> int:
    """About how many tokens prompt and answer of a turn have."""
    return _messages_tokens(turn.input) + text_tokens(turn.text)


def context_size(
    path: Sequence[Turn], system: str = "", draft: str = "", left_out: int = 0, earlier_tokens: int = 0
) -> ContextSize:
    """What is sent after a path, with what is being written.

    The newest count of the server holds everything before it, unless turns are left out since; where there is
    none, `earlier_tokens` are those of turns before the path.
    """
    tokens = text_tokens(draft)
    is_estimated = tokens > 0
    for turn in reversed(path[left_out:]):
        usage = turn.usage
        if usage is not None and usage.input_tokens is not None and not left_out:
            if usage.output_tokens is None:
                return ContextSize(tokens + usage.input_tokens + text_tokens(turn.text), True)
            return ContextSize(tokens + usage.input_tokens + usage.output_tokens, is_estimated)
        tokens += turn_tokens(turn)
        is_estimated = True
    system_tokens = text_tokens(system) + earlier_tokens
    return ContextSize(tokens + system_tokens, is_estimated or system_tokens > 0)


def turns_to_keep(sizes: Iterable[int], window_tokens: int | None, extra: int = 0) -> int:
    """How many of the newest turns stay when the oldest are left out so that the rest fits well.

    One at least stays and one at least goes; 0 if there is no such number.

    Args:
        sizes: Tokens of the turns that are sent now, the newest first; taken no further than has to be.
        window_tokens: What the model takes; None is unknown: half of what is sent now goes.
        extra: Tokens of the new input and the system text.
    """
    if window_tokens is None:
        sizes = list(sizes)
        most = sum(sizes) / 2
    else:
        most = window_tokens * ROOM_FOR_ANSWER - extra
    kept = total = 0
    for size in sizes:
        total += size
        if total > most and kept:
            return kept
        kept += 1
    return kept - 1 if kept else 0


def _messages_tokens(messages: Sequence[Message]) -> int:
    return sum(
        text_tokens(part.text)
        for message in messages
        for part in message.parts
        if isinstance(part, TextPart | ToolResultPart)
    )
