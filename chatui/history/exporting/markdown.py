"""Markdown for people: front matter, then prompts and answers of the shown path.

Invariants: an answer's own Markdown stays as it is; a fence around other text is longer than any run of
backticks inside; nothing of a text can end the front matter; text that the model or the wire controls cannot
drive a terminal.

Source: CommonMark 0.31 (fenced code), YAML 1.2 (double-quoted scalars are JSON strings).
"""

import json
import re
from datetime import UTC, datetime

from chatui.core.conversation import Conversation
from chatui.core.messages import (
    AudioPart,
    FilePart,
    ImagePart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolResultPart,
)
from chatui.core.safe_text import safe_block, safe_line
from chatui.core.turn import Turn
from chatui.history.portable import Portable

_BACKTICKS = re.compile("`+")


def export_markdown(portable: Portable) -> str:
    """One document."""
    conversation = portable.conversation
    pieces = [_front_matter(portable)]
    pieces.append(f"# {_inline(conversation.title or 'Conversation')}")
    if conversation.system:
        pieces.append("## System\n\n" + safe_block(conversation.system).strip())
    for turn in conversation.path():
        pieces += _turn(turn, conversation)
    for turn in conversation.unfinished:
        pieces.append("---")
        pieces += _turn(turn, conversation)
    return "\n\n".join(pieces) + "\n"


def fenced(text: str, info: str = "") -> str:
    """Text in a fence longer than any run of backticks inside."""
    longest = max((len(run.group()) for run in _BACKTICKS.finditer(text)), default=0)
    fence = "`" * max(3, longest + 1)
    body = safe_block(text)
    return f"{fence}{info}\n{body}{'' if body.endswith(chr(10)) else chr(10)}{fence}"


def when(at_epoch_s: float) -> str:
    """A point in time, UTC; empty for an unknown one."""
    if at_epoch_s <= 0:
        return ""
    try:
        return datetime.fromtimestamp(at_epoch_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return ""


def _front_matter(portable: Portable) -> str:
    conversation = portable.conversation
    models = dict.fromkeys(turn.model or turn.requested_model for turn in conversation.path())
    facts: dict[str, object] = {
        "title": conversation.title,
        "conversation": conversation.conversation_id,
        "created": when(conversation.created_at_epoch_s),
        "updated": when(portable.updated_at_epoch_s),
        "models": [model for model in models if model],
        "turns": len(conversation.path()),
        "tags": list(portable.tags),
        "source": portable.source,
        "exported_by": "chatui",
    }
    lines = [f"{name}: {_scalar(value)}" for name, value in facts.items() if value not in ("", [])]
    return "\n".join(["---", *lines, "---"])


def _scalar(value: object) -> str:
    """JSON is YAML, and cannot break out of its line."""
    if isinstance(value, str):
        value = safe_line(value)
    elif isinstance(value, list):
        value = [safe_line(str(entry)) for entry in value]
    return json.dumps(value, ensure_ascii=False)


def _turn(turn: Turn, conversation: Conversation) -> list[str]:
    pieces: list[str] = []
    for message in turn.input:
        shown = [_part(part) for part in message.parts]
        name = {"user": "You", "tool": "Tool", "system": "System"}.get(message.role.value, "Assistant")
        if any(shown):
            pieces.append(f"## {name}\n\n" + "\n\n".join(filter(None, shown)))
    for choice in turn.choices:
        shown = [_part(part) for part in choice.parts]
        name = _inline(turn.model or turn.requested_model or "Assistant")
        if len(turn.choices) > 1:
            name += f" (alternative {choice.index + 1})"
        if any(shown):
            pieces.append(f"## {name}\n\n" + "\n\n".join(filter(None, shown)))
    if turn.failure is not None:
        state = "Accepted as it is" if turn.is_accepted_cut else "Not finished"
        pieces.append(f"> **{state}: {turn.failure.reason.value}.** {_inline(turn.failure.message)}")
    siblings = len(conversation.siblings(turn.turn_id))
    if siblings > 1 and turn.failure is None:
        pieces.append(
            f"*{siblings - 1} other {'version' if siblings == 2 else 'versions'} of this turn not shown*"
        )
    return pieces


def _part(part: Part) -> str:
    match part:
        case TextPart(text=text, citations=citations):
            sources = [
                f"- {_inline(citation.title or citation.url)} <{_address(citation.url)}>"
                for citation in citations
                if citation.url or citation.title
            ]
            return "\n\n".join(filter(None, (safe_block(text).strip("\n"), "\n".join(sources))))
        case ReasoningPart(text=text):
            if not text.strip():
                return ""
            return "<details><summary>Reasoning</summary>\n\n" + fenced(text) + "\n\n</details>"
        case RefusalPart(text=text):
            return "> **Refused:** " + safe_block(text).strip().replace("\n", "\n> ")
        case ToolCallPart(name=name, arguments_raw=arguments, state=state):
            return f"**Tool call** {_inline(name)} ({state.value})\n\n" + fenced(arguments, "json")
        case ToolResultPart(name=name, text=text, is_error=is_error):
            outcome = "error" if is_error else "result"
            return f"**Tool {outcome}** {_inline(name)}\n\n" + fenced(text)
        case ToolActivityPart(name=name, status=status, detail=detail, result=result):
            shown = [f"**{_inline(name)}** ({_inline(status)})"]
            shown += [fenced(text) for text in (detail, result) if text]
            return "\n\n".join(shown)
        case ImagePart(url=url, name=name, media_type=media):
            return f"[picture: {_inline(name or url or media)}]".replace("[picture: ]", "[picture]")
        case FilePart(name=name):
            return f"[file: {_inline(name)}]"
        case AudioPart(transcript=transcript):
            return safe_block(transcript) or "[audio]"


def _inline(text: str) -> str:
    """Text in one line, with Markdown's own marks escaped."""
    return re.sub(r"([\\`*_\[\]<>#|~])", r"\\\1", safe_line(text.strip()))


def _address(url: str) -> str:
    return re.sub(r"[\s<>]", lambda match: f"%{ord(match.group()):02X}", safe_line(url))
