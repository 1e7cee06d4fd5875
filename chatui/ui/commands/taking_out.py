"""Commands that take an answer out of the app: to a file, to a command, a table as TSV."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import Command

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from chatui.ui.screens.chat import ChatScreen


def _asked(
    screen: "ChatScreen", title: str, words: str, run: "Callable[[ChatScreen, str], Awaitable[None] | None]"
) -> None:
    from chatui.ui.screens.entry import Entry
    from chatui.ui.writing_out import answer_at_hand

    if not answer_at_hand(screen):
        return

    def answered(text: str | None) -> None:
        if text and text.strip():
            _ = screen.call_later(run, screen, text)

    screen.app_.ask(Entry(title, words, screen.app_.styles_of_theme, screen.signs), answered)


def write_answer(screen: "ChatScreen") -> None:
    """Write the answer (or the selection) to a file."""
    from chatui.ui.writing_out import write_answer as write

    _asked(screen, "Write to which file?", "The source of the answer, as it was received.", write)


def pipe_answer(screen: "ChatScreen") -> None:
    """Give the answer (or the selection) to a command."""
    from chatui.ui.writing_out import pipe_answer as pipe

    _asked(screen, "Pipe to which command?", "It gets the answer on its standard input; no shell runs.", pipe)


def copy_table(screen: "ChatScreen") -> None:
    """Copy the last table of the answer as tab-separated values."""
    from chatui.ui.table_source import tab_separated, tables_in

    turn = screen.turn_at_hand()
    tables = tables_in(turn.text) if turn is not None else []
    if not tables:
        screen.say("There is no table in this answer.")
        return
    screen.copy(tab_separated(tables[-1]), f"the table ({len(tables[-1])} rows)")


COMMANDS = (
    Command(
        name="write-answer",
        title="Write the answer to a file",
        keys=("alt+w",),
        group="Copy",
        run=write_answer,
        words="save export",
    ),
    Command(
        name="pipe-answer", title="Pipe the answer to a command", group="Copy", run=pipe_answer, words="shell"
    ),
    Command(
        name="copy-table",
        title="Copy the table as TSV",
        keys=("alt+y",),
        group="Copy",
        run=copy_table,
        words="spreadsheet csv",
    ),
)
