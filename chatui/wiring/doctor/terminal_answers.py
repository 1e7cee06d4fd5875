"""What the terminal itself said, as a value: only who owns the terminal can ask it."""

from chatui.core.values import frozen


@frozen(kw_only=True)
class TerminalAnswers:
    """What is known of the terminal; None is not known: it did not say, or was not asked."""

    is_terminal: bool = False
    """Input and output are one, so that it could be asked."""
    columns: int | None = None
    rows: int | None = None
    has_kitty_keys: bool | None = None
    """It speaks the kitty keyboard protocol: every key is told apart."""
    has_synchronised_output: bool | None = None
    """A frame is shown at once (mode 2026)."""
    emoji_cells: int | None = None
    """Columns that `EMOJI` takes there."""
    arrived_keys: tuple[str, ...] = ()
    """Keys for a new line that were pressed and did arrive, in this session of the app."""


EMOJI = "👩‍👩‍👧"
"""A family of five code points: two columns where graphemes are known, more where they are not."""
