"""Pictures in a real terminal: the cells that arrive, by what the terminal says it can."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.program import CHATUI, KEY_VARIABLE
from support.scripted_server import ScriptedServer, chat_answer
from support.terminal import App
from ui.picture_files import BLUE, GREEN, RED, WHITE, picture, plain_picture

pytestmark = [pytest.mark.pty, pytest.mark.timeout(120)]
SLOW_S = 30.0
UPPER_HALF = "▀"
SEA = (0, 128, 255)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    four = [RED, GREEN, BLUE, WHITE] * 2 + [WHITE] * 8
    (tmp_path / "four.png").write_bytes(picture([*four[:4], *four[12:], *four[:8]], (4, 4)))
    (tmp_path / "big.jpg").write_bytes(plain_picture(SEA, (1600, 1200), "JPEG"))
    return tmp_path


@contextmanager
def asked(
    folder: Path,
    name: str,
    *,
    size: tuple[int, int] = (80, 30),
    term: str = "xterm-256color",
    home: Path | None = None,
    **env: str | None,
) -> Iterator[App]:
    """A prompt with this file was sent and answered."""
    with ScriptedServer() as server:
        server.play(chat_answer("I see it."))
        arguments = ("--base-url", server.base_url, "-m", "scripted")
        app = App(
            [*CHATUI, *arguments],
            env={KEY_VARIABLE: "k", **env},
            size=size,
            home=str(home) if home else None,
            cwd=str(folder),
            term=term,
        )
        try:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.paste(f"what is @{name} ")
            assert app.wait(name, 10), app.text()
            app.keys("<enter>")
            assert app.wait("completed", SLOW_S), app.text()
            yield app
        finally:
            app.close(keep_home=home is not None)


def row_of(app: App, words: str) -> int:
    return next((y for y, line in enumerate(app.text().split("\n")) if words in line), 0)


def looks(app: App, y: int, count: int) -> list[tuple[str, object, object]]:
    """Mark, colour and background of the first cells of the text column."""
    cells = [app.cell(x, y) for x in range(2, 2 + count)]
    return [(cell.char, cell.style.fg, cell.style.bg) for cell in cells]


def written(app: App) -> str:
    return str(app.raw, "utf-8", "replace")


def is_shown(app: App, colour: tuple[int, int, int], below: str) -> bool:
    """Whether this colour stands below these words."""
    y = row_of(app, below)
    return app.cell(2, y + 1).style.bg == colour or app.cell(2, y + 1).style.fg == colour


def test_true_colours_arrive_in_the_cells_below_the_name(folder: Path) -> None:
    with asked(folder, "four.png") as app:
        assert app.wait(lambda: is_shown(app, RED, "four.png  PNG"), 20), app.text()
        y = row_of(app, "four.png  PNG")
        assert looks(app, y + 1, 4) == [(UPPER_HALF, c, WHITE) for c in (RED, GREEN, BLUE)] + [
            (" ", looks(app, y + 1, 4)[3][1], WHITE)
        ]
        assert [look[2] for look in looks(app, y + 2, 4)] == [RED, GREEN, BLUE, WHITE]
        assert "\x1b_G" not in written(app), "this terminal knows no pictures of its own"


def is_sea(app: App, x: int) -> bool:
    """Whether the picture of the sea covers this column of its rows."""
    y = row_of(app, "big.jpg  JPEG")
    found = [app.cell(x, row).style.bg for row in range(y + 1, y + 5)]
    return all(bg is not None and max(abs(a - b) for a, b in zip(bg, SEA, strict=False)) < 6 for bg in found)


def test_a_picture_fits_after_a_resize_and_is_there_when_its_conversation_is_resumed(
    folder: Path, tmp_path: Path
) -> None:
    home = tmp_path / "person"
    home.mkdir()
    with asked(folder, "big.jpg", size=(100, 40), home=home) as app:
        assert app.wait(lambda: is_sea(app, 2) and is_sea(app, 33) and not is_sea(app, 34), 20), app.text()
        app.resize(44, 40)
        assert app.wait(lambda: is_sea(app, 2) and not is_sea(app, 20), 20), app.text()
        app.keys("<c-q>")
        assert app.wait_exit(15) == 0
    (folder / "big.jpg").unlink()
    again = App([*CHATUI, "-c"], env={KEY_VARIABLE: "k"}, size=(100, 40), home=str(home))
    try:
        assert again.wait("big.jpg  JPEG", SLOW_S), again.text()
        assert again.wait(lambda: is_sea(again, 33) and not is_sea(again, 34), 20), again.text()
    finally:
        again.close(keep_home=True)


def test_with_256_colours_the_nearest_of_them_arrive(folder: Path) -> None:
    with asked(folder, "four.png", COLORTERM=None) as app:
        assert app.wait(lambda: app.cell(2, row_of(app, "four.png  PNG") + 1).char == UPPER_HALF, 20), (
            app.text()
        )
        fg = app.cell(2, row_of(app, "four.png  PNG") + 1).style.fg
        assert fg == ("i", 196)


@pytest.mark.parametrize(
    "environment",
    [
        {"COLORTERM": None, "term": "xterm-16color"},
        {"NO_COLOR": "1"},
    ],
)
def test_where_colours_do_not_suffice_there_are_words(folder: Path, environment: dict[str, str]) -> None:
    with asked(folder, "four.png", **environment) as app:
        app.settle(quiet=0.5)
        y = row_of(app, "four.png  PNG 4×4")
        assert UPPER_HALF not in app.text()
        assert app.text().split("\n")[y + 1].strip(" ▌") == ""


def test_kitty_gets_the_picture_and_placeholders_and_loses_it_at_the_end(folder: Path) -> None:
    with asked(folder, "big.jpg", term="xterm-kitty") as app:
        assert app.wait(
            lambda: app.cell(2, row_of(app, "big.jpg  JPEG") + 1).char.startswith("\U0010eeee"), 20
        )
        y = row_of(app, "big.jpg  JPEG")
        red, green, blue = app.cell(2, y + 1).style.fg
        number = (red << 16) + (green << 8) + blue
        assert f"\x1b_Ga=T,U=1,f=100,i={number},c=32,r=12,q=2," in written(app)
        assert written(app).count("a=T") == 1
        app.keys("<c-q>")
        assert app.wait_exit(15) == 0
        assert f"\x1b_Ga=d,d=I,i={number},q=2" in written(app)


def test_in_tmux_nothing_is_sent_past_it(folder: Path) -> None:
    with asked(folder, "four.png", term="tmux-256color", TMUX="/tmp/tmux-1/default,1,0") as app:
        assert app.wait(lambda: is_shown(app, RED, "four.png  PNG"), 20), app.text()
        assert "\x1b_G" not in written(app)
        assert "\x1bPtmux" not in written(app)
