"""Unfinished turns: the running one while it streams, and failed or cancelled ones until the person decides.

Invariants: what is here is no history; a batch of a running turn costs what is new in it; a turn that a
living process is receiving is never offered by another one; after a kill it is offered with what was
received.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from chatui.core.errors import Failure, FailureReason
from chatui.core.messages import Part, TextPart, ToolCallPart, ToolCallState
from chatui.core.turn import Phase, Turn, TurnId
from chatui.core.values import frozen
from chatui.history.codec import CodecError, JsonObject, decode_turn, dump, encode_turn, parse
from chatui.history.columns import number_cell, read_text, stored_text, text_cell
from chatui.history.owners import Owners

LONG_TEXT_LENGTH: Final = 2048
"""Texts above this grow by rows."""
DURABLE_EVERY_S: Final = 1.0
"""How often a batch waits for the disk: a kill loses nothing that was saved, a power cut at most this
much."""
INTERRUPTED_CODE: Final = "interrupted"
_SLOT: Final = "\x00slot"
"""Member of an object that stands for a long text. No wire text can be an object where a text is expected."""
_LONG_MEMBERS: Final = ("text", "arguments_raw", "transcript", "data_base64")


@dataclass(slots=True)
class _Running:
    """What is on disk of a running turn."""

    number: int
    durable_at_s: float
    texts: dict[tuple[int, int, str], tuple[int, str]] = field(default_factory=dict)
    """Slot and saved text by choice, part and member."""


@frozen
class Kept:
    """An unfinished turn that nobody is receiving, and where it stands."""

    conversation_id: str
    title: str
    at_epoch_s: float
    size_bytes: int
    turn: Turn


class Journal:
    """The table of unfinished turns. Each method is called inside a transaction of the caller."""

    def __init__(self, owners: Owners) -> None:
        self._owners = owners
        self._running: dict[tuple[int, TurnId], _Running] = {}

    def must_be_durable(self, conversation: int, turn: Turn, at_s: float) -> bool:
        """The first batch, the end, and now and then one between them wait for the disk."""
        known = self._running.get((conversation, turn.turn_id))
        return (
            turn.phase is not Phase.RECEIVING or known is None or at_s - known.durable_at_s >= DURABLE_EVERY_S
        )

    def save(self, connection: sqlite3.Connection, conversation: int, turn: Turn, at_s: float) -> bool:
        """Write the state of a turn and say whether it is new here."""
        key = (conversation, turn.turn_id)
        known = self._running.get(key)
        is_durable = self.must_be_durable(conversation, turn, at_s)
        is_running = turn.phase is Phase.RECEIVING
        encoded = encode_turn(turn)
        if not is_running:
            self._running.pop(key, None)
            return self._upsert(connection, conversation, turn, encoded, is_running=False)[1]
        if known is None:
            number, is_new = self._upsert(connection, conversation, turn, encoded, is_running=True)
            self._running[key] = _Running(number, at_s)
            return is_new
        appended = self._take_long_texts(known, encoded)
        updated = connection.execute(
            "UPDATE unfinished SET payload = ?, updated_at_epoch_s = ? WHERE number = ?",
            (dump(encoded), at_s, known.number),
        )
        if not updated.rowcount:  # discarded meanwhile
            self._running.pop(key, None)
            return False
        for slot, position, text in appended:
            if position == 0:
                connection.execute(
                    "DELETE FROM unfinished_text WHERE unfinished = ? AND slot = ?", (known.number, slot)
                )
            connection.execute(
                "INSERT INTO unfinished_text VALUES (?, ?, ?, ?)",
                (known.number, slot, position, stored_text(text)),
            )
        if is_durable:
            known.durable_at_s = at_s
        return False

    def forget(self, conversation: int, turn_id: TurnId) -> None:
        """After a failed transaction: the next batch is written whole."""
        self._running.pop((conversation, turn_id), None)

    def remove(self, connection: sqlite3.Connection, conversation: int, turn_id: TurnId) -> bool:
        """Remove a turn and say whether it was there."""
        self.forget(conversation, turn_id)
        return bool(
            connection.execute(
                "DELETE FROM unfinished WHERE conversation = ? AND turn_id = ?", (conversation, turn_id)
            ).rowcount
        )

    def load(self, connection: sqlite3.Connection, conversation: int) -> tuple[list[Turn], list[str]]:
        """Unfinished turns of a conversation, oldest first, without those being received; and problems."""
        turns: list[Turn] = []
        problems: list[str] = []
        rows = connection.execute(
            "SELECT number, turn_id, owner, is_running, payload FROM unfinished WHERE conversation = ? "
            "ORDER BY number",
            (conversation,),
        ).fetchall()
        for number, turn_id, owner, is_running, payload in rows:
            if is_running and self._owners.is_alive(owner):
                continue
            try:
                turns.append(_as_ended(self._read(connection, number, payload)))
            except CodecError as error:
                problems.append(f"The unfinished turn {turn_id} cannot be read: {error}")
        return turns, problems

    def ended(self, connection: sqlite3.Connection, conversation_id: str | None) -> Iterator[Kept]:
        """Unfinished turns that can be read, of one conversation or of all, newest first."""
        rows = connection.execute(
            "SELECT u.number, u.owner, u.is_running, u.payload, u.updated_at_epoch_s, c.conversation_id, "
            "c.title FROM unfinished u JOIN conversations c ON c.number = u.conversation "
            "WHERE c.deleted_at_epoch_s IS NULL AND (? IS NULL OR c.conversation_id = ?) "
            "ORDER BY u.updated_at_epoch_s DESC",
            (conversation_id, conversation_id),
        )
        for number, owner, is_running, payload, at_epoch_s, name, title in rows:
            if is_running and self._owners.is_alive(owner):
                continue
            try:
                turn = _as_ended(self._read(connection, number, payload))
            except CodecError:  # `load` and `check` name it
                continue
            yield Kept(name, text_cell(title), number_cell(at_epoch_s), len(payload), turn)

    def find(self, connection: sqlite3.Connection, conversation: int, turn_id: TurnId) -> Turn | None:
        """One unfinished turn; None if there is no such one, or it is being received."""
        turns, _ = self.load(connection, conversation)
        return next((turn for turn in turns if turn.turn_id == turn_id), None)

    def abandoned(self, connection: sqlite3.Connection) -> tuple[str, ...]:
        """Names of dead processes that left a running turn. Costs one small index."""
        rows = connection.execute("SELECT DISTINCT owner FROM unfinished WHERE is_running").fetchall()
        return tuple(owner for (owner,) in rows if not self._owners.is_alive(owner))

    def recover(self, connection: sqlite3.Connection, owner: str) -> int:
        """Turn what a dead process was receiving into unfinished turns; return how many."""
        count = 0
        for number, payload in connection.execute(
            "SELECT number, payload FROM unfinished WHERE is_running AND owner = ?", (owner,)
        ).fetchall():
            try:
                restored: str | bytes = dump(encode_turn(_as_ended(self._read(connection, number, payload))))
            except CodecError:  # stays as it is; `load` and `check` name it
                restored = payload
            connection.execute(
                "UPDATE unfinished SET is_running = 0, owner = '', payload = ? WHERE number = ?",
                (restored, number),
            )
            connection.execute("DELETE FROM unfinished_text WHERE unfinished = ?", (number,))
            count += 1
        return count

    def _upsert(
        self,
        connection: sqlite3.Connection,
        conversation: int,
        turn: Turn,
        encoded: JsonObject,
        *,
        is_running: bool,
    ) -> tuple[int, bool]:
        row = connection.execute(
            "SELECT number FROM unfinished WHERE conversation = ? AND turn_id = ?",
            (conversation, turn.turn_id),
        ).fetchone()
        owner = self._owners.mine() if is_running else ""
        values = (owner, is_running, turn.started_at_epoch_s, dump(encoded))
        if row is None:
            number = connection.execute(
                "INSERT INTO unfinished "
                "(conversation, turn_id, owner, is_running, updated_at_epoch_s, payload) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (conversation, turn.turn_id, *values),
            ).lastrowid
            assert number is not None
            return number, True
        number = int(row[0])
        connection.execute(
            "UPDATE unfinished SET owner = ?, is_running = ?, updated_at_epoch_s = ?, payload = ?"
            " WHERE number = ?",
            (*values, number),
        )
        connection.execute("DELETE FROM unfinished_text WHERE unfinished = ?", (number,))
        return number, False

    def _take_long_texts(self, known: _Running, encoded: JsonObject) -> list[tuple[int, int, str]]:
        """Replace long texts by their slot, and return what has to be appended: slot, position, text."""
        appended: list[tuple[int, int, str]] = []
        for choice, part_index, part, member in _long_members(encoded):
            text = part[member]
            place = (choice, part_index, member)
            slot, saved = known.texts.get(place, (len(known.texts), ""))
            if not text.startswith(saved):
                saved = ""
            if len(text) > len(saved):
                appended.append((slot, len(saved), text[len(saved) :]))
            known.texts[place] = (slot, text)
            part[member] = {_SLOT: slot}
        return appended

    def _read(self, connection: sqlite3.Connection, number: int, payload: str | bytes) -> Turn:
        encoded = parse(payload)
        if not isinstance(encoded, dict):
            raise CodecError("no object")
        texts: dict[int, list[str]] = {}
        for slot, text in connection.execute(
            "SELECT slot, text FROM unfinished_text WHERE unfinished = ? ORDER BY slot, position", (number,)
        ):
            texts.setdefault(slot, []).append(read_text(text))
        for choice in encoded.get("choices", ()):
            for part in choice.get("parts", ()):
                for member in _LONG_MEMBERS:
                    value = part.get(member)
                    if isinstance(value, dict) and _SLOT in value:
                        part[member] = "".join(texts.get(value[_SLOT], ()))
        return decode_turn(encoded)


def _long_members(encoded: JsonObject) -> Iterator[tuple[int, int, dict[str, Any], str]]:
    for choice_index, choice in enumerate(encoded.get("choices", ())):
        for part_index, part in enumerate(choice.get("parts", ())):
            for member in _LONG_MEMBERS:
                text = part.get(member)
                if isinstance(text, str) and len(text) > LONG_TEXT_LENGTH:
                    yield choice_index, part_index, part, member


def _as_ended(turn: Turn) -> Turn:
    """A turn whose process ended while it was being received, as the failure that this is."""
    if turn.phase is not Phase.RECEIVING:
        return turn
    characters = sum(
        len(part.text) for choice in turn.choices for part in choice.parts if isinstance(part, TextPart)
    )
    failure = Failure(
        reason=FailureReason.DISCONNECT,
        message=f"chatui ended while this answer was being received, after {characters:,} characters",
        hint="Try again, continue from here, edit the prompt, or discard it.",
        code=INTERRUPTED_CODE,
    )
    choices = tuple(
        replace(choice, parts=tuple(_as_cut(part) for part in choice.parts)) for choice in turn.choices
    )
    return replace(turn, phase=Phase.FAILED, failure=failure, choices=choices)


def _as_cut(part: Part) -> Part:
    if isinstance(part, ToolCallPart) and part.state is ToolCallState.STREAMING:
        return replace(part, state=ToolCallState.UNFINISHED)
    return part
