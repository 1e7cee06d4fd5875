"""Pictures in the conversation: shown where the terminal can, told in words where it cannot."""

import re
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from ui.acting import Acting, acted_app, completed_turn, on_stage
from ui.picture_files import BLUE, RED, SIGNALS, encoded, image_part, picture, plain_picture, shown

from chatui.config.settings import PictureDisplay, Settings
from chatui.core.conversation import Conversation
from chatui.core.messages import ImagePart, Part, TextPart, ToolActivityPart
from chatui.core.turn import Choice
from chatui.ui.app import ChatApp
from chatui.ui.pictures import gallery as gallery_module
from chatui.ui.pictures import picture_decoding
from chatui.ui.pictures.gallery import PictureMode
from chatui.ui.turns.selection import Place, Selection
from chatui.view.glyphs import glyphs
from chatui.view.part_lines import part_lines
from chatui.view.pictures import MOST_ROWS

SUN = plain_picture(RED, (640, 480))


@pytest.fixture(autouse=True)
def colourful(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "ACCESSIBLE", "TMUX", "STY", "ZELLIJ"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")


def set_to(wanted: str) -> Settings:
    settings = Settings()
    return replace(settings, ui=replace(settings.ui, pictures=PictureDisplay(wanted)))


async def decoded(stage: Acting) -> None:
    """Until every picture in sight is shown."""
    for _ in range(3):
        await stage.settle()
        await stage.app.gallery.settled()
    await stage.settle()


def row_at(stage: Acting, words: str) -> int:
    return next(y for y, line in enumerate(stage.screen()) if words in line)


def colours(stage: Acting, y: int) -> list[tuple[str, object, object]]:
    """Mark, colour and background of the cells of a row of the screen."""
    strip = stage.app.screen._compositor.render_strips()[y]
    return [
        (
            mark,
            style and style.color and tuple(style.color.get_truecolor()),
            style and style.bgcolor and tuple(style.bgcolor.get_truecolor()),
        )
        for text, style, _ in strip
        for mark in text
    ]


def picture_rows(stage: Acting) -> int:
    return sum(
        row.line is not None and row.line.picture is not None for row in stage.chat.transcript._painted
    )


async def test_an_attached_picture_stands_below_its_name(tmp_path: Path) -> None:
    four = picture(SIGNALS, (4, 4))
    async with on_stage(tmp_path, conversation=shown(image_part(four))) as stage:
        await decoded(stage)
        y = row_at(stage, "pic.png")
        assert "PNG 4×4" in stage.screen()[y]
        margin = 2
        assert [look[1] for look in colours(stage, y + 1)[margin : margin + 4]] == [
            (255, 0, 0),
            (0, 255, 0),
            (0, 0, 255),
            (255, 255, 255),
        ]
        assert picture_rows(stage) == 2
        assert stage.app.gallery.decoded == 1


async def test_nothing_jumps_when_the_pixels_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    decode = picture_decoding.decode

    def slowly(*given, **named):
        assert gate.wait(20)
        return decode(*given, **named)

    monkeypatch.setattr(picture_decoding, "decode", slowly)
    async with on_stage(tmp_path, conversation=shown(image_part(SUN))) as stage:
        await stage.settle()
        before = stage.screen()
        height = stage.chat.transcript.content_height()
        assert picture_rows(stage) == MOST_ROWS
        built = stage.chat.transcript.painter.strips_made
        gate.set()
        await decoded(stage)
        assert stage.screen() == before, "the words stand where they stood"
        assert stage.chat.transcript.content_height() == height
        y = row_at(stage, "pic.png") + 1
        assert colours(stage, y)[2][2] == RED
        assert stage.chat.transcript.painter.strips_made - built <= 2 * MOST_ROWS


async def test_a_picture_out_of_sight_is_not_decoded_and_one_in_sight_once(tmp_path: Path) -> None:
    conversation = shown(image_part(SUN), answer="word\n\n" * 60)
    async with on_stage(tmp_path, conversation=conversation) as stage:
        await decoded(stage)
        assert stage.app.gallery.decoded == 0
        await stage.press("tab", "home")
        await decoded(stage)
        assert stage.app.gallery.decoded == 1
        await stage.press("end", "home")
        await decoded(stage)
        assert stage.app.gallery.decoded == 1


async def test_after_a_resize_the_picture_fits_the_new_width(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 40), conversation=shown(image_part(SUN))) as stage:
        await decoded(stage)
        assert picture_rows(stage) == MOST_ROWS
        await stage.pilot.resize_terminal(30, 40)
        await decoded(stage)
        assert picture_rows(stage) == 4
        y = row_at(stage, "pic.png") + 1
        assert [look[2] for look in colours(stage, y)].count(RED) == round(640 * 8 / 480)
        await stage.pilot.resize_terminal(100, 40)
        await decoded(stage)
        assert picture_rows(stage) == MOST_ROWS
        assert stage.app.gallery.decoded == 2, "the first size was kept"


async def test_another_theme_is_seen_through_a_transparent_picture(tmp_path: Path) -> None:
    clear = picture([(0, 0, 0, 0)] * 64, (8, 8))
    async with on_stage(tmp_path, conversation=shown(image_part(clear))) as stage:
        await decoded(stage)
        y = row_at(stage, "pic.png") + 1
        for name in ("paper", "lamplight"):
            stage.app.show_theme(name)
            await decoded(stage)
            page = tuple(stage.app.styles_of_theme.colour("page").get_truecolor())
            assert colours(stage, y)[3][2] == page
        assert stage.app.gallery.decoded == 1


async def test_a_broken_picture_becomes_its_line_of_words_with_the_reason(tmp_path: Path) -> None:
    broken = SUN[:100]
    async with on_stage(tmp_path, conversation=shown(image_part(broken), image_part(SUN))) as stage:
        await decoded(stage)
        line = stage.screen()[row_at(stage, "pic.png")]
        assert "PNG 640×480" in line
        assert "the file is damaged" in line
        assert picture_rows(stage) == MOST_ROWS, "the good one is shown"


async def test_a_picture_that_is_too_large_is_told_in_words_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture_decoding, "MOST_PIXELS", 1000)
    monkeypatch.setattr(picture_decoding, "decode", lambda *given, **named: pytest.fail("decoded"))
    async with on_stage(tmp_path, conversation=shown(image_part(SUN))) as stage:
        await decoded(stage)
        assert "too large to be shown" in stage.screen()[row_at(stage, "pic.png")]
        assert picture_rows(stage) == 0


async def test_without_pillow_there_are_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_decoding, "has_decoder", lambda: False)
    async with on_stage(tmp_path, conversation=shown(image_part(SUN))) as stage:
        await decoded(stage)
        assert stage.screen()[row_at(stage, "pic.png")].endswith("pic.png  PNG 640×480 2 kB")
        assert picture_rows(stage) == 0


def answered(*parts: Part) -> Conversation:
    """A saved conversation whose answer has these parts."""
    turn = replace(completed_turn(0, "Draw a sun.", ""), choices=(Choice(0, parts),))
    return Conversation(conversation_id="saved", turns=(turn,), head=turn.turn_id)


async def test_a_picture_in_an_answer_is_shown(tmp_path: Path) -> None:
    made = ImagePart("image/png", encoded(SUN))
    async with on_stage(tmp_path, (80, 30), conversation=answered(TextPart("Here:"), made)) as stage:
        await decoded(stage)
        y = row_at(stage, "image/png  PNG 640×480")
        assert colours(stage, y + 1)[3][2] == RED
        assert picture_rows(stage) == MOST_ROWS


async def test_a_picture_that_a_hosted_tool_made_is_shown(tmp_path: Path) -> None:
    item = {"type": "image_generation_call", "status": "completed", "result": encoded(SUN)}
    activity = ToolActivityPart("ig", "image_generation", "completed", "a sun", opaque={"item": item})
    other = replace(activity, name="quantum", opaque={"item": {**item, "type": "quantum_call"}})
    async with on_stage(tmp_path, (80, 30), conversation=answered(activity, other)) as stage:
        await decoded(stage)
        y = row_at(stage, "image_generation")
        assert "generated picture  PNG 640×480" in stage.screen()[y + 1]
        assert colours(stage, y + 2)[3][2] == RED
        assert picture_rows(stage) == MOST_ROWS


async def test_an_address_is_never_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_decoding, "decode", lambda *given, **named: pytest.fail("decoded"))
    remote = ImagePart("image/png", url="http://127.0.0.1:9/secret.png", name="remote.png")
    async with on_stage(tmp_path, conversation=shown(remote)) as stage:
        await decoded(stage)
        line = next(
            row.line for row in stage.chat.transcript._painted if row.line and "remote.png" in row.line.text
        )
        assert [run.link for run in line.runs] == ["http://127.0.0.1:9/secret.png"]
        assert picture_rows(stage) == 0


async def test_the_setting_switches_pictures_off_and_on_while_the_app_runs(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=shown(image_part(SUN)), settings=set_to("off")) as stage:
        await decoded(stage)
        assert picture_rows(stage) == 0
        for wanted, rows in (("half-blocks", MOST_ROWS), ("off", 0)):
            stage.app.workspace.settings = set_to(wanted)
            stage.app.take_settings()
            await decoded(stage)
            assert picture_rows(stage) == rows


async def test_of_many_pictures_the_first_are_shown_until_the_prompt_is_unfolded(tmp_path: Path) -> None:
    parts = [image_part(plain_picture(RED, (8 + n, 4)), f"p{n}.png") for n in range(5)]
    async with on_stage(tmp_path, (80, 50), conversation=shown(*parts)) as stage:
        await decoded(stage)
        assert picture_rows(stage) == 3 * 2
        assert "all 5 pictures" in stage.text()
        await stage.press("tab", "z")
        await decoded(stage)
        assert picture_rows(stage) == 5 * 2
        assert "fold" in stage.text()
        await stage.press("z")
        await decoded(stage)
        assert picture_rows(stage) == 3 * 2


async def test_a_folded_prompt_hides_its_pictures_too(tmp_path: Path) -> None:
    conversation = shown(image_part(SUN), text="\n".join(f"line {n}" for n in range(30)))
    async with on_stage(tmp_path, (80, 80), conversation=conversation) as stage:
        await decoded(stage)
        assert "the whole prompt" in stage.text()
        assert "pic.png" in stage.text()
        assert picture_rows(stage) == 0
        await stage.press("tab", "z")
        await decoded(stage)
        assert picture_rows(stage) == MOST_ROWS


async def test_what_is_copied_of_a_picture_is_its_name(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 40), conversation=shown(image_part(SUN))) as stage:
        await decoded(stage)
        transcript = stage.chat.transcript
        view = transcript.turn_list.view(0)
        name = next(row for row in range(view.height) if "pic.png" in view.row(row)[0].text)
        answer = next(row for row in range(view.height) if "A picture" in view.row(row)[0].text)

        def copied(start: int, stop: int) -> str:
            transcript.select(Selection(Place(0, start, 0), Place(0, stop, 200)))
            return transcript.selected_text()

        assert copied(name, answer).startswith("● pic.png  PNG 640×480 2 kB\n")
        assert copied(name, answer).endswith("A picture.")
        assert copied(name + 2, name + 4) == "pic.png"
        assert copied(name - 1, name + 4) == "What is it?\n● pic.png  PNG 640×480 2 kB"
        assert "▀" not in copied(0, answer)
        await decoded(stage)
        assert colours(stage, row_at(stage, "pic.png") + 1)[3][2] != RED, "a selected picture is tinted"


async def test_a_caret_can_stand_on_a_picture(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 40), conversation=shown(image_part(SUN))) as stage:
        await decoded(stage)
        await stage.press("tab", "home", "v", "j", "j", "j", "j", "j", "y")
        await decoded(stage)
        assert "▀" not in stage.app.clipboard


async def test_two_pictures_of_one_size_are_not_mixed_up(tmp_path: Path) -> None:
    parts = [image_part(plain_picture(colour, (8, 4)), "same.png") for colour in (RED, BLUE)]
    async with on_stage(tmp_path, (80, 40), conversation=shown(*parts)) as stage:
        await decoded(stage)
        first = row_at(stage, "same.png")
        assert colours(stage, first + 1)[3][2] == RED
        assert colours(stage, first + 5)[3][2] == BLUE


async def test_what_is_kept_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery_module, "MOST_KEPT_BYTES", 310)
    parts = [image_part(plain_picture(RED, (8 + n, 4)), f"p{n}.png") for n in range(3)]
    async with on_stage(tmp_path, (80, 40), conversation=shown(*parts)) as stage:
        await decoded(stage)
        assert len(stage.app.gallery._kept) == 2
        assert picture_rows(stage) == 6
        await stage.pilot.resize_terminal(60, 40)
        await decoded(stage)
        assert len(stage.app.gallery._kept) == 2


# --- the terminal's own pictures


def in_kitty(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the app writes to such a terminal beside its frames."""
    written: list[str] = []
    monkeypatch.setenv("TERM", "xterm-kitty")
    monkeypatch.setattr(ChatApp, "write_to_terminal", lambda _app, sequence: written.append(sequence))
    return written


async def test_kitty_is_sent_a_picture_once_and_again_when_it_may_have_lost_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = in_kitty(monkeypatch)
    async with on_stage(tmp_path, conversation=shown(image_part(SUN))) as stage:
        await decoded(stage)
        assert stage.app.gallery.mode is PictureMode.KITTY
        y = row_at(stage, "pic.png") + 1
        (first,) = re.findall(r"a=T,U=1,f=100,i=(\d+),c=32,r=12", "".join(written))
        mark, colour, _ = colours(stage, y)[2]
        assert mark == "\U0010eeee"
        assert colour is not None
        red, green, blue = colour  # type: ignore[misc]
        assert (red << 16) + (green << 8) + blue == int(first)
        await stage.press("tab", "up", "down")
        stage.app.redraw()
        await decoded(stage)
        assert f"a=d,d=I,i={first}," in "".join(written)
        ids = re.findall(r"a=T,U=1,f=100,i=(\d+)", "".join(written))
        assert len(ids) == 2
        red, green, blue = colours(stage, y)[2][1]  # type: ignore[misc]
        assert (red << 16) + (green << 8) + blue == int(ids[1])
        stage.app.gallery.forget_sent()
        assert f"a=d,d=I,i={ids[1]}," in written[-1]


async def test_the_terminal_is_not_asked_to_keep_more_than_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = in_kitty(monkeypatch)
    monkeypatch.setattr(gallery_module, "MOST_SENT", 2)
    conversation = shown(*(image_part(plain_picture(RED, (8 + n, 4)), f"p{n}.png") for n in range(3)))
    async with on_stage(tmp_path, (80, 8), conversation=conversation) as stage:
        await stage.press("tab", "home")
        for _ in range(4):
            await stage.press("pagedown")
            await decoded(stage)
        text = "".join(written)
        assert text.count("a=T") - text.count("a=d") <= 2


# --- how it looks


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_look_of_pictures(size: tuple[int, int], tmp_path: Path, snap_compare) -> None:
    sky = picture([(5 * x, 10 * y, 255 - 5 * x) for y in range(24) for x in range(48)], (48, 24))
    conversation = shown(
        image_part(sky, "sky.png"), image_part(SUN[:100], "torn.png"), text="What is the same in these?"
    )
    app = acted_app(tmp_path, conversation=conversation)

    async def ready(pilot) -> None:
        await app.begun.wait()
        for _ in range(3):
            await pilot.pause()
            await app.gallery.settled()
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=ready)


def test_where_nothing_shows_pictures_a_part_is_one_line_of_words() -> None:
    (line,) = part_lines(image_part(SUN), 76, glyphs(True), is_running=False)
    assert line.text == "● pic.png  PNG 640×480 2 kB"


async def test_pictures_that_were_scrolled_away_do_not_keep_their_files(tmp_path: Path) -> None:
    parts = [image_part(plain_picture(RED, (8 + n, 24)), f"p{n}.png") for n in range(30)]
    async with on_stage(tmp_path, (80, 30), conversation=shown(*parts)) as stage:
        await stage.press("tab", "z", "home")
        for _ in range(20):
            await stage.press("pagedown")
            await decoded(stage)
        held = {line.picture.box.key for line, _ in stage.chat.transcript.painter._picture_strips.values()}
        assert stage.app.gallery.decoded == 30
        assert len(held) <= 14
        assert not any(line.picture for line, _ in stage.chat.transcript.painter._strips.values())
