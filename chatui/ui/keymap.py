"""Keys: each command has a name by which it can be rebound, default keys, and words for palette and help.

Invariant: every command is in the palette with its key; a key that needs a modern terminal has a twin that
arrives in every terminal (function keys, Ctrl with a letter).
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING

from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS, Keys, _character_to_key, key_to_character

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
    opens_list: bool = False
    """What is typed behind its key is meant for the list, however soon it comes."""


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
    modifiers.sort(key=lambda modifier: (modifier != "ctrl", modifier))
    return "+".join([*(modifier.capitalize() for modifier in modifiers), name])


MODIFIERS = {"ctrl": "ctrl", "control": "ctrl", "alt": "alt", "option": "alt", "shift": "shift"} | {
    name: name for name in ("super", "hyper", "meta")
}
WRITTEN = {"esc": "escape", "pgup": "pageup", "pgdn": "pagedown", "return": "enter", "del": "delete"}
FUNCTION_KEYS = {key.value for key in Keys if key.value.isalnum()} | {*KEY_NAME_REPLACEMENTS.values()}


def read_key(written: str) -> str | None:
    """A key as its events are named, from what a person writes (`Ctrl+Alt+N`, `?`); None is no key."""
    parts = written.strip().split("+")
    if parts[-2:] == ["", ""]:  # the key is a plus
        parts[-2:] = ["+"]
    *modifiers, last = parts
    held = {MODIFIERS.get(modifier.strip().lower(), "") for modifier in modifiers}
    last = last.strip()
    if len(last) == 1:
        if held == {"shift"} and last.isalpha():
            return last.upper()  # a terminal sends the letter that it makes
        last = _character_to_key(last.lower() if held else last)
    else:
        last = last.lower().replace(" ", "_")
        last = WRITTEN.get(last, last)
        if last not in FUNCTION_KEYS and key_to_character(last) is None:
            return None
    return None if "" in held else "+".join([*sorted(held), last])


def rebind(
    commands: Iterable[Command], keys: Mapping[str, str], place_of: Callable[[str], str] = str
) -> tuple[list[Command], list[str]]:
    """Commands with the person's own keys, and what is wrong with these, one line each.

    Args:
        commands: All of them.
        keys: By the name of a command: its keys, with commas between them.
        place_of: Where a setting (`keys.NAME`) is written, for the complaints.
    """
    found = list(commands)
    names = [command.name for command in found]
    problems = []
    own: dict[str, tuple[str, ...]] = {}
    for name, written in keys.items():
        place = place_of(f"keys.{name}")
        if name not in names:
            near = get_close_matches(name, names, 1)
            meant = f"; did you mean {near[0]!r}?" if near else "; the palette shows them all"
            problems.append(f"{place}: there is no command {name!r}{meant}")
            continue
        read = {part.strip(): read_key(part) for part in written.split(",") if part.strip()}
        problems += [f"{place}: {part!r} is no key" for part, key in read.items() if key is None]
        own[name] = tuple(key for key in read.values() if key is not None)
    result = [replace(command, keys=own.get(command.name, command.keys)) for command in found]
    owners: dict[tuple[str, Where], str] = {}
    for command in result:
        for key in command.keys:
            other = owners.setdefault((key, command.where), command.name)
            if other != command.name:
                changed = command.name if command.name in own else other
                place = place_of(f"keys.{changed}")
                problems.append(f"{place}: {key_name(key)} is bound to both {other} and {command.name}")
    return result, problems


ACTION = "screen.command("
LIST_ACTION = "screen.list_command("


def unbind(node: DOMNode) -> None:
    """Take away what `bind` bound."""
    found = node._bindings.key_to_bindings  # noqa: SLF001 - the only way to other keys while the app runs
    for key, bindings in list(found.items()):
        kept = [binding for binding in bindings if not binding.action.startswith((ACTION, LIST_ACTION))]
        if kept:
            found[key] = kept
        else:
            del found[key]


def bind(node: DOMNode, commands: Iterable[Command], where: Where) -> None:
    """Bind the keys of the commands that work at a place to a node of the screen.

    A key is given to who is focused when it arrives, not when its turn comes: over a slow line the words
    behind a list's key went into the composer, and Enter sent them. So such a key is looked at first.

    Textual's class variable can't be used: the person may have keys of their own.
    """
    for command in commands:
        if command.where is where:
            for key in command.keys:
                if command.opens_list:
                    node._bindings.bind(key, f"{LIST_ACTION}'{command.name}')", show=False, priority=True)  # noqa: SLF001
                node._bindings.bind(key, f"{ACTION}'{command.name}')", command.title, show=False)  # noqa: SLF001
