"""What the list of conversations shows of each, and the ids of conversations."""

import secrets
from typing import Final

from chatui.core.values import frozen

_TEMPORARY: Final = "temporary-"


def new_id(*, is_temporary: bool = False) -> str:
    """A new id. It tells by itself whether anything of the conversation may be written to disk."""
    return (_TEMPORARY if is_temporary else "") + secrets.token_hex(6)


def is_temporary_id(conversation_id: str) -> bool:
    """Whether nothing of this conversation may be written to disk."""
    return conversation_id.startswith(_TEMPORARY)


@frozen(kw_only=True)
class Summary:
    """One line of the list. Texts are raw: make them safe to show."""

    conversation_id: str
    title: str
    is_title_chosen: bool
    """The person named it; otherwise the title was made from the first prompt."""
    first_words: str
    provider: str
    model: str
    tags: tuple[str, ...]
    created_at_epoch_s: float
    updated_at_epoch_s: float
    turn_count: int
    unfinished_count: int
    size_bytes: int
    is_pinned: bool
    is_archived: bool
    is_deleted: bool
    open_in: str = ""
    """Where else it is open, in words that follow "open in"; empty if nowhere."""
