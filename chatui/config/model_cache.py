"""Model lists as servers gave them, kept in the state folder.

Invariant: a list is only ever a memory with an age: a broken or missing file is an empty one, and a list
counts only for the address that gave it.
"""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from chatui.config.paths import Paths
from chatui.config.state import write_atomically
from chatui.core.errors import WireError
from chatui.core.values import frozen

if TYPE_CHECKING:
    from chatui.core.model_listing import ListedModel

FRESH_S: Final = 24 * 3600.0
"""So long a list is trusted to say which models do not exist."""

MAX_CACHE_BYTES: Final = 32 * 1024 * 1024


@frozen(kw_only=True)
class CachedModels:
    """A provider's models and when they were asked for."""

    base_url: str
    fetched_at_epoch_s: float
    models: "tuple[ListedModel, ...]" = ()

    def is_fresh(self, now_epoch_s: float) -> bool:
        """Whether it is young enough to be trusted."""
        return 0 <= now_epoch_s - self.fetched_at_epoch_s < FRESH_S


def save_models(paths: Paths, provider: str, cached: CachedModels) -> None:
    """Keep a list.

    Raises:
        ConfigError: the file cannot be written.
    """
    import json

    content = {
        "base_url": cached.base_url,
        "fetched_at_epoch_s": cached.fetched_at_epoch_s,
        "models": [asdict(model) for model in cached.models],
    }
    write_atomically(_file(paths, provider), json.dumps(content, indent=1))


def load_models(paths: Paths, provider: str) -> CachedModels | None:
    """The list that was kept last; None if there is none that can be read."""
    path = _file(paths, provider)
    try:
        if path.stat().st_size > MAX_CACHE_BYTES:
            return None
    except OSError:
        return None
    return _read(path)


def _read(path: Path) -> CachedModels | None:
    # Reading JSON is loaded where there is some: most starts find no list.
    from chatui.core.json_access import as_count, as_list, as_object, as_text, parse_json
    from chatui.core.model_listing import ListedModel

    try:
        content = as_object(parse_json(path.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, WireError):
        return None
    fetched = content.get("fetched_at_epoch_s")
    if not isinstance(fetched, int | float):
        return None
    entries = (as_object(entry) for entry in as_list(content.get("models")))
    models = tuple(
        ListedModel(
            model_id=as_text(entry.get("model_id")),
            title=as_text(entry.get("title")),
            owner=as_text(entry.get("owner")),
            context_window_tokens=as_count(entry.get("context_window_tokens")),
            created_at_epoch_s=as_count(entry.get("created_at_epoch_s")),
        )
        for entry in entries
        if as_text(entry.get("model_id"))
    )
    return CachedModels(
        base_url=as_text(content.get("base_url")), fetched_at_epoch_s=float(fetched), models=models
    )


def _file(paths: Paths, provider: str) -> Path:
    return paths.models_dir / f"{quote(provider, safe='')}.json"
