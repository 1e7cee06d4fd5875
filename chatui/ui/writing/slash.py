"""Slash commands: every command of the app by its name, and some that take words after it.

Invariant: a text is run only if its first word is a command; anything else is text to send, and the person is
asked once before it goes.
"""

from collections.abc import Awaitable, Callable, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING

from chatui.core.errors import ChatuiError
from chatui.core.values import frozen
from chatui.ui.keymap import Where, key_name

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


@frozen
class SlashCommand:
    """A command that can be written."""

    name: str
    title: str
    run: "Callable[[ChatScreen, str], Awaitable[None] | None]"
    key: str = ""
    takes: str = ""
    """What may follow it, as words; in brackets what most often does not."""

    @property
    def is_whole(self) -> bool:
        """It is most often given without anything behind it."""
        return not self.takes or self.takes.startswith("[")


def slash_commands(screen: "ChatScreen") -> dict[str, SlashCommand]:
    """All of them by name."""
    found: dict[str, SlashCommand] = {}
    for command in screen.commands.values():
        if (command.is_in_palette and command.where is Where.ANYWHERE) or command.name in TRANSCRIPT_TOO:
            key = key_name(command.keys[0]) if command.keys else ""
            found[command.name] = SlashCommand(command.name, command.title, _runner(command.name), key)
    for written in WRITTEN:
        key = found[written.name].key if written.name in found else ""
        found[written.name] = SlashCommand(written.name, written.title, written.run, key, written.takes)
    return found


FIRST = (
    *("model", "new", "conversations", "retry", "continue", "template", "profile", "system", "attach"),
    *("theme", "help", "request", "details", "editor", "prompts", "connect", "write-answer", "pipe-answer"),
)
"""What is suggested first, before anything was typed."""


def _rank(name: str) -> int:
    return FIRST.index(name) if name in FIRST else len(FIRST)


TRANSCRIPT_TOO = (
    "retry",
    "continue",
    "accept",
    "edit",
    "dismiss",
    "fork",
    "fork-earlier",
    "drop-oldest",
    "next-answer",
    "previous-answer",
)
"""Commands of the transcript that can be written too."""


def split_slash(text: str) -> tuple[str, str]:
    """Name and rest of a slash command; the name is empty where the text is none."""
    if not text.startswith("/") or text.startswith("//"):
        return "", ""
    name, _, rest = text[1:].partition(" ")
    if not name or "\n" in name or not all(part.isalnum() or part in "-_" for part in name):
        return "", ""
    return name, rest.strip()


def near_names(name: str, commands: dict[str, SlashCommand]) -> str:
    """Commands that may have been meant, in words."""
    near = get_close_matches(name, commands, 3, 0.5)
    return " or ".join(f"/{found}" for found in near)


def _runner(name: str) -> "Callable[[ChatScreen, str], Awaitable[None] | None]":
    def run(screen: "ChatScreen", rest: str) -> Awaitable[None] | None:
        del rest
        return screen.action_command(name)

    return run


def _model(screen: "ChatScreen", rest: str) -> Awaitable[None] | None:
    if not rest:
        return screen.action_command("model")
    from chatui.ui.lists.models import use_model

    provider, slash, model = rest.partition("/")
    known = {choice.name for choice in screen.app_.workspace.choices()}
    if slash and provider in known:
        use_model(screen, provider, model)
    elif rest in known:
        use_model(screen, rest, "")
    elif screen.endpoint is not None:
        use_model(screen, screen.endpoint.provider, rest)
    return None


def _theme(screen: "ChatScreen", rest: str) -> Awaitable[None] | None:
    from chatui.ui.lists.themes import choose_theme

    if not rest:
        return screen.action_command("theme")
    names = {path.stem for path in screen.app_.theme_paths()}
    if rest not in names:
        screen.say(f"There is no theme {rest}: {', '.join(sorted(names))}")
        return None
    choose_theme(screen, rest)
    return None


def _system(screen: "ChatScreen", rest: str) -> None:
    from chatui.ui.profile_use import use_system

    if rest:
        use_system(screen, rest)
        screen.say("The system prompt holds from the next prompt on.")
    else:
        system = screen.live.now().system
        screen.notice(
            f"System prompt: {system}" if system else "There is no system prompt.", "/system TEXT sets it."
        )


def _profile(screen: "ChatScreen", rest: str) -> Awaitable[None] | None:
    from chatui.ui.profile_use import use_profile

    if not rest:
        return screen.action_command("profile")
    try:
        use_profile(screen, rest)
    except ChatuiError as error:
        screen.notice(error.message, error.hint)
    return None


def _template(screen: "ChatScreen", rest: str) -> Awaitable[None] | None:
    from chatui.ui.lists.templates import use_template

    if not rest:
        return screen.action_command("template")
    use_template(screen, rest)
    return None


def _attach(screen: "ChatScreen", rest: str) -> None:
    screen.prompting.attach(rest)


def _write_out(screen: "ChatScreen", rest: str) -> Awaitable[None] | None:
    from chatui.ui.writing_out import write_answer

    if not rest:
        return screen.action_command("write-answer")
    write_answer(screen, rest)
    return None


def _save_audio(screen: "ChatScreen", rest: str) -> Awaitable[None] | None:
    from chatui.ui.writing_out import save_audio

    if not rest:
        return screen.action_command("save-audio")
    save_audio(screen, rest)
    return None


def _save_picture(screen: "ChatScreen", rest: str) -> Awaitable[None] | None:
    from chatui.ui.pictures.looking import of_turn
    from chatui.ui.writing_out import save_picture

    pictures = of_turn(screen.turn_at_hand())
    if not rest or not pictures:
        return screen.action_command("save-picture")
    save_picture(screen, pictures[-1], rest)
    return None


def _doctor(screen: "ChatScreen", rest: str) -> Awaitable[None] | None:
    from chatui.ui.examining import show_doctor

    if rest not in ("", "stream"):
        screen.say("/doctor looks at each step; /doctor stream also sends one small question to the model.")
        return None
    show_doctor(screen, is_asking=rest == "stream")
    return None


def _pipe(screen: "ChatScreen", rest: str) -> Awaitable[None] | None:
    from chatui.ui.writing_out import pipe_answer

    return pipe_answer(screen, rest) if rest else screen.action_command("pipe-answer")


WRITTEN = (
    SlashCommand("model", "Choose the model", _model, takes="PROVIDER/MODEL"),
    SlashCommand("theme", "Choose the theme", _theme, takes="NAME"),
    SlashCommand("system", "Show or set the system prompt", _system, takes="TEXT"),
    SlashCommand("profile", "Apply a profile", _profile, takes="NAME"),
    SlashCommand("template", "Insert a template", _template, takes="NAME"),
    SlashCommand("attach", "Attach a file", _attach, takes="PATH"),
    SlashCommand("write-answer", "Write the answer to a file", _write_out, takes="PATH"),
    SlashCommand("save-audio", "Save the sound of the answer to a file", _save_audio, takes="PATH"),
    SlashCommand("save-picture", "Save the picture to a file", _save_picture, takes="PATH"),
    SlashCommand("doctor", "Look at each step when something does not work", _doctor, takes="[stream]"),
    SlashCommand("pipe-answer", "Pipe the answer to a command", _pipe, takes="COMMAND"),
)


def matching_slashes(query: str, commands: dict[str, SlashCommand]) -> Iterator[SlashCommand]:
    """Commands whose name or title match what was typed."""
    from chatui.ui.writing.fuzzy import best_matches

    if not query:
        yield from sorted(commands.values(), key=lambda command: _rank(command.name))
        return
    named = best_matches(query, commands.values(), lambda command: command.name, 40)
    yield from named
    seen = {command.name for command in named}
    if len(query) >= 2:
        for command in best_matches(query, commands.values(), lambda command: command.title, 12):
            if command.name not in seen and query.casefold() in command.title.casefold():
                yield command
