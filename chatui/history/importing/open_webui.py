"""Open WebUI: its JSON export, and the table `chat` of its database.

Source: the files that Open WebUI 0.5 and later exports: objects with `chat.history.messages` (a tree by
`parentId`) and `chat.history.currentId`; older ones have the list `chat.messages` only.
"""

from collections import Counter
from typing import Any

from chatui.core.events import Usage
from chatui.core.messages import Citation, FilePart, ImagePart, Part, TextPart
from chatui.history.importing.foreign_values import list_of, object_of, role_of, seconds, text_of, without
from chatui.history.importing.messages import Node, Source, build, last_of
from chatui.history.portable import Portable

_KNOWN = (
    "id",
    "parentId",
    "childrenIds",
    "role",
    "content",
    "timestamp",
    "model",
    "modelName",
    "models",
    "usage",
    "info",
    "done",
    "files",
    "sources",
    "citations",
    "modelIdx",
    "lastSentence",
)


def is_open_webui(value: object) -> bool:
    """Whether an object is a chat of Open WebUI."""
    chat = object_of(object_of(value).get("chat"))
    return isinstance(object_of(chat.get("history")).get("messages"), dict) or (
        isinstance(chat.get("messages"), list) and "title" in chat
    )


def import_open_webui(value: dict[str, Any], unmapped: Counter[str]) -> Portable:
    """One chat, as exported or as a row of the database with `chat` parsed."""
    chat = object_of(value.get("chat"))
    history = object_of(chat.get("history"))
    messages = [object_of(entry) for entry in object_of(history.get("messages")).values()]
    is_tree = bool(messages)
    if not is_tree:
        messages = [object_of(entry) for entry in list_of(chat.get("messages"))]
    nodes: list[Node] = []
    for index, message in enumerate(messages):
        parent = text_of(message.get("parentId")) or None
        if not is_tree and parent is None:
            parent = last_of(nodes)
        nodes.append(
            Node(
                node_id=text_of(message.get("id")) or f"{value.get('id')}-{index}",
                parent_id=parent,
                role=role_of(message.get("role"), unmapped),
                parts=tuple(_parts(message, unmapped)),
                at_epoch_s=seconds(message.get("timestamp")),
                model=text_of(message.get("model")),
                usage=_usage(object_of(message.get("usage")) or object_of(message.get("info"))),
                extra=without(message, *_KNOWN),
            )
        )
    meta = object_of(value.get("meta"))
    tags = [*list_of(meta.get("tags")), *list_of(chat.get("tags"))]
    params = object_of(chat.get("params"))
    return build(
        Source(
            program="Open WebUI",
            source_id=f"open-webui:{text_of(value.get('id')) or text_of(chat.get('id'))}",
            title=text_of(value.get("title")) or text_of(chat.get("title")),
            system=text_of(params.get("system")) or text_of(chat.get("system")),
            nodes=nodes,
            current=text_of(history.get("currentId")) or None,
            created_at_epoch_s=seconds(value.get("created_at")) or seconds(chat.get("timestamp")),
            updated_at_epoch_s=seconds(value.get("updated_at")),
            tags=tuple(dict.fromkeys(_tag(tag) for tag in tags if _tag(tag))),
            is_pinned=value.get("pinned") in (True, 1),
            is_archived=value.get("archived") in (True, 1),
            extra={
                **without(
                    value, "id", "title", "chat", "created_at", "updated_at", "pinned", "archived", "meta"
                ),
                **without(chat, "id", "title", "history", "messages", "timestamp", "tags", "system"),
            },
        ),
        unmapped,
    )


def _tag(tag: object) -> str:
    return text_of(tag) or text_of(object_of(tag).get("name"))


def _parts(message: dict[str, Any], unmapped: Counter[str]) -> list[Part]:
    parts: list[Part] = []
    content = message.get("content")
    for entry in [content] if isinstance(content, str) else list_of(content):
        text = text_of(entry) or text_of(object_of(entry).get("text"))
        if text:
            parts.append(TextPart(text, tuple(_citations(message))))
    for entry in list_of(message.get("files")):
        file = object_of(entry)
        address = text_of(file.get("url"))
        head, comma, data = address.partition(";base64,")
        if file.get("type") == "image" and comma:
            parts.append(ImagePart(head.removeprefix("data:"), data))
        elif file.get("type") == "image":
            parts.append(ImagePart("", url=address))
        else:
            unmapped["files that the export does not hold (their name is kept)"] += 1
            parts.append(FilePart(text_of(file.get("name")) or "file", "", ""))
    return parts


def _citations(message: dict[str, Any]) -> list[Citation]:
    found: list[Citation] = []
    for entry in [*list_of(message.get("sources")), *list_of(message.get("citations"))]:
        source = object_of(object_of(entry).get("source"))
        quotes = list_of(object_of(entry).get("document"))
        quote = text_of(quotes[0]) if quotes else ""
        found.append(Citation(text_of(source.get("name")), text_of(source.get("url")), quote[:500]))
    return found


def _usage(info: dict[str, Any]) -> Usage | None:
    def count(*names: str) -> int | None:
        for name in names:
            value = info.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                return value
        return None

    usage = Usage(
        count("prompt_tokens", "prompt_eval_count", "input_tokens"),
        count("completion_tokens", "eval_count", "output_tokens"),
        count("total_tokens"),
    )
    return usage if any(value is not None for value in usage) else None
