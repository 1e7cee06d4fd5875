"""The list of conversations: found by title or by any word that was said in them, and put in order there.

Invariant: every change is made in the history before the list shows it, and can be undone with one key.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from chatui.core.errors import ChatuiError
from chatui.ui.screens.entry import Entry
from chatui.ui.screens.list import ListScreen
from chatui.ui.shelf import PREVIEW_TURNS, place_of
from chatui.ui.widgets.key_hints import LEAVES, Keys
from chatui.ui.widgets.rows_view import ListRow
from chatui.view.lines import EMPTY_LINE, Style, Tone
from chatui.view.plain_lines import one_line, plain_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chatui.history.catalog import Catalog
    from chatui.history.summaries import Summary
    from chatui.ui.live import Live
    from chatui.ui.screens.chat import ChatScreen
    from chatui.view.lines import Line

KEYS: Final[Keys] = (
    ("Enter", "opens"),
    *(("F2", "rename"), ("F3", "pin"), ("F4", "archive"), ("F5", "tags"), ("F6", "archived")),
    *(("F7", "stop"), ("F8", "delete"), ("Ctrl+Z", "undo"), LEAVES),
)


def pick_conversation(screen: "ChatScreen") -> None:
    """Show the conversations and open the one that is taken."""
    ConversationList(screen).show()


def rename_shown(screen: "ChatScreen") -> None:
    """Give the conversation that is shown another title."""
    live = screen.live
    now = live.now()
    summary = screen.app_.shelf.summary(now.conversation_id) if not now.is_temporary else None
    if summary is None:
        screen.say("Only a conversation that is in the history has a title.")
        return

    def answered(title: str | None) -> None:
        if title is None:
            return
        try:
            screen.app_.workspace.history.catalog.rename(now.conversation_id, title)
        except ChatuiError as error:
            screen.notice(error.message, error.hint)
            return
        screen.app_.titles.look_again(live)

    _ask_title(screen, summary, answered)


def _ask_title(screen: "ChatScreen", summary: "Summary", answered: Callable[[str | None], None]) -> None:
    words = "Empty brings back the title made from the first exchange."
    entry = Entry("Another title", words, screen.app_.styles_of_theme, screen.signs, text=summary.title)
    screen.app_.ask(entry, answered)


class ConversationList:
    """The list while it is open."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._app = screen.app_
        self._is_archived = False
        self._undo: list[tuple[str, Callable[[Catalog], None]]] = []
        self._list = ListScreen(
            "Conversations",
            self._rows(),
            self._app.styles_of_theme,
            screen.signs,
            at=screen.live.conversation.conversation_id,
            preview=self._preview,
            ask=self._search,
            keys=KEYS,
            empty_words="No conversation yet.",
            row_keys={
                "f2": self._rename,
                "f3": self._pin,
                "f4": self._archive,
                "f5": self._tag,
                "f7": self._stop,
                "f8": self._delete,
            },
            list_keys={"f6": self._turn_over, "ctrl+z": self._take_back},
        )

    def show(self) -> None:
        """Show it; what is taken is opened."""
        problem = self._app.shelf.problem
        if problem is not None:
            self._screen.notice(problem.message, problem.hint)
            return
        self._app.on_list_news = self._look_again
        self._app.ask(self._list, self._taken)

    def _taken(self, key: str | None) -> None:
        self._app.on_list_news = None
        self._leave_deleted()
        if key is not None:
            conversation_id, turn_id = place_of(key)
            self._app.opening.open(conversation_id, turn_id, self._app.shelf.matched(key))

    def _leave_deleted(self) -> None:
        live = self._screen.live
        summary = self._app.shelf.summary(live.conversation.conversation_id)
        if summary is not None and summary.is_deleted and not live.is_busy:
            self._app.opening.new()

    # Rows

    def _rows(self) -> list[ListRow]:
        rows = self._app.shelf.rows(is_archived=self._is_archived)
        if self._is_archived:
            return rows
        known = {row.key for row in rows}
        return [
            *(self._row_of(live) for live in self._app.desk.lives if self._is_only_here(live, known)),
            *rows,
        ]

    def _is_only_here(self, live: "Live", known: set[str]) -> bool:
        now = live.now()
        if now.conversation_id in known or (live is self._screen.live and not live.turns()):
            return False
        is_unsaved = not now.turns and bool(live.turns() or live.draft.strip())
        return now.is_temporary or live.is_busy or is_unsaved

    def _row_of(self, live: "Live") -> ListRow:
        """A conversation that is not in the history: a temporary one, or one that begins just now."""
        now = live.now()
        turns = live.turns()
        facts = ["● receiving" if live.is_busy else "", "temporary" if now.is_temporary else ""]
        facts.append("" if turns else "draft")
        return ListRow(
            key=now.conversation_id,
            strong=one_line(turns[0].prompt if turns else live.draft, 80) or "untitled",
            weak=" · ".join(filter(None, facts)),
        )

    def _preview(self, key: str, width: int) -> "Sequence[Line]":
        """From the history, or from what is here where nothing of it is there."""
        shelf = self._app.shelf
        live = next((live for live in self._app.desk.lives if live.now().conversation_id == key), None)
        if live is None or shelf.summary(key) is not None:
            return shelf.preview(key, width)
        words = one_line(live.draft) if not live.turns() else ""
        draft = plain_lines(words, width, Style(Tone.MUTED), indent=" ")
        return [EMPTY_LINE, *draft, *shelf.turn_lines(live.turns()[-PREVIEW_TURNS:], width)]

    async def _search(self, wanted: str) -> "Sequence[ListRow]":
        return await self._app.shelf.search(wanted, is_archived=self._is_archived)

    def _look_again(self) -> None:
        self._list.look_again(self._rows())

    def _turn_over(self) -> None:
        self._is_archived = not self._is_archived
        self._list.use_title("Archived conversations" if self._is_archived else "Conversations")
        self._look_again()

    # Changes

    def _change(
        self,
        what: str,
        change: "Callable[[Catalog], None]",
        undo: "Callable[[Catalog], None]",
    ) -> None:
        try:
            change(self._app.workspace.history.catalog)
        except ChatuiError as error:
            self._list.tell(one_line(f"{error.message}. {error.hint}", 300))
            return
        self._undo.append((what, undo))
        self._list.tell(f"{what}. {self._screen.signs.control}Z takes it back.")
        self._look_again()

    def _take_back(self) -> None:
        if not self._undo:
            self._list.tell("Nothing to take back.")
            return
        what, undo = self._undo.pop()
        try:
            undo(self._app.workspace.history.catalog)
        except ChatuiError as error:
            self._list.tell(one_line(f"{error.message}. {error.hint}", 300))
            return
        self._list.tell(f"Taken back: {what[:1].lower()}{what[1:]}.")
        self._look_again()

    def _summary(self, key: str) -> "Summary | None":
        summary = self._app.shelf.summary(place_of(key)[0])
        if summary is None:
            self._list.tell("This conversation is not in the history.")
        return summary

    def _rename(self, key: str) -> None:
        summary = self._summary(key)
        if summary is None:
            return
        name, old = summary.conversation_id, summary.title if summary.is_title_chosen else ""

        def answered(title: str | None) -> None:
            if title is not None:
                self._change(
                    "Renamed",
                    lambda catalog: catalog.rename(name, title),
                    lambda catalog: catalog.rename(name, old),
                )
                if live := self._app.desk.find(name):
                    self._app.titles.look_again(live)

        _ask_title(self._screen, summary, answered)

    def _pin(self, key: str) -> None:
        if summary := self._summary(key):
            words = "No longer pinned" if summary.is_pinned else "Pinned to the top"
            self._turn(summary, words, summary.is_pinned, lambda catalog, *to: catalog.pin(*to))

    def _archive(self, key: str) -> None:
        if summary := self._summary(key):
            words = "Back from the archive" if summary.is_archived else "Archived"
            self._turn(summary, words, summary.is_archived, lambda catalog, *to: catalog.archive(*to))

    def _turn(
        self, summary: "Summary", words: str, is_on: bool, make: "Callable[[Catalog, str, bool], None]"
    ) -> None:
        """Turn something about a conversation off or on, and back when that is taken back."""
        name = summary.conversation_id
        self._change(
            words,
            lambda catalog: make(catalog, name, not is_on),
            lambda catalog: make(catalog, name, is_on),
        )

    def _tag(self, key: str) -> None:
        summary = self._summary(key)
        if summary is None:
            return
        name, old = summary.conversation_id, summary.tags

        def answered(words: str | None) -> None:
            if words is not None:
                self._change(
                    "Tagged",
                    lambda catalog: catalog.tag(name, words.split()),
                    lambda catalog: catalog.tag(name, old),
                )

        words = "Words with blanks between them; #word in the filter finds them."
        self._app.ask(
            Entry("Tags", words, self._app.styles_of_theme, self._screen.signs, text=" ".join(old)), answered
        )

    def _delete(self, key: str) -> None:
        summary = self._summary(key)
        if summary is None:
            return
        name = summary.conversation_id
        live = self._app.desk.find(name)
        if live is not None and live.is_busy:
            self._list.tell("It is receiving an answer: F7 stops it first.")
            return
        if summary.open_in:
            self._list.tell(f"It is open in {summary.open_in}: close it there first.")
            return
        self._change("Deleted", lambda catalog: catalog.delete(name), lambda catalog: catalog.undelete(name))

    def _stop(self, key: str) -> None:
        live = self._app.desk.find(place_of(key)[0])
        if live is None or not self._app.desk.cancel(live):
            self._list.tell("Nothing runs there.")
        else:
            self._list.tell("stopping…")
