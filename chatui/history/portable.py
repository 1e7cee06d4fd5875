"""A conversation as it comes in and goes out: its value, and the facts beside it.

Invariant: what another program wrote and we have no place for is kept in `extra`, under the name of the turn
or of the conversation, and goes out again with the lossless export.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from chatui.core.conversation import Conversation
from chatui.core.values import frozen


@frozen(kw_only=True)
class Portable:
    """One conversation with its unfinished turns and everything that is known about it."""

    conversation: Conversation
    source: str = ""
    """Where it came from, e.g. `chatgpt:0f3c…`: importing it again finds it by this. Empty for our own."""
    updated_at_epoch_s: float = 0.0
    tags: tuple[str, ...] = ()
    is_pinned: bool = False
    is_archived: bool = False
    forked_from: str = ""
    extra: Mapping[str, object] = field(default_factory=dict)
    """Members of the other program's conversation that have no place here."""
    turn_extra: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """The same for each turn, by its id."""


@dataclass(slots=True)
class ImportReport:
    """What an import brought, and what it could not bring."""

    format: str = ""
    conversations: int = 0
    """New ones."""
    turns: int = 0
    """New turns, in new conversations or in known ones."""
    unfinished: int = 0
    known: int = 0
    """Conversations that were there already."""
    unmapped: Counter[str] = field(default_factory=Counter)
    """What could not be mapped, in words, and how often."""
    problems: list[str] = field(default_factory=list)
    """What could not be read."""
