"""How lines are laid out."""

from typing import TYPE_CHECKING

from chatui.core.values import frozen

if TYPE_CHECKING:
    from chatui.view.pictures import PagePictures


@frozen(kw_only=True)
class LayoutOptions:
    """How lines are laid out."""

    is_unicode: bool = True
    """False: ASCII twins for bullets, bars and rules."""
    pictures: "PagePictures | None" = None
    """Shows pictures that stand in the text; None shows words in their place."""
    wraps_code: bool = True
    has_line_numbers: bool = False
    shows_link_targets: bool = False
    is_highlighted: bool = True
    converts_maths: bool = False
    """Formulas are shown in Unicode where they are understood; False: as they are written."""
