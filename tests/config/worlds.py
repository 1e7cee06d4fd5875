"""A person's folders and environment, for tests of configuration."""

from dataclasses import dataclass, field
from pathlib import Path

from chatui.config.loader import LoadedConfig, load_config
from chatui.config.paths import Paths, find_paths
from chatui.config.resolve import Resolution, resolve
from chatui.config.settings import Wish
from chatui.config.state import AppState


@dataclass
class World:
    root: Path
    environ: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("CONFIG", "DATA", "STATE"):
            self.environ[f"XDG_{name}_HOME"] = str(self.root / name.lower())

    @property
    def paths(self) -> Paths:
        return find_paths(self.environ)

    @property
    def project(self) -> Path:
        folder = self.root / "project"
        folder.mkdir(exist_ok=True)
        (folder / ".git").mkdir(exist_ok=True)
        return folder

    def write(self, text: str, path: Path | None = None, mode: int = 0o600) -> Path:
        target = path or self.paths.config_file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(mode)
        return target

    def load(self, state: AppState | None = None, **flags: object) -> LoadedConfig:
        return load_config(self.paths, self.environ, flags=flags, state=state, project_start=self.project)

    def resolve(self, state: AppState | None = None, **wish: object) -> Resolution:
        known = {
            name: wish.pop(name) for name in ("known_models", "needs_key", "local_model") if name in wish
        }
        return resolve(Wish(**wish), self.load(state), self.environ, state=state, **known)
