"""The tools that models may call, as a page over the chat: what there is, where it comes from, what is on.

Invariant: looking switches nothing on and starts nothing.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chatui.core.errors import ChatuiError
from chatui.ui.screens.text_page import TextPage
from chatui.view.glyphs import Glyphs
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone
from chatui.view.plain_lines import one_line, plain_lines, runs_line

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen
    from chatui.wiring import KnownTool

HOW = "Switch tools on with tools.enabled, a profile, or --tool NAME; docs/tools.md tells more."


def show_tools(screen: "ChatScreen") -> None:
    """Show the page."""
    app = screen.app_
    try:
        registry = app.workspace.tools()
    except ChatuiError as error:
        screen.notice(error.message, error.hint)
        return
    known, problems = registry.known(), registry.problems
    allowed = frozenset((*app.workspace.settings.tools.allow, *app.workspace.options.allowed_tools))
    page = TextPage(
        "Tools that models may call",
        lambda width: tool_list_lines(known, problems, allowed, width, screen.signs),
        "\n".join(f"{tool.name}\t{tool.state(allowed)}\t{tool.source}" for tool in known),
        app.copier.copy,
        app.styles_of_theme,
        screen.signs,
    )
    app.ask(page, lambda _: None)


def tool_list_lines(
    known: "Sequence[KnownTool]", problems: Sequence[str], allowed: frozenset[str], width: int, signs: Glyphs
) -> list[Line]:
    """All lines."""
    lines: list[Line] = []
    for problem in problems:
        lines += plain_lines(f"{signs.error} {problem}", width, Style(Tone.ERROR))
    if problems:
        lines.append(EMPTY_LINE)
    for tool in known:
        sign, tone = (signs.bullet, Tone.SUCCESS) if tool.is_on else (signs.hollow, Tone.FAINT)
        name = Run(one_line(tool.name, max(8, width // 2)), Style(Tone.TEXT, is_bold=True))
        state = Run(f"  {tool.state(allowed)}", Style(tone))
        lines.append(runs_line((Run(f"{sign} ", Style(tone)), name, state)))
        for text in filter(None, (tool.description, tool.source)):
            lines += plain_lines(text, width, Style(Tone.MUTED), indent="  ")
        lines.append(EMPTY_LINE)
    return [*lines, *plain_lines(HOW, width, Style(Tone.FAINT))]
