"""What markdown-it-py, run once over a whole text, says its leaves are; the measure for our own reader."""

import re
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from chatui.markdown.blocks import (
    Block,
    Code,
    Heading,
    ListItem,
    Paragraph,
    Quote,
    Rule,
    TableRow,
    visible_text,
)
from chatui.markdown.document import IncrementalDocument


class Leaf(NamedTuple):
    kind: str
    containers: str
    text: str


def _parser() -> MarkdownIt:
    rules = MarkdownIt("commonmark", {"html": False, "maxNesting": 60}).enable(["table", "strikethrough"])
    rules.disable(["html_block", "html_inline"])
    footnote_plugin(rules, inline=False, move_to_end=False)
    return rules


PARSER = _parser()


_INLINE = "a|b|code|del|em|i|ins|kbd|s|span|strong|sub|sup|u"
_BLOCK_TAG = re.compile(rf"<!--|</?(?!(?:{_INLINE})\b)[a-z][a-z0-9_-]*(?=[\s/>]|\Z)", re.IGNORECASE)


def _first_of_html(content: str) -> int:
    """The line of a paragraph from which on it is HTML: its lines are kept, where CommonMark joins them."""
    lines = content.split("\n")
    return next((at for at, line in enumerate(lines) if _BLOCK_TAG.match(line.strip())), len(lines))


def _visible(tokens: list[Token] | None, first_of_html: int = 1 << 30) -> str:
    out = []
    breaks = 0
    for token in tokens or ():
        breaks += token.type.endswith("break")
        match token.type:
            case "softbreak":
                out.append("\n" if breaks >= first_of_html else " ")
            case "hardbreak":
                out.append("\n")
            case "image":
                out.append(_visible(token.children))
            case "footnote_ref":
                out.append(f"[{token.meta['label']}]")
            case _:
                out.append(token.content)
    return "".join(out)


def expected_leaves(text: str) -> list[Leaf]:
    out: list[Leaf] = []
    path: list[str] = []
    begun: list[int] = []
    kind, cells = "", None
    for token in PARSER.parse(text):
        name = token.type
        if name in ("blockquote_open", "list_item_open", "footnote_reference_open"):
            path.append({"b": ">", "l": "#" if token.info else "-", "f": "^"}[name[0]])
            begun.append(len(out))
        elif name in ("blockquote_close", "list_item_close", "footnote_reference_close"):
            if begun.pop() == len(out):
                out.append(Leaf("p", "".join(path), ""))
            path.pop()
        elif name in ("paragraph_open", "heading_open"):
            kind = "p" if name[0] == "p" else token.tag
        elif name == "tr_open":
            cells = []
        elif name == "tr_close":
            out.append(Leaf("row", "".join(path), "|".join(cells or [])))
            cells = None
        elif name == "inline":
            is_running = kind == "p" and cells is None
            shown = _visible(token.children, _first_of_html(token.content) if is_running else 1 << 30)
            if cells is None:
                out.append(Leaf(kind, "".join(path), shown))
            else:
                cells.append(shown)
        elif name in ("fence", "code_block"):
            out.append(Leaf("code", "".join(path), token.content.rstrip()))
        elif name == "hr":
            out.append(Leaf("rule", "".join(path), ""))
    return out


def read(text: str, *sizes: int) -> list[Block]:
    """Blocks of a text that arrived in pieces of these sizes (the last repeats), looked at after each piece."""
    document = IncrementalDocument()
    at = number = 0
    while at < len(text):
        size = sizes[min(number, len(sizes) - 1)] if sizes else len(text)
        document.append(text[at : at + size])
        _ = document.blocks
        at, number = at + size, number + 1
    document.close()
    return list(document.blocks)


def our_leaves(blocks: list[Block]) -> list[Leaf]:
    out: list[Leaf] = []
    for block in blocks:
        path = "".join(
            ">"
            if isinstance(c, Quote)
            else ("-" if c.number is None else "#")
            if isinstance(c, ListItem)
            else "^"
            for c in block.place.path
        )
        match block:
            case Paragraph(is_continued=True):
                out[-1] = out[-1]._replace(text=out[-1].text + visible_text(block.spans))
            case Paragraph():
                out.append(Leaf("p", path, visible_text(block.spans)))
            case Heading():
                out.append(Leaf(f"h{block.level}", path, visible_text(block.spans)))
            case Code():
                text = "\n".join(block.lines)
                if block.first_line:
                    out[-1] = out[-1]._replace(text=f"{out[-1].text}\n{text}")
                else:
                    out.append(Leaf("code", path, text))
            case TableRow():
                out.append(Leaf("row", path, "|".join(visible_text(cell) for cell in block.cells)))
            case Rule():
                out.append(Leaf("rule", path, ""))
    return [leaf._replace(text=leaf.text.rstrip()) if leaf.kind == "code" else leaf for leaf in out]
