"""Everything one process holds: settings, history, connections, tools, the embedded engine.

Invariant: each of them is opened when it is first needed and closed once, and none that is broken keeps the
others from working.
"""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from chatui.core.conversation import Conversation
from chatui.core.messages import Message
from chatui.wiring.options import LaunchOptions
from chatui.wiring.providers import Providers

if TYPE_CHECKING:
    from chatui.config.loader import LoadedConfig
    from chatui.core.events import StreamEvent
    from chatui.engine.approval import Approver
    from chatui.engine.endpoint import Endpoint
    from chatui.engine.session import ChatSession
    from chatui.engine.tool_loop import ToolLoop
    from chatui.engine.updates import TurnUpdate
    from chatui.history.sqlite_history import SqliteHistory
    from chatui.tools.registry import ToolRegistry


class Workspace(Providers):
    """Settings, history, connections and the local engine of one process."""

    def __init__(self, options: LaunchOptions) -> None:
        super().__init__(options)
        self.opening_prompt: tuple[Message, ...] = ()
        """Sent as soon as the app has opened; only a replay has one."""
        self._history: SqliteHistory | None = None
        self._history_lock = Lock()
        self._tools: list[ToolRegistry] = []
        """The last one holds; those before it may still be used by a turn that runs."""
        self._tools_made_for: tuple[LoadedConfig, str | None] | None = None
        if options.record_directory is not None:
            self.record_to(options.record_directory)

    @property
    def is_saving(self) -> bool:
        """Whether new conversations go to the history."""
        return self.options.is_saved and self.settings.history.save

    @property
    def history(self) -> "SqliteHistory":
        """The store, opened on first use: as well as possible, see its `trouble`."""
        with self._history_lock:
            if self._history is None:
                from chatui.wiring.conversations import open_history

                self._history = open_history(self.paths.history_file)
            return self._history

    @property
    def attachments(self) -> tuple[str, ...]:
        """Files that the command line gave for the first prompt."""
        return self.options.attachments

    def attachment_problems(self, endpoint: "Endpoint") -> tuple[str, ...]:
        """Why the model may refuse the files of the command line.

        Raises:
            ConfigError: one of them is not there or cannot be sent.
        """
        if not self.options.attachments:
            return ()
        from chatui.wiring.attaching import problems_of_files

        limits = endpoint.protocol.file_limits
        return problems_of_files(self.options.attachments, limits, self.model_facts(endpoint))

    def new_conversation(self, *, is_temporary: bool = False) -> Conversation:
        """A fresh, empty conversation (not in the history until its first turn)."""
        from chatui.wiring.conversations import new_conversation

        return new_conversation(self, is_temporary=is_temporary)

    def starting_conversation(self, *, last: int | None = None) -> Conversation:
        """The conversation that the options ask for; with `last`, only so many turns of its end are loaded.

        Raises:
            ConfigError: there is none with that id, or none at all to continue.
            StoreError: the history cannot be read.
        """
        from chatui.wiring.conversations import starting_conversation

        return starting_conversation(self, last)

    def build_session(
        self,
        on_update: "Callable[[TurnUpdate], None]",
        conversation: Conversation | None = None,
        *,
        endpoint: "Endpoint | None" = None,
        frame_s: float = 1 / 15,
        on_event: "Callable[[StreamEvent], None] | None" = None,
        approver: "Approver | None" = None,
        has_tools: bool = True,
    ) -> "ChatSession":
        """A live session of one conversation; `approver` is asked before a tool runs, None denies it.

        Without `has_tools` none is offered, whatever is switched on.

        Raises:
            ConfigError: the endpoint of the options cannot be resolved.
        """
        chosen = conversation if conversation is not None else self.new_conversation()
        from chatui.engine.session import ChatSession

        return ChatSession(
            endpoint=endpoint if endpoint is not None else self.resolve(),
            transport=self._connections.transport(),
            store=None if chosen.is_temporary else self.history,
            clock=self._clock,
            conversation=chosen,
            on_update=on_update,
            frame_s=frame_s,
            on_event=on_event,
            tool_loop=self.tool_loop(approver) if has_tools else None,
        )

    def tool_loop(self, approver: "Approver | None") -> "ToolLoop | None":
        """The tools of one session; None, and nothing is loaded, where none is switched on.

        Raises:
            ConfigError: `--tool` or `--allow-tool` names one that cannot be used.
        """
        from chatui.wiring.enabled_tools import enabled_tools

        if not enabled_tools(self.settings, self.options) and not self.options.allowed_tools:
            return None
        from chatui.wiring.tooling import tool_loop

        return tool_loop(self.tools(), self._config, self.options, approver)

    def tools(self) -> "ToolRegistry":
        """All tools that there are, and which are on, by the settings and the profile as they are now.

        Raises:
            ConfigError: `--tool` or `--allow-tool` names one that cannot be used.
        """
        made_for = (self._config, self.options.profile)
        if not self._tools or self._tools_made_for != made_for:
            from chatui.wiring.tooling import tool_registry

            self._tools.append(tool_registry(self._config, self.options, Path.cwd()))
            self._tools_made_for = made_for
        return self._tools[-1]

    @property
    def record_directory(self) -> str | None:
        """Where the wire is being recorded; None is off. Show a notice while it is on."""
        directory = self._connections.record_directory
        return None if directory is None else str(directory)

    def record_to(self, directory: str | None) -> None:
        """Begin to record the wire of later requests, or stop (None).

        Raises:
            ConfigError: the directory cannot be made or written.
        """
        self._connections.record_to(None if directory is None else Path(directory).expanduser())

    def prepare(self) -> None:
        """Open the history and load what a session is made of; call it in a thread before the first."""
        import chatui.engine.session  # noqa: F401 - loading it takes longer than making a session

        _ = self.history
        self._connections.transport()

    def warm_up(self, endpoint: "Endpoint | None") -> None:
        """Import and prepare what the first request needs; call it in a thread after the first paint.

        Args:
            endpoint: Who will be asked, as far as that is known: the person's key command is not run for it.
        """
        self._connections.warm_up()
        if endpoint is not None:
            endpoint.protocol.stream_decoder(endpoint.dialect)

    def close(self) -> None:
        """Close the history; enough where no session was built. Never raises."""
        with self._history_lock:
            if self._history is not None:
                self._history.close()
                self._history = None

    async def aclose(self) -> None:
        """Stop the local engine, close connections and the history. Never raises."""
        await self._embedded.stop()
        for tools in self._tools:
            await tools.aclose()
        await self._connections.aclose()
        self.close()
