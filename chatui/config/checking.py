"""Everything that can be told to be wrong before anything is asked: `chatui config check`.

Invariant: looks only; runs no command of the person, reads no key, writes nothing.
"""

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

from chatui.config.loader import LoadedConfig
from chatui.config.paths import Paths
from chatui.config.provider_spec import built_in_names, check_provider, load_provider, provider_names
from chatui.config.resolve import resolve
from chatui.config.settings import Wish
from chatui.config.state import StateFile
from chatui.config.theme_files import find_themes, shipped_themes_directory, why_no_theme
from chatui.config.toml_source import Problem, not_among, read_toml
from chatui.core.errors import ConfigError


def check_everything(config: LoadedConfig, environ: Mapping[str, str]) -> tuple[list[str], int]:
    """All problems as lines, and how many files were looked at."""
    problems = [str(problem) for problem in config.problems]
    files = [config.paths.config_file, config.paths.state_file]
    if config.project_file is not None:
        files.append(config.project_file)
    problems += [str(problem) for problem in StateFile(config.paths.state_file).load()[1]]
    for file in _provider_files(config.paths):
        files.append(file)
        source, broken = read_toml(file)
        problems += [str(problem) for problem in (*broken, *check_provider(source, source.data, ()))]
    problems += _names(config)
    problems += key_file_problems(config)
    if not problems:
        problems += _chosen(config, environ)
    return problems, sum(file.is_file() for file in files)


def _provider_files(paths: Paths) -> list[Path]:
    try:
        return sorted(paths.providers_dir.glob("*.toml"))
    except OSError:  # a folder that cannot be listed has no files for us
        return []


def _names(config: LoadedConfig) -> list[str]:
    """Names that point to something that is not there."""
    settings = config.settings
    found: list[Problem] = []
    providers = provider_names(config.paths, settings.providers)
    if settings.provider and settings.provider not in providers:
        found.append(_problem(config, "provider", f"is unknown; {not_among(settings.provider, providers)}"))
    if settings.profile and settings.profile not in settings.profiles:
        names = sorted(settings.profiles)
        known = not_among(settings.profile, names) if names else "there is no profile"
        found.append(_problem(config, "profile", f"is unknown; {known}"))
    themes = find_themes(shipped_themes_directory(), config.paths.themes_dir)
    if why := why_no_theme(settings.ui.theme, themes):
        found.append(_problem(config, "ui.theme", f"is unknown; {why}"))
    for name, profile in settings.profiles.items():
        if profile.provider and profile.provider not in providers:
            key = f"profiles.{name}.provider"
            found.append(_problem(config, key, f"is unknown; {not_among(profile.provider, providers)}"))
    for name, table in settings.providers.items():
        has_base = isinstance(table, dict) and ("base_url" in table or "base_url_env" in table)
        if (
            name not in built_in_names()
            and not has_base
            and not (config.paths.providers_dir / f"{name}.toml").exists()
        ):
            found.append(
                _problem(config, f"providers.{name}", "is no provider of chatui's and names no base_url")
            )
    return [str(problem) for problem in found]


def _problem(config: LoadedConfig, key: str, message: str) -> Problem:
    origin = config.origin_of(key)
    line = origin.line or config.user_source.line_of(tuple(key.split(".")))
    return Problem(origin.where or str(config.paths.config_file), line, key, message)


def key_file_problems(config: LoadedConfig) -> list[str]:
    """Files of keys that others may read, or that cannot be read."""
    if sys.platform == "win32":
        return []
    files = set(config.paths.keys_dir.glob("*")) if config.paths.keys_dir.is_dir() else set()
    for name in provider_names(config.paths, config.settings.providers):
        try:
            spec = load_provider(name, config.paths, config.settings.providers, config.user_source)
        except ConfigError:  # told above, with its line
            continue
        if spec.key_file:
            files.add(Path(os.path.expanduser(os.path.expandvars(spec.key_file))))
    found = []
    for file in sorted(files):
        try:
            mode = file.stat().st_mode
        except OSError as error:
            found.append(f"{file}: cannot be read: {error.strerror or error}")
            continue
        if stat.S_ISREG(mode) and mode & 0o077:
            found.append(f"{file}: others may read it (mode {stat.S_IMODE(mode):04o}); run: chmod 600 {file}")
    return found


def _chosen(config: LoadedConfig, environ: Mapping[str, str]) -> list[str]:
    """Whether what is chosen can be resolved, as far as that is known without its key."""
    if not config.settings.provider:
        return []
    try:
        resolve(Wish(), config, environ, needs_key=False)
    except ConfigError as error:
        return [error.message]
    return []
