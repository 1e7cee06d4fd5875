"""What happens when the person sends: slash commands, files, the queue; and nothing is lost on the way.

Invariant: a text leaves the composer only when it was sent, queued or run; what may be refused is told first
and goes when Enter is pressed again on the same text.
"""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from chatui.core.errors import ChatuiError
from chatui.ui.queue_editing import QueueEditing
from chatui.ui.writing.prompts import Prompt, plain_prompt
from chatui.view.lines import Tone

if TYPE_CHECKING:
    from chatui.core.attached_file import AttachedFile
    from chatui.ui.screens.chat import ChatScreen

QUEUED = "Queued"
AGAIN = "Enter again sends it all the same."


class Prompting:
    """Takes what was written to where it belongs."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._confirmed = ""
        self._sent = ""
        """What was written when Enter was pressed."""
        self._mentioned: tuple[str, ...] = ()
        self.waiting = QueueEditing(screen)

    # Sending

    def send_at_once(self, text: str) -> bool:
        """Enter was pressed on this text; False if it is a command or may name files, which takes longer."""
        if "@" in self._screen.composer.text or (text.startswith("/") and not text.startswith("//")):
            return False
        self._sent = text
        self._go(plain_prompt(text.removeprefix("/")))
        return True

    async def submit(self, text: str) -> None:
        """Enter was pressed on this text, and more may have been typed behind it since."""
        self._sent = text
        if text.startswith("//"):
            text = text[1:]
        elif text.startswith("/") and await self._run_slash(text):
            return
        await self._submit_with_files(text, self._screen.composer.text)

    async def _run_slash(self, text: str) -> bool:
        """Run a slash command; False if the text is to be sent."""
        from chatui.ui.writing.slash import near_names, slash_commands, split_slash

        screen = self._screen
        name, rest = split_slash(text)
        if not name:
            return False
        commands = slash_commands(screen)
        if name in commands:
            screen.composer.remember(screen.composer.take(self._sent))
            screen.forget_draft()
            result = commands[name].run(screen, rest)
            if result is not None:
                await result
            return True
        if self._is_confirmed(text):
            return False
        near = near_names(name, commands)
        meant = f" Did you mean {near}?" if near else ""
        screen.say(f"There is no command /{name}.{meant} Enter again sends it as text.", Tone.WARNING)
        return True

    async def _submit_with_files(self, text: str, shown: str) -> None:
        """Only what is visible in the composer names files: a folded paste never does."""
        from chatui.wiring.attaching import files_in, message_with_files

        screen = self._screen
        found, problems = files_in(shown, Path.cwd())
        problems = [*problems, *self.limits([item.file for item in found])]
        if problems and not self._is_confirmed(text):
            screen.notice("\n".join(problems[:4]), AGAIN)
            return
        if not found:
            self._go(plain_prompt(text))
            return
        try:
            message = await asyncio.to_thread(message_with_files, text, [item.path for item in found])
        except ChatuiError as error:
            screen.notice(error.message, error.hint)
            return
        if screen.composer.written.startswith(self._sent):
            self._go(Prompt(text, message))

    def _is_confirmed(self, text: str) -> bool:
        if self._confirmed == text:
            self._confirmed = ""
            return True
        self._confirmed = text
        return False

    def _go(self, prompt: Prompt) -> None:
        screen = self._screen
        objection = screen.context.objection(prompt.text)
        if objection and not self._is_confirmed(prompt.text):
            choices = "The palette has more: drop oldest, fork earlier, another model."
            screen.notice(objection, f"{AGAIN} {choices}")
            return
        live = screen.app_.opening.own(screen.live, lambda: self._go_again(prompt))
        if live is None:
            return
        if live.is_busy and live.editing is not None:
            screen.say("An answer is still coming: Esc stops it, then Enter sends the edited prompt.")
            return
        if live.is_busy:
            self.waiting.add(live, prompt)
            self._taken()
            self.tell_queue()
            screen.say(f"{QUEUED}: it is sent when this answer is complete. Alt+Q takes it back.")
            return
        if not screen.desk.send_messages(live, (prompt.message,)):
            problem = live.problem
            screen.notice(
                problem.message if problem else "There is no model to ask.", problem.hint if problem else ""
            )
            return
        self.waiting.forget()
        self._taken()
        screen.transcript.to_end()

    def _go_again(self, prompt: Prompt) -> None:
        """The copy into which it goes has been made, unless something else was written meanwhile."""
        if self._screen.composer.written == prompt.text:
            self._confirmed = prompt.text
            self._go(prompt)

    def _taken(self) -> None:
        screen = self._screen
        self._confirmed = ""
        screen.notice("")
        screen.composer.remember(screen.composer.take(self._sent))
        screen.forget_draft()

    # The queue

    def nothing_written(self) -> None:
        """Enter on an empty composer: what is held goes on."""
        screen = self._screen
        if screen.live.is_queue_held and not screen.live.is_busy and screen.desk.release_queue(screen.live):
            self.tell_queue()
            screen.transcript.to_end()
        else:
            screen.say("Nothing to send yet: write something first.", Tone.WARNING)

    def tell_queue(self) -> None:
        """The lines above the composer show what waits."""
        live = self._screen.live
        if not live.queue and self._screen.status.message.startswith(QUEUED):
            self._screen.say("")
        self._screen.queue_lines.tell(live.queue, is_held=live.is_queue_held)

    # Files

    def written(self) -> None:
        """The text changed: chips follow it."""
        text = self._screen.composer.text
        if not text:
            self.waiting.forget()
        if "@" not in text and not self._mentioned:
            return
        from chatui.wiring.attaching import mentioned_paths

        mentioned = mentioned_paths(text)
        if mentioned != self._mentioned:
            self._mentioned = mentioned
            self.look_at_files()

    def look_at_files(self) -> None:
        """Look at the named files again, for the model that answers now."""
        lines = self._screen.attachment_lines
        if not self._mentioned and not lines.files and not lines.problems:
            return
        from chatui.wiring.attaching import files_in

        found, problems = files_in(self._screen.composer.text, Path.cwd())
        files = [item.file for item in found]
        lines.tell(files, [*problems, *self.limits(files)])

    def limits(self, files: "list[AttachedFile]") -> tuple[str, ...]:
        """Why the model in use may refuse these files."""
        from chatui.core.attachment_limits import problems_of

        endpoint = self._screen.endpoint
        if endpoint is None or not files:
            return ()
        facts = self._screen.app_.knowledge.of(endpoint)
        return problems_of(
            files,
            endpoint.protocol.file_limits,
            can_see_images=facts.can_see_images,
            can_read_pdf=facts.can_read_pdf,
        )

    def attach(self, path: str) -> None:
        """Put a mention of a file at the end of the text."""
        from chatui.wiring.attaching import mention_of

        composer = self._screen.composer
        text = composer.text
        space = "" if not text or text[-1].isspace() else " "
        composer.insert(
            f"{space}{mention_of(path) if path else '@'}{' ' if path else ''}", composer.document.end
        )
        composer.move_cursor(composer.document.end)
        composer.focus()

    def pasted(self, text: str) -> str:
        """What is inserted for a paste: paths become mentions, so that they are shown and sent as files."""
        from chatui.wiring.attaching import mention_of, pasted_paths

        paths = pasted_paths(text, Path.cwd())
        return "".join(f"{mention_of(path)} " for path in paths) or text
