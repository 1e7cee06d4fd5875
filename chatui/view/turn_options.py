"""How turns are shown, apart from what shows them: a screen has options before it has a turn.

Invariant: nothing here loads a parser or a layout.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from chatui.core.values import frozen
from chatui.view.glyphs import Glyphs
from chatui.view.layout.options import LayoutOptions

if TYPE_CHECKING:
    from chatui.view.pictures import PictureShelf


@frozen(kw_only=True)
class TurnViewOptions:
    """What the screen decides."""

    layout: LayoutOptions
    signs: Glyphs
    clock_text: Callable[[float], str]
    """Time of day of an epoch."""
    person: str = "you"
    pictures: "PictureShelf | None" = None
    """Shows pictures; None shows words in their place."""
