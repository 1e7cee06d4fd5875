"""Lines to text without colours."""

from collections.abc import Iterable

from chatui.view.lines import Line


def plain_text(lines: Iterable[Line]) -> str:
    """The lines' text, blanks at their ends cut, each with a line end."""
    return "".join(f"{line.text.rstrip(' ')}\n" for line in lines)
