"""Paints a frame now, where the time of the frame was chosen already.

Invariant: the same is painted as by Textual's own way (a message from each widget to its screen, then a
timer of a sixtieth of a second); what needs a layout is left to that way. The session publishes at most
once a frame, so waiting for a second clock only makes each frame late and costs a message and a wake-up
for each widget.
"""

from textual.screen import Screen


def paint_now(screen: Screen[None]) -> None:
    """Write what changed on the screen."""
    # ruff: noqa: SLF001 - Textual has no public way to paint at a moment of our choice
    if not screen.is_current or screen.app._batch_count:
        return
    if screen._layout_required or screen._scroll_required or screen._repaint_required:
        return
    for widget in screen._compositor.visible_widgets:
        if widget._repaint_required and not widget._layout_required and not widget._scroll_required:
            widget._repaint_required = False
            screen._dirty_widgets.add(widget)
    if screen._dirty_widgets:
        screen._on_timer_update()
