"""Where chatui keeps its files.

Invariant: an absolute `XDG_*` variable is honoured on every platform; without one the platform's own folder
is used. Nothing is created here. Source: XDG Base Directory Specification 0.8 (relative paths are to be
ignored), platformdirs.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from chatui.core.values import frozen

APP: Final = "chatui"
CONFIG_FILE_VARIABLE: Final = "CHATUI_CONFIG_FILE"
PROJECT_FILE: Final = ".chatui.toml"


@frozen(kw_only=True)
class Paths:
    """The folders of one person on one machine."""

    config_dir: Path
    """What the person writes: `config.toml`, `providers/`, `themes/`, `keys/`."""
    data_dir: Path
    """What must not be lost: the history, the local model."""
    state_dir: Path
    """What the app remembers: `state.toml`, model lists, logs."""
    config_file: Path

    @property
    def providers_dir(self) -> Path:
        """The person's own providers, one TOML file each."""
        return self.config_dir / "providers"

    @property
    def themes_dir(self) -> Path:
        """The person's own themes."""
        return self.config_dir / "themes"

    @property
    def keys_dir(self) -> Path:
        """Keys that were saved on request, one file of mode 0600 for each provider."""
        return self.config_dir / "keys"

    @property
    def state_file(self) -> Path:
        """What the app itself changes."""
        return self.state_dir / "state.toml"

    @property
    def history_file(self) -> Path:
        """The SQLite history."""
        return self.data_dir / "history.db"

    @property
    def models_dir(self) -> Path:
        """Model lists as the servers gave them."""
        return self.state_dir / "models"


def find_paths(environ: Mapping[str, str] | None = None) -> Paths:
    """The folders for this environment (the process's own by default)."""
    env = os.environ if environ is None else environ
    config_dir = _folder(env, "XDG_CONFIG_HOME", "user_config_path")
    named = env.get(CONFIG_FILE_VARIABLE, "").strip()
    return Paths(
        config_dir=config_dir,
        data_dir=_folder(env, "XDG_DATA_HOME", "user_data_path"),
        state_dir=_folder(env, "XDG_STATE_HOME", "user_state_path"),
        config_file=Path(os.path.expanduser(named)) if named else config_dir / "config.toml",
    )


def find_project_file(start: Path | None = None) -> Path | None:
    """The nearest `.chatui.toml` from `start` (the working folder) upwards.

    The search ends at the root of a repository (a folder with `.git`), at the home folder and at the file
    system's root, so that a file lying about in a shared parent folder is not picked up.
    """
    try:
        folder = (start or Path.cwd()).resolve()
        home = Path.home()
    except (OSError, RuntimeError):  # the working folder was deleted, or no home is known
        return None
    for candidate in (folder, *folder.parents):
        if candidate == home and candidate != folder:
            return None
        file = candidate / PROJECT_FILE
        if os.path.isfile(file):  # unlike Path's, these never raise for a folder that may not be read
            return file
        if candidate == home or os.path.exists(candidate / ".git"):
            return None
    return None


def _folder(env: Mapping[str, str], variable: str, platform_function: str) -> Path:
    named = env.get(variable, "")
    if named and Path(named).is_absolute():
        return Path(named) / APP
    import platformdirs

    found = getattr(platformdirs, platform_function)(APP, appauthor=False)
    return Path(found)
