"""HTML for people: one file without anything from elsewhere.

Invariants: every text is escaped, so nothing in a conversation is markup or script; nothing is loaded (the
policy in the head forbids it too); addresses are shown, and only http, https and mailto ones are links.
"""

from html import escape

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
from chatui.history.exporting.markdown import when
from chatui.history.portable import Portable

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; }
h2 { font-size: .85rem; letter-spacing: .03em; opacity: .7; margin: 1.6rem 0 .3rem; }
p.facts { opacity: .65; font-size: .85rem; margin-top: 0; }
div.text, pre { white-space: pre-wrap; overflow-wrap: anywhere; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .7rem; }
pre { font-size: .9rem; }
section.user div.text { border-left: 3px solid #4a90d9; padding-left: .8rem; }
details { margin: .5rem 0; } summary { cursor: pointer; opacity: .75; }
.failed { border: 1px solid #c0392b; border-radius: 6px; padding: .5rem .8rem; }
img { max-width: 100%; }
"""
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def export_html(portable: Portable) -> str:
    """One document."""
    conversation = portable.conversation
    title = _line(conversation.title or "Conversation")
    models = dict.fromkeys(turn.model or turn.requested_model for turn in conversation.path())
    facts = [
        when(conversation.created_at_epoch_s),
        ", ".join(model for model in models if model),
        f"{len(conversation.path())} turns",
        conversation.conversation_id,
    ]
    body = [f"<h1>{title}</h1>", f'<p class="facts">{_line(" · ".join(filter(None, facts)))}</p>']
    if conversation.system:
        body.append(_section("System", "system", [_text(conversation.system)]))
    for turn in (*conversation.path(), *conversation.unfinished):
        body += _turn(turn)
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _turn(turn: Turn) -> list[str]:
    pieces = []
    for message in turn.input:
        shown = [_part(part) for part in message.parts]
        name = {"user": "You", "tool": "Tool", "system": "System"}.get(message.role.value, "Assistant")
        if any(shown):
            pieces.append(_section(name, message.role.value, shown))
    for choice in turn.choices:
        shown = [_part(part) for part in choice.parts]
        name = turn.model or turn.requested_model or "Assistant"
        if len(turn.choices) > 1:
            name += f" (alternative {choice.index + 1})"
        if any(shown):
            pieces.append(_section(name, "assistant", shown))
    if turn.failure is not None:
        state = "Accepted as it is" if turn.is_accepted_cut else "Not finished"
        words = _line(f"{state}: {turn.failure.reason.value}. {turn.failure.message}")
        pieces.append(f'<p class="failed">{words}</p>')
    return pieces


def _section(name: str, kind: str, shown: list[str]) -> str:
    return (
        f'<section class="{kind}">\n<h2>{_line(name)}</h2>\n'
        + "\n".join(filter(None, shown))
        + "\n</section>"
    )


def _part(part: Part) -> str:
    match part:
        case TextPart(text=text, citations=citations):
            sources = [_source(citation.title, citation.url) for citation in citations]
            return _text(text) + (f"<ul>{''.join(sources)}</ul>" if sources else "")
        case ReasoningPart(text=text):
            return _folded("Reasoning", text) if text.strip() else ""
        case RefusalPart(text=text):
            return f'<p class="failed">Refused: {_line(text)}</p>'
        case ToolCallPart(name=name, arguments_raw=arguments, state=state):
            return _folded(f"Tool call {name} ({state.value})", arguments)
        case ToolResultPart(name=name, text=text, is_error=is_error):
            return _folded(f"Tool {'error' if is_error else 'result'} {name}", text)
        case ToolActivityPart(name=name, status=status, detail=detail, result=result):
            return _folded(f"{name} ({status})", "\n\n".join(filter(None, (detail, result))))
        case ImagePart(media_type=media, data_base64=data, url=url, name=name):
            if data and media in _PICTURES:
                return f'<img alt="{_line(name)}" src="data:{media};base64,{escape(data)}">'
            return f"<p>[picture: {_line(name or url)}]</p>"
        case FilePart(name=name):
            return f"<p>[file: {_line(name)}]</p>"
        case AudioPart(transcript=transcript):
            return _text(transcript) if transcript else "<p>[audio]</p>"


def _source(title: str, url: str) -> str:
    shown = _line(f"{title} {url}".strip())
    if url.lower().startswith(("http://", "https://", "mailto:")):
        return f'<li><a rel="noreferrer noopener" href="{_line(url)}">{shown}</a></li>'
    return f"<li>{shown}</li>"


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{_line(title)}</summary><pre>{escape(safe_block(text))}</pre></details>"


def _text(text: str) -> str:
    return f'<div class="text">{escape(safe_block(text))}</div>' if text.strip() else ""


def _line(text: str) -> str:
    return escape(safe_line(text))
