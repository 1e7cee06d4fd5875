"""The history, and the conversation to begin with: a fresh one, the last one, or the one that was named.

Invariant: a history that cannot be opened keeps nobody from asking; where nothing is saved a conversation is
temporary, whatever it was before.
"""

import uuid
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from chatui.core.conversation import Conversation
from chatui.core.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from chatui.config.settings import Settings
    from chatui.history.sqlite_history import SqliteHistory
    from chatui.wiring.options import LaunchOptions
    from chatui.wiring.workspace import Workspace


def open_history(path: Path) -> "SqliteHistory":
    """The store of a file, as well as possible: see its `trouble`."""
    from chatui.history.sqlite_history import SqliteHistory

    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        trouble = f"{path.parent} cannot be made: {error.strerror}. Nothing will be saved."
        return SqliteHistory.in_memory(trouble=trouble)
    return SqliteHistory.open_or_memory(path)


def system_prompt(options: "LaunchOptions", settings: "Settings") -> str:
    """The system prompt of a new conversation."""
    if options.system is not None:
        return options.system
    profile = settings.profiles.get(options.profile or settings.profile)
    return profile.system if profile is not None and profile.system else settings.system


def new_conversation(workspace: "Workspace", *, is_temporary: bool) -> Conversation:
    """A fresh, empty conversation (not in the history until its first turn)."""
    system = system_prompt(workspace.options, workspace.settings)
    if is_temporary or not workspace.is_saving:
        return Conversation(conversation_id=f"temporary-{uuid.uuid4().hex}", system=system, is_temporary=True)
    return workspace.history.new_conversation(system=system)


def starting_conversation(workspace: "Workspace", last: int | None) -> Conversation:
    """The conversation that the options ask for; with `last`, only so many turns of its end are loaded.

    Raises:
        ConfigError: there is none with that id, or none at all to continue.
        StoreError: the history cannot be read.
    """
    options = workspace.options
    if options.resume_id is None and not options.is_continued:
        return new_conversation(workspace, is_temporary=False)
    # Without a store the session cannot load the rest, and everything has to be sent.
    is_saving = workspace.is_saving
    conversation = workspace.history.load(_wanted(workspace), last=last if is_saving else None)
    if options.system is not None:
        conversation = replace(conversation, system=options.system)
    return conversation if is_saving else replace(conversation, is_temporary=True)


def _wanted(workspace: "Workspace") -> str:
    """The id of the conversation to go on with."""
    history = workspace.history
    if workspace.options.resume_id is not None:
        try:
            return history.catalog.resolve(workspace.options.resume_id)
        except StoreError as error:
            raise ConfigError(error.message, error.hint) from error
    latest = history.latest()
    if latest is None:
        raise ConfigError(
            "There is no conversation to continue", history.trouble or "Leave out -c to begin one."
        )
    return latest
