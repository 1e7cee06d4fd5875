"""Pictures that stand in the text of an answer: what it holds itself, and what is attached to its prompt."""

import base64
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatui.core.attached_file import AttachedFile
from chatui.core.messages import ImagePart, Message, Role, TextPart
from chatui.core.turn import Choice, Phase, Turn, TurnId
from chatui.markdown.document import IncrementalDocument
from chatui.view.badge import Badge
from chatui.view.glyphs import glyphs
from chatui.view.layout.document_layout import DocumentLayout
from chatui.view.layout.options import LayoutOptions
from chatui.view.lines import Line, Tone
from chatui.view.pictures import PagePictures
from chatui.view.turn_options import TurnViewOptions
from chatui.view.turn_view import TurnView


def png(width: int, height: int, extra: bytes = b"") -> str:
    """A header is enough: nothing is decoded here."""
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big")
    return base64.b64encode(head + extra).decode()


SMALL = f"data:image/png;base64,{png(8, 4)}"
LARGE = f"data:image/png;base64,{png(640, 480, b'x' * 3000)}"


class Shelf:
    """Shows everything but what it was told not to."""

    def __init__(self, refused: str | None = None) -> None:
        self.refused = refused
        self.asked: list[ImagePart] = []

    def refusal(self, image: ImagePart, file: AttachedFile) -> str | None:
        self.asked.append(image)
        return self.refused


def lines_of(
    source: str, width: int = 60, chunk: int | None = None, shelf: Shelf | None = None
) -> list[Line]:
    attached = (ImagePart("image/png", png(16, 8), name="cat and dog.png"),)
    options = LayoutOptions(pictures=PagePictures(shelf or Shelf(), attached))
    document = IncrementalDocument()
    layout = DocumentLayout(document, width, options)
    for at in range(0, len(source), chunk or len(source)):
        document.append(source[at : at + (chunk or len(source))])
        layout.refresh()
    document.close()
    layout.refresh()
    return list(layout.lines(0, layout.line_count))


def boxes(lines: list[Line]) -> list[tuple[str, int, int]]:
    return [
        (line.picture.box.name, line.picture.box.columns, line.picture.box.rows)
        for line in lines
        if line.picture is not None and line.picture.row == 0
    ]


def test_a_picture_that_an_answer_holds_stands_above_its_words() -> None:
    lines = lines_of(f"Before.\n\n![a red dot]({SMALL})\n\nAfter.")
    assert [line.text.strip() for line in lines] == ["Before.", "", "", "", "▣ a red dot", "", "After."]
    assert boxes(lines) == [("a red dot", 8, 2)]
    assert [line.picture.row for line in lines if line.picture] == [0, 1]


def test_a_picture_that_is_attached_to_the_prompt_is_meant_by_its_name() -> None:
    for address in ("<cat and dog.png>", "cat%20and%20dog.png", "./some/where/cat%20and%20dog.png"):
        assert boxes(lines_of(f"Look: ![the two]({address})")) == [("cat and dog.png", 16, 4)]


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/cat%20and%20dog.png",
        "http://127.0.0.1/x.png",
        "file:///etc/x.png",
        "//example.org/x.png",
        "other.png",
        "data:image/svg+xml;base64,PHN2Zy8+",
        "data:text/plain;base64,aGVsbG8=",
        "data:image/png;base64,AAAA",
        "data:image/png,AAAA",
    ],
)
def test_everything_else_stays_a_link_with_its_true_target(address: str) -> None:
    (line,) = [line for line in lines_of(f"![a picture]({address})") if line.text.strip()]
    assert line.picture is None
    if line.text.startswith("▣"):
        assert {run.link for run in line.runs} == {address}


def test_what_cannot_be_shown_stays_words() -> None:
    for refused in ("", "the file is damaged"):
        assert not boxes(lines_of(f"![a]({SMALL})", shelf=Shelf(refused)))


def test_where_no_pictures_are_shown_the_words_stand_alone() -> None:
    document = IncrementalDocument()
    document.append(f"![a]({SMALL})")
    document.close()
    layout = DocumentLayout(document, 60, LayoutOptions())
    layout.refresh()
    assert [line.text for line in layout.lines(0, 9)] == ["▣ a"]


def test_in_a_list_and_a_quote_a_picture_is_set_in() -> None:
    lines = lines_of(f"- one\n- ![dot]({SMALL})\n\n> ![dot]({SMALL})")
    rows = [line for line in lines if line.picture]
    assert [line.content_at for line in rows] == [rows[0].content_at] * 2 + [rows[2].content_at] * 2
    assert all(line.content_at >= 2 and line.cells == line.content_at + 8 for line in rows)
    assert all(line.runs[-1].text == " " * 8 for line in rows)


SAMPLE = (
    f"# Pictures\n\nOne ![first]({SMALL}) beside words, then\n\n![large]({LARGE})\n\n"
    f"- in a list ![dot]({SMALL})\n- and words "
    + "that go on " * 60
    + "\n\n![a cat](cat%20and%20dog.png) end"
)


@settings(max_examples=30)
@given(st.integers(1, 400), st.integers(2, 90))
def test_the_lines_are_the_same_however_the_text_arrived(chunk: int, width: int) -> None:
    assert lines_of(SAMPLE, width, chunk) == lines_of(SAMPLE, width)


def test_a_line_that_does_not_change_stays_the_same_object_while_text_follows() -> None:
    document = IncrementalDocument()
    layout = DocumentLayout(document, 60, LayoutOptions(pictures=PagePictures(Shelf(), ())))
    document.append(f"![dot]({SMALL})")
    layout.refresh()
    before = layout.lines(0, 2)
    for word in (" and", " more", " words\n\n", "Next."):
        document.append(word)
        layout.refresh()
        assert all(one is other for one, other in zip(before, layout.lines(0, 2), strict=True))


def turn(*parts: ImagePart, answer: str) -> Turn:
    return Turn(
        turn_id=TurnId("t"),
        input=(Message(Role.USER, (*parts, TextPart("Say."))),),
        choices=(Choice(0, (TextPart(answer),)),),
        phase=Phase.COMPLETED,
    )


def view_of(shown: Turn, shelf: Shelf | None) -> list[Line]:
    options = TurnViewOptions(
        layout=LayoutOptions(), signs=glyphs(True), clock_text=lambda _epoch: "", pictures=shelf
    )
    view = TurnView(shown, Badge("", "", Tone.TEXT), 60, options)
    wide = [view.row(row)[0] for row in range(view.height)]
    view.use_options(options)
    assert [view.row(row)[0] for row in range(view.height)] == wide
    return wide


def test_a_turn_shows_what_is_attached_to_its_own_prompt() -> None:
    attached = ImagePart("image/png", png(8, 4), name="dot.png")
    lines = view_of(turn(attached, answer="Here: ![it](dot.png)"), Shelf())
    assert boxes(lines) == [("dot.png", 8, 2)] * 2
    assert not boxes(view_of(turn(answer="Here: ![it](dot.png)"), Shelf()))
    assert not boxes(view_of(turn(attached, answer="Here: ![it](dot.png)"), None))


def test_a_picture_is_told_apart_from_one_that_differs_in_a_byte() -> None:
    one, other = (ImagePart("image/png", png(8, 4, extra), name="x.png") for extra in (b"a", b"b"))
    first, second = (view_of(turn(part, answer=""), Shelf()) for part in (one, other))
    assert boxes(first) == boxes(second)
    assert first != second
    assert replace(one) == one
