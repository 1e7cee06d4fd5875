"""Our own lossless JSON: what the export wrote, equal again.

Invariant: a file of a newer format is refused and not half read.
"""

from collections.abc import Iterator
from typing import Any, Final

from chatui.core.conversation import Conversation, is_history
from chatui.core.errors import StoreError
from chatui.core.turn import Phase, Turn, TurnId
from chatui.history.codec import CodecError, decode_turn
from chatui.history.importing.foreign_values import list_of, object_of, text_of
from chatui.history.portable import Portable

FORMAT: Final = "chatui"
VERSION: Final = 1


def is_chatui(value: object) -> bool:
    """Whether a value is our own export."""
    return object_of(value).get("format") == FORMAT


def import_chatui(value: dict[str, Any], problems: list[str]) -> Iterator[Portable]:
    """All conversations of an export.

    Raises:
        StoreError: a newer chatui wrote it.
    """
    version = value.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise StoreError(
            f"The export is of version {version}; this chatui reads up to {VERSION}", "Update chatui."
        )
    for entry in list_of(value.get("conversations")):
        yield _portable(object_of(entry), problems)


def _portable(entry: dict[str, Any], problems: list[str]) -> Portable:
    conversation_id = text_of(entry.get("conversation_id"))
    turns = _turns(entry.get("turns"), conversation_id, problems)
    head, sent_from = entry.get("head"), entry.get("sent_from")
    kept = [turn for turn in turns if is_history(turn)]
    problems += [
        f"Turn {turn.turn_id} of {conversation_id} is {turn.phase} and not accepted: no history"
        for turn in turns
        if not is_history(turn)
    ]
    unfinished = _turns(entry.get("unfinished"), conversation_id, problems)
    turn_extra = object_of(entry.get("turn_extra"))
    return Portable(
        conversation=Conversation(
            conversation_id=conversation_id,
            title=text_of(entry.get("title")),
            system=text_of(entry.get("system")),
            turns=tuple(kept),
            head=TurnId(head) if isinstance(head, str) else None,
            sent_from=TurnId(sent_from) if isinstance(sent_from, str) else None,
            unfinished=tuple(turn for turn in unfinished if turn.phase is not Phase.COMPLETED),
            created_at_epoch_s=_number(entry.get("created_at_epoch_s")),
        ),
        source=text_of(entry.get("source")),
        updated_at_epoch_s=_number(entry.get("updated_at_epoch_s")),
        tags=tuple(text_of(tag) for tag in list_of(entry.get("tags"))),
        is_pinned=entry.get("is_pinned") is True,
        is_archived=entry.get("is_archived") is True,
        forked_from=text_of(entry.get("forked_from")),
        extra=object_of(entry.get("extra")),
        turn_extra={name: object_of(extra) for name, extra in turn_extra.items()},
    )


def _turns(value: object, conversation_id: str, problems: list[str]) -> list[Turn]:
    turns: dict[TurnId, Turn] = {}
    for entry in list_of(value):
        try:
            turn = decode_turn(entry)
        except CodecError as error:
            problems.append(f"A turn of conversation {conversation_id} cannot be read: {error}")
            continue
        if turns.setdefault(turn.turn_id, turn) != turn:
            problems.append(
                f"Turns of conversation {conversation_id} share the id {turn.turn_id}: the first is kept"
            )
    return list(turns.values())


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
