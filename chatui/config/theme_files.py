"""Which themes there are: files of this installation and of the person, by name.

Invariant: what `chatui config check` allows is what the app can show; colours are read by `ui.theme`.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from chatui.config.toml_source import not_among

AUTOMATIC = "auto"
"""Stands for what suits the terminal."""


def shipped_themes_directory() -> Path:
    """Where the themes of this installation are: inside the wheel, or beside the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "_themes"
    return inside if inside.is_dir() else package.parent / "themes"


def find_themes(*directories: Path) -> Iterator[Path]:
    """Theme files of some directories; a later directory wins over an earlier one with the same name."""
    found: dict[str, Path] = {}
    for directory in directories:
        if directory.is_dir():
            found.update({path.stem: path for path in sorted(directory.glob("*.toml"))})
    yield from found.values()


def why_no_theme(name: str, themes: Iterable[Path]) -> str:
    """Why a name is none of a theme, with those that are; empty if it is one."""
    names = [path.stem for path in themes]
    return "" if name in ("", AUTOMATIC, *names) else not_among(name, (AUTOMATIC, *sorted(names)))
