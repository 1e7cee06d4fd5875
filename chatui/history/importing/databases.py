"""Databases of other programs: which program's it is; elia's and Open WebUI's tables.

Invariant: the other program's file is opened for reading only and never changed.

Source: the models of elia 1.10 (`chat`, `message`); Open WebUI's table `chat` with a column of JSON.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator

from chatui.core.messages import TextPart
from chatui.history.importing.foreign_values import object_of, role_of, seconds, text_of, without
from chatui.history.importing.llm_logs import import_llm
from chatui.history.importing.messages import Node, Source, build, last_of
from chatui.history.importing.open_webui import import_open_webui
from chatui.history.importing.rows import Row, json_of, rows_of
from chatui.history.portable import Portable


def kind_of(connection: sqlite3.Connection) -> str:
    """Which program's database it is: `llm`, `elia`, `open-webui`, or empty."""
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if {"conversations", "responses"} <= tables or {"threads", "turns", "messages"} <= tables:
        return "llm" if "turn_words" not in tables else ""
    if "chat" in tables:
        columns = {row[1] for row in connection.execute("PRAGMA table_info(chat)")}
        if "chat" in columns:
            return "open-webui"
        return "elia" if "message" in tables else ""
    return ""


def import_database(kind: str, connection: sqlite3.Connection, unmapped: Counter[str]) -> Iterator[Portable]:
    """The conversations of another program's database."""
    connection.row_factory = sqlite3.Row
    match kind:
        case "llm":
            yield from import_llm(connection, unmapped)
        case "elia":
            yield from _elia(connection, unmapped)
        case _:
            for row in rows_of(connection, "SELECT * FROM chat ORDER BY created_at"):
                chat, meta = json_of(row.get("chat")), json_of(row.get("meta"))
                yield import_open_webui({**row, "chat": chat, "meta": meta}, unmapped)


def _elia(connection: sqlite3.Connection, unmapped: Counter[str]) -> Iterator[Portable]:
    messages: dict[int, list[Row]] = {}
    for row in rows_of(connection, "SELECT * FROM message ORDER BY id"):
        messages.setdefault(row["chat_id"], []).append(row)
    for chat in rows_of(connection, "SELECT * FROM chat ORDER BY id"):
        nodes: list[Node] = []
        root = f"{chat['id']}-{chat.get('started_at')}"
        for row in messages.get(chat["id"], []):
            parent = row.get("parent_id")
            previous = last_of(nodes)
            nodes.append(
                Node(
                    node_id=f"{root}-{row['id']}",
                    parent_id=previous if parent is None else f"{root}-{parent}",
                    role=role_of(row.get("role"), unmapped),
                    parts=(TextPart(text_of(row.get("content"))),) if row.get("content") else (),
                    at_epoch_s=seconds(row.get("timestamp")),
                    model=text_of(row.get("model")) or text_of(chat.get("model")),
                    extra=object_of(json_of(row.get("meta"))),
                )
            )
        yield build(
            Source(
                program="elia",
                source_id=f"elia:{root}",
                title=text_of(chat.get("title")),
                nodes=nodes,
                created_at_epoch_s=seconds(chat.get("started_at")),
                is_archived=bool(chat.get("archived")),
                extra=without(chat, "id", "model", "title", "started_at", "archived"),
            ),
            unmapped,
        )
