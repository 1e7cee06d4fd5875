"""Our own JSON: everything, to be imported again.

Invariant: what is written is UTF-8 and is read back equal. A lone surrogate is written as its escape; a high
and a low one side by side become the character that they mean.
"""

import json
from collections.abc import Iterable, Mapping

from chatui.core.conversation import is_history
from chatui.core.safe_text import safe_json
from chatui.history.codec import JsonObject, encode_turn
from chatui.history.importing.chatui_json import FORMAT, VERSION
from chatui.history.portable import Portable


def export_json(portables: Iterable[Portable]) -> str:
    """One JSON document."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "conversations": [encode_portable(each) for each in portables],
    }
    return safe_json(json.dumps(document, ensure_ascii=False, indent=1, default=_plain)) + "\n"


def encode_portable(portable: Portable) -> JsonObject:
    """One conversation as a JSON object."""
    conversation = portable.conversation
    members: JsonObject = {
        "conversation_id": conversation.conversation_id,
        "title": conversation.title,
        "system": conversation.system,
        "head": conversation.head,
        "sent_from": conversation.sent_from,
        "created_at_epoch_s": conversation.created_at_epoch_s,
        "updated_at_epoch_s": portable.updated_at_epoch_s,
        "tags": list(portable.tags),
        "is_pinned": portable.is_pinned,
        "is_archived": portable.is_archived,
        "forked_from": portable.forked_from,
        "source": portable.source,
        "turns": [encode_turn(turn) for turn in conversation.turns if is_history(turn)],
        "unfinished": [encode_turn(turn) for turn in conversation.unfinished],
        "extra": portable.extra,
        "turn_extra": portable.turn_extra,
    }
    return {name: value for name, value in members.items() if value or name in ("conversation_id", "turns")}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON")
