"""`chatui config path | show | edit | check | init`: what is set, where it comes from, whether it is right.

Invariant: a key is never shown, also not one that was put into the file by mistake; a file that exists is
never overwritten.
"""

import argparse
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from chatui.core.errors import ConfigError, ExitCode

if TYPE_CHECKING:
    from chatui.config.loader import LoadedConfig

_HIDDEN = "[not shown]"


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its verbs."""
    parser = subparsers.add_parser(
        "config",
        help="configuration: path, show, edit, check, init",
        description="The configuration file: where it is, what is in force, whether it is right.",
    )
    verbs = parser.add_subparsers(dest="config_command", metavar="COMMAND", required=True)
    path = verbs.add_parser("path", help="print the path of the configuration file")
    path.add_argument("--all", action="store_true", help="print every folder and file that chatui uses")
    show = verbs.add_parser("show", help="every setting in force, and where it comes from")
    show.add_argument("key", nargs="?", help="only this setting or section, e.g. ui or ui.theme")
    show.add_argument("--json", action="store_true", help="as one JSON object")
    verbs.add_parser("edit", help="open the file in $VISUAL or $EDITOR (makes it first if there is none)")
    verbs.add_parser("check", help="tell everything that is wrong, with file, line and key")
    verbs.add_parser("init", help="write a commented file with every setting; never overwrites one")


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked.

    Returns:
        The exit code: 0, or 2 if something is wrong with the configuration.
    """
    match arguments.config_command:
        case "path":
            return _path(arguments.all)
        case "show":
            return _show(arguments.key, arguments.json)
        case "edit":
            return _edit()
        case "init":
            return _init()
        case _:
            return _check()


def _load() -> "LoadedConfig":
    from chatui.config.loader import load_config
    from chatui.config.paths import find_paths
    from chatui.config.state import StateFile

    paths = find_paths()
    state, _ = StateFile(paths.state_file).load()
    return load_config(paths, state=state)


def _path(is_all: bool) -> int:
    from chatui.cli.messages import say
    from chatui.config.paths import find_paths, find_project_file

    paths = find_paths()
    if not is_all:
        say(str(paths.config_file))
        return ExitCode.COMPLETED
    rows = {
        "configuration": paths.config_file,
        "project file": find_project_file() or "none",
        "providers": paths.providers_dir,
        "themes": paths.themes_dir,
        "keys": paths.keys_dir,
        "history": paths.history_file,
        "data": paths.data_dir,
        "state": paths.state_file,
        "model lists": paths.models_dir,
    }
    for name, path in rows.items():
        say(f"{name:<14} {path}")
    return ExitCode.COMPLETED


def _show(key: str | None, is_json: bool) -> int:
    from chatui.cli.messages import one_line
    from chatui.config.commented import toml_value
    from chatui.config.toml_source import not_among

    config = _load()
    rows = list(_rows(config))
    if key is not None:
        chosen = [row for row in rows if row[0] == key or row[0].startswith(f"{key}.")]
        if not chosen:
            raise ConfigError(f'there is no setting "{key}"; {not_among(key, [row[0] for row in rows])}')
        rows = chosen
    if is_json:
        import json

        settings = {name: {"value": value, "from": origin} for name, value, origin in rows}
        problems = [str(problem) for problem in config.problems]
        print(json.dumps({"settings": settings, "problems": problems}, indent=2, default=str))
        return ExitCode.COMPLETED
    shown = [
        (one_line(name), "not set" if value is None else one_line(toml_value(value)), one_line(origin))
        for name, value, origin in rows
    ]
    width = min(max((len(name) + len(value) for name, value, _ in shown), default=0) + 3, 60)
    for name, value, origin in shown:
        print(f"{f'{name} = {value}':<{width}}  # {origin}")
    _tell_problems(config)
    return ExitCode.COMPLETED


def _rows(config: "LoadedConfig") -> Iterator[tuple[str, object, str]]:
    """Dotted key, value and origin of every setting, open tables included."""
    from chatui.config.sources import setting_keys
    from chatui.config.toml_source import dotted

    values: dict[str, object] = {}
    for path, _, _, _ in setting_keys():
        value: object = config.settings
        for name in path:
            value = getattr(value, name)
        values[dotted(path)] = value
    for name in config.origins:
        if name not in values:
            values[name] = _shown_value(name, config.value_of(name))
    for name, value in values.items():
        yield name, value, str(config.origin_of(name))


def _shown_value(key: str, value: object) -> object:
    """Values of open tables; those that may hold a secret are hidden."""
    words = key.lower().replace("-", "_").split(".")
    may_be_secret = "headers" in words or "env" in words or any("key" in w or "token" in w for w in words)
    is_name_of_a_variable = words[-1] in ("key_env", "base_url_env", "key_file", "needs_key")
    return _HIDDEN if may_be_secret and not is_name_of_a_variable and words[0] != "keys" else value


def _edit() -> int:
    from chatui.config.outside_programs import editor_command
    from chatui.config.paths import find_paths

    path = find_paths().config_file
    if not path.exists():
        _write_new(path)
    command = editor_command(os.environ)
    if not command:
        raise ConfigError("there is no editor", "Set VISUAL or EDITOR")
    editor = shlex.join(command)
    try:
        done = subprocess.run([*command, str(path)], check=False)  # noqa: S603 - the person's own editor
    except (OSError, ValueError) as error:
        raise ConfigError(f"the editor {editor!r} cannot be started", "Set VISUAL or EDITOR") from error
    if done.returncode != 0:
        raise ConfigError(f"the editor {editor!r} ended with exit code {done.returncode}")
    return _check()


def _init() -> int:
    from chatui.cli.messages import say
    from chatui.config.paths import find_paths

    path = find_paths().config_file
    if path.exists():
        raise ConfigError(f"{path} exists; it was left as it is", "See `chatui config edit`")
    _write_new(path)
    say(str(path))
    return ExitCode.COMPLETED


def _write_new(path: "os.PathLike[str]") -> None:
    from pathlib import Path

    from chatui.config.commented import commented_config
    from chatui.config.state import write_atomically

    write_atomically(Path(path), commented_config())


def _check() -> int:
    from chatui.config.checking import check_everything

    config = _load()
    problems, checked = check_everything(config, os.environ)
    if _names_tools(config):
        from chatui.wiring.tooling import tool_problems

        problems = [*problems, *tool_problems(config)]
    if config.settings.keys:
        problems = [*problems, *_key_problems(config)]
    if not problems and not checked:
        print("There is no configuration yet, so nothing can be wrong. `chatui config init` writes one.")
        return ExitCode.COMPLETED
    if not problems:
        print(f"No problems in {checked} file{'' if checked == 1 else 's'}.")
        return ExitCode.COMPLETED
    _print_lines(problems)
    return ExitCode.USAGE


def _key_problems(config: "LoadedConfig") -> list[str]:
    """The app's own look at the person's keys: commands, names of keys, keys that mean two things."""
    from chatui.ui.commands import ALL
    from chatui.ui.keymap import rebind

    return rebind(ALL, config.settings.keys, lambda key: f"{config.origin_of(key)}: {key}")[1]


def _names_tools(config: "LoadedConfig") -> bool:
    settings = config.settings
    tools = settings.tools
    return bool(
        tools.enabled or tools.commands or tools.mcp or any(one.tools for one in settings.profiles.values())
    )


def _tell_problems(config: "LoadedConfig") -> None:
    _print_lines([str(problem) for problem in config.problems])


def _print_lines(lines: list[str]) -> None:
    from chatui.cli.messages import one_line

    for line in lines:
        print(one_line(line), file=sys.stderr)
