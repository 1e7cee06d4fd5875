"""Shows what `chatui doctor` finds, a section at a time, over the chat.

Invariant: the examination runs in a thread of its own with an event loop of its own, so that no key waits for
a name server or a disk; a page that was left is told nothing more, and nobody waits for the thread.
"""

import asyncio
import threading
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from chatui.core.diagnosis import Diagnosis, Section
from chatui.ui.screens.text_page import TextPage
from chatui.view.diagnosis_lines import diagnosis_text, section_lines, summary_line
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.plain_lines import runs_line

if TYPE_CHECKING:
    from chatui.ui.app import ChatApp
    from chatui.ui.screens.chat import ChatScreen
    from chatui.wiring import LaunchOptions
    from chatui.wiring.doctor.terminal_answers import TerminalAnswers


def show_doctor(screen: "ChatScreen", *, is_asking: bool = False) -> None:
    """Examine everything for the provider and model in use, and show it.

    Args:
        screen: The chat.
        is_asking: Send one small question to the model too.
    """
    app = screen.app_
    examination = _Examination(screen)
    app.ask(examination.page, lambda _: examination.leave())
    examination.begin(_options(screen), _terminal(app), is_asking=is_asking)


class _Examination:
    """What was found so far, and the page that shows it."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._app = screen.app_
        self._signs = screen.signs
        self._sections: list[Section] = []
        self._is_over = False
        self._is_left = False
        self.page = TextPage(
            "chatui doctor", self._lines, "", self._app.copier.copy, self._app.styles_of_theme, screen.signs
        )

    def begin(self, options: "LaunchOptions", terminal: "TerminalAnswers", *, is_asking: bool) -> None:
        """Start to look."""
        loop = asyncio.get_running_loop()

        def tell(section: Section | None) -> None:
            with suppress(RuntimeError):  # the app has ended: nobody looks any more
                loop.call_soon_threadsafe(self._app.call_later, self._found, section)

        async def look() -> None:
            from chatui.wiring.doctor.examination import examine
            from chatui.wiring.doctor.patient import Patient

            async with Patient.of(options, is_asking=is_asking, terminal=terminal) as patient:
                await examine(patient, tell, lambda: not self._is_left)
            tell(None)

        threading.Thread(target=lambda: asyncio.run(look()), name="chatui doctor", daemon=True).start()

    def leave(self) -> None:
        """Nobody looks any more."""
        self._is_left = True

    def _found(self, section: Section | None) -> None:
        """The next section, or the end."""
        if self._is_left:
            return
        if section is None:
            self._is_over = True
        else:
            self._sections.append(section)
        self.page.renew(diagnosis_text(self._sections), self._state().text)

    def _lines(self, width: int) -> list[Line]:
        lines = [line for section in self._sections for line in section_lines(section, width, self._signs)]
        return [*lines, self._state()]

    def _state(self) -> Line:
        """How it stands."""
        if self._is_over:
            return summary_line(Diagnosis(tuple(self._sections)), self._signs)
        return runs_line((Run(f"looking{self._signs.ellipsis}", Style(Tone.FAINT)),))


def _options(screen: "ChatScreen") -> "LaunchOptions":
    """What the command line said, with the provider and model that are in use now."""
    workspace = screen.app_.workspace
    options = workspace.options
    endpoint = screen.endpoint
    if endpoint is None or workspace.is_addressed(endpoint.provider):
        model = endpoint.model if endpoint is not None else options.model
        return replace(options, model=model)
    if endpoint.provider == options.provider:
        return replace(options, model=endpoint.model)
    return replace(
        options,
        provider=endpoint.provider,
        model=endpoint.model,
        protocol=None,
        base_url=None,
        api_key_env=None,
    )


def _terminal(app: "ChatApp") -> "TerminalAnswers":
    """What is known of the terminal; it cannot be asked now, because the app has it."""
    from chatui.wiring.doctor.terminal_answers import TerminalAnswers

    return TerminalAnswers(
        is_terminal=not app.is_headless,
        columns=app.size.width,
        rows=app.size.height,
        has_kitty_keys=app.newline_keys.has_kitty_keys,
        has_synchronised_output=app.has_synchronised_output,
        arrived_keys=app.newline_keys.arrived,
    )
