"""How turns are shown, apart from what shows them: a screen has options before it has a turn.

Invariant: nothing here loads a parser or a layout.
"""

from collections.abc import Callable

from chatui.core.values import frozen
from chatui.view.glyphs import Glyphs
from chatui.view.layout.options import LayoutOptions


@frozen(kw_only=True)
class TurnViewOptions:
    """What the screen decides."""

    layout: LayoutOptions
    signs: Glyphs
    clock_text: Callable[[float], str]
    """Time of day of an epoch."""
    person: str = "you"
