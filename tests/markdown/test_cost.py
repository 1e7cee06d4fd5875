"""No content makes a token dearer as the answer grows: counted in characters parsed and blocks touched, not in time."""

from collections.abc import Callable

import pytest

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
}


@pytest.mark.parametrize("kind", KINDS)
def test_at_most_three_times_the_received_characters_are_parsed(kind: str) -> None:
    text = KINDS[kind](24_000)
    document = IncrementalDocument()
    for at in range(0, len(text), 160):  # forty tokens a frame
        document.append(text[at : at + 160])
        _ = document.blocks
    document.close()
    _ = document.blocks
    assert document.characters_parsed <= 3 * document.characters_received


@pytest.mark.parametrize("kind", ["stars that never close", "brackets that never close"])
def test_floods_of_marks_are_read_at_most_three_times_in_small_pieces_too(kind: str) -> None:
    text = KINDS[kind](24_000)
    document = IncrementalDocument()
    for at in range(0, len(text), 28):  # seven tokens a frame
        document.append(text[at : at + 28])
        _ = document.blocks
    document.close()
    _ = document.blocks
    assert document.characters_parsed <= 3 * document.characters_received


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
