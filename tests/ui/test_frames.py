"""What a frame costs and shows: counts, not times; the same cells as Textual's own way."""

from pathlib import Path

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.scrollbar import ScrollBarRender
from textual.strip import Strip
from ui.acting import on_stage

ANSWER = "\n\n".join(f"Paragraph {number} of a *long* answer with `code` in it." for number in range(60))


def cells(update: ChopsUpdate | None) -> dict[tuple[int, int], list[tuple[str, object]]]:
    """What an update writes: each piece that its spans touch."""
    assert update is not None
    found: dict[tuple[int, int], list[tuple[str, object]]] = {}
    for y, start, stop in update.spans:
        for (x, strip), end in zip(update.chops[y].items(), update.chop_ends[y], strict=False):
            if strip is not None and x < stop and end > start:
                found[y, x] = joined(strip)
    return found


def joined(strip: Strip) -> list[tuple[str, object]]:
    return [(segment.text, segment.style) for segment in strip if segment.text]


def seen(strip: Strip) -> list[tuple[object, ...]]:
    """What can be seen of cells: of a blank only what is behind it."""
    looks: list[tuple[object, ...]] = []
    for text, style, _ in strip:
        assert style is not None
        behind, front = (style.color, style.bgcolor) if style.reverse else (style.bgcolor, style.color)
        looks.append((text, behind, front if text.strip() else None))
    return looks


async def test_a_partial_frame_has_the_same_cells_as_textuals_own(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.text(ANSWER)
        await stage.settle()
        compositor = stage.chat._compositor
        width, height = compositor.size
        regions = [
            {Region(0, 0, width, height)},
            {Region(0, 2, width - 1, 15), Region(width - 1, 2, 1, 15)},
            {Region(3, 5, 10, 1), Region(0, height - 1, width, 1)},
            {Region(0, 0, width, 1), Region(0, height - 2, 40, 2)},
        ]
        for dirty in regions:
            compositor._dirty_regions = set(dirty)
            ours = cells(compositor.render_partial_update())
            compositor._dirty_regions = set(dirty)
            assert ours == cells(Compositor.render_partial_update(compositor))


async def test_the_scrollbar_looks_like_textuals_own(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.text(ANSWER)
        await stage.settle()
        bar = stage.chat.transcript.vertical_scrollbar
        height = bar.size.height
        quick = bar.render_lines(Region(0, 0, 1, height))
        whole = bar.render()
        assert isinstance(whole, ScrollBarRender)
        own = super(type(bar), bar).render_lines(Region(0, 0, 1, height))
        assert [strip.text for strip in quick] == [strip.text for strip in own]
        assert [seen(strip) for strip in quick] == [seen(strip) for strip in own]
        assert [strip.text for strip in bar.render_lines(Region(0, 3, 1, 5))] == [
            strip.text for strip in own[3:8]
        ]


async def test_a_frame_of_a_growing_answer_paints_the_rows_that_changed(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.text(ANSWER)
        await stage.settle()
        transcript = stage.chat.transcript
        before, made = transcript.rows_invalidated, transcript.painter.strips_made
        stage.session.text(ANSWER + " More")
        await stage.settle()
        assert transcript.rows_invalidated - before <= 2
        assert transcript.painter.strips_made - made <= 2
