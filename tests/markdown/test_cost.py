"""No content makes a token dearer as the answer grows: counted in characters parsed and blocks touched, not in time.

Characters parsed are all that are read: once as a line, once as running text, and what is looked at ahead or
again (to decide what a line is, to find what closes a mark, because a line turns out to be a heading). A
batch is what arrives between two looks: 240 characters at full speed, 28 at 500 tokens/s, 4 where a slow
model is looked at after every token.
"""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.markdown import inline_reader
from chatui.markdown.containers import MOST_NESTED
from chatui.markdown.document import IncrementalDocument

SENTENCE = "The **scheduler** hands `frames()` to the [compositor](https://example.com/docs) before the next *tick* ends. "
PLAIN = "most of the work is done before the first of them arrives and that is good "

KINDS: dict[str, Callable[[int], str]] = {
    "paragraphs": lambda n: "\n\n".join([SENTENCE * 3] * (n // 300)),
    "one line without an end": lambda n: SENTENCE * (n // len(SENTENCE)),
    "one plain line without an end": lambda n: PLAIN * (n // len(PLAIN)),
    "one word without an end": lambda n: "word" * (n // 4),
    "one paragraph of many lines": lambda n: "\n".join([SENTENCE] * (n // len(SENTENCE))),
    "one list": lambda n: "\n".join([f"- {SENTENCE}"] * (n // len(SENTENCE))),
    "numbered": lambda n: "\n".join(f"{i}. {SENTENCE}" for i in range(1, n // len(SENTENCE))),
    "one table": lambda n: (
        "| a | b |\n|---|---|\n" + "\n".join([f"| {SENTENCE} | `x` |"] * (n // len(SENTENCE)))
    ),
    "one fence": lambda n: "```python\n" + "\n".join(["def f(x): return '**x**'"] * (n // 24)),
    "one quote": lambda n: "\n".join([f"> {SENTENCE}"] * (n // len(SENTENCE))),
    "nested quotes": lambda n: "\n".join([f"{'> ' * (i % 9)}{SENTENCE}" for i in range(n // len(SENTENCE))]),
    "headings": lambda n: "\n\n".join([f"## {SENTENCE}"] * (n // len(SENTENCE))),
    "links": lambda n: "\n\n".join(
        [f"[one](https://e.example/{i}) [two][r{i}] **x**" for i in range(n // 45)]
    ),
    "ideographs": lambda n: "这个函数在**每一帧**都会被调用，因此必须`足够`快。" * (n // 28),
    "a star that never closes": lambda n: "*" + SENTENCE * (n // len(SENTENCE)),
    "one heading without an end": lambda n: "# " + SENTENCE * (n // len(SENTENCE)),
    "stars that never close": lambda n: "*a **b " * (n // 7),
    "brackets that never close": lambda n: "[" * n,
    "ticks that never close": lambda n: "`a ``b " * (n // 7),
    "formulas": lambda n: "The $x_{1}^2$ of \\(a + b\\) costs $5. $$\\sum_i x_i$$ " * (n // 56),
    "blocks of formulas": lambda n: "$$\n\\frac{a}{b}\n= c\n$$\n\nSo **it** is\n\n" * (n // 40),
    "dollars that never close": lambda n: "$x^2 **a** \\(b " * (n // 15),
    "formulas that turn out to be none": lambda n: "$$\n**x** = 1\n\n" * (n // 14),
    "one cell without an end": lambda n: "| a |\n|---|\n| " + SENTENCE * (n // len(SENTENCE)),
    "nested lists": lambda n: "\n".join(f"{'  ' * (i % 6)}- {SENTENCE}" for i in range(n // len(SENTENCE))),
    "quotes and lists": lambda n: "\n".join(
        f"{'> ' * (i % 3)}{'  ' * (i % 4)}- {SENTENCE}" for i in range(n // len(SENTENCE))
    ),
    "a hundred quotes": lambda n: f"{'> ' * 100}{SENTENCE}\n" * (n // 310),
    "tasks": lambda n: "- [ ] do *this*\n- [x] done\n" * (n // 27),
    "short lines of code": lambda n: "```\n" + "x\n\n  y\n" * (n // 8),
    "indented code": lambda n: "    x = 1\n\n" * (n // 11),
    "one line of code": lambda n: "```json\n" + '{"id":12345},' * (n // 13),
    "underlined headings": lambda n: "A **title** here\n===\n\n" * (n // 22),
    "small tables": lambda n: "| a **b** | c `d` e |\n|---|---|\n| x | y |\n\n" * (n // 45),
    "headers without a table": lambda n: "| a **b** | c `d` e |\n\n" * (n // 24),
    "addresses": lambda n: (
        "see https://example.com/a/b?c=d and www.k.example, mail a@b.example now. " * (n // 72)
    ),
    "entities": lambda n: "Tom &amp; Jerry &lt;3 AT&T; x &nbsp; y " * (n // 40),
    "tags": lambda n: '<div class="x">a</div> <b>c</b>\n' * (n // 32),
    "bold sentences": lambda n: (
        "**Note that this is a long sentence, and it ends.** And *here* too. " * (n // 68)
    ),
    "long inline code": lambda n: ("`" + "word " * 150 + "` and ") * (n // 757),
    "ticks of every length": lambda n: "so " + " ".join("`" * (k % 40 + 1) for k in range(n // 21)),
    "targets that never end": lambda n: '[a](b "c ' * (n // 9),
    "definitions": lambda n: "\n".join(f'[r{i}]: https://e.example/{i} "title"' for i in range(n // 38)),
    "late links": lambda n: "\n\n".join(
        f"See [x][r{i}].\n\n[r{i}]: https://e.example/{i}" for i in range(n // 45)
    ),
    "tags in lines that look like tables": lambda n: "[a]: /u\n| - |<===\\[" * (n // 19),
    "addresses before formulas that never close": lambda n: "a@b.c &amp;_\n\\(word " * (n // 20),
    "one header without an end": lambda n: "|{\\(" * (n // 4),
    "one line of bars and ticks": lambda n: "| - |```" * (n // 8),
    "items in items without an end": lambda n: "1. " * (n // 3),
    "lines of items in items": lambda n: ("1. " * 12 + "\n") * (n // 37),
    "lines of closing tags": lambda n: "</td>\n" * (n // 6),
    "entities and open footnotes": lambda n: "&amp;\n\n[^a]" * (n // 11),
    "footnotes": lambda n: "\n\n".join(f"Text[^{i}] here.\n\n[^{i}]: note {i}" for i in range(n // 32)),
}


BATCHES = (1, 4, 12, 28, 60, 240)
MOST = 3.0


def _parsed(text: str, batch: int) -> float:
    """Characters parsed for each character received."""
    document = IncrementalDocument()
    for at in range(0, len(text), batch):
        document.append(text[at : at + batch])
        _ = document.blocks
    document.close()
    _ = document.blocks
    return document.characters_parsed / document.characters_received


@pytest.mark.parametrize("kind", KINDS)
def test_at_most_three_times_the_received_characters_are_parsed(kind: str) -> None:
    for batch in BATCHES:
        text = KINDS[kind](24_000 if batch > 28 else 3_000)
        assert _parsed(text, batch) <= MOST, batch


@given(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4), st.sampled_from(BATCHES[1:]))
def test_kinds_that_follow_each_other_cost_no_more_than_each_alone(kinds: list[str], batch: int) -> None:
    text = "\n\n".join(KINDS[kind](800) for kind in kinds)
    free = 512 * len(kinds)  # what each paragraph may look at in vain for the target of a link
    assert _parsed(text, batch) <= MOST + free / len(text)


@pytest.mark.parametrize("kind", KINDS)
def test_a_look_rebuilds_the_end_only(kind: str) -> None:
    text = KINDS[kind](24_000)
    document = IncrementalDocument()
    serial = touched = 0
    for at in range(0, len(text), 160):
        document.append(text[at : at + 160])
        serial, first, revised = document.changes_since(serial)
        touched += len(document.blocks) - first + len(revised)
    document.close()
    assert touched <= 3 * len(document.blocks) + 2 * (len(text) // 160)


def test_words_that_go_on_in_an_open_line_are_not_parsed_again() -> None:
    document = IncrementalDocument("Some **bold** words and then ")
    _ = document.blocks
    before = document.characters_parsed
    for word in ("plain ", "words ", "that ", "go ", "on "):
        document.append(word)
        _ = document.blocks
    added = len("plain words that go on ")
    assert document.characters_parsed == before + 2 * added, "once as a line, once as running text"


class Counting:
    """A pattern that counts the characters it may look at."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern
        self.characters = 0

    def search(self, text: str, start: int, stop: int) -> re.Match[str] | None:
        self.characters += stop - start
        return self._pattern.search(text, start, stop)


def test_a_word_of_any_length_that_is_there_at_once_is_looked_through_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counting = Counting(re.compile(inline_reader._WORD_START.pattern))
    monkeypatch.setattr(inline_reader, "_WORD_START", counting)
    document = IncrementalDocument()
    document.append("x" * 400_000)
    document.close()
    assert document.blocks
    assert 0 < counting.characters <= 2 * 400_000


@pytest.mark.parametrize("sign", [">", "> ", "+ ", "1. ", "> + ", "[^a]: "])
@pytest.mark.parametrize("end", ["text", "```\ncode", "# heading\n- item", "```a`b", "$$\nx"])
def test_signs_of_containers_that_nest_for_ever_are_text_from_some_depth_on(sign: str, end: str) -> None:
    text = sign * 400 + end
    document = IncrementalDocument()
    document.append(text)
    document.close()
    paths = [len(block.place.path) for block in document.blocks]
    assert max(paths) == MOST_NESTED
    growing = IncrementalDocument()
    for letter in text:
        growing.append(letter)
        assert growing.blocks is not None
    growing.close()
    assert list(growing.blocks) == list(document.blocks)
