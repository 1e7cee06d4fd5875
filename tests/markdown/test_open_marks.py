"""While text streams, marks that are still open look as they will when they are closed."""

import pytest

from chatui.markdown.blocks import Code, CodeText, Heading, Paragraph, Spans, TableRow, Text, visible_text
from chatui.markdown.document import IncrementalDocument


def shown(text: str) -> Spans:
    document = IncrementalDocument(text)
    last = document.blocks[-1]
    assert isinstance(last, Paragraph | Heading)
    return last.spans


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("The **quick brown", "The quick brown"),
        ("The **quick brown fox*", "The quick brown fox"),
        ("The *quick", "The quick"),
        ("The **", "The"),
        ("run `git push", "run git push"),
        ("run `git push`", "run git push"),
        ("run `", "run"),
        ("Go to [our pa", "Go to our pa"),
        ("Go to [our page](https://p.ex", "Go to our page"),
        ("Go to [our page](https://p.example/x y", "Go to [our page](https://p.example/x y"),
        ("see <https://exam", "see https://exam"),
        ("~~old", "old"),
        ("**bold and `code", "bold and code"),
        ("look ![a kite](http", "look a kite"),
        ("## Half a **head", "Half a head"),
        ("5*3 and more", "5*3 and more"),
        ("a * b", "a * b"),
        ("snake_case and a_b", "snake_case and a_b"),
        ("as in [^1", "as in [^1"),
        ("Go to [our page]", "Go to our page"),
        ('Go to [our page](/p "The title")', "Go to our page"),
        ("Go to [our page](<a b>)", "Go to our page"),
        ("look ![a kite]", "look a kite"),
        ("look ![]", "look"),
        ("[![build state]", "build state"),
        ("see [1]", "see [1]"),
        ("dict[str, list[i", "dict[str, list[i"),
        ("[[Wiki", "[[Wiki"),
        ("a [b [c](u) d", "a [b c d"),
        ("**a*b", "a*b"),
        ("**a*b*", "a*b"),
        ("**one \\\\ ", "one \\"),
        ("Tom &am", "Tom "),
        ("a &#x20", "a "),
        ("R&D", "R&D"),
        ("see <htt", "see"),
    ],
)
def test_an_open_mark_does_not_flash(source: str, visible: str) -> None:
    assert visible_text(shown(source)) == visible


def test_open_bold_is_bold_and_open_code_is_code() -> None:
    bold = shown("The **quick")[-1]
    assert isinstance(bold, Text)
    assert bold.face.is_bold
    assert isinstance(shown("run `git")[-1], CodeText)


@pytest.mark.parametrize(
    "marks", ["`", "``", "```", "~~", "-", "--", "=", "*", "_", "#", "|", ">", "1", "12.", "- ["]
)
def test_a_line_of_marks_waits_until_it_is_decided(marks: str) -> None:
    document = IncrementalDocument(f"Words.\n{marks}")
    assert [block.__class__ for block in document.blocks] == [Paragraph]
    first = document.blocks[0]
    assert isinstance(first, Paragraph)
    assert visible_text(first.spans) == "Words."


def test_a_break_that_is_being_written_in_a_cell_is_not_shown() -> None:
    for tail in ("<", "<b", "<br", "<br /"):
        row = IncrementalDocument(f"| a |\n|---|\n| one{tail}").blocks[-1]
        assert isinstance(row, TableRow)
        assert visible_text(row.cells[0]) == "one"


def test_code_that_goes_on_for_long_is_code_before_it_is_closed() -> None:
    assert "`" not in visible_text(shown(f"`{'word ' * 100}"))


def test_an_open_picture_of_many_characters_shows_its_description() -> None:
    document = IncrementalDocument("![a dot](data:image/png;base64,")
    for _ in range(60):
        document.append("iVBORw0KGgoAAAAN")
        assert "".join(visible_text(block.spans) for block in document.blocks) == "a dot"  # type: ignore[union-attr]


def test_an_open_fence_is_code_already_and_its_closing_marks_wait() -> None:
    for tail in ("", "\n", "\n`", "\n``"):
        block = IncrementalDocument(f"```swift\nlet x = 1{tail}").blocks[0]
        assert isinstance(block, Code)
        assert block.language == "swift"
        assert [line for line in block.lines if line] == ["let x = 1"]


def test_a_definition_that_is_being_written_is_not_shown() -> None:
    for text in ("[docs", "[docs]:", "[docs]: https://a.example", '[docs]: https://a.example "ti'):
        document = IncrementalDocument(f"Words.\n\n{text}")
        assert len(document.blocks) == 1


def test_a_long_aside_in_brackets_is_shown_before_it_is_closed() -> None:
    text = "[Note: the **server** was restarted"
    assert visible_text(shown(f"Words.\n\n{text}")) == "Note: the server was restarted"
    assert visible_text(shown(f"{text}]")) == "Note: the server was restarted"
    assert (
        visible_text(shown(f"{text}, so look again] and"))
        == "[Note: the server was restarted, so look again] and"
    )


def test_a_bracket_that_is_no_definition_is_shown_at_once() -> None:
    assert visible_text(shown("[INFO]: the server is up")) == "[INFO]: the server is up"


def test_a_line_of_cells_looks_like_a_table_before_the_delimiter_line_came() -> None:
    for text in ("| name | va", "| name | value |\n", "| name | value |\n|--"):
        (row,) = IncrementalDocument(text).blocks
        assert isinstance(row, TableRow)
        assert row.is_header
    document = IncrementalDocument("| just | text |\n")
    document.close()
    assert isinstance(document.blocks[0], Paragraph)


def test_a_long_end_with_an_open_mark_shows_the_marks_within_it() -> None:
    document = IncrementalDocument("The interval [0, 1) ")
    for _ in range(120):
        document.append("holds **every** `value` of it ")
        text = "".join(visible_text(block.spans) for block in document.blocks if isinstance(block, Paragraph))
    assert "**every**" not in text


def test_a_dollar_within_a_word_begins_no_formula_letter_by_letter() -> None:
    document = IncrementalDocument()
    for letter in "a$x^2":
        document.append(letter)
        (block,) = document.blocks
        assert isinstance(block, Paragraph)
        assert all(isinstance(span, Text) for span in block.spans)


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("see **http://a.example/x**", "see http://a.example/x"),
        ("see (http://a.example/x).", "see (http://a.example/x)."),
        ("|`f", "|f"),
        ("| **a", "| a"),
    ],
)
def test_an_address_and_a_first_cell_do_not_flash_either(source: str, visible: str) -> None:
    assert visible_text(shown(source)) == visible
