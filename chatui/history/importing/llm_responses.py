"""Conversations of llm up to 0.31: one row for each response.

Invariant: the prompt and the results of calls before an answer come in as what was said to the model.
Source: the migrations of llm 0.36, tables `conversations`, `responses`, `tool_calls`, `tool_results`.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator

from chatui.core.events import Usage
from chatui.core.messages import (
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolCallState,
    ToolResultPart,
)
from chatui.history.importing.foreign_values import object_of, seconds, text_of
from chatui.history.importing.messages import Node, Source, build, last_of
from chatui.history.importing.rows import Row, has_table, json_of, rows_of
from chatui.history.portable import Portable


def conversations(connection: sqlite3.Connection, unmapped: Counter[str]) -> Iterator[Portable]:
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
        call_of(
            call.get("name"), call.get("arguments"), call.get("tool_call_id"), f"{row['id']}-{call['id']}"
        )
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
            usage=usage_of(row),
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


def call_of(name: object, arguments: object, call_id: object, fallback: str) -> ToolCallPart:
    """A call of a tool."""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    state = ToolCallState.WHOLE if isinstance(json_of(raw), dict) else ToolCallState.UNPARSABLE
    return ToolCallPart(text_of(call_id) or fallback, text_of(name), raw, state)


def usage_of(row: Row) -> Usage | None:
    """What an answer took."""
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
