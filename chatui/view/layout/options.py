"""How lines are laid out."""

from chatui.core.values import frozen


@frozen(kw_only=True)
class LayoutOptions:
    """How lines are laid out."""

    is_unicode: bool = True
    """False: ASCII twins for bullets, bars and rules."""
    wraps_code: bool = True
    has_line_numbers: bool = False
    shows_link_targets: bool = False
    is_highlighted: bool = True
