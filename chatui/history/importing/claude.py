"""Claude.ai's data export.

Source: `conversations.json` of the export: a list of conversations with `chat_messages`, each with `sender`,
`text`, `content` blocks, `attachments` and `files`; newer ones name their `parent_message_uuid`.
"""

import json
from collections import Counter
from typing import Any

from chatui.core.messages import Citation, Part, ReasoningPart, TextPart, ToolActivityPart
from chatui.history.importing.foreign_values import (
    as_json_text,
    list_of,
    object_of,
    role_of,
    seconds,
    text_of,
    without,
)
from chatui.history.importing.messages import Node, Source, build, last_of
from chatui.history.portable import Portable

_NO_PARENT = "00000000-0000-4000-8000-000000000000"
"""What Claude.ai writes as the parent of a first message."""


def is_claude(value: object) -> bool:
    """Whether an object is a conversation of Claude.ai's export."""
    return isinstance(object_of(value).get("chat_messages"), list)


def import_claude(value: dict[str, Any], unmapped: Counter[str]) -> Portable:
    """One conversation of the export."""
    nodes: list[Node] = []
    for index, entry in enumerate(list_of(value.get("chat_messages"))):
        message = object_of(entry)
        parent = message.get("parent_message_uuid")
        if not isinstance(parent, str):
            parent = last_of(nodes)
        nodes.append(
            Node(
                node_id=text_of(message.get("uuid")) or f"{value.get('uuid')}-{index}",
                parent_id=None if parent == _NO_PARENT else parent,
                role=role_of(message.get("sender"), unmapped),
                parts=tuple(_parts(message, unmapped)),
                at_epoch_s=seconds(message.get("created_at")),
                model=text_of(message.get("model")) or text_of(value.get("model")),
                finish_reason=text_of(message.get("stop_reason")) or None,
                extra=_extra(message),
            )
        )
    return build(
        Source(
            program="Claude.ai",
            source_id=f"claude:{text_of(value.get('uuid'))}",
            title=text_of(value.get("name")),
            nodes=nodes,
            current=text_of(value.get("current_leaf_message_uuid")) or None,
            created_at_epoch_s=seconds(value.get("created_at")),
            updated_at_epoch_s=seconds(value.get("updated_at")),
            is_pinned=value.get("is_starred") is True,
            extra=without(
                value,
                "uuid",
                "name",
                "chat_messages",
                "created_at",
                "updated_at",
                "model",
                "is_starred",
                "current_leaf_message_uuid",
            ),
        ),
        unmapped,
    )


def _extra(message: dict[str, Any]) -> dict[str, object]:
    extra = without(
        message,
        "uuid",
        "sender",
        "text",
        "content",
        "created_at",
        "updated_at",
        "parent_message_uuid",
        "model",
        "stop_reason",
        "attachments",
        "index",
    )
    attachments = [
        without(object_of(entry), "extracted_content") for entry in list_of(message.get("attachments"))
    ]
    if attachments:
        extra["attachments"] = attachments
    return extra


def _parts(message: dict[str, Any], unmapped: Counter[str]) -> list[Part]:
    parts: list[Part] = []
    for entry in list_of(message.get("content")):
        _add_block(parts, object_of(entry), unmapped)
    if not parts and (text := text_of(message.get("text"))):
        parts.append(TextPart(text))
    for entry in list_of(message.get("attachments")):
        attachment = object_of(entry)
        text = text_of(attachment.get("extracted_content"))
        if text:
            parts.append(TextPart(f"\n\n{text_of(attachment.get('file_name')) or 'attachment'}:\n{text}"))
        else:
            unmapped["attachments without their content (their name is kept)"] += 1
    if list_of(message.get("files")):
        unmapped["files that the export does not hold (their name is kept)"] += len(message["files"])
    return parts


def _add_block(parts: list[Part], block: dict[str, Any], unmapped: Counter[str]) -> None:
    match block.get("type"):
        case "text":
            if text := text_of(block.get("text")):
                parts.append(TextPart(text, tuple(_citations(block))))
        case "thinking":
            summaries = [
                text_of(object_of(entry).get("summary")) for entry in list_of(block.get("summaries"))
            ]
            thought = text_of(block.get("thinking")) or "\n".join(filter(None, summaries))
            if thought:
                parts.append(ReasoningPart(thought, is_summary=not block.get("thinking")))
        case "tool_use" | "server_tool_use":
            detail = json.dumps(block.get("input"), ensure_ascii=False)
            name = text_of(block.get("name")) or "tool"
            parts.append(ToolActivityPart(text_of(block.get("id")), name, "completed", detail))
        case "tool_result":
            _add_result(parts, block)
        case kind:
            parts.append(as_json_text(block, kind, "blocks", unmapped))


def _add_result(parts: list[Part], block: dict[str, Any]) -> None:
    """A result joins its call where there is one."""
    content = block.get("content")
    pieces = [text_of(object_of(piece).get("text")) for piece in list_of(content)]
    text = content if isinstance(content, str) else "\n".join(filter(None, pieces))
    if not text and content:
        text = json.dumps(content, ensure_ascii=False)
    status = "failed" if block.get("is_error") is True else "completed"
    call_id = text_of(block.get("tool_use_id"))
    for index, part in enumerate(parts):
        if isinstance(part, ToolActivityPart) and part.activity_id == call_id and call_id:
            parts[index] = ToolActivityPart(call_id, part.name, status, part.detail, text)
            return
    parts.append(ToolActivityPart(call_id, text_of(block.get("name")) or "tool", status, result=text))


def _citations(block: dict[str, Any]) -> list[Citation]:
    found = [object_of(entry) for entry in list_of(block.get("citations"))]
    return [
        Citation(
            text_of(entry.get("title")) or text_of(object_of(entry.get("details")).get("title")),
            text_of(entry.get("url")) or text_of(object_of(entry.get("details")).get("url")),
            text_of(entry.get("cited_text")),
        )
        for entry in found
    ]
