"""Spans to a flow of safe text: the one place where words from outside become runs.

Guards: nothing reaches a run that was not made safe; what was replaced is marked, so that it can be told
apart.
"""

import re
from typing import Final

from chatui.core.safe_text import safe_line
from chatui.markdown.blocks import CodeText, Image, LineBreak, Maths, NoteMark, Span, Spans, Text
from chatui.view.layout import styles
from chatui.view.layout.flow import Flow
from chatui.view.layout.formulas import maths_text, pieces
from chatui.view.layout.margin import note_text
from chatui.view.layout.options import LayoutOptions
from chatui.view.lines import Style, Tone

_BLANKS: Final = re.compile(r"[\t\n]")


def add_safe(flow: Flow, text: str, look: Style, link: str = "", source: str = "") -> None:
    """Add text from outside; what was neutralised gets a tone of its own."""
    if text.isascii() and text.isprintable():
        flow.add(text, look, link, source)
        return
    text = _BLANKS.sub(" ", text)
    safe = safe_line(text)
    if safe == text:
        flow.add(safe, look, link, source)
        return
    marked = look._replace(tone=Tone.NEUTRALISED)
    start = 0
    for at, (one, other) in enumerate(zip(text, safe, strict=True)):
        if one != other:
            flow.add(safe[start:at], look, link)
            flow.add(other, marked, link)
            start = at + 1
    flow.add(safe[start:], look, link)


def add_spans(
    flow: Flow,
    spans: Spans,
    tone: Tone,
    options: LayoutOptions,
    *,
    is_bold: bool = False,
    is_italic: bool = False,
) -> None:
    """Add spans in the tone of their block."""
    for number, span in enumerate(spans):
        match span:
            case Text(text, face, target):
                if target:
                    look = styles.style(
                        Tone.LINK, face, is_bold=is_bold, is_italic=is_italic, is_underlined=True
                    )
                else:
                    look = styles.style(tone, face, is_bold=is_bold, is_italic=is_italic)
                add_safe(flow, text, look, target)
            case CodeText(text, face, target):
                look = styles.style(Tone.CODE, face, is_bold=is_bold, is_underlined=bool(target))
                add_safe(flow, text, look, target)
            case Maths(text=text, face=face, target=target):
                shown = maths_text(span, options)
                source = "" if shown is None else text
                for piece, has_weight, has_slope in (
                    [(text, False, False)] if shown is None else pieces(shown)
                ):
                    look = styles.style(
                        tone,
                        face,
                        is_bold=is_bold or has_weight,
                        is_italic=is_italic or has_slope,
                        is_underlined=bool(target),
                    )
                    add_safe(flow, piece, look, target, source)
            case Image(text, source, face, target):
                look = styles.style(Tone.LINK, face, is_bold=is_bold, is_italic=is_italic, is_underlined=True)
                flow.add(
                    "▣ " if options.is_unicode else "image: ", styles.style(Tone.MUTED), target or source
                )
                add_safe(flow, text or "image", look, target or source)
            case NoteMark(label, face):
                flow.add(note_text(label, options), styles.NOTE)
            case LineBreak():
                flow.add("\n", styles.TEXT)
        if options.shows_link_targets and (target := _target(span)):
            following = spans[number + 1] if number + 1 < len(spans) else None
            if _target(following) != target and not (isinstance(span, Text) and target.endswith(span.text)):
                add_safe(flow, f" ({target})", styles.style(Tone.MUTED), target)


def _target(span: Span | None) -> str:
    match span:
        case Text(target=target) | CodeText(target=target) | Maths(target=target):
            return target
        case Image(source=source, target=target):
            return target or source
        case _:
            return ""
