"""Facts of a turn as columns: what lists, filters and searches read instead of the turn itself.

Invariant: a column is valid UTF-8 whatever the wire said; the payload keeps the original.
"""

from typing import Final

from chatui.core.messages import (
    AudioPart,
    FilePart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolResultPart,
)
from chatui.core.turn import Turn

FIRST_WORDS_LENGTH: Final = 120
TITLE_LENGTH: Final = 60


def column_text(text: str) -> str:
    """Text that SQLite can store: lone surrogates become one mark each."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def stored_text(text: str) -> str | bytes:
    """Text to be read back exactly: bytes where lone surrogates are in it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def read_text(stored: str | bytes) -> str:
    """The text of `stored_text`."""
    if isinstance(stored, str):
        return stored
    try:
        return stored.decode("utf-8", "surrogatepass")
    except (UnicodeDecodeError, AttributeError):  # a damaged file holds anything
        return text_cell(stored)


def text_cell(cell: object) -> str:
    """The text of a cell, whatever a damaged file holds there."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace")
    return "" if cell is None else str(cell)


def number_cell(cell: object) -> float:
    """The number of a cell; 0 where a damaged file holds something else."""
    return cell if isinstance(cell, int | float) and cell == cell else 0


def count_cell(cell: object) -> int:
    """The whole number of a cell; 0 where a damaged file holds something else."""
    return cell if isinstance(cell, int) else 0


def one_line(text: str, length: int) -> str:
    """The first words in one line, cut at a word with `…` when there are more."""
    words = column_text(" ".join(text[: length * 4].split()))
    if len(words) <= length:
        return words
    cut = words[: length - 1]
    head, _, _ = cut.rpartition(" ")
    return (head if len(head) > length // 2 else cut).rstrip() + "…"


def prompt_text(turn: Turn) -> str:
    """Everything that was said to the model in this turn, tool results included."""
    return "\n".join(filter(None, (_words(part) for message in turn.input for part in message.parts)))


def answer_text(turn: Turn) -> str:
    """Everything that the model said in this turn, in all alternatives, apart from its reasoning."""
    parts = (part for choice in turn.choices for part in choice.parts)
    return "\n".join(filter(None, (_words(part) for part in parts if not isinstance(part, ReasoningPart))))


def reasoning_text(turn: Turn) -> str:
    """What the model thought."""
    parts = (part for choice in turn.choices for part in choice.parts)
    return "\n".join(part.text for part in parts if isinstance(part, ReasoningPart) and part.text)


def _words(part: Part) -> str:
    match part:
        case (
            TextPart(text=text)
            | RefusalPart(text=text)
            | ReasoningPart(text=text)
            | ToolResultPart(text=text)
        ):
            return text
        case ToolCallPart(name=name, arguments_raw=arguments):
            return f"{name} {arguments}"
        case ToolActivityPart(name=name, detail=detail, result=result):
            return "\n".join(filter(None, (name, detail, result)))
        case AudioPart(transcript=transcript):
            return transcript
        case FilePart(name=name):
            return name
        case _:
            return part.name
