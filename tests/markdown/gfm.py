"""What GFM's own reader makes of its examples: every visible letter with the marks that are on it."""

from html.parser import HTMLParser
from typing import NamedTuple

from chatui.markdown.blocks import Block, Code, CodeText, Image, Rule, Spans, TableRow, Text


class Letter(NamedTuple):
    """A letter or digit that a reader sees."""

    character: str
    is_bold: bool
    is_italic: bool
    is_struck: bool
    is_code: bool
    target: str


_FACES = {"strong": 0, "em": 1, "del": 2, "code": 3}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.letters: list[Letter] = []
        self._depths = [0, 0, 0, 0]
        self._targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag in _FACES:
            self._depths[_FACES[tag]] += 1
        elif tag == "a":
            self._targets.append(attributes.get("href", ""))
        elif tag == "img":
            self.handle_data(attributes.get("alt", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in _FACES:
            self._depths[_FACES[tag]] -= 1
        elif tag == "a":
            self._targets.pop()

    def handle_data(self, data: str) -> None:
        bold, italic, struck, code = (depth > 0 for depth in self._depths)
        target = self._targets[-1] if self._targets else ""
        self.letters += [
            Letter(character, bold, italic, struck, code, target) for character in data if character.isalnum()
        ]


def expected_letters(html: str) -> list[Letter]:
    page = _Page()
    page.feed(html)
    page.close()
    return page.letters


def our_letters(blocks: list[Block]) -> list[Letter]:
    out: list[Letter] = []
    for block in blocks:
        match block:
            case Code(lines=lines):
                out += [
                    Letter(character, False, False, False, True, "")
                    for character in "".join(lines)
                    if character.isalnum()
                ]
            case TableRow(cells=cells):
                for cell in cells:
                    out += _of(cell)
            case Rule():
                pass
            case _:
                out += _of(block.spans)
    return out


def _of(spans: Spans) -> list[Letter]:
    out: list[Letter] = []
    for span in spans:
        if isinstance(span, Text | CodeText | Image):
            face, is_code = span.face, isinstance(span, CodeText)
            out += [
                Letter(character, face.is_bold, face.is_italic, face.is_struck, is_code, span.target)
                for character in span.text
                if character.isalnum()
            ]
    return out
