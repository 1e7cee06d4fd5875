"""llm's `logs.db`, in both of its forms.

Source: the migrations of llm 0.36: tables `conversations` and `responses`, and from migration 23 on
`threads`, `turns`, `messages` (a tree for all threads) and `parts`, whose texts may refer to `fragments`.
"""

import base64
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator

from chatui.core.events import Usage
from chatui.core.messages import (
    FilePart,
    ImagePart,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolCallState,
    ToolResultPart,
)
from chatui.history.importing.messages import (
    Node,
    Source,
    as_json_text,
    build,
    last_of,
    list_of,
    object_of,
    role_of,
    seconds,
    text_of,
    without,
)
from chatui.history.importing.rows import Row, has_table, json_of, rows_of
from chatui.history.portable import Portable


def import_llm(connection: sqlite3.Connection, unmapped: Counter[str]) -> Iterator[Portable]:
    """All threads, then older conversations that are no thread."""
    threads: set[str] = set()
    if has_table(connection, "threads"):
        for portable in _llm_threads(connection, unmapped):
            threads.add(portable.source)
            yield portable
    if has_table(connection, "responses"):
        for portable in _llm_conversations(connection, unmapped):
            if portable.source not in threads:
                yield portable


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


def _llm_conversations(connection: sqlite3.Connection, unmapped: Counter[str]) -> Iterator[Portable]:
    """Conversations of llm up to 0.31, and those that a newer one keeps from that time."""
    names = {row["id"]: row for row in rows_of(connection, "SELECT * FROM conversations")}
    responses: dict[str, list[Row]] = {}
    for row in rows_of(connection, "SELECT * FROM responses ORDER BY datetime_utc, rowid"):
        responses.setdefault(row.get("conversation_id") or row["id"], []).append(row)
    calls, results = _by_response(connection, "tool_calls"), _by_response(connection, "tool_results")
    fragments = _fragments(connection)
    for conversation_id, rows in responses.items():
        nodes: list[Node] = []
        for row in rows:
            nodes += _llm_response(
                row,
                last_of(nodes),
                calls.get(row["id"], []),
                results.get(row["id"], []),
                fragments.get(row["id"], []),
                unmapped,
            )
        yield build(
            Source(
                program="llm",
                source_id=f"llm:{conversation_id}",
                title=text_of(names.get(conversation_id, {}).get("name")),
                system=text_of(rows[0].get("system")),
                nodes=nodes,
            ),
            unmapped,
        )


def _by_response(connection: sqlite3.Connection, table: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    if has_table(connection, table):
        for row in rows_of(connection, f"SELECT * FROM {table} ORDER BY id"):  # noqa: S608 - constants
            found.setdefault(row["response_id"], []).append(row)
    return found


def _fragments(connection: sqlite3.Connection) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    if has_table(connection, "prompt_fragments"):
        for row in rows_of(
            connection,
            "SELECT response_id, content FROM prompt_fragments "
            'JOIN fragments ON id = fragment_id ORDER BY "order"',
        ):
            found.setdefault(row["response_id"], []).append(text_of(row["content"]))
    return found


def _llm_response(
    row: Row,
    parent: str | None,
    calls: list[Row],
    results: list[Row],
    fragments: list[str],
    unmapped: Counter[str],
) -> list[Node]:
    """One response: the prompt (or the results of the calls before it) and the answer."""
    at = seconds(row.get("datetime_utc"))
    said: list[Part] = [
        ToolResultPart(
            text_of(result.get("tool_call_id")),
            text_of(result.get("name")),
            text_of(result.get("output")),
            is_error=bool(result.get("exception")),
        )
        for result in results
    ]
    nodes: list[Node] = []
    prompt = "\n".join(filter(None, (*fragments, text_of(row.get("prompt")))))
    for role, parts in ((Role.TOOL, tuple(said)), (Role.USER, (TextPart(prompt),) if prompt else ())):
        if parts:
            name = f"{row['id']}-{role}"
            nodes.append(Node(node_id=name, parent_id=parent, role=role, parts=parts, at_epoch_s=at))
            parent = name
    answer: list[Part] = []
    if reasoning := text_of(row.get("reasoning")):
        answer.append(ReasoningPart(reasoning))
    if text := text_of(row.get("response")):
        answer.append(TextPart(text))
    answer += [
        _call(call.get("name"), call.get("arguments"), call.get("tool_call_id"), f"{row['id']}-{call['id']}")
        for call in calls
    ]
    if row.get("schema_id"):
        unmapped["schemas of answers (their id is kept)"] += 1
    nodes.append(
        Node(
            node_id=text_of(row["id"]),
            parent_id=parent,
            role=Role.ASSISTANT,
            parts=tuple(answer),
            at_epoch_s=at,
            model=text_of(row.get("resolved_model")) or text_of(row.get("model")),
            usage=_usage(row),
            total_ms=row.get("duration_ms"),
            system=text_of(row.get("system")),
            extra={
                name: json_of(value)
                for name, value in row.items()
                if name in ("options_json", "response_json", "prompt_json", "token_details", "schema_id")
                and value not in (None, "", "{}")
            },
        )
    )
    return nodes


def _call(name: object, arguments: object, call_id: object, fallback: str) -> ToolCallPart:
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    state = ToolCallState.WHOLE if isinstance(json_of(raw), dict) else ToolCallState.UNPARSABLE
    return ToolCallPart(text_of(call_id) or fallback, text_of(name), raw, state)


def _usage(row: Row) -> Usage | None:
    given, made = row.get("input_tokens"), row.get("output_tokens")
    if given is None and made is None:
        return None
    details = object_of(json_of(row.get("token_details")))
    reasoning = object_of(details.get("completion_tokens_details")).get("reasoning_tokens")
    cached = object_of(details.get("prompt_tokens_details")).get("cached_tokens")
    return Usage(
        given,
        made,
        None,
        cached if isinstance(cached, int) else None,
        reasoning if isinstance(reasoning, int) else None,
    )


def _llm_threads(connection: sqlite3.Connection, unmapped: Counter[str]) -> Iterator[Portable]:
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
            usage=_usage(turn),
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
            call = _call(name, payload.get("arguments"), payload.get("tool_call_id"), f"part-{row['id']}")
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
