"""What the app itself remembers: panes, theme, last model, favourites.

Invariant: the person's own file is never written by the app. A file is replaced as a whole or not at all;
one that cannot be read is set aside, not overwritten; keys of a newer chatui are kept.
"""

import contextlib
import dataclasses
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from chatui.config.reading import read_values, setting
from chatui.config.toml_source import Problem, TomlSource, read_toml
from chatui.config.write_lock import write_lock
from chatui.core.errors import ConfigError
from chatui.core.values import frozen

MAX_RECENT_MODELS: Final = 20


@frozen(kw_only=True)
class AppState:
    """A frozen value; change it through `StateFile.update`."""

    provider: str = setting("", "Provider used last.")
    model: str = setting("", "Model used last.")
    theme: str = setting("", "Theme picked in the app; the person's file counts more.")
    reasoning_pane_open: bool | None = setting(None, "Reasoning pane; unset: when there is something in it.")
    tools_pane_open: bool | None = setting(None, "Tools pane; unset: when there is something in it.")
    wraps_code: bool | None = setting(None, "Chosen by a key; unset: as the person's file says.")
    has_line_numbers: bool | None = setting(None, "Chosen by a key; unset: as the person's file says.")
    converts_maths: bool | None = setting(None, "Chosen by a key; unset: as the person's file says.")
    favourite_models: tuple[str, ...] = setting((), "As provider/model.")
    recent_models: tuple[str, ...] = setting((), "As provider/model, newest first.")
    may_look_for_local_servers: bool | None = setting(None, "Asked once: look on the usual local ports.")

    def with_model_used(self, provider: str, model: str) -> "AppState":
        """The state after a model was used."""
        name = f"{provider}/{model}"
        recent = (name, *(other for other in self.recent_models if other != name))[:MAX_RECENT_MODELS]
        return dataclasses.replace(self, provider=provider, model=model, recent_models=recent)

    def with_favourite(self, name: str, is_favourite: bool) -> "AppState":
        """The state after a model (`provider/model`) was made a favourite or none."""
        others = tuple(other for other in self.favourite_models if other != name)
        return dataclasses.replace(self, favourite_models=(*others, name) if is_favourite else others)


class StateFile:
    """Reads and atomically writes `state.toml`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def load(self) -> tuple[AppState, tuple[Problem, ...]]:
        """The state, with defaults for what is missing or wrong. Unknown keys are no problem."""
        source, broken = read_toml(self.path)
        if broken:
            return AppState(), broken
        problems: list[Problem] = []
        return _state_of(source, problems), tuple(problems)

    def update(self, change: Callable[[AppState], AppState]) -> AppState:
        """Read again, change, and write the keys that changed, alone among all running apps.

        Raises:
            ConfigError: the file cannot be written.
        """
        import tomli_w

        with write_lock(self.path):
            source, broken = read_toml(self.path)
            if broken and self.path.exists():
                self._set_aside()
            before = _state_of(source, [])
            after = change(before)
            table = dict(source.data)
            for item in dataclasses.fields(AppState):
                value = getattr(after, item.name)
                if value == getattr(before, item.name):
                    continue
                if value is None:
                    table.pop(item.name, None)
                else:
                    table[item.name] = list(value) if isinstance(value, tuple) else value
            if table != source.data:
                write_atomically(self.path, tomli_w.dumps(table))
            return after

    def _set_aside(self) -> None:
        for number in range(1, 1000):
            aside = self.path.with_name(f"{self.path.name}.broken-{number}")
            if not aside.exists():
                try:
                    self.path.rename(aside)
                except OSError as error:
                    raise ConfigError(
                        f"{self.path} is broken and cannot be set aside: {error.strerror}"
                    ) from error
                return
        raise ConfigError(f"{self.path} is broken, and a thousand broken ones lie beside it")


def _state_of(source: TomlSource, problems: list[Problem]) -> AppState:
    names = {item.name for item in dataclasses.fields(AppState)}
    known = {name: value for name, value in source.data.items() if name in names}
    values = read_values(AppState, known, (), source.problem, problems)
    return AppState(**values)  # type: ignore[arg-type]  # checked against the fields


def write_atomically(path: Path, text: str) -> None:
    """Replace a file as a whole, mode 0600, durable before it takes the old one's place.

    A symbolic link stays a link: what it points to is replaced.

    Raises:
        ConfigError: it cannot be written; the old file is as it was.
    """
    import tempfile

    temporary: Path | None = None
    try:
        target = path.resolve() if path.is_symlink() else path
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        temporary = Path(name)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
        temporary = None
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()
