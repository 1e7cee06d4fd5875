"""Faces and tones to interned styles, so that equal styles are one object."""

from functools import lru_cache

from chatui.markdown.blocks import Face
from chatui.view.lines import Style, Tone


@lru_cache(maxsize=512)
def style(
    tone: Tone,
    face: Face | None = None,
    *,
    is_bold: bool = False,
    is_italic: bool = False,
    is_underlined: bool = False,
    is_raised: bool = False,
) -> Style:
    """The one style object of a tone and its marks."""
    if face is not None:
        return Style(
            tone,
            face.is_bold or is_bold,
            face.is_italic or is_italic,
            face.is_struck,
            is_underlined,
            is_raised,
        )
    return Style(tone, is_bold, is_italic, False, is_underlined, is_raised)


@lru_cache(maxsize=64)
def raised(tone: Tone) -> Style:
    """A tone on the surface of a code block."""
    return style(tone, is_raised=True, is_italic=tone is Tone.SYNTAX_COMMENT)


TEXT = style(Tone.TEXT)
BULLET = style(Tone.BULLET)
QUOTE_BAR = style(Tone.QUOTE_BAR)
RULE = style(Tone.RULE)
TABLE_RULE = style(Tone.TABLE_RULE)
CODE_LABEL = style(Tone.CODE_LABEL, is_raised=True)
CODE_GUTTER = style(Tone.CODE_GUTTER, is_raised=True)
CODE_TEXT = style(Tone.SYNTAX_TEXT, is_raised=True)
NOTE = style(Tone.ACCENT)
FAINT = style(Tone.FAINT)
