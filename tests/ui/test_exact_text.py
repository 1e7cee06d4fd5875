"""Not a character of what is written is lost or taken for another one."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from ui.acting import on_stage

from chatui.ui.writing.exact_document import ExactDocument

ODD = "\u2028\u2029\u0085\x0b\x0c\x1c\x1d\x1e"
TEXTS = st.text(st.sampled_from("ab \n\t漢" + ODD), max_size=30)


@given(TEXTS, TEXTS, st.data())
def test_a_document_changes_no_character(text: str, more: str, data: st.DataObject) -> None:
    document = ExactDocument(text)
    assert document.text == text
    at = data.draw(st.integers(0, len(text)))
    row = text.count("\n", 0, at)
    place = (row, at - (text.rfind("\n", 0, at) + 1))
    end = document.replace_range(place, place, more).end_location
    assert document.text == text[:at] + more + text[at:]
    assert document.get_index_from_location(end) == at + len(more)


async def test_separators_of_lines_and_paragraphs_are_sent_as_they_were_pasted(tmp_path: Path) -> None:
    text = "one\u2028two\u2029three\u0085four"
    async with on_stage(tmp_path) as stage:
        composer = stage.chat.composer
        composer.put(text)
        await stage.settle()
        assert composer.document.line_count == 1
        await stage.press("end", "!", "enter")
        assert stage.session.sent[0][0].text == text + "!"
        await stage.press("up")
        assert composer.text == text + "!"


async def test_a_separator_at_the_end_of_a_paste_is_kept(tmp_path: Path) -> None:
    from textual.events import Paste

    async with on_stage(tmp_path) as stage:
        stage.chat.composer.post_message(Paste("one\u2028"))
        await stage.settle()
        await stage.press("x")
        assert stage.chat.composer.written == "one\u2028x"
        await stage.press("backspace", "backspace")
        assert stage.chat.composer.written == "one"
