"""What was sent or stashed, to be found and brought back: this conversation first, then older ones."""

from typing import TYPE_CHECKING

from chatui.core.errors import ChatuiError
from chatui.ui.screens.list import ListScreen
from chatui.ui.widgets.key_hints import LEAVES
from chatui.ui.widgets.rows_view import ListRow
from chatui.view.lines import Line, Style, Tone
from chatui.view.plain_lines import one_line, plain_lines

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen

MOST_PROMPTS = 400
OTHER_CONVERSATIONS = 20
TURNS_OF_EACH = 8
SHOWN_CHARACTERS = 300


def pick_prompt(screen: "ChatScreen") -> None:
    """Show old prompts and put the one that is taken into the composer."""
    prompts = list(reversed(screen.composer.prompts))
    prompts.extend(_of_others(screen))
    prompts = list(dict.fromkeys(prompt for prompt in prompts if prompt.strip()))[:MOST_PROMPTS]
    rows = [
        ListRow(
            key=str(index),
            strong=one_line(prompt[:SHOWN_CHARACTERS], 200),
            weak=f"{prompt.count(chr(10)) + 1} lines" if "\n" in prompt else "",
            words=prompt[:4000],
        )
        for index, prompt in enumerate(prompts)
    ]

    def preview(key: str, width: int) -> list[Line]:
        return plain_lines(prompts[int(key)], width - 1, Style(Tone.TEXT), indent=" ", most=60)

    def taken(key: str | None) -> None:
        if key is None:
            return
        draft = screen.composer.written
        if draft.strip():
            screen.composer.remember(draft)
        screen.composer.put(prompts[int(key)])
        screen.composer.focus()

    screen.app_.ask(
        ListScreen(
            "Prompts",
            rows,
            screen.app_.styles_of_theme,
            screen.signs,
            preview=preview,
            keys=(("Enter", "puts it into the composer"), LEAVES),
            empty_words="Nothing was sent yet.",
        ),
        taken,
    )


def _of_others(screen: "ChatScreen") -> list[str]:
    history = screen.app_.workspace.history
    here = screen.live.conversation.conversation_id
    found: list[str] = []
    try:
        found.extend(stashed.text for stashed in history.drafts.stashed())
        for summary in history.list(limit=OTHER_CONVERSATIONS):
            if summary.conversation_id != here:
                turns = history.load(summary.conversation_id, last=TURNS_OF_EACH).path()
                found.extend(turn.prompt for turn in reversed(turns))
    except ChatuiError as error:
        screen.say(error.message)
    return found
