"""How turns are shown, apart from what shows them: a screen has options before it has a turn.

Invariant: nothing here loads a parser or a layout.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from chatui.core.messages import ImagePart
from chatui.core.turn import Turn
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


def with_pictures_of(turn: Turn, options: TurnViewOptions) -> TurnViewOptions:
    """The text of a turn may show what is attached to its prompt."""
    shelf = options.pictures
    if shelf is None:
        return options
    from chatui.view.pictures import PagePictures

    attached = (part for message in turn.input for part in message.parts if isinstance(part, ImagePart))
    return replace(options, layout=replace(options.layout, pictures=PagePictures(shelf, attached)))
