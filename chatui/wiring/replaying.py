"""A recording in place of a server: for one turn of a command, or for the whole app.

Invariant: nothing of a replay is saved, and nobody is asked.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from chatui.core.conversation import Conversation
from chatui.core.events import StreamEvent
from chatui.core.messages import Message, user_message
from chatui.engine.clock import SystemClock
from chatui.engine.session import ChatSession, Deadlines, Endpoint, TurnUpdate
from chatui.protocols import load as load_protocol
from chatui.wiring.connections import Connections
from chatui.wiring.options import LaunchOptions
from chatui.wiring.workspace import Workspace

if TYPE_CHECKING:
    from chatui.transport.replay import ReplayTransport
    from chatui.transport.wire_file import WireRecord


def replay_session(
    path: str,
    speed: float,
    on_update: Callable[[TurnUpdate], None],
    on_event: Callable[[StreamEvent], None] | None = None,
) -> tuple[ChatSession, tuple[Message, ...]]:
    """A session that answers with a recording, and the recorded prompt to send to it.

    Raises:
        ConfigError: the file is no recording that can be played.
    """
    from chatui.transport.replay import ReplayTransport

    record = _read(path)
    clock = SystemClock()
    session = ChatSession(
        endpoint=_endpoint(record),
        transport=ReplayTransport(record, clock, speed),
        store=None,
        clock=clock,
        conversation=Conversation(conversation_id="temporary-replay", is_temporary=True),
        on_update=on_update,
        on_event=on_event,
    )
    return session, _prompt(record)


class ReplayWorkspace(Workspace):
    """A workspace whose every request is answered by one recording.

    Raises:
        ConfigError: the file is no recording that can be played.
    """

    def __init__(self, options: LaunchOptions) -> None:
        super().__init__(replace(options, is_saved=False, record_directory=None))
        record = _read(options.replay_file or "")
        self._recorded_endpoint = _endpoint(record)
        self.opening_prompt = _prompt(record)

        def answering() -> "ReplayTransport":
            from chatui.transport.replay import ReplayTransport

            return ReplayTransport(record, self._clock, options.replay_speed)

        self._connections = Connections(answering)

    def resolve(self, provider: str | None = None, model: str | None = None) -> Endpoint:
        """The endpoint of the recording, whatever is asked for."""
        return self._recorded_endpoint

    def check(self) -> None:
        """Whatever the options ask for, the recording answers."""


def _read(path: str) -> "WireRecord":
    from chatui.transport.wire_file import read_wire_file

    return read_wire_file(Path(path).expanduser())


def _prompt(record: "WireRecord") -> tuple[Message, ...]:
    from chatui.transport.replay import recorded_prompt

    return (user_message(recorded_prompt(record)),)


def _endpoint(record: "WireRecord") -> Endpoint:
    """The endpoint that a recording was made with. No limits: what took long then may take long again."""
    from chatui.transport.replay import recorded_dialect

    about = record.about
    return Endpoint(
        provider=str(about.get("provider", "")),
        protocol=load_protocol(str(about.get("protocol", ""))),
        base_url=record.url or str(record.request.get("url", "")),
        model=str(about.get("model", "")),
        dialect=recorded_dialect(record),
        deadlines=Deadlines(connect_s=None, first_event_s=None, gap_s=None, total_s=None),
        max_retries=0,
    )
