"""The chat without a full screen: lines that are only ever added, for screen readers and poor terminals.

Invariants: whatever happens is said by `cli.plain_printer`, in lines that are only ever added; Ctrl+C stops
the answer, at the prompt it ends the chat.
"""

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from chatui.cli.ask import interrupts
from chatui.cli.messages import forgive_encoding, sentence
from chatui.cli.plain_approval import approver_here
from chatui.cli.plain_printer import PlainPrinter, ending_words
from chatui.core.continuation import GO_ON_WORDS
from chatui.core.errors import ChatuiError, ConfigError, ExitCode
from chatui.core.messages import Message
from chatui.core.turn import Phase, Turn

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from chatui.core.conversation import Conversation
    from chatui.engine.session import ChatSession
    from chatui.wiring import LaunchOptions, Workspace

HELP: Final = """Write a prompt and press Enter. A backslash at the end of a line goes on with the next one.
@PATH in a prompt sends that file along. Ctrl+C stops an answer; at the prompt it ends, as Ctrl+D does.
/new begins a new conversation. /retry asks again. /continue lets a cut answer go on.
/model PROVIDER/MODEL changes who answers, /models lists them. /system TEXT sets the system prompt.
`chatui history list` shows earlier conversations, `chatui --plain -r ID` goes on with one.
/quit ends. A prompt that begins with a slash: begin it with two."""

NEXT_STEPS: Final = "/retry asks again, /continue goes on from what was received."


class PlainChat:
    """Reads prompts, sends them, prints what comes."""

    def __init__(
        self, workspace: "Workspace", runner: asyncio.Runner, out: TextIO, files: tuple[str, ...] = ()
    ) -> None:
        self._workspace = workspace
        self._runner = runner
        self._out = out
        self._printer = PlainPrinter(out)
        self._session: ChatSession | None = None
        self._last_turn: Turn | None = None
        self._files = tuple(Path(file).expanduser() for file in files)

    def open(self) -> None:
        """Begin with the conversation that the options ask for.

        Raises:
            ChatuiError: it cannot be opened, or there is nobody to ask.
        """
        self._use(self._workspace.starting_conversation())
        session = self._session
        assert session is not None
        endpoint, conversation = session.endpoint, session.conversation
        self._printer.say(f"chatui, plain. {endpoint.provider}, {endpoint.model} answers. /help tells more.")
        turns = conversation.path()
        if turns:
            self._last_turn = turns[-1]
            self._printer.say(f"going on with: {conversation.title or turns[0].prompt[:80]}")
        for turn in conversation.unfinished[-1:]:
            self._last_turn = turn
            self._printer.say(f"unfinished: {ending_words(turn)} {NEXT_STEPS}")

    def _use(self, conversation: "Conversation") -> None:
        self._session = self._workspace.build_session(
            self._printer.update, conversation, approver=approver_here(self._out, self._printer.say)
        )

    def loop(self) -> int:
        """Until the input ends; the exit code."""
        while True:
            try:
                text = read_prompt()
            except EOFError:
                return int(ExitCode.COMPLETED)
            except KeyboardInterrupt:
                self._printer.say("ended")
                return int(ExitCode.COMPLETED)
            if not text.strip():
                continue
            try:
                if not self.take(text):
                    return int(ExitCode.COMPLETED)
            except ChatuiError as error:
                self._printer.say(sentence(error.message, error.hint))

    def take(self, text: str) -> bool:
        """A prompt or a command; False ends the chat.

        Raises:
            ChatuiError: it cannot be done.
        """
        if text.startswith("/") and not text.startswith("//"):
            name, _, rest = text[1:].partition(" ")
            handler = getattr(self, f"do_{name}", None) if name.isalpha() else None
            if name in ("quit", "exit", "q"):
                return False
            if handler is not None:
                handler(rest.strip())
                return True
            if "/" not in name:
                self._printer.say(f"there is no command /{name}; /help lists them")
                return True
        self._send((self._message(text.removeprefix("/") if text.startswith("//") else text),))
        self._files = ()
        return True

    def do_help(self, rest: str) -> None:
        """What can be done."""
        del rest
        for line in HELP.split("\n"):
            self._printer.say(line)

    def do_new(self, rest: str) -> None:
        """A new conversation."""
        del rest
        self._use(self._workspace.new_conversation())
        self._last_turn = None
        self._printer.say("a new conversation")

    def do_system(self, rest: str) -> None:
        """Set the system prompt."""
        from dataclasses import replace

        session = self._opened()
        session.move_to(replace(session.conversation, system=rest))
        self._printer.say("the system prompt is set" if rest else "there is no system prompt now")

    def do_models(self, rest: str) -> None:
        """List models of the providers that are ready, or of one."""
        choices = self._workspace.choices()
        if rest and rest not in {choice.name for choice in choices}:
            self._printer.say(f"there is no provider {rest}; /models lists them")
        for choice in choices:
            if choice.name == rest or (not rest and choice.is_ready and not choice.is_local):
                names = self._runner.run(self._workspace.list_models(choice.name)) if rest else choice.models
                self._printer.say(f"{choice.name}: {', '.join(names) or 'see /models ' + choice.name}")

    def do_model(self, rest: str) -> None:
        """Say or change who answers."""
        session = self._opened()
        if rest:
            provider, slash, model = rest.partition("/")
            known = {choice.name for choice in self._workspace.choices()}
            if provider not in known:
                provider, slash, model = session.endpoint.provider, "/", rest
            session.use(self._workspace.resolve(provider, model if slash and model else None))
        self._printer.say(f"{session.endpoint.provider}, {session.endpoint.model} answers")

    def do_retry(self, rest: str) -> None:
        """Ask again."""
        del rest
        if self._last_turn is None:
            self._printer.say("there is nothing to ask again")
        else:
            session, turn = self._opened(), self._last_turn
            self._run(session, session.regenerate(turn))

    def do_continue(self, rest: str) -> None:
        """Accept a cut answer and let it go on."""
        from dataclasses import replace

        from chatui.core.messages import user_message

        del rest
        turn = self._last_turn
        if turn is None or turn.phase is not Phase.FAILED or not turn.text:
            self._printer.say("there is no cut answer to go on from")
            return
        session = self._opened()
        accepted = replace(turn, is_accepted_cut=True)
        session.move_to(session.conversation.without_unfinished(turn.turn_id).with_turn(accepted))
        self._send((user_message(GO_ON_WORDS),))

    def _opened(self) -> "ChatSession":
        assert self._session is not None
        return self._session

    def _message(self, text: str) -> Message:
        """A prompt with the files that it mentions, and those of `-a` with the first one.

        Raises:
            ConfigError: a file cannot be sent.
        """
        from chatui.wiring.attaching import files_in, message_with_files

        found, problems = files_in(text, Path.cwd()) if "@" in text else ([], [])
        if problems:
            raise ConfigError(problems[0])
        for item in found:
            self._printer.say(f"with the file {item.file.name}")
        return message_with_files(text, [*self._files, *(item.path for item in found)])

    def _send(self, messages: tuple[Message, ...]) -> None:
        session = self._opened()
        self._run(session, session.send(messages))

    def _run(self, session: "ChatSession", turn: "Coroutine[object, object, Turn]") -> None:
        async def run() -> Turn:
            with interrupts(session):
                return await turn

        self._printer.begin()
        self._last_turn = turn_ended = self._runner.run(run())
        self._printer.end()
        if turn_ended.phase is Phase.FAILED:
            self._printer.say(NEXT_STEPS if turn_ended.text else f"{NEXT_STEPS.partition(',')[0]}.")


def read_prompt() -> str:
    """A prompt: one line, or several that end in a backslash.

    Raises:
        EOFError: there is no more input.
    """
    lines: list[str] = []
    while True:
        line = input("you: " if not lines and sys.stdin.isatty() else "")
        if not line.endswith("\\"):
            lines.append(line)
            return "\n".join(lines)
        lines.append(line[:-1])


def run_plain(options: "LaunchOptions") -> int:
    """Chat in lines; the exit code."""
    from chatui.wiring import open_checked

    workspace = open_checked(options)
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - line editing at the prompt, where there is such a thing

    forgive_encoding(sys.stdout)
    with asyncio.Runner() as runner:
        chat = PlainChat(workspace, runner, sys.stdout, options.attachments)
        try:
            for problem in workspace.problems:
                PlainPrinter(sys.stdout).say(problem)
            chat.open()
            return chat.loop()
        finally:
            runner.run(workspace.aclose())
