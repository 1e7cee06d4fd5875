"""A document that arrived in any pieces is the document of the whole text; what is closed stays as it is."""

from hypothesis import given
from markdown.oracle import read
from markdown.texts import markdown_texts, sizes

from chatui.markdown.blocks import Block, Heading, Paragraph, Text, visible_text
from chatui.markdown.document import IncrementalDocument


@given(markdown_texts, sizes)
def test_blocks_after_the_end_equal_those_of_the_whole_text(text: str, pieces: list[int]) -> None:
    assert read(text, *pieces) == read(text)


@given(markdown_texts, sizes)
def test_a_look_never_changes_what_comes_out(text: str, pieces: list[int]) -> None:
    seldom = IncrementalDocument()
    at = 0
    for number, size in enumerate(pieces * (len(text) + 1)):
        if at >= len(text):
            break
        seldom.append(text[at : at + size])
        at += size
        if number % 3 == 0:
            _ = seldom.blocks
    seldom.close()
    assert list(seldom.blocks) == read(text)


@given(markdown_texts, sizes)
def test_keys_count_up_and_revisions_only_grow(text: str, pieces: list[int]) -> None:
    document = IncrementalDocument()
    at, number = 0, 0
    while at < len(text):
        size = pieces[number % len(pieces)]
        document.append(text[at : at + size])
        at, number = at + size, number + 1
        assert [block.key for block in document.blocks] == list(range(len(document.blocks)))


def _grow(*parts: str) -> tuple[IncrementalDocument, list[list[Block]]]:
    document = IncrementalDocument()
    seen = []
    for part in parts:
        document.append(part)
        seen.append(list(document.blocks))
    return document, seen


def test_a_closed_block_stays_the_same_object() -> None:
    _, seen = _grow("First words.\n\nSecond", " words.\n\nThird")
    assert seen[1][0] is seen[0][0]


def test_a_late_definition_makes_a_link_and_raises_the_revision_of_that_block_only() -> None:
    document, seen = _grow("see [docs][d]\n\nfiller\n\n", "[d]: https://t.example/docs\n\nend\n")
    document.close()
    before, after = seen[0][0], document.blocks[0]
    assert isinstance(before, Paragraph)
    assert isinstance(after, Paragraph)
    assert before.key == after.key
    assert (before.revision, after.revision) == (0, 1)
    assert after.spans == (Text("see "), Text("docs", target="https://t.example/docs"))
    assert document.blocks[1] is seen[0][1]


def test_a_late_footnote_makes_a_mark() -> None:
    document, _ = _grow("Water[^1] boils.\n\n", "[^1]: At a hundred degrees.\n")
    document.close()
    first = document.blocks[0]
    assert isinstance(first, Paragraph)
    assert visible_text(first.spans) == "Water[1] boils."
    assert first.revision == 1


def test_the_first_definition_of_a_label_wins() -> None:
    document, _ = _grow("[a]: /one\n[a]: /two\n\n[a]\n")
    document.close()
    last = document.blocks[-1]
    assert isinstance(last, Paragraph)
    assert last.spans == (Text("a", target="/one"),)


def test_an_underline_turns_the_paragraph_above_into_a_heading() -> None:
    document, seen = _grow("A title that came first\n", "=", "==\n\nbody")
    assert isinstance(seen[0][0], Paragraph)
    assert isinstance(seen[1][0], Paragraph), "a line of marks waits until it is decided"
    document.close()
    assert isinstance(document.blocks[0], Heading)


def test_line_ends_of_all_systems_mean_the_same() -> None:
    unix = "# A\n\n- b\n- c\n\n```\nx\n\n```\n"
    blocks = read(unix)
    for size in (1, 2, 100):
        assert [b.__class__ for b in read(unix.replace("\n", "\r\n"), size)] == [b.__class__ for b in blocks]
        assert [b.__class__ for b in read(unix.replace("\n", "\r"), size)] == [b.__class__ for b in blocks]


def test_nothing_can_be_appended_after_the_end() -> None:
    document = IncrementalDocument("x")
    document.close()
    try:
        document.append("y")
    except ValueError:
        return
    raise AssertionError("appending to a closed document must not pass silently")


def test_a_definition_at_the_start_of_an_item_leaves_no_empty_line_there() -> None:
    text = "- [r]: /u\n  # Title\n- [s]: /v\n- end\n"
    for size in (1, 3, 100):
        first, empty, end = read(text, size)
        assert isinstance(first, Heading)
        assert first.place.shared == 0, "the bullet stands before the first thing that can be seen"
        assert [isinstance(block, Paragraph) for block in (empty, end)] == [True, True]


def test_a_single_dash_under_a_bar_is_the_underline_of_a_heading() -> None:
    for size in (1, 100):
        (block,) = read("| a |\n-\n", size)
        assert isinstance(block, Heading)


def test_a_picture_that_is_part_of_the_text_is_a_picture_however_long_it_is() -> None:
    text = f"See ![a dot](data:image/png;base64,{'iVBORw0KGgo+/A' * 2000}==) there.\n"
    for size in (61, 7, len(text)):
        blocks = [block for block in read(text, size) if isinstance(block, Paragraph)]
        assert "".join(visible_text(block.spans) for block in blocks) == "See a dot there."


def test_emphasis_may_go_on_for_a_page() -> None:
    for mark in ("**", "_"):
        text = f"Start {mark}{'word ' * 600}end{mark} after.\n"
        for size in (61, len(text)):
            shown = "".join(
                visible_text(block.spans) for block in read(text, size) if isinstance(block, Paragraph)
            )
            assert mark not in shown


def test_text_without_a_blank_is_cut_alike_where_an_address_has_half_begun() -> None:
    text = "www.a.b---<a.b>" * 300
    for size in (1, 2, 3):
        assert read(text, size) == read(text), size


def test_an_open_title_takes_nothing_from_the_picture_after_it() -> None:
    text = 'See [one](u "two ![three](v)\n'
    for size in (1, 5, 100):
        (block,) = read(text, size)
        assert isinstance(block, Paragraph)
        assert visible_text(block.spans) == 'See [one](u "two three'


def test_words_before_half_a_line_end_are_shown() -> None:
    document = IncrementalDocument("Some words\r")
    (block,) = document.blocks
    assert isinstance(block, Paragraph)
    assert visible_text(block.spans) == "Some words"
    document.append("\nmore")
    (block,) = document.blocks
    assert isinstance(block, Paragraph)
    assert visible_text(block.spans) == "Some words more"


def test_inline_code_of_a_page_is_code_while_it_is_written_and_after() -> None:
    code = "word " * 700
    document = IncrementalDocument(f"See `{code}")
    open_text = "".join(
        visible_text(block.spans) for block in document.blocks if isinstance(block, Paragraph)
    )
    assert "`" not in open_text
    for size in (61, len(code) + 20):
        shown = "".join(
            visible_text(block.spans)
            for block in read(f"See `{code}` there.\n", size)
            if isinstance(block, Paragraph)
        )
        assert "`" not in shown


def test_a_flood_of_open_marks_is_shown_as_it_stands() -> None:
    document = IncrementalDocument()
    for _ in range(40):
        document.append("*a [b `c` ")
        _ = document.blocks
    shown = "".join(visible_text(block.spans) for block in document.blocks if isinstance(block, Paragraph))
    assert shown == ("*a [b c " * 40).rstrip()
