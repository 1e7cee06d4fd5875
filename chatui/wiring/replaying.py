"""A recording as a session: the same engine, answered from a file."""

from collections.abc import Callable
from pathlib import Path

from chatui.core.conversation import Conversation
from chatui.core.events import StreamEvent
from chatui.core.messages import Message, user_message
from chatui.engine.clock import SystemClock
from chatui.engine.session import ChatSession, Deadlines, Endpoint, TurnUpdate


def replay_session(
    path: str,
    speed: float,
    on_update: Callable[[TurnUpdate], None],
    on_event: Callable[[StreamEvent], None] | None = None,
) -> tuple[ChatSession, tuple[Message, ...]]:
    """A session that answers with a recording, and the recorded prompt to send to it. Nothing is saved.

    Raises:
        ConfigError: the file is no recording that can be played.
    """
    from chatui.config.resolve import load_protocol
    from chatui.transport.replay import ReplayTransport, recorded_dialect, recorded_prompt
    from chatui.transport.wire_file import read_wire_file

    record = read_wire_file(Path(path).expanduser())
    about = record.about
    endpoint = Endpoint(
        provider=str(about.get("provider", "")),
        protocol=load_protocol(str(about.get("protocol", ""))),
        base_url=record.url or str(record.request.get("url", "")),
        model=str(about.get("model", "")),
        dialect=recorded_dialect(record),
        deadlines=Deadlines(connect_s=None, first_event_s=None, gap_s=None, total_s=None),
        max_retries=0,
    )
    clock = SystemClock()
    session = ChatSession(
        endpoint=endpoint,
        transport=ReplayTransport(record, clock, speed),
        store=None,
        clock=clock,
        conversation=Conversation(conversation_id="temporary-replay", is_temporary=True),
        on_update=on_update,
        on_event=on_event,
    )
    return session, (user_message(recorded_prompt(record)),)
