"""Exporting the conversation that is shown: a format, then a file.

Invariant: the whole path of what was written is told.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from chatui.core.errors import ChatuiError
from chatui.ui.screens.entry import Entry
from chatui.ui.screens.list import ListScreen
from chatui.ui.widgets.rows_view import ListRow

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen

_WORDS: Final = {
    "markdown": ("Markdown", "the shown path, to be read"),
    "json": ("JSON", "everything, branches too; `chatui history import` reads it back"),
    "html": ("HTML", "one file for a browser"),
    "openai": ("OpenAI messages", "the shown path as one list"),
    "openai-lines": ("OpenAI messages, JSON lines", "one line a conversation"),
}


def pick_format(screen: "ChatScreen") -> None:
    """Ask for a format and a file, and write it."""
    from chatui.wiring.exporting import format_names

    if not screen.live.now().turns and not screen.live.now().unfinished:
        screen.say("There is nothing to export yet.")
        return
    endings = dict(format_names())
    rows = [
        ListRow(key=name, strong=words[0], weak=words[1]) for name, words in _WORDS.items() if name in endings
    ]

    def taken(name: str | None) -> None:
        if name is not None:
            screen.call_later(_ask_file, screen, name, endings[name])

    screen.app_.ask(ListScreen("Export as", rows, screen.app_.styles_of_theme, screen.signs), taken)


def _ask_file(screen: "ChatScreen", name: str, ending: str) -> None:
    from chatui.wiring.exporting import free_file_name

    now = screen.live.now()
    suggested = free_file_name(now.title or screen.live.first_prompt(), ending, Path.cwd())

    def answered(path: str | None) -> None:
        if path and path.strip():
            chosen = Path(path.strip()).expanduser()
            export_to(screen, name, chosen / suggested if chosen.is_dir() else chosen)

    screen.app_.ask(
        Entry(
            "Write to which file?",
            f"Below {Path.cwd()}, unless a whole path is given; a folder takes it under this name.",
            screen.app_.styles_of_theme,
            screen.signs,
            text=suggested,
        ),
        answered,
    )


def export_to(screen: "ChatScreen", name: str, path: Path) -> None:
    """Write the conversation that is shown, and tell where it is."""
    from chatui.wiring.exporting import export_text, write_new_file

    app = screen.app_
    live = screen.live
    now = live.now()
    is_saved = (
        not now.is_temporary and not live.unsaved_why and app.shelf.summary(now.conversation_id) is not None
    )
    try:
        whole = write_new_file(path, export_text(app.workspace, now, name, is_saved=is_saved))
    except ChatuiError as error:
        screen.notice(error.message, error.hint)
        return
    screen.notice(f"Exported to {whole}", "Esc takes this away.")
