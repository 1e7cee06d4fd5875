"""What an empty conversation shows.

The name, the model in use, three things to try, the last five conversations.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chatui.engine.endpoint import Endpoint
from chatui.ui.presenter import LOCAL_PROVIDER
from chatui.ui.widgets.rows_view import ListRow, whole_facts
from chatui.view.glyphs import Glyphs
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone
from chatui.view.plain_lines import cell_width, clip_runs, one_line, plain_lines, runs_line

if TYPE_CHECKING:
    from chatui.ui.app import ChatApp
    from chatui.wiring import FoundKey

THINGS_TO_TRY = (
    "Explain TCP slow start in three bullet points.",
    "Write a Python function that merges two sorted lists, with a test.",
    "Compare SQLite and PostgreSQL for a small app, as a table.",
)

TINY_WORDS = "This is the embedded model: tiny, on this machine, good for trying things out and often wrong."
BETTER_WORDS = "Ctrl+O connects a better one."


def fetch_words(size_bytes: int, before: str = ", fetched once") -> str:
    """How much is fetched before the first answer; empty if nothing is."""
    return f"{before} ({size_bytes / 1_000_000:.0f} MB)" if size_bytes else ""


def welcome_of(app: "ChatApp", width: int) -> list[Line]:
    """The empty state as things are."""
    live = app.chat.live
    endpoint = app.chat.endpoint
    problem = live.problem.message if live.problem else ""
    if not problem and endpoint is not None and endpoint.provider == LOCAL_PROVIDER:
        problem = app.embedded_problem
    shown = live.conversation.conversation_id
    others = [row for row in app.shelf.rows(6) if row.key != shown][:5]
    fetched = fetch_words(app.embedded_bytes, " The first question fetches it, once")
    return welcome_lines(width, app.signs, endpoint, others, problem, app.found_keys, fetched)


def welcome_lines(
    width: int,
    signs: Glyphs,
    endpoint: Endpoint | None,
    conversations: Sequence[ListRow],
    problem: str = "",
    found_keys: "Sequence[FoundKey]" = (),
    fetched: str = "",
) -> list[Line]:
    """The lines of the empty state."""
    lines: list[Line] = [EMPTY_LINE]
    lines.append(
        _line(
            width, Run("chatui", Style(Tone.ACCENT, is_bold=True)), Run(_model(endpoint), Style(Tone.MUTED))
        )
    )
    if problem:
        lines.extend(plain_lines(problem, width, Style(Tone.WARNING)))
    elif endpoint is not None and endpoint.provider == LOCAL_PROVIDER:
        words = f"{TINY_WORDS}{fetched and f'{fetched}.'} {BETTER_WORDS}"
        lines.extend(plain_lines(words, width, Style(Tone.WARNING)))
    if found_keys and (endpoint is None or endpoint.provider == LOCAL_PROVIDER):
        lines.append(EMPTY_LINE)
        lines.append(_line(width, Run("Keys found for  Alt+K connects", Style(Tone.FAINT))))
        for key in found_keys[:4]:
            lines.append(
                _line(
                    width,
                    Run(f" {signs.marker} ", Style(Tone.ACCENT)),
                    Run(one_line(key.title, 40), Style(Tone.TEXT), f"chatui:use/{key.provider}"),
                    Run(f"  {one_line(key.origin, 60)}", Style(Tone.FAINT)),
                )
            )
    lines.append(EMPTY_LINE)
    lines.append(_line(width, Run("Things to try", Style(Tone.FAINT))))
    for text in THINGS_TO_TRY:
        lines.append(
            _line(
                width,
                Run(f" {signs.marker} ", Style(Tone.ACCENT)),
                Run(text, Style(Tone.TEXT), f"chatui:try/{text}"),
            )
        )
    if conversations:
        lines.append(EMPTY_LINE)
        lines.append(
            _line(width, Run("Go on with", Style(Tone.FAINT)), Run("  Ctrl+R lists all", Style(Tone.FAINT)))
        )
        for row in conversations[:5]:
            weak = whole_facts(row.weak, signs.dot, width // 2)
            title = one_line(row.strong, max(8, width - cell_width(weak) - 6))
            lines.append(
                _line(
                    width,
                    Run(f" {signs.marker} ", Style(Tone.ACCENT)),
                    Run(title, Style(Tone.TEXT), f"chatui:open/{row.key}"),
                    Run(f"  {weak}", Style(Tone.FAINT)),
                )
            )
    lines.append(EMPTY_LINE)
    lines.append(
        _line(width, Run("F1 help   Ctrl+P all commands   Ctrl+O model   F4 theme", Style(Tone.FAINT)))
    )
    return lines


def _model(endpoint: Endpoint | None) -> str:
    if endpoint is None:
        return "  no model yet"
    return f"  with {one_line(endpoint.model, 60)} from {one_line(endpoint.provider, 30)}"


def _line(width: int, *runs: Run) -> Line:
    return runs_line(clip_runs(runs, width))
