"""Asks the person about calls: from the engine's question to the panel on the screen, and back.

Invariants: a question belongs to its conversation, not to what is on the screen, and waits while another one
is shown; it is asked over the chat alone, never over something else that the person is doing; when the turn
is stopped it is gone.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from chatui.engine.approval import ApprovalRequest, Decision

if TYPE_CHECKING:
    from chatui.ui.live import Live
    from chatui.ui.screens.approval import ApprovalScreen
    from chatui.ui.screens.chat import ChatScreen


class Question:
    """One call that waits, and the future that its answer resolves."""

    def __init__(self, request: ApprovalRequest) -> None:
        self.request = request
        self._answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()

    def resolve(self, decision: Decision) -> None:
        """The person decided; a question that nobody waits for any more is left alone."""
        if not self._answer.done():
            self._answer.set_result(decision)

    async def answered(self) -> Decision:
        """The decision."""
        return await self._answer


class LiveApprover:
    """The approver of one open conversation.

    Args:
        live: The conversation.
        told: Hears that a question came or went.
    """

    def __init__(self, live: "Live", told: "Callable[[Live], None]") -> None:
        self._live = live
        self._told = told

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Put the question where the screen finds it, and wait."""
        question = self._live.question = Question(request)
        self._told(self._live)
        try:
            return await question.answered()
        finally:
            self._live.question = None
            self._told(self._live)


class Approving:
    """Shows the question of the conversation that is shown."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._panel: ApprovalScreen | None = None
        self._shown: Question | None = None

    def follow(self) -> None:
        """A question came or went, or the chat is in sight again."""
        question = self._screen.live.question
        if question is self._shown:
            return
        if self._panel is not None:
            panel, self._panel, self._shown = self._panel, None, None
            panel.withdraw()
        # Over something else it would take keys that were meant for that: it comes when the chat is back.
        if question is not None and self._screen.app.screen is self._screen:
            self._show(question)

    def _show(self, question: Question) -> None:
        from chatui.ui.screens.approval import ApprovalScreen

        screen = self._screen
        live = screen.live
        panel = ApprovalScreen(
            question.request,
            styles=screen.app_.styles_of_theme,
            signs=screen.signs,
            clock=screen.app_.clock,
            copy=screen.app_.copier.copy,
            pass_on=screen.composer.insert,
            is_writing=bool(screen.composer.text),
        )

        def answered(decision: Decision | None) -> None:
            is_withdrawn = self._panel is not panel  # another conversation is shown: nothing was decided
            if not is_withdrawn:
                self._panel = self._shown = None
            if decision is not None:
                question.resolve(decision)
            elif not is_withdrawn and live.question is question:
                screen.desk.cancel(live)

        self._panel, self._shown = panel, question
        _ = screen.app.push_screen(panel, answered)
