"""Every example of CommonMark and of the GFM extensions reads as markdown-it-py reads it; no text is lost."""

import json
import re
from pathlib import Path

import pytest
from markdown.oracle import expected_leaves, our_leaves, read

from chatui.markdown.document import IncrementalDocument
from chatui.view.layout.document_layout import DocumentLayout, LayoutOptions

FOLDER = Path(__file__).parent / "examples"
COMMONMARK = json.loads((FOLDER / "commonmark.json").read_text("utf-8"))
EXTENSIONS = json.loads((FOLDER / "extensions.json").read_text("utf-8"))


def _sections(examples: list[dict[str, str]]) -> list[str]:
    return sorted({example["section"] for example in examples})


@pytest.mark.parametrize("section", _sections(COMMONMARK))
def test_every_commonmark_example_has_the_same_leaves_as_markdown_it(section: str) -> None:
    for example in COMMONMARK:
        if example["section"] == section:
            text = example["markdown"]
            assert our_leaves(read(text)) == expected_leaves(text), (example["example"], text)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text)


@pytest.mark.parametrize("section", _sections(EXTENSIONS))
def test_no_example_of_the_extensions_loses_a_word(section: str) -> None:
    for example in EXTENSIONS:
        if example["section"] == section:
            text = example["markdown"]
            ours = "".join(leaf.text for leaf in our_leaves(read(text)))
            for leaf in expected_leaves(text):
                for word in re.sub(r"<br */?>", "\n", leaf.text).split():
                    if re.fullmatch(r"\[?[xX]?\]?", word) or "://" in word:
                        continue  # the box of a task is a bullet; a bare address is shown as it is written
                    assert _letters(word) in _letters(ours), (word, text)


@pytest.mark.parametrize("width", [24, 80])
def test_every_example_shows_its_text_on_the_page(width: int) -> None:
    for example in COMMONMARK + EXTENSIONS:
        document = IncrementalDocument(example["markdown"])
        document.close()
        layout = DocumentLayout(document, width, LayoutOptions())
        layout.refresh()
        shown = _letters("".join(line.text for line in layout.lines(0, layout.line_count)))
        for leaf in our_leaves(list(document.blocks)):
            for word in leaf.text.replace("|", " ").split():
                assert _letters(word) in shown, (word, example["markdown"])


@pytest.mark.parametrize("size", [1, 2, 5])
def test_every_example_reads_alike_however_it_arrives(size: int) -> None:
    for example in COMMONMARK + EXTENSIONS:
        text = example["markdown"]
        assert read(text, size) == read(text), text
