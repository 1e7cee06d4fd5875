"""Where the key of a provider comes from.

Invariant: a key is read only when it is about to be used, never shown, logged or put into a message; a file
that others can read is refused, as ssh does. Source: RFC 9110 section 5.5 (what a header may hold).
"""

import os
import stat
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from chatui.config.paths import Paths
from chatui.config.provider_spec import ProviderSpec
from chatui.core.errors import ConfigError, Unsettled

AD_HOC_KEY_VARIABLE: Final = "CHATUI_API_KEY"
"""Holds the key for a base URL that was given by flag."""

COMMAND_LIMIT_S: Final = 60.0
COMMAND_KEY_LASTS_S: Final = 300.0
"""So long the key of a command is used again: the command may ask the person, and its key may run out."""

_printed_keys: dict[tuple[str, ...], tuple[float, str]] = {}
MAX_KEY_BYTES: Final = 16 * 1024


def key_for(spec: ProviderSpec, paths: Paths, environ: Mapping[str, str]) -> tuple[str | None, str]:
    """The key of a provider and where it came from; None if none of its sources has one.

    Order: the variables it names, its file, the file that chatui saved, its command. The command is run
    without a shell and may take as long as a person needs to unlock a password store: do not call this on
    the event loop.

    Raises:
        ConfigError: a source is there but cannot be used.
    """
    for variable in spec.key_env:
        if environ.get(variable, "").strip():
            return clean_key(environ[variable], f"${variable}"), f"${variable}"
    if spec.key_file:
        file = Path(os.path.expanduser(os.path.expandvars(spec.key_file)))
        return read_key_file(file), str(file)
    saved = paths.keys_dir / spec.name
    if spec.name and os.path.isfile(saved):
        return read_key_file(saved), str(saved)
    if spec.key_command:
        return run_key_command(spec.key_command), f"the command {_program(spec.key_command)}"
    return None, ""


def has_key(spec: ProviderSpec, paths: Paths, environ: Mapping[str, str]) -> bool:
    """Whether some source of a key is there, without reading files or running commands."""
    named = any(environ.get(variable, "").strip() for variable in spec.key_env)
    return named or bool(spec.key_file or spec.key_command) or os.path.isfile(paths.keys_dir / spec.name)


def read_key_file(path: Path) -> str:
    """The key in a file.

    Raises:
        ConfigError: the file cannot be read, is empty, or others than its owner may read it.
    """
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise ConfigError(f"the key file {path} is no ordinary file")
            if sys.platform != "win32" and mode & 0o077:
                raise ConfigError(
                    f"the key file {path} may be read by others (mode {stat.S_IMODE(mode):04o})",
                    f"Run: chmod 600 {path}",
                )
            raw = file.read(MAX_KEY_BYTES)
    except OSError as error:
        raise ConfigError(f"the key file {path} cannot be read: {error.strerror or error}") from error
    return clean_key(raw.decode("utf-8", "replace"), str(path))


def save_key(paths: Paths, provider: str, key: str) -> Path:
    """Keep a key in a file of mode 0600 below the configuration folder.

    Raises:
        ConfigError: it is no key, or the file cannot be written.
    """
    from chatui.config.state import write_atomically

    path = paths.keys_dir / provider
    write_atomically(path, clean_key(key, "the given text") + "\n")
    return path


def run_key_command(command: tuple[str, ...]) -> str:
    """What a command prints (or printed a moment ago), as a key.

    A single text is split as a shell would split it, but no shell runs it.

    Raises:
        ConfigError: the command is missing, fails, takes too long or prints nothing. Its output is never
        shown.
    """
    import subprocess

    printed_at_s, known = _printed_keys.get(command, (0.0, ""))
    if known and time.monotonic() - printed_at_s < COMMAND_KEY_LASTS_S:
        return known
    words = _words(command)
    name = _program(command)
    try:
        done = subprocess.run(  # noqa: S603 - the person's own command, from the person's own file
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=COMMAND_LIMIT_S, check=False
        )
    except FileNotFoundError as error:
        raise ConfigError(f"the key command {name} was not found") from error
    except subprocess.TimeoutExpired as error:
        raise ConfigError(f"the key command {name} took longer than {COMMAND_LIMIT_S:.0f} s") from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"the key command {name} could not be run") from error
    if done.returncode != 0:
        raise ConfigError(f"the key command {name} failed with exit code {done.returncode}")
    first_line = done.stdout.decode("utf-8", "replace").strip().split("\n")[0]
    key = clean_key(first_line, f"the command {name}")
    _printed_keys[command] = (time.monotonic(), key)
    return key


def clean_key(text: str, origin: str) -> str:
    """A key without white space around it.

    Raises:
        ConfigError: it is empty or could not stand in a header.
    """
    key = text.strip()
    if not key:
        raise ConfigError(f"the key from {origin} is empty")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigError(
            f"the key from {origin} holds characters that no key has", "Was more than the key copied?"
        )
    return key


def missing_key_message(spec: ProviderSpec, paths: Paths) -> Unsettled:
    """What a person is told when a provider has no key."""
    message = f"{spec.title or spec.name} needs a key"
    hint = f"Name key_env, key_file or key_command in {spec.origin}"
    if spec.key_env:
        message = f"{message}: set {' or '.join(spec.key_env)}"
        hint = f"Or put it into {paths.keys_dir / spec.name} (mode 0600); Alt+K in the app does that for you"
    return Unsettled(message, hint, provider=spec.name, lacks_key=True)


def _words(command: tuple[str, ...]) -> list[str]:
    import shlex

    return shlex.split(command[0]) if len(command) == 1 else list(command)


def _program(command: tuple[str, ...]) -> str:
    words = _words(command)
    return f'"{Path(words[0]).name}"' if words else '""'
