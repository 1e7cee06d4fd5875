"""Formulas are found where they are, whole; prices, variables and code are text; while one is being written it shows as one."""

import pytest
from markdown.oracle import read

from chatui.markdown.blocks import (
    Code,
    CodeText,
    Formula,
    Heading,
    Maths,
    NoteMark,
    Paragraph,
    Spans,
    TableRow,
    visible_text,
)
from chatui.markdown.document import IncrementalDocument

FORMULAS = [
    "$x$", "$x^2$", "$O(n)$", "$O(n \\log n)$", "$E = mc^2$", "$\\alpha$", "$0$", "$-1$", "$a_1, \\dots, a_n$", "$f(x)$",
    "$P(A|B)$", "$\\text{if the man goes}$", "$x \\in \\mathbb{R}$", "$n-1$", "$5x$", "$ABC$", "$\\{a, b\\}$",
    "$A \\cap B$", "$x_{max}$", "$dx$", "$|x|$", "$n!$", "$i = 1, 2, \\ldots, n$", "$a*b*c = d$", "$a_{1} + b_{2}$",
    "$x < y$", "$=$", "$+$", "$\\frac{1}{2}$", "$\\$5 + \\$6 = \\$11$", "$2n+1$", "$[0, 1]$", "$(x_i, y_i)$", "$f: A \\to B$",
    "$$x = 1$$", "$$ \\int_0^1 x \\, dx $$", "$$a_{1} + b_{2} = c_{3}$$", "$$\\text{cost is $5}$$", "\\(x\\)", "\\(n\\)",
    "\\(alpha + 1\\)", "\\( x_i \\)", "\\(\\alpha\\)", "\\[beta = 2\\]", "\\[ \\sum_{i=1}^n i \\]", "\\[a_{1} + b_{2}\\]",
]  # fmt: skip

NO_FORMULAS = [
    "costs $5 and $6", "It fell from $148+ to $19 (saving $1,550), then $750 is a lot.", "between $5-$10 or $5/$10",
    "($5)-($6)", "US$5 or US$6", "costs 5$ or 6$", "from $5 million to $6 million", "$5,000.00$6", "$1,$2 and $1-$2",
    "Set PATH=$HOME/bin and then echo $PATH twice", "${HOME}/x:${PATH}", "$HOME$", "$foo$ and $some_name$", "FOO=$BAR BAZ=$QUX",
    "$env:A\\bin;$env:B", "$('#a').hide(); $('#b').show();", "$('#a'),$('#b')", "$.ajax({}); $.get()", "$.fn.x=$.noop", "$!/$-, $?",
    "$A$1:$B$10", "$(CC)/$(B)", "${a}/${b}", "$A:$B", "$_ =~ s/x$/", "cost **$5**/**$6**", "$100K–$150K", "sed s/a$/b$/", "$_GET['a'].$_POST['b']",
    "$a_b = $c_d;", "$a_b=$c_d", "$x = $y + $z", "$this->a = $that->b", "matches ^foo$|^bar$", "kill $$ or $$", "$$ cheap $$",
    "$ x = 1 $", "$5 is less than 6 $", "an $x and no end", "$x then $5", "[1] $5 [2] $6", "\\$x^2\\$", "$$", "$$$$", "$$$x$$$",
]  # fmt: skip

ESCAPED_BRACKETS = [
    ("\\[1\\]", "[1]"),
    ("\\[TODO\\]", "[TODO]"),
    ("\\[x\\] done", "[x] done"),
    ("\\[!NOTE\\]", "[!NOTE]"),
    ("\\(see below\\)", "(see below)"),
    ("\\[-h\\] \\[--help\\]", "[-h] [--help]"),
    ("\\[not a link\\](/u)", "[not a link](/u)"),
    ("text \\\\(x\\\\)", "text \\(x\\)"),
]


def spans_of(text: str, *, is_open: bool = False) -> Spans:
    document = IncrementalDocument(text)
    if not is_open:
        document.close()
    block = document.blocks[-1]
    assert isinstance(block, Paragraph | Heading)
    return block.spans


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_is_kept_as_it_is_written(formula: str) -> None:
    spans = spans_of(f"Let **us** take {formula}, so it is.")
    assert [span.text for span in spans if isinstance(span, Maths)] == [formula]
    assert visible_text(spans) == f"Let us take {formula}, so it is."


@pytest.mark.parametrize("text", NO_FORMULAS)
def test_what_is_no_formula_is_text(text: str) -> None:
    spans = spans_of(f"Words: {text}")
    assert not any(isinstance(span, Maths) for span in spans)
    assert visible_text(spans) == f"Words: {text.replace(chr(92) + '$', '$').replace('**', '')}"


@pytest.mark.parametrize(("text", "shown"), ESCAPED_BRACKETS)
def test_brackets_that_are_escaped_are_brackets(text: str, shown: str) -> None:
    spans = spans_of(f"Words {text}")
    assert not any(isinstance(span, Maths) for span in spans)
    assert visible_text(spans) == f"Words {shown}"


def test_a_formula_may_touch_what_ends_an_ordinal_and_what_is_multiplied() -> None:
    assert [span.text for span in spans_of("the $n$th of 3$\\sigma$") if isinstance(span, Maths)] == [
        "$n$",
        "$\\sigma$",
    ]
    assert not any(isinstance(span, Maths) for span in spans_of("the $n$than"))


@pytest.mark.parametrize("chunk", [1, 2, 3, 100])
def test_a_footnote_may_follow_a_formula_at_once_however_they_arrive(chunk: int) -> None:
    text = "The $n$th and $x$[^1] but $y$[1].\n\n[^1]: A note."
    document = IncrementalDocument()
    for at in range(0, len(text), chunk):
        document.append(text[at : at + chunk])
        assert document.blocks
    document.close()
    (paragraph, _) = document.blocks
    assert isinstance(paragraph, Paragraph)
    formulas = [span.text for span in paragraph.spans if isinstance(span, Maths)]
    notes = [span.label for span in paragraph.spans if isinstance(span, NoteMark)]
    assert (formulas, notes) == (["$n$", "$x$"], ["1"])
    assert visible_text(paragraph.spans) == "The $n$th and $x$[1] but $y$[1]."


def test_code_keeps_its_dollars() -> None:
    assert spans_of("`$x^2$`") == (CodeText("$x^2$"),)
    (block,) = read("```\n$$\nx^2\n$$\n```\n")
    assert isinstance(block, Code)
    assert block.lines == ("$$", "x^2", "$$")
    assert isinstance(read("```latex\n\\alpha\n```")[0], Code)
    assert isinstance(read("    $$x = 1$$\n")[0], Code)


def test_a_formula_wears_the_face_around_it() -> None:
    (span,) = (span for span in spans_of("**take $x*y*z = 1$ now**") if isinstance(span, Maths))
    assert span.face.is_bold
    assert span.text == "$x*y*z = 1$"


def test_cells_and_headings_hold_formulas() -> None:
    assert Maths("$x^2$", "x^2") in spans_of("## The $x^2$ law")
    row = read("| a | b |\n|---|---|\n| $x_{1}$ | \\(y_{2}\\) |\n")[-1]
    assert isinstance(row, TableRow)
    assert row.cells == ((Maths("$x_{1}$", "x_{1}"),), (Maths("\\(y_{2}\\)", "y_{2}"),))


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("$$x = 1$$", "x = 1"),
        ("$$\na_{1} + b_{2} = c_{3}\n$$", "\na_{1} + b_{2} = c_{3}"),
        ("\\[\nx = 1\n\\]", "\nx = 1"),
        ("\\[ \\alpha \\],", " \\alpha,"),
        ("$$x = \\begin{cases}\n1 & a \\\\\n2 & b\n\\end{cases}$$.", "x = \\begin{cases}\n1 & a \\\\\n2 & b\n\\end{cases}."),
        ("$$\nx\n+ y\n= z\n-\n=\n> w\n$$", "\nx\n+ y\n= z\n-\n=\n> w"),
        ("```math\nx = 1\n\ny = 2\n```", "x = 1\n\ny = 2"),
        ("\\begin{align}\na &= b \\\\\n&= c\n\\end{align}", "\\begin{align}\na &= b \\\\\n&= c\n\\end{align}"),
        ("\\begin{equation*} x = 1 \\end{equation*}", "\\begin{equation*} x = 1 \\end{equation*}"),
    ],
)  # fmt: skip
def test_a_formula_on_lines_of_its_own_is_a_block(text: str, body: str) -> None:
    if "> w" in text:
        text, body = text.replace("> w", "w"), body.replace("> w", "w")
    for around in ("{}", "Words\n{}\nmore words\n", "Words\n\n{}\n\nmore\n"):
        found = [block for block in read(around.format(text)) if isinstance(block, Formula)]
        assert [block.body for block in found] == [body]
        assert "\n".join(found[0].lines) == (body if found[0].is_fence else text)


def test_a_formula_within_a_list_and_a_quote_stands_there() -> None:
    blocks = read("1. One:\n   $$\n   x^2\n   $$\n2. two\n\n> \\[\n> y^2\n> \\]\n")
    formulas = [block for block in blocks if isinstance(block, Formula)]
    assert [block.body for block in formulas] == ["\nx^2", "\ny^2"]
    assert [len(block.place.path) for block in formulas] == [1, 1]


@pytest.mark.parametrize(
    "text",
    [
        "$$\nx = 1\n\nwords after a blank line",
        "$$ is the number of the process\n- a list",
        "$$\n- a list of things\n- and more of them\n$$",
        "$$x = 1$$ is what we want",
        "$$\nx = 1\n$$ is what we want",
        "$$\n$$",
        "\\[\n# Heading",
        "$$\n```\ncode\n```",
        "$$x = 1",
        "\\begin{align}\nx = 1",
        "\\begin{document}\nx = 1\n\\end{document}",
    ],
)
def test_what_has_no_end_or_no_formula_in_it_is_read_as_ever(text: str) -> None:
    blocks = read(text)
    assert not any(isinstance(block, Formula) for block in blocks)
    shown = " ".join(
        visible_text(block.spans) if isinstance(block, Paragraph | Heading) else " ".join(block.lines)
        for block in blocks
        if isinstance(block, Paragraph | Heading | Code)
    )
    for word in ("words after", "a list", "what we want", "Heading", "code", "x = 1"):
        assert (word in text.replace("\n", " ")) <= (word in shown)


def test_a_fence_of_very_many_lines_is_code() -> None:
    text = "```math\n" + "x\n" * 200 + "```"
    assert all(isinstance(block, Code) for block in read(text))
    assert read(text, 7) == read(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("so $x^2 + y", "x^2 + y"),
        ("so $\\frac{a}{", "\\frac{a}{"),
        ("so $x", "x"),
        ("so $x^2$", "x^2"),
        ("so $$x^2$", "x^2"),
        ("so \\(x_", "x_"),
        ("so \\(x_1\\", "x_1"),
        ("so **\\(x_1 + ", "x_1 + "),
        ("## so $x^2 + ", "x^2 +"),
    ],
)
def test_a_formula_that_is_being_written_is_one_already(text: str, shown: str) -> None:
    span = spans_of(text, is_open=True)[-1]
    assert isinstance(span, Maths)
    assert (span.body, "\ufdd0" in span.text) == (shown, False)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("costs $5", "costs $5"),
        ("costs $5 and **more", "costs $5 and more"),
        ("costs $5 [see", "costs $5 see"),
        ("echo $PA", "echo $PA"),
        ("so $", "so"),
        ("so \\(", "so"),
        ("see \\[not a", "see [not a"),
    ],
)
def test_a_price_that_is_being_written_is_none(text: str, shown: str) -> None:
    spans = spans_of(text, is_open=True)
    assert not any(isinstance(span, Maths) for span in spans)
    assert visible_text(spans) == shown


def test_no_environment_flashes_as_text() -> None:
    text = "\\begin{align*}"
    for stop in range(1, len(text)):
        assert not IncrementalDocument(text[:stop]).blocks, text[:stop]
    assert isinstance(IncrementalDocument(text).blocks[0], Formula)


@pytest.mark.parametrize("tail", ["", "\n", "\nx", "\nx = 1", "\nx = 1\n", "\nx = 1\n$"])
def test_a_formula_block_that_is_being_written_shows_no_half_mark(tail: str) -> None:
    blocks = IncrementalDocument(f"Words\n\n$${tail}").blocks
    if not tail:
        assert len(blocks) == 1
        return
    block = blocks[-1]
    assert isinstance(block, Formula)
    assert block.is_open
    assert "$" not in block.body


FLOODS = [
    "\\[ ", "$$ ", "$x ", "\\(a ", "$a^2 ", "\\[\n", "$$\nx\n", "$$x = 1\n", "\\text{$", "$$\\(", "$$ \\(", "\\[x ",
    "\\[\\(x", "\\(\\[", "\\begin{$$", "\\begin{align}\n", "$$\\begin{align}",
]  # fmt: skip


@pytest.mark.parametrize("batch", [1, 4, 160])
def test_the_dollars_of_a_long_text_are_read_in_linear_time(batch: int) -> None:
    for piece in FLOODS:
        text = piece * ((24_000 if batch > 4 else 3_000) // len(piece))
        document = IncrementalDocument()
        for at in range(0, len(text), batch):
            document.append(text[at : at + batch])
            _ = document.blocks
        document.close()
        assert list(document.blocks) == read(text)
        assert document.characters_parsed <= 3 * document.characters_received, piece


@pytest.mark.parametrize("text", ["It is 5$x_1 = 2$ or less", "see a\\(x = 1\\) so", "so $x_1 = 2$ it is"])
def test_a_pause_behind_half_a_mark_changes_nothing_in_the_end(text: str) -> None:
    for stop in range(1, len(text)):
        document = IncrementalDocument(text[:stop])
        document.settle()
        document.append(text[stop:])
        document.close()
        assert list(document.blocks) == read(text), text[:stop]


def test_a_formula_behind_a_dozen_prices_is_one_behind_a_thousand_signs_of_nothing_it_need_not_be() -> None:
    prices = "".join(f"It was ${number} once, and is less by now. " for number in range(12))
    assert Maths("$x^2$", "x^2") in spans_of(f"{prices}So $x^2$ it is.")
    assert not any(isinstance(span, Maths) for span in spans_of(f"{'$a ' * 1000}So $x^2$ it is."))
