"""Completion in the composer: `/command` at the beginning, `@file` anywhere.

Invariant: it only ever suggests: Enter, Tab and the arrows mean what they always mean unless the list is
open, Esc closes it, and a walk through folders happens beside the keyboard, never before it.
"""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from chatui.core.late_pattern import late_pattern
from chatui.ui.widgets.completion_lines import Completion

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen

_SLASH = late_pattern(r"/([\w-]*)\Z")
_MENTION = late_pattern(r"""(?:^|(?<=\s))@(?:"([^"\n]*)|((?:\\.|[^\s"'\\])*))\Z""")
MOST_SHOWN = 50
WALK_AGAIN_AFTER_S = 20.0


class Completing:
    """Follows the caret."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._start = 0
        self._closed_for: str | None = None
        self._files: tuple[str, ...] = ()
        self._walked_at_s: float | None = None
        self._is_walking = False

    @property
    def is_open(self) -> bool:
        """Something is suggested."""
        return bool(self._screen.completions.items)

    def follow(self) -> None:
        """The text or the caret changed."""
        composer = self._screen.composer
        row, column = composer.cursor_location
        if not composer.selection.is_empty or row >= composer.document.line_count:
            self._show([])
            return
        before = composer.document.get_line(row)[:column]
        if self._closed_for is not None and before.startswith(self._closed_for):
            return
        self._closed_for = None
        slash = _SLASH.fullmatch(before) if row == 0 and composer.document.line_count == 1 else None
        if slash is not None:
            self._start = 0
            self._show(self._commands(slash.group(1)))
            return
        mention = _MENTION.search(before) if "@" in before else None
        if mention is None:
            self._show([])
            return
        self._start = mention.start()
        self._show(self._paths(mention.group(1) if mention.group(1) is not None else mention.group(2)))

    def close(self) -> None:
        """Close the list; it stays closed for this word."""
        self._show([])

    def key(self, key: str) -> bool:
        """A key while the list may be open; returns whether it was used."""
        completions = self._screen.completions
        if not completions.items:
            return False
        step = {"up": -1, "down": 1, "ctrl+p": -1, "ctrl+n": 1}.get(key)
        if step is not None:
            completions.tell(completions.items, (completions.at + step) % len(completions.items))
        elif key == "tab":
            self._take(completions.items[completions.at])
        elif key == "enter":
            return self._enter(completions.items[completions.at])
        elif key == "escape":
            row, column = self._screen.composer.cursor_location
            self._closed_for = self._screen.composer.document.get_line(row)[:column]
            self._show([])
        else:
            return False
        return True

    def _enter(self, item: Completion) -> bool:
        """Enter takes what is marked; a whole command, or what was written out already, runs or is sent."""
        composer = self._screen.composer
        row, column = composer.cursor_location
        if composer.document.get_line(row)[self._start : column] == item.text:
            self._show([])
            return False
        self._take(item)
        return not item.is_whole

    def _take(self, item: Completion) -> None:
        composer = self._screen.composer
        row, column = composer.cursor_location
        text = item.text if item.is_open or item.text.endswith(" ") else f"{item.text} "
        composer.replace(text, (row, self._start), (row, column))
        composer.move_cursor((row, self._start + len(text)))
        if not item.is_open:
            self._closed_for = text
            self._show([])

    def _show(self, items: list[Completion]) -> None:
        completions = self._screen.completions
        was_open = self.is_open
        if items or was_open:
            completions.tell(items)
        if self.is_open is not was_open:
            self._screen.tell_status()

    def _commands(self, query: str) -> list[Completion]:
        from chatui.ui.writing.slash import matching_slashes, slash_commands

        commands = slash_commands(self._screen)
        found = []
        for command in matching_slashes(query, commands):
            takes = f" {command.takes}" if command.takes else ""
            weak = f"{command.title}  {command.key}" if command.key else command.title
            name = f"/{command.name}"
            found.append(Completion(name, f"{name}{takes}", weak, is_whole=command.is_whole))
        return found[:MOST_SHOWN]

    def _paths(self, query: str) -> list[Completion]:
        from chatui.ui.writing.fuzzy import best_matches
        from chatui.wiring.attaching import mention_of
        from chatui.wiring.file_names import files_in_folder

        folder = Path.cwd()
        if "/" in query or query.startswith("~"):
            names = files_in_folder(query if "/" in query else f"{query}/", folder)
            last = query.rpartition("/")[2]
            best = best_matches(last, names, lambda name: name.rstrip("/").rpartition("/")[2], MOST_SHOWN)
        else:
            self._walk_soon(folder)
            best = best_matches(query, self._files, lambda name: name, MOST_SHOWN)
            if query:
                by_name = best_matches(query, self._files, lambda name: name.rpartition("/")[2], MOST_SHOWN)
                best = list(dict.fromkeys([*by_name[:20], *best]))[:MOST_SHOWN]
        found = []
        for name in best:
            if name.endswith("/"):
                written = mention_of(name)
                found.append(Completion(written.removesuffix('"'), name, "folder", is_open=True))
            else:
                found.append(Completion(mention_of(name), name))
        return found

    def _walk_soon(self, folder: Path) -> None:
        now_s = time.monotonic()
        if self._is_walking or (
            self._walked_at_s is not None and now_s - self._walked_at_s < WALK_AGAIN_AFTER_S
        ):
            return
        self._is_walking = True

        def walk() -> None:
            from chatui.wiring.file_names import files_below

            files = files_below(folder)
            self._screen.app.call_from_thread(self._walked, files)

        _ = self._screen.run_worker(walk, thread=True, group="files", exit_on_error=False)

    def _walked(self, files: tuple[str, ...]) -> None:
        self._is_walking = False
        self._walked_at_s = time.monotonic()
        self._files = files
        self.follow()
