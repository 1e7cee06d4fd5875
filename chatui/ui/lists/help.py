"""Help: the keys, those of the focused part first, each of them a row that can be run."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import Command, Where, key_name
from chatui.ui.screens.list import ListScreen
from chatui.ui.widgets.key_hints import LEAVES
from chatui.ui.widgets.rows_view import ListRow

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen

_COMPOSER = (
    ("Enter", "Send"),
    ("/ at the beginning, @ anywhere", "Commands, files: suggested"),
    ("Enter while an answer comes", "Queue; Alt+Q takes it back"),
    ("Up at the top, Down at the end", "Recall what was sent or stashed before"),
    ("Ctrl+Z, Ctrl+Shift+Z", "Undo, redo"),
    ("Ctrl+W, Ctrl+U, Ctrl+K", "Delete a word, to the line's start, its end"),
    ("Tab", "Go to the transcript; Tab again comes back"),
)

_MOUSE = (
    ("Drag", "Select text, also while an answer comes; Ctrl+C copies"),
    ("Double click, triple click", "Select a word, a line"),
    ("Click a link", "Show its true address and ask before it is opened"),
    ("Shift+drag", "Select with the terminal instead (most terminals)"),
)


def _rows(title: str, pairs: tuple[tuple[str, str], ...]) -> list[ListRow]:
    return [ListRow(key=f"{title}/{keys}", strong=words, weak=keys, words=title) for keys, words in pairs]


def _commands(commands: list[Command]) -> list[ListRow]:
    return [
        ListRow(
            key=command.name,
            strong=command.title,
            weak="  ".join(key_name(key) for key in command.keys),
            words=f"{command.group} {command.words}",
        )
        for command in commands
        if command.keys
    ]


def show_keys(screen: "ChatScreen") -> None:
    """Show the keys."""
    everywhere = _commands([c for c in screen.commands.values() if c.where is Where.ANYWHERE])
    reading = _commands([c for c in screen.commands.values() if c.where is Where.TRANSCRIPT])
    send, *others = _COMPOSER
    writing = _rows("composer", (send, *screen.app_.newline_keys.help_rows(), *others))
    mouse = _rows("mouse", _MOUSE)
    doctor = [ListRow(key="doctor", strong="Doctor: look at each step", weak="/doctor", words="problem help")]
    is_reading = screen.focused is screen.transcript
    rows = (
        [*reading, *everywhere, *doctor, *writing, *mouse]
        if is_reading
        else [*writing, *everywhere, *doctor, *reading, *mouse]
    )

    def taken(name: str | None) -> None:
        if name in screen.commands:
            screen.call_later(screen.action_command, name)

    title = "Keys while reading" if is_reading else "Keys while writing"
    screen.app_.ask(
        ListScreen(
            title,
            rows,
            screen.app_.styles_of_theme,
            screen.signs,
            keys=(("Enter", "runs it"), LEAVES),
        ),
        taken,
    )
