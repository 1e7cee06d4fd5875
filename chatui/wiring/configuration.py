"""Settings and state of one process, as they are now.

Invariant: a file that is broken is told in `problems` and keeps nothing else from working; what the app
remembers is changed in one place, here and on disk.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chatui.config.loader import LoadedConfig
    from chatui.config.paths import Paths
    from chatui.config.settings import Settings
    from chatui.config.state import AppState


class Configuration:
    """What the person set and what the app remembers.

    Attributes:
        problems: One line each: what is broken in configuration or state, with file and reason. The app shows
            them as notices and goes on without the broken part; `chatui ask` prints them to stderr.
    """

    def __init__(self) -> None:
        from chatui.config.loader import load_config
        from chatui.config.paths import find_paths
        from chatui.config.state import StateFile

        self.paths: Paths = find_paths()
        self._state_file = StateFile(self.paths.state_file)
        self._state, state_problems = self._state_file.load()
        self._config: LoadedConfig = load_config(self.paths, state=self._state)
        self.problems: tuple[str, ...] = tuple(
            str(problem) for problem in (*self._config.problems, *state_problems)
        )

    @property
    def settings(self) -> "Settings":
        """The person's settings; defaults where the file is broken."""
        return self._config.settings

    @property
    def config(self) -> "LoadedConfig":
        """The settings with where each came from."""
        return self._config

    def place_of(self, key: str) -> str:
        """File, line and key of a setting, as complaints begin."""
        return f"{self._config.origin_of(key)}: {key}"

    def set_by(self, key: str) -> str:
        """Where the person set it, which counts more than what the app keeps; empty if nowhere."""
        from chatui.config.loader import OriginKind

        origin = self._config.origin_of(key)
        return "" if origin.kind in (OriginKind.DEFAULT, OriginKind.STATE) else str(origin)

    @property
    def state(self) -> "AppState":
        """What the app remembers; change it through `update_state`."""
        return self._state

    def update_state(self, change: "Callable[[AppState], AppState]") -> None:
        """Change what the app remembers, here and on disk.

        Raises:
            ConfigError: the file cannot be written; the change holds for this process.
        """
        self._state = change(self._state)
        self._state_file.update(change)

    def reload_if_changed(self) -> bool:
        """Read the configuration again if a file of it changed; True if so, with `problems` as they now are.

        Costs two looks at file times when nothing changed. The next turn's endpoint has to be resolved anew.
        """
        if not self._config.has_changed():
            return False
        from chatui.config.loader import load_config

        self._config = load_config(self.paths, state=self._state)
        self.problems = tuple(str(problem) for problem in self._config.problems)
        return True
