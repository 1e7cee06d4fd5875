"""Commands that take an answer out of the app: to a file, to a command, a table as TSV."""

from typing import TYPE_CHECKING

from chatui.core.continuation import joined_answer
from chatui.ui.keymap import Command

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from chatui.core.messages import ImagePart
    from chatui.ui.screens.chat import ChatScreen


def _asked(
    screen: "ChatScreen", title: str, words: str, run: "Callable[[ChatScreen, str], Awaitable[None] | None]"
) -> None:
    from chatui.ui.screens.entry import Entry

    def answered(text: str | None) -> None:
        if text and text.strip():
            _ = screen.call_later(run, screen, text)

    screen.app_.ask(Entry(title, words, screen.app_.styles_of_theme, screen.signs), answered)


def write_answer(screen: "ChatScreen") -> None:
    """Write the answer (or the selection) to a file."""
    from chatui.ui.writing_out import answer_at_hand
    from chatui.ui.writing_out import write_answer as write

    if answer_at_hand(screen):
        _asked(screen, "Write to which file?", "The source of the answer, as it was received.", write)


def pipe_answer(screen: "ChatScreen") -> None:
    """Give the answer (or the selection) to a command."""
    from chatui.ui.writing_out import answer_at_hand
    from chatui.ui.writing_out import pipe_answer as pipe

    words = "It gets the answer on its standard input; no shell runs."
    if answer_at_hand(screen):
        _asked(screen, "Pipe to which command?", words, pipe)


def save_audio(screen: "ChatScreen") -> None:
    """Write the sound of the answer to a file."""
    from chatui.ui.writing_out import save_audio as save
    from chatui.ui.writing_out import sound_at_hand

    sound = sound_at_hand(screen)
    if sound is not None:
        words = f"The sound of the answer, such as answer{sound.suffix}."
        _asked(screen, "Save the sound to which file?", words, save)


def save_picture(screen: "ChatScreen") -> None:
    """Write the last picture of the answer to a file."""
    from chatui.ui.pictures.looking import of_turn

    pictures = of_turn(screen.turn_at_hand())
    if pictures:
        ask_where_to_save(screen, pictures[-1])
    else:
        screen.say("There is no picture to save.")


def ask_where_to_save(screen: "ChatScreen", image: "ImagePart") -> None:
    """Write a picture to the file that the person names."""
    from chatui.ui.writing_out import save_picture as save

    kind = image.media_type.removeprefix("image/") or "png"
    words = f"The picture as it was received, such as picture.{kind}."
    _asked(screen, "Save the picture to which file?", words, lambda screen, path: save(screen, image, path))


def copy_table(screen: "ChatScreen") -> None:
    """Copy the last table of the answer as tab-separated values."""
    from chatui.ui.turns.table_source import tab_separated, tables_in

    turn = screen.turn_at_hand()
    tables = tables_in(joined_answer(turn)) if turn is not None else []
    if not tables:
        screen.say("There is no table in this answer.")
        return
    rows = len(tables[-1])
    screen.copy(tab_separated(tables[-1]), f"the table of {rows} row{'' if rows == 1 else 's'}")


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
        name="save-audio",
        title="Save the sound of the answer to a file",
        group="Copy",
        run=save_audio,
        words="audio speech voice write wav mp3",
    ),
    Command(
        name="save-picture",
        title="Save the picture to a file",
        group="Copy",
        run=save_picture,
        words="image photo write export",
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
