"""The network of one process: opened with the first request, recorded while the person wants it.

Invariant: there is one client for all that is sent, made once, whichever thread comes first; nothing of it
is loaded before it is needed.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

import chatui
from chatui.core.errors import ChatuiError

if TYPE_CHECKING:
    from chatui.engine.ports import Transport
    from chatui.transport.httpx_transport import HttpxTransport
    from chatui.transport.recording import RecordingTransport

USER_AGENT: Final = f"chatui/{chatui.__version__}"


class Connections:
    """What sessions send through.

    Args:
        answering: Makes what answers in place of the network, for a replay.
    """

    def __init__(self, answering: "Callable[[], Transport] | None" = None) -> None:
        self._answering = answering
        self._http: HttpxTransport | None = None
        self._http_lock = Lock()
        self._recording: RecordingTransport | None = None

    def plain(self) -> "HttpxTransport":
        """The network itself, never recorded."""
        # The thread that warms up and the one that opens the first connection may both come here.
        with self._http_lock:
            if self._http is None:
                from chatui.transport.httpx_transport import HttpxTransport

                self._http = HttpxTransport(USER_AGENT)
            return self._http

    def transport(self) -> "RecordingTransport":
        """What sessions are given: it can record, and loads the network with the first request."""
        if self._recording is None:
            from chatui.transport.recording import RecordingTransport
            from chatui.wiring.late_transport import LateTransport

            answering = self._answering
            self._recording = RecordingTransport(
                answering() if answering is not None else LateTransport(self.plain)
            )
        return self._recording

    @property
    def record_directory(self) -> Path | None:
        """Where the wire is being recorded; None is off."""
        return self._recording.directory if self._recording is not None else None

    def record_to(self, directory: Path | None) -> None:
        """Begin to record the wire of later requests, or stop (None).

        Raises:
            ConfigError: the directory cannot be made or written.
        """
        self.transport().record_to(directory)

    def warm_up(self) -> None:
        """Load what the first request needs."""
        self.transport()
        with suppress(ChatuiError):  # the first request tells which certificates cannot be used
            self.plain().prepare_tls()
        self.plain().prepare_network()

    async def aclose(self) -> None:
        """Close all connections, if there were any."""
        if self._http is not None:
            await self._http.aclose()
