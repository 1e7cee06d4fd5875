"""ChatGPT's `conversations.json`, with its branches.

Source: the file of ChatGPT's data export: a list of conversations, each a `mapping` of nodes with `parent`
and `children`, and `current_node`.
"""

from collections import Counter
from typing import Any

from chatui.core.messages import ImagePart, Part, ReasoningPart, Role, TextPart, ToolActivityPart
from chatui.history.importing.foreign_values import (
    as_json_text,
    list_of,
    object_of,
    role_of,
    seconds,
    text_of,
    without,
)
from chatui.history.importing.messages import Node, Source, build
from chatui.history.portable import Portable

_SHOWN_MEMBERS = ("id", "author", "create_time", "update_time", "content", "metadata", "status", "end_turn")
_HIDDEN = ("user_editable_context", "model_editable_context", "reasoning_recap")
"""Content that ChatGPT itself does not show as a message; kept beside the turn."""


def is_chatgpt(value: object) -> bool:
    """Whether an object is a conversation of ChatGPT's export."""
    return isinstance(object_of(value).get("mapping"), dict)


def import_chatgpt(value: dict[str, Any], unmapped: Counter[str]) -> Portable:
    """One conversation of `conversations.json`."""
    source_id = text_of(value.get("conversation_id")) or text_of(value.get("id"))
    mapping = object_of(value.get("mapping"))
    nodes = [_node(name, object_of(entry), unmapped) for name, entry in _in_order(mapping)]
    return build(
        Source(
            program="ChatGPT",
            source_id=f"chatgpt:{source_id or '/'.join(sorted(mapping))[:200]}",
            title=text_of(value.get("title")),
            nodes=nodes,
            current=text_of(value.get("current_node")) or None,
            created_at_epoch_s=seconds(value.get("create_time")),
            updated_at_epoch_s=seconds(value.get("update_time")),
            is_archived=value.get("is_archived") is True,
            is_pinned=value.get("is_starred") is True,
            extra=without(
                value,
                "mapping",
                "title",
                "current_node",
                "create_time",
                "update_time",
                "conversation_id",
                "id",
                "is_archived",
                "is_starred",
            ),
        ),
        unmapped,
    )


def _in_order(mapping: dict[str, Any]) -> list[tuple[str, Any]]:
    """Nodes so that the children of one parent keep the order that the parent gives them."""
    place: dict[str, int] = {}
    for entry in mapping.values():
        for index, child in enumerate(list_of(object_of(entry).get("children"))):
            if isinstance(child, str):
                place.setdefault(child, index)
    return sorted(mapping.items(), key=lambda item: place.get(item[0], 0))


def _node(name: str, entry: dict[str, Any], unmapped: Counter[str]) -> Node:
    message = object_of(entry.get("message"))
    author = object_of(message.get("author"))
    metadata = object_of(message.get("metadata"))
    role = role_of(author.get("role"), unmapped) if message else Role.SYSTEM
    content = object_of(message.get("content"))
    extra = without(message, *_SHOWN_MEMBERS) if message else {}
    if extra.get("recipient") == "all":
        del extra["recipient"]
    if extra.get("weight") == 1.0:
        del extra["weight"]
    if kept := without(metadata, "model_slug", "finish_details", "timestamp_", "is_complete"):
        extra["metadata"] = kept
    if author_name := author.get("name"):
        extra["author_name"] = author_name
    is_hidden = content.get("content_type") in _HIDDEN or metadata.get("is_visually_hidden_from_conversation")
    parts: tuple[Part, ...] = ()
    if is_hidden and message:
        extra["hidden_content"] = content
    else:
        parts = tuple(_parts(content, role, author, message, extra, unmapped))
    if role is Role.SYSTEM and not parts:
        extra = {}
    return Node(
        node_id=name,
        parent_id=text_of(entry.get("parent")) or None,
        role=role,
        parts=parts,
        at_epoch_s=seconds(message.get("create_time")),
        model=text_of(metadata.get("model_slug")),
        finish_reason=text_of(object_of(metadata.get("finish_details")).get("type")) or None,
        extra=extra if parts or is_hidden else {},
    )


def _parts(
    content: dict[str, Any],
    role: Role,
    author: dict[str, Any],
    message: dict[str, Any],
    extra: dict[str, object],
    unmapped: Counter[str],
) -> list[Part]:
    kind = content.get("content_type")
    match kind:
        case "text" | "multimodal_text":
            found = [_piece(piece, extra, unmapped) for piece in list_of(content.get("parts"))]
            parts = [piece for piece in found if piece is not None]
        case "thoughts":
            parts = [
                ReasoningPart(
                    "\n\n".join(
                        filter(None, (text_of(thought.get("summary")), text_of(thought.get("content"))))
                    ),
                    is_summary=True,
                )
                for thought in map(object_of, list_of(content.get("thoughts")))
            ]
        case "code":
            text = text_of(content.get("text"))
            recipient = text_of(message.get("recipient")) or "code"
            if not text:
                return []
            is_call = role is Role.ASSISTANT and recipient != "all"
            parts = (
                [ToolActivityPart(text_of(message.get("id")), recipient, "completed", text)]
                if is_call
                else [TextPart(text)]
            )
        case "execution_output" | "tether_quote" | "tether_browsing_display" | "system_error":
            text = "\n".join(
                filter(None, (text_of(content.get(name)) for name in ("title", "url", "text", "result")))
            )
            parts = [TextPart(text)] if text else []
        case None:
            parts = []
        case _:
            parts = [as_json_text(content, kind, "content", unmapped)]
    if role is Role.TOOL and parts:
        text = "\n".join(part.text for part in parts if isinstance(part, TextPart))
        others = [part for part in parts if not isinstance(part, TextPart)]
        name = text_of(author.get("name")) or "tool"
        shown: list[Part] = [ToolActivityPart(text_of(message.get("id")), name, "completed", result=text)]
        return shown + others
    return parts


def _piece(piece: object, extra: dict[str, object], unmapped: Counter[str]) -> Part | None:
    if isinstance(piece, str):
        return TextPart(piece) if piece else None
    value = object_of(piece)
    kind = value.get("content_type")
    if kind == "image_asset_pointer":
        unmapped["pictures that are files beside conversations.json (their name is kept)"] += 1
        _keep(extra, value)
        return ImagePart("", url=text_of(value.get("asset_pointer")))
    if kind == "audio_transcription":
        return TextPart(text_of(value.get("text"))) if value.get("text") else None
    if not value:
        return None
    unmapped[f"pieces of the type {str(kind)[:40]!r} (kept beside the turn)"] += 1
    _keep(extra, value)
    return None


def _keep(extra: dict[str, object], value: dict[str, Any]) -> None:
    kept = extra.setdefault("pieces", [])
    if isinstance(kept, list):
        kept.append(value)
