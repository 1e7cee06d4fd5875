"""The few signs the app draws with, each with an ASCII twin of the same width.

Invariant: nothing is told by a glyph alone, a word always stands beside it.
"""

from chatui.core.values import frozen


@frozen(kw_only=True)
class Glyphs:
    """Signs by meaning."""

    receiving: tuple[str, ...]
    """Frames of the one thing that moves."""
    completed: str
    cut: str
    stopped: str
    lost: str
    late: str
    filtered: str
    refused: str
    error: str
    person_bar: str
    caret_bar: str
    dot: str
    bullet: str
    hollow: str
    rule: str
    column: str
    tee_down: str
    tee_up: str
    ellipsis: str
    folded: str
    unfolded: str
    up: str
    down: str
    arrow: str
    before: str
    after: str
    marker: str
    enter_key: str
    control: str


UNICODE = Glyphs(
    receiving=("◐", "◓", "◑", "◒"),
    completed="✓",
    cut="✂",
    stopped="■",
    lost="⚡",
    late="⏱",
    filtered="⊘",
    refused="∅",
    error="✗",
    person_bar="▌",
    caret_bar="▏",
    dot="·",
    bullet="●",
    hollow="○",
    rule="─",
    column="│",
    tee_down="┬",
    tee_up="┴",
    ellipsis="…",
    folded="▸",
    unfolded="▾",
    up="↑",
    down="↓",
    arrow="→",
    before="‹",
    after="›",
    marker="▸",
    enter_key="⏎",
    control="⌃",
)

ASCII = Glyphs(
    receiving=("-", "\\", "|", "/"),
    completed="+",
    cut="%",
    stopped="#",
    lost="!",
    late="@",
    filtered="/",
    refused="0",
    error="x",
    person_bar="|",
    caret_bar="|",
    dot="-",
    bullet="*",
    hollow="o",
    rule="-",
    column="|",
    tee_down="+",
    tee_up="+",
    ellipsis="~",
    folded=">",
    unfolded="v",
    up="^",
    down="v",
    arrow="->",
    before="<",
    after=">",
    marker=">",
    enter_key="Enter",
    control="^",
)


def glyphs(is_unicode: bool) -> Glyphs:
    """The set that a terminal can show."""
    return UNICODE if is_unicode else ASCII
