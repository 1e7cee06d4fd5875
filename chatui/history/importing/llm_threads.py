"""Threads of llm since 0.32: messages form one tree for all threads, whose texts may refer to `fragments`.

Invariant: a message that several threads share comes into each of them.
Source: the migrations of llm 0.36: `threads`, `turns`, `messages`, `parts`, `fragments`, `attachments`.
"""

import base64
import sqlite3
from collections import Counter
from collections.abc import Iterator

from chatui.core.messages import (
    FilePart,
    ImagePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolActivityPart,
    ToolResultPart,
)
from chatui.history.importing.foreign_values import (
    as_json_text,
    list_of,
    object_of,
    role_of,
    seconds,
    text_of,
    without,
)
from chatui.history.importing.llm_responses import call_of, usage_of
from chatui.history.importing.messages import Node, Source, build
from chatui.history.importing.rows import Row, has_table, json_of, rows_of
from chatui.history.portable import Portable


class _Blobs:
    """Texts and attachments that parts refer to."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._texts: dict[object, str] = {}
        if has_table(connection, "fragments"):
            for row in rows_of(connection, "SELECT id, content FROM fragments"):
                self._texts[row["id"]] = text_of(row["content"])
        self._connection = connection

    def joined(self, pieces: object) -> str:
        """A text that borrows from fragments."""
        found = [object_of(piece) for piece in list_of(pieces)]
        return "".join(
            text_of(piece.get("literal")) or self._texts.get(piece.get("fragment"), "") for piece in found
        )

    def attachment(self, attachment_id: str, unmapped: Counter[str]) -> Part:
        """An attachment, with its content where the database holds it."""
        found = []
        if has_table(self._connection, "attachments"):
            found = rows_of(self._connection, "SELECT * FROM attachments WHERE id = ?", attachment_id)
        row: Row = found[0] if found else {}
        media, content = text_of(row.get("type")), row.get("content")
        name = text_of(row.get("path")) or text_of(row.get("url")) or attachment_id
        data = base64.b64encode(content).decode() if isinstance(content, bytes) else ""
        if not data and not row.get("url"):
            unmapped["attachments whose content is elsewhere (their name is kept)"] += 1
        if media.startswith("image/"):
            return ImagePart(media, data, "" if data else text_of(row.get("url")), name)
        return FilePart(name, media, data)


def threads_of(connection: sqlite3.Connection, unmapped: Counter[str]) -> Iterator[Portable]:
    """Threads of llm since 0.32: messages form one tree for all threads, a thread names its tip."""
    messages = {row["hash"]: row for row in rows_of(connection, "SELECT * FROM messages")}
    parts: dict[str, list[Row]] = {}
    for row in rows_of(connection, "SELECT * FROM parts ORDER BY message_hash, position"):
        parts.setdefault(row["message_hash"], []).append(row)
    blobs = _Blobs(connection)
    turns: dict[str, list[Row]] = {}
    for row in rows_of(connection, "SELECT * FROM turns ORDER BY datetime_utc, id"):
        turns.setdefault(row["thread_id"], []).append(row)
    for thread in rows_of(connection, "SELECT * FROM threads ORDER BY datetime_utc, id"):
        nodes: dict[str, Node] = {}
        rows = turns.get(thread["id"], [])
        made = {row["tip_message_hash"]: row for row in rows}
        for tip in [thread.get("tip_message_hash"), *made]:
            _add_chain(nodes, tip, messages, parts, blobs, made, unmapped)
        yield build(
            Source(
                program="llm",
                source_id=f"llm:{thread['id']}",
                title=text_of(thread.get("name")),
                nodes=list(nodes.values()),
                current=text_of(thread.get("tip_message_hash")) or None,
                created_at_epoch_s=seconds(thread.get("datetime_utc")),
                extra=without(thread, "id", "name", "tip_message_hash", "datetime_utc"),
            ),
            unmapped,
        )


def _add_chain(
    nodes: dict[str, Node],
    tip: object,
    messages: dict[str, Row],
    parts: dict[str, list[Row]],
    blobs: _Blobs,
    made: dict[str, Row],
    unmapped: Counter[str],
) -> None:
    """The messages from the root to a tip, those that are there already left alone."""
    chain: list[str] = []
    at = text_of(tip)
    while at and at in messages and at not in nodes and at not in chain:
        chain.append(at)
        at = text_of(messages[at].get("parent_hash"))
    for name in reversed(chain):
        message, turn = messages[name], made.get(name, {})
        nodes[name] = Node(
            node_id=name,
            parent_id=message.get("parent_hash"),
            role=role_of(message.get("role"), unmapped),
            parts=tuple(_part(part, blobs, unmapped) for part in parts.get(name, [])),
            at_epoch_s=seconds(turn.get("datetime_utc")),
            model=text_of(turn.get("resolved_model")) or text_of(turn.get("model")),
            usage=usage_of(turn),
            total_ms=turn.get("duration_ms"),
            extra={
                **without(message, "hash", "parent_hash", "role"),
                **{
                    column: json_of(turn.get(column))
                    for column in ("options_json", "response_json", "token_details", "schema_id")
                    if turn.get(column) not in (None, "", "{}")
                },
            },
        )


def _part(row: Row, blobs: _Blobs, unmapped: Counter[str]) -> Part:
    payload = object_of(json_of(row.get("payload")))
    text = text_of(row.get("text")) or text_of(payload.get("text")) or blobs.joined(payload.get("text_ref"))
    name = text_of(row.get("tool_name")) or text_of(payload.get("name"))
    opaque = object_of(payload.get("provider_metadata"))
    match row.get("type"):
        case "text":
            return TextPart(text, opaque=opaque)
        case "reasoning":
            return ReasoningPart(text, is_redacted=payload.get("redacted") is True, opaque=opaque)
        case "tool_call":
            call = call_of(name, payload.get("arguments"), payload.get("tool_call_id"), f"part-{row['id']}")
            if payload.get("server_executed") is True:
                return ToolActivityPart(call.call_id, name, "completed", call.arguments_raw)
            return call
        case "tool_result":
            output, call_id = text_of(payload.get("output")), text_of(payload.get("tool_call_id"))
            if payload.get("server_executed") is True:
                return ToolActivityPart(call_id, name, "completed", result=output)
            return ToolResultPart(call_id, name, output, is_error=payload.get("exception") is not None)
        case "attachment":
            attachment = object_of(payload.get("attachment"))
            return blobs.attachment(text_of(attachment.get("id")), unmapped)
        case kind:
            return as_json_text(payload, kind, "parts", unmapped)
