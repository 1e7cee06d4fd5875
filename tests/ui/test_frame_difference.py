"""What is written to the terminal is little, and leaves the same screen as writing everything."""

import random
import re

import pyte
import pytest
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from chatui.ui.terminal.frame_difference import ShownFrame

WIDTH, HEIGHT = 40, 16
CONSOLE = Console(force_terminal=True, color_system="truecolor", width=WIDTH)
STYLES = [None, Style.parse("bold red"), Style.parse("on blue"), Style.parse("italic #aabbcc on #112233")]
WORDS = [
    "hello",
    "wide数据",
    "• dot",
    "─┼─",
    "x",
    "    ",
    "日本",
    "é",
    "a smile 🙂",
    "words that go on",
    "カナ",
]


class Terminal:
    """A screen that Textual's own output is written to, and one that the difference is written to."""

    def __init__(self) -> None:
        self.whole = pyte.Screen(WIDTH, HEIGHT)
        self.little = pyte.Screen(WIDTH, HEIGHT)
        self._whole = pyte.Stream(self.whole)
        self._little = pyte.Stream(self.little)
        self._shown = ShownFrame()
        self.written = ""

    def write(self, update: CompositorUpdate) -> None:
        """Write an update both ways."""
        self._whole.feed(update.render_segments(CONSOLE).replace("\n", "\r\n"))
        self.written = self._shown.difference(update).render_segments(CONSOLE)
        self._little.feed(self.written.replace("\n", "\r\n"))

    def forget(self) -> None:
        self._shown.forget()

    def assert_equal(self) -> None:
        """Every cell looks the same; of a blank only what can be seen counts."""
        for y in range(HEIGHT):
            for x in range(WIDTH):
                assert looks(self.little.buffer[y][x]) == looks(self.whole.buffer[y][x]), (y, x)


def looks(cell: pyte.screens.Char) -> tuple[object, ...]:
    blank = not cell.data.strip()
    seen = (cell.data, cell.bg, cell.underscore, cell.strikethrough, cell.reverse)
    return seen if blank and not cell.reverse else (*seen, cell.fg, cell.bold, cell.italics)


def line(text: str, width: int = WIDTH, style: Style | None = None) -> Strip:
    segments = [Segment(text, style), Segment(" " * (width - len(text)), style)]
    return Strip(segments, width)


def random_line(width: int, choose: random.Random) -> Strip:
    segments: list[Segment] = []
    used = 0
    while used < width and choose.random() < 0.85:
        segment = Segment(choose.choice(WORDS), choose.choice(STYLES))
        if used + segment.cell_length > width:
            break
        segments.append(segment)
        used += segment.cell_length
    segments.append(Segment(" " * (width - used), choose.choice(STYLES)))
    return Strip(segments, width)


def whole_screen(rows: list[list[Strip]]) -> LayoutUpdate:
    return LayoutUpdate([list(row) for row in rows], Region(0, 0, WIDTH, HEIGHT))


def part(rows: list[list[Strip]], ends: list[int], spans: list[tuple[int, int, int]]) -> ChopsUpdate:
    starts = [0, *ends[:-1]]
    dirty = {y for y, _, _ in spans}
    chops = [
        dict(zip(starts, row if y in dirty else [None] * len(row), strict=True)) for y, row in enumerate(rows)
    ]
    return ChopsUpdate(chops, spans, [list(ends) for _ in rows])


@pytest.mark.parametrize("seed", range(60))
def test_the_screen_is_the_same_as_if_everything_had_been_written(seed: int) -> None:
    choose = random.Random(seed)
    ends = choose.choice([[WIDTH], [WIDTH - 1, WIDTH], [25, WIDTH]])
    starts = [0, *ends[:-1]]
    rows = [
        [random_line(end - start, choose) for start, end in zip(starts, ends, strict=True)]
        for _ in range(HEIGHT)
    ]
    terminal = Terminal()
    terminal.write(whole_screen(rows))
    for _ in range(25):
        top, bottom = sorted(choose.sample(range(HEIGHT + 1), 2))
        piece = choose.randrange(len(ends))
        width = ends[piece] - starts[piece]
        moves = choose.randint(-3, 3) if choose.random() < 0.6 else 0
        old = [row[piece] for row in rows]
        for y in range(top, bottom):
            source = y + moves
            is_new = not top <= source < bottom or choose.random() < 0.1
            rows[y][piece] = random_line(width, choose) if is_new else old[source]
        terminal.write(part(rows, ends, [(y, starts[piece], ends[piece]) for y in range(top, bottom)]))
        terminal.assert_equal()
        if choose.random() < 0.05:
            terminal.forget()


def test_a_scrolled_window_costs_its_new_lines_only() -> None:
    lines = [line(f"line {number} of a long answer") for number in range(HEIGHT + 1)]
    terminal = Terminal()
    terminal.write(whole_screen([[strip] for strip in lines[:HEIGHT]]))
    terminal.write(part([[strip] for strip in lines[1:]], [WIDTH], [(y, 0, WIDTH) for y in range(HEIGHT)]))
    terminal.assert_equal()
    assert "line 16" in terminal.written
    assert "line 9 " not in terminal.written
    assert len(terminal.written) < 3 * WIDTH


def test_a_line_that_grows_costs_the_letters_that_were_added() -> None:
    terminal = Terminal()
    rows = [[line("")] for _ in range(HEIGHT)]
    rows[4] = [line("the answer gro")]
    terminal.write(whole_screen(rows))
    rows[4] = [line("the answer grows on")]
    terminal.write(part(rows, [WIDTH], [(4, 0, WIDTH)]))
    terminal.assert_equal()
    assert "the answer" not in terminal.written
    assert "ws on" in terminal.written


def test_nothing_is_written_for_a_row_that_looks_the_same() -> None:
    terminal = Terminal()
    terminal.write(whole_screen([[line("same")] for _ in range(HEIGHT)]))
    terminal.write(part([[line("same")] for _ in range(HEIGHT)], [WIDTH], [(3, 0, WIDTH)]))
    assert terminal.written == ""


def test_a_row_is_written_to_its_end_behind_a_character_of_unsure_width() -> None:
    """Terminals do not agree how wide an emoji is: where the rest of its row stands is not known."""
    terminal = Terminal()
    rows = [[line("")] for _ in range(HEIGHT)]
    rows[0] = [Strip([Segment("ab 🙂 cd x yz"), Segment(" " * (WIDTH - 13))], WIDTH)]
    terminal.write(whole_screen(rows))
    rows[0] = [Strip([Segment("ab 🙂 cd y yz"), Segment(" " * (WIDTH - 13))], WIDTH)]
    terminal.write(part(rows, [WIDTH], [(0, 0, WIDTH)]))
    assert "🙂 cd y yz" in terminal.written
    assert re.sub(r"\x1b\[[0-9;]*m", "", terminal.written).endswith(" " * (WIDTH - 13))


def test_what_is_beside_a_scrolled_window_stays_in_place() -> None:
    ends = [30, WIDTH]
    rows = [[line(f"left {y}", 30), line(f"right {y}", WIDTH - 30)] for y in range(HEIGHT + 2)]
    terminal = Terminal()
    terminal.write(whole_screen(rows[:HEIGHT]))
    moved = [[rows[y + 2][0], rows[y][1]] for y in range(HEIGHT)]
    terminal.write(part(moved, ends, [(y, 0, 30) for y in range(HEIGHT)]))
    terminal.assert_equal()


def test_after_another_program_had_the_terminal_everything_is_written_again() -> None:
    terminal = Terminal()
    rows = [[line("kept")] for _ in range(HEIGHT)]
    terminal.write(whole_screen(rows))
    terminal.forget()
    terminal.write(part(rows, [WIDTH], [(2, 0, WIDTH)]))
    assert "kept" in terminal.written
