"""A history file from its opening to its end: recovered, and as much of it usable as can be.

Invariants: a file that cannot be used is told and left as it is; what dead processes were receiving is
offered as unfinished; what could not be saved is tried once more at the end.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

from chatui.core.errors import StoreBusy, StoreError
from chatui.core.turn import Turn
from chatui.history.catalog import Catalog
from chatui.history.database import Database
from chatui.history.drafts import Drafts
from chatui.history.forking import Forking
from chatui.history.journal import Journal
from chatui.history.owners import Owners
from chatui.history.portables import Portables
from chatui.history.removal import Removal
from chatui.history.search import Search
from chatui.history.turn_pages import TurnPages
from chatui.history.turn_reader import TurnReader
from chatui.history.turn_table import TurnTable


class HistoryFile:
    """An open history file: how it is opened as well as possible, and left."""

    def __init__(
        self, database: Database, owners: Owners, now: Callable[[], float], trouble: str = ""
    ) -> None:
        self.trouble = trouble
        """Why nothing is saved to the file, in words; empty if all is well."""
        self.catalog = Catalog(database, owners, now)
        self.drafts = Drafts(database, owners, now)
        self._database = database
        self._owners = owners
        self._now = now
        self._turns = TurnTable(database, now)
        self._reader = TurnReader(database.name)
        self.pages = TurnPages(database)
        self._journal = Journal(owners)
        self._search = Search(database, self._journal)
        self.removal = Removal(database, now)
        self.portables = Portables(database, self._turns, self._journal, now)
        self.forking = Forking(database, self._turns, self._journal, now)
        self._unsaved: dict[str, list[Turn]] = {}

    @classmethod
    def open(cls, path: Path, now: Callable[[], float] = time.time) -> Self:
        """Open or create a history file, mode 0600, and recover what killed processes left.

        Raises:
            StoreError: it cannot be read and written; the message names the file, and it was not changed.
            StoreBusy: another program holds it.
            SchemaTooNew: a newer chatui wrote it.
        """
        history = cls(Database.open(path, now), Owners(path.with_name(path.name + ".open")), now)
        try:
            with suppress(StoreBusy):  # `load` shows them all the same, and the next process recovers them
                history.recover()
        except StoreError:
            history.close()
            raise
        return history

    @classmethod
    def open_or_memory(cls, path: Path, now: Callable[[], float] = time.time) -> Self:
        """Open a history file as well as possible: whole, for reading only, or else an empty one in memory.

        Where `trouble` says that nothing is saved, `commit` keeps the turn in memory and raises `StoreError`.
        """
        try:
            return cls.open(path, now)
        except StoreError as error:
            trouble = f"{error.message}. {error.hint}".strip()
        try:
            return cls.open_read_only(path, now, trouble)
        except StoreError:
            return cls(Database.in_memory(now), Owners(None), now, trouble)

    @classmethod
    def open_read_only(
        cls, path: Path, now: Callable[[], float] = time.time, trouble: str = "opened for reading only"
    ) -> Self:
        """Open a history that cannot, or must not, be written to.

        Raises:
            StoreError: it cannot be read.
        """
        return cls(Database.open_read_only(path), Owners(path.with_name(path.name + ".open")), now, trouble)

    @classmethod
    def in_memory(cls, now: Callable[[], float] = time.time, trouble: str = "") -> Self:
        """A history that ends with the process."""
        return cls(Database.in_memory(now), Owners(None), now, trouble)

    @property
    def name(self) -> str:
        """The path of the file, or words for a history in memory."""
        return self._database.name

    @property
    def is_saving(self) -> bool:
        """Whether turns reach the file."""
        return not self.trouble

    def close(self) -> None:
        """Release what this process holds, remove what was deleted long ago, and close. Never raises.

        Turns that could not be saved are tried once more.
        """
        if self._database.is_closed:
            return
        for conversation_id in list(self._unsaved):
            with suppress(StoreError):
                self.save_waiting(conversation_id)
        if not self._database.is_read_only:
            with suppress(StoreError):  # the next process will
                self.removal.purge_some()
        if self._owners.known():
            with suppress(StoreError):  # a claim of a dead process counts for nothing
                self.catalog.release()
        self._owners.leave()
        self._database.close()

    def recover(self) -> int:
        """Offer what dead processes were receiving as unfinished turns; return how many.

        Raises:
            StoreError: the history cannot be read or written.
        """
        with self._database.reading() as connection:
            dead = self._journal.abandoned(connection)
        count = 0
        for owner in dead:
            with self._database.writing() as connection:
                count += self._journal.recover(connection, owner)
        return count

    def save_waiting(self, conversation_id: str) -> int:
        """Try again to save the turns that could not be saved; return how many were.

        Raises:
            StoreError: they still cannot be saved.
        """
        waiting = self._unsaved.get(conversation_id, [])
        if not waiting:
            return 0
        with self._database.writing() as connection:
            number = self._turns.number_or_new(connection, conversation_id, waiting[0])
            for turn in waiting:
                self._turns.insert(connection, number, turn)
                if self._journal.remove(connection, number, turn.turn_id):
                    self._turns.count_unfinished(connection, number)
        del self._unsaved[conversation_id]
        return len(waiting)
