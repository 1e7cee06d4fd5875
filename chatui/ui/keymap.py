"""Keys: each command has a name by which it can be rebound, default keys, and words for palette and help.

Invariant: every command is in the palette with its key; a key that needs a modern terminal has a twin that
arrives in every terminal (function keys, Ctrl with a letter).
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from textual.dom import DOMNode

from chatui.core.values import frozen

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


class Where(StrEnum):
    """Where the keys of a command work."""

    ANYWHERE = "anywhere"
    TRANSCRIPT = "transcript"
    """Single letters: only while the transcript is focused."""


@frozen(kw_only=True)
class Command:
    """Something that the person can ask for."""

    name: str
    title: str
    keys: tuple[str, ...] = ()
    group: str
    run: "Callable[[ChatScreen], Awaitable[None] | None]"
    where: Where = Where.ANYWHERE
    words: str = ""
    """Other words by which the palette finds it."""
    is_in_palette: bool = True


KEY_NAMES = {
    "enter": "Enter",
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "home": "Home",
    "end": "End",
    "tab": "Tab",
    "space": "Space",
    "backspace": "Backspace",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "slash": "/",
    "question_mark": "?",
    "number_sign": "#",
    "full_stop": ".",
    "comma": ",",
    "less_than_sign": "<",
    "greater_than_sign": ">",
}


def key_name(key: str, *, is_short: bool = False) -> str:
    """A key as a person reads it: `ctrl+p` is `Ctrl+P`, or `⌃P` when short."""
    *modifiers, last = key.split("+")
    if key == "+":
        modifiers, last = [], "+"
    name = KEY_NAMES.get(last, last.upper() if last[:1] == "f" and last[1:].isdigit() else last)
    if len(name) == 1 and modifiers:
        name = name.upper()
    if is_short:
        signs = {"ctrl": "⌃", "alt": "⌥", "shift": "⇧"}
        return "".join(signs.get(modifier, modifier) for modifier in modifiers) + name
    return "+".join([*(modifier.capitalize() for modifier in modifiers), name])


def rebind(commands: Iterable[Command], keys: Mapping[str, str]) -> tuple[list[Command], list[str]]:
    """Commands with the person's own keys, and what is wrong with these, one line each."""
    found = list(commands)
    names = {command.name for command in found}
    problems = [f"keys: there is no command {name!r}" for name in keys if name not in names]
    result = [
        replace(command, keys=tuple(part.strip() for part in keys[command.name].split(",") if part.strip()))
        if command.name in keys
        else command
        for command in found
    ]
    owners: dict[tuple[str, Where], str] = {}
    for command in result:
        for key in command.keys:
            other = owners.setdefault((key, command.where), command.name)
            if other != command.name:
                problems.append(f"keys: {key_name(key)} is bound to both {other} and {command.name}")
    return result, problems


def unbind(node: DOMNode) -> None:
    """Take away what `bind` bound."""
    found = node._bindings.key_to_bindings  # noqa: SLF001 - the only way to other keys while the app runs
    for key, bindings in list(found.items()):
        kept = [binding for binding in bindings if not binding.action.startswith("screen.command(")]
        if kept:
            found[key] = kept
        else:
            del found[key]


def bind(node: DOMNode, commands: Iterable[Command], where: Where) -> None:
    """Bind the keys of the commands that work at a place to a node of the screen.

    Textual's class variable can't be used: the person may have keys of their own.
    """
    for command in commands:
        if command.where is where:
            for key in command.keys:
                node._bindings.bind(key, f"screen.command('{command.name}')", command.title, show=False)  # noqa: SLF001
