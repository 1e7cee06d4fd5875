"""Every example of GFM's own specification shows its letters, with their marks and links, as GFM's reader does.

Where we differ on purpose, the example is named here with the reason.
"""

import json
import re
from pathlib import Path

import pytest
from markdown.gfm import expected_letters, our_letters
from markdown.oracle import read

EXAMPLES = json.loads((Path(__file__).parent / "examples" / "gfm.json").read_text("utf-8"))

HTML = {
    *(118, 119, 120, 121, 122, 123, 124, 125, 126, 128, 129, 130, 131, *range(132, 161)),
    *(170, 317, 327, 354, 484, 485, 486, 500, 503, 532, 544, *range(632, 637), 642, 644, *range(647, 652)),
    *(653, 663, 664),
}
"""Raw HTML. A terminal has no use for tags, and a model that writes `<div>` most often talks about it: they
are shown as they were written, and what stands between them is read as Markdown. GFM hides them (and lets
some through as text, example 653)."""

BARE_ADDRESSES = {610, 616, 619, 620}
"""Examples from before the autolink extension: GFM's own reader with its extensions on links them, as we do."""

MORE_CELLS = {204}
"""A row with more cells than columns: GFM drops the rest, here it is shown in the last column."""

EXCEPTED = HTML | BARE_ADDRESSES | MORE_CELLS


@pytest.mark.parametrize("section", sorted({example["section"] for example in EXAMPLES}))
def test_every_gfm_example_shows_the_letters_marks_and_links_of_gfm(section: str) -> None:
    for example in EXAMPLES:
        if example["section"] == section and example["example"] not in EXCEPTED:
            assert our_letters(read(example["markdown"])) == expected_letters(example["html"]), example


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


def test_where_gfm_hides_tags_or_cells_every_word_of_the_source_is_shown() -> None:
    for example in EXAMPLES:
        if example["example"] in HTML | MORE_CELLS:
            shown = "".join(letter.character for letter in our_letters(read(example["markdown"])))
            source = re.sub(
                r"\[ref\]: /uri|\]\[ref\]|&\w+;|``` c|\]\(baz\)|\[foo\]: <bar>", "", example["markdown"]
            )
            for word in _words(source):
                assert word in shown, (word, example)


def test_addresses_that_gfm_links_with_its_extension_are_linked() -> None:
    for example in EXAMPLES:
        if example["example"] in BARE_ADDRESSES:
            letters = our_letters(read(example["markdown"]))
            assert any(letter.target for letter in letters), example


@pytest.mark.parametrize("size", [1, 3, 8])
def test_every_gfm_example_reads_alike_however_it_arrives(size: int) -> None:
    for example in EXAMPLES:
        assert read(example["markdown"], size) == read(example["markdown"]), example
