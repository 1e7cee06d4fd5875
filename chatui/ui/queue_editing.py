"""What can be done with prompts that wait: take one back to edit it, put it back, drop it, send it sooner.

Invariants: a prompt that is edited and sent again waits where it waited; whatever is taken out of the queue
stands in the composer or can be recalled there.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from chatui.ui.live import Live
    from chatui.ui.screens.chat import ChatScreen
    from chatui.ui.writing.prompts import Prompt


class _Place(NamedTuple):
    """Where a prompt waited that is in the composer now."""

    live: "Live"
    prompt: "Prompt"
    follower: "Prompt | None"
    """What waited behind it; None if nothing did."""


class QueueEditing:
    """Edits the queue of the conversation that is shown."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._place: _Place | None = None
        self._raised: Prompt | None = None

    def add(self, live: "Live", prompt: "Prompt") -> None:
        """Let a prompt wait: where it waited before, if it was taken back, else at the end."""
        place, self._place = self._place, None
        queue = live.queue
        if place is None or place.live is not live or place.follower is None:
            queue.append(prompt)
        else:
            # What stood behind it may have been sent meanwhile: then it is the next one.
            at = next((index for index, other in enumerate(queue) if other is place.follower), 0)
            queue.insert(at, prompt)

    def forget(self) -> None:
        """Nothing that waited is being edited any more."""
        self._place = None

    def edit(self, index: int | None = None) -> None:
        """Bring a prompt into the composer: the last one, or the one before that which is there already."""
        screen = self._screen
        live = screen.live
        wanted = live.queue[index] if index is not None and index < len(live.queue) else None
        came_from = self._put_back()
        if wanted is None and live.queue:
            wanted = live.queue[-1 if came_from is None else came_from - 1]
        at = next((at for at, prompt in enumerate(live.queue) if prompt is wanted), None)
        prompt = None if at is None else screen.desk.unqueue(live, at)
        if at is None or prompt is None:
            screen.say("Nothing waits to be sent.")
            return
        self._place = _Place(live, prompt, live.queue[at] if at < len(live.queue) else None)
        screen.composer.put(prompt.text)
        screen.composer.focus()
        screen.prompting.tell_queue()

    def _put_back(self) -> int | None:
        """Let wait again what is being edited, and say where; any other draft can be recalled."""
        screen = self._screen
        place, draft = self._place, screen.composer.written
        if not draft.strip():
            return None
        if place is None or place.live is not screen.live or (draft != place.prompt.text and "@" in draft):
            screen.composer.remember(draft)
            return None
        from chatui.ui.writing.prompts import plain_prompt

        prompt = place.prompt if draft == place.prompt.text else plain_prompt(draft)
        self.add(place.live, prompt)
        return next(at for at, other in enumerate(place.live.queue) if other is prompt)

    def drop(self, index: int = -1) -> None:
        """Do not send a prompt; Up still recalls it."""
        screen = self._screen
        prompt = screen.desk.unqueue(screen.live, index)
        if prompt is None:
            screen.say("Nothing waits to be sent.")
            return
        screen.composer.remember(prompt.text)
        screen.say("Dropped; Up in the composer brings it back.")
        screen.prompting.tell_queue()

    def send_sooner(self, index: int | None = None) -> None:
        """Let a prompt go before the one in front of it: the last one; asked again, the same one further."""
        screen = self._screen
        queue = screen.live.queue
        if index is None:
            known = (at for at, prompt in enumerate(queue) if prompt is self._raised)
            index = next(known, len(queue) - 1)
        if not 0 < index < len(queue):
            screen.say("It is the next one already." if queue else "Nothing waits to be sent.")
            return
        queue[index - 1], queue[index] = queue[index], queue[index - 1]
        self._raised = queue[index - 1]
        screen.prompting.tell_queue()
