"""Templates: prompts with variables, asked for one after the other, then put into the composer.

Invariant: nothing is sent by a template; what is filled in is never looked at again for variables.
"""

from typing import TYPE_CHECKING

from chatui.config.templates import fill, variables_in
from chatui.ui.screens.entry import Entry
from chatui.ui.screens.list import ListScreen
from chatui.ui.widgets.rows_view import ListRow
from chatui.view.plain_lines import one_line

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen

SELECTION = "selection"
CLIPBOARD = "clipboard"
"""What was copied in this app; another program's clipboard cannot be read through a terminal."""


def pick_template(screen: "ChatScreen") -> None:
    """Show the templates and use the one that is taken."""
    workspace = screen.app_.workspace
    templates = workspace.settings.templates
    if not templates:
        screen.notice(
            "There is no template yet.",
            f"Write one into {workspace.paths.config_file}: "
            '[templates.review] text = "Review this {language} code:"',
        )
        return
    rows = [
        ListRow(
            key=name,
            strong=name,
            weak=template.description or one_line(template.text, 80),
            words=template.text,
        )
        for name, template in templates.items()
    ]

    def taken(name: str | None) -> None:
        if name is not None:
            use_template(screen, name)

    screen.app_.ask(ListScreen("Template", rows, screen.app_.styles_of_theme, screen.signs), taken)


def use_template(screen: "ChatScreen", name: str) -> None:
    """Ask for the variables of a template and put it into the composer."""
    template = screen.app_.workspace.settings.templates.get(name)
    if template is None:
        screen.say(f"There is no template {one_line(name, 40)}.")
        return
    text = template.text
    values: dict[str, str] = {}
    selected = screen.transcript.selected_text() if screen.transcript.selection is not None else ""
    if selected:
        values[SELECTION] = selected
    if screen.app_.clipboard:
        values[CLIPBOARD] = screen.app_.clipboard
    open_names = [variable for variable in variables_in(text) if variable not in values]
    asked = len(open_names)

    def ask_next() -> None:
        if not open_names:
            insert(fill(text, values))
            return
        variable = open_names[0]

        def answered(value: str | None) -> None:
            if value is None:
                screen.say("The template was left.")
                return
            values[variable] = value
            open_names.pop(0)
            ask_next()

        place = f" ({asked - len(open_names) + 1} of {asked})" if asked > 1 else ""
        words = one_line(fill(text, values), 300)  # what was answered stands there already
        screen.app_.ask(
            Entry(f"{variable}{place}", words, screen.app_.styles_of_theme, screen.signs), answered
        )

    def insert(filled: str) -> None:
        composer = screen.composer
        composer.insert(filled)
        composer.focus()

    ask_next()
