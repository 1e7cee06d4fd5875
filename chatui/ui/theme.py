"""Themes: TOML files that name colours by meaning, and what the painter and Textual make of them.

Invariant: every pair of text and surface that the app uses is listed in `CONTRAST_PAIRS`; a test checks
each against WCAG 2.2 for every theme that ships.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from rich.color import Color as RichColor
from rich.style import Style as RichStyle

from chatui.config.theme_files import find_themes as find_themes
from chatui.config.theme_files import shipped_themes_directory as shipped_themes_directory
from chatui.core.values import frozen
from chatui.view.lines import Style, Tone

DEFAULT_THEME = "lamplight"
DEFAULT_LIGHT_THEME = "paper"
CONSOLE_THEME = "console"


def default_theme(colour_system: str | None, environ: Mapping[str, str]) -> str:
    """The theme for a terminal whose person chose none.

    `COLORFGBG` is what rxvt, Konsole and others tell of their colours: "text;page" as numbers of the 16.
    """
    if colour_system == "standard":
        return CONSOLE_THEME
    page = environ.get("COLORFGBG", "").rpartition(";")[2]
    return DEFAULT_LIGHT_THEME if page in ("7", "15") else DEFAULT_THEME


SURFACES = ("page", "raised", "overlay")
TEXTS = ("text", "muted", "faint")
SIGNALS = ("accent", "warning", "error", "success")
SYNTAX = ("keyword", "name", "string", "number", "comment", "operator", "function", "type")

CONTRAST_PAIRS: tuple[tuple[str, str, float], ...] = (
    *((text, surface, 4.5) for text in ("text", "muted") for surface in SURFACES),
    *(("faint", surface, 3.0) for surface in ("page", "raised")),
    *((signal, surface, 4.5) for signal in SIGNALS for surface in ("page", "raised")),
    *((word, "raised", 4.5) for word in SYNTAX if word != "comment"),
    ("comment", "raised", 3.0),
    ("selection_text", "selection", 4.5),
    ("heading", "page", 4.5),
    ("link", "page", 4.5),
)
"""Foreground, background and the least contrast ratio."""


class ThemeError(Exception):
    """A theme file cannot be used; the message names the file and what is wrong."""


@frozen(kw_only=True)
class Theme:
    """A palette; colours are `#rrggbb`."""

    name: str
    title: str
    is_dark: bool
    is_high_contrast: bool = False
    colours: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, key: str) -> str:
        return self.colours[key]


REQUIRED = (*SURFACES, *TEXTS, *SIGNALS, *SYNTAX, "rule", "selection", "selection_text")


def read_theme(path: Path) -> Theme:
    """A theme from its file.

    Raises:
        ThemeError: the file cannot be read, is no TOML, or a colour is missing or malformed.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ThemeError(f"{path}: {error}") from error
    colours: dict[str, str] = {}
    for table in ("surface", "text", "signal", "syntax"):
        values = data.get(table, {})
        if not isinstance(values, dict):
            raise ThemeError(f"{path}: [{table}] must be a table of colours")
        colours.update({str(key): str(value) for key, value in values.items()})
    colours["text"] = colours.pop("normal", colours.get("text", ""))
    for key in REQUIRED:
        if key not in colours:
            raise ThemeError(f"{path}: the colour {key!r} is missing")
    for key, value in colours.items():
        if len(value) != 7 or value[0] != "#" or not all(c in "0123456789abcdefABCDEF" for c in value[1:]):
            raise ThemeError(f"{path}: {key} = {value!r} is no #rrggbb colour")
    colours.setdefault("heading", colours["text"])
    colours.setdefault("link", colours["accent"])
    kind = str(data.get("kind", "dark"))
    return Theme(
        name=path.stem,
        title=str(data.get("title", path.stem)),
        is_dark=kind != "light",
        is_high_contrast=data.get("contrast") == "high",
        colours=colours,
    )


_SYNTAX_TONES = {
    Tone.SYNTAX_KEYWORD: "keyword",
    Tone.SYNTAX_NAME: "name",
    Tone.SYNTAX_STRING: "string",
    Tone.SYNTAX_NUMBER: "number",
    Tone.SYNTAX_COMMENT: "comment",
    Tone.SYNTAX_OPERATOR: "operator",
    Tone.SYNTAX_FUNCTION: "function",
    Tone.SYNTAX_TYPE: "type",
    Tone.SYNTAX_TEXT: "text",
    Tone.DIFF_ADDED: "success",
    Tone.DIFF_REMOVED: "error",
    Tone.DIFF_HUNK: "accent",
}

_TONES = {
    Tone.TEXT: "text",
    Tone.MUTED: "muted",
    Tone.FAINT: "faint",
    Tone.HEADING: "heading",
    Tone.CODE: "string",
    Tone.LINK: "link",
    Tone.BULLET: "accent",
    Tone.QUOTE_BAR: "accent",
    Tone.QUOTE: "muted",
    Tone.RULE: "rule",
    Tone.TABLE_RULE: "rule",
    Tone.TABLE_HEADER: "heading",
    Tone.CODE_LABEL: "muted",
    Tone.CODE_GUTTER: "faint",
    Tone.NEUTRALISED: "warning",
    Tone.ACCENT: "accent",
    Tone.SUCCESS: "success",
    Tone.WARNING: "warning",
    Tone.ERROR: "error",
    **_SYNTAX_TONES,
}


class ThemeStyles:
    """Rich styles of one theme, made once for each style that is used."""

    def __init__(self, theme: Theme, *, has_colour: bool = True) -> None:
        self.theme = theme
        self.has_colour = has_colour
        self._styles: dict[tuple[Style, str, bool], RichStyle] = {}

    def colour(self, key: str) -> RichColor:
        """A colour of the theme."""
        return RichColor.parse(self.theme[key])

    def rich(self, style: Style, surface: str = "page", *, is_selected: bool = False) -> RichStyle:
        """The Rich style of a laid-out style on a surface."""
        key = (style, surface, is_selected)
        found = self._styles.get(key)
        if found is None:
            found = self._styles[key] = self._make(style, surface, is_selected)
        return found

    def surface(self, surface: str = "page") -> RichStyle:
        """The bare surface."""
        return self.rich(Style(Tone.TEXT), surface)

    def _make(self, style: Style, surface: str, is_selected: bool) -> RichStyle:
        marks: dict[str, Any] = {
            "bold": style.is_bold or style.tone in (Tone.HEADING, Tone.TABLE_HEADER) or None,
            "italic": style.is_italic or None,
            "strike": style.is_struck or None,
            "underline": style.is_underlined or style.tone is Tone.LINK or None,
        }
        if not self.has_colour:
            return RichStyle(**marks, reverse=is_selected or None)
        if is_selected:
            return RichStyle(color=self.colour("selection_text"), bgcolor=self.colour("selection"), **marks)
        background = "raised" if style.is_raised and surface == "page" else surface
        return RichStyle(color=self.colour(_TONES[style.tone]), bgcolor=self.colour(background), **marks)
