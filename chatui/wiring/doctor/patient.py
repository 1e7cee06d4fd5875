"""What the checks look at: settings, the chosen server, the terminal; and what one check tells the next.

Invariant: looking changes nothing: no setting, no conversation, no list of models is written; the key is
read once, when the first check needs it, and never told.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Self, TypeVar

from chatui.core.errors import ConfigError
from chatui.engine.clock import SystemClock
from chatui.engine.ports import Clock, Transport
from chatui.wiring.connections import USER_AGENT
from chatui.wiring.doctor.terminal_answers import TerminalAnswers
from chatui.wiring.options import LaunchOptions
from chatui.wiring.program_output import printed_by
from chatui.wiring.providers import ANY_MODEL
from chatui.wiring.workspace import Workspace

if TYPE_CHECKING:
    from chatui.config.resolve import Resolution

LIMIT_S: Final = 10.0
"""So long each step of the network may take."""
_Found = TypeVar("_Found")


class Patient:
    """Everything that is examined.

    Args:
        workspace: Settings and paths, opened for this alone.
        is_offline: Nothing may be asked over the network, and no command for a key be run.
        is_asking: One small request may be sent to the model.
        limit_s: So long each step of the network may take.
        terminal: What the terminal said; None where there is none to ask.
        environ: The environment.
        clock: Measures the steps of the network.
        output_of: Runs a program and gives what it printed; None if it cannot be run or fails.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        is_offline: bool = False,
        is_asking: bool = False,
        limit_s: float = LIMIT_S,
        terminal: TerminalAnswers | None = None,
        environ: Mapping[str, str] | None = None,
        clock: Clock | None = None,
        output_of: "Callable[[Sequence[str]], str | None] | None" = None,
    ) -> None:
        self.workspace = workspace
        self.is_offline = is_offline
        self.is_asking = is_asking
        self.limit_s = limit_s
        self.terminal = terminal if terminal is not None else TerminalAnswers()
        self.environ = os.environ if environ is None else environ
        self.clock = clock if clock is not None else SystemClock()
        self.output_of = output_of if output_of is not None else printed_by
        self.is_unreachable = False
        """A step on the way to the server failed: asking it would only fail again."""
        self._transport: Transport | None = None

    @classmethod
    def of(cls, options: LaunchOptions, **how: object) -> Self:
        """The patient of a command line; see `Patient` for `how`."""
        unrecorded = replace(options, record_directory=None, replay_file=None)
        return cls(Workspace(unrecorded), **how)  # type: ignore[arg-type]  # passed through as they are

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._transport is not None:
            await self._transport.aclose()
        await self.workspace.aclose()

    @cached_property
    def server(self) -> "Resolution | ConfigError":
        """Who would be asked, without key and model."""
        return _or_error(lambda: self._resolution(needs_key=False))

    @cached_property
    def server_with_key(self) -> "Resolution | ConfigError":
        """The same with the key; may run the person's command for it."""
        return _or_error(lambda: self._resolution(needs_key=True))

    @cached_property
    def model(self) -> "str | ConfigError":
        """The model that would be asked."""
        return _or_error(lambda: self.workspace.resolution(needs_key=False).model)

    @property
    def transport(self) -> Transport:
        """The network of a real request."""
        if self._transport is None:
            from chatui.transport.httpx_transport import HttpxTransport

            self._transport = HttpxTransport(USER_AGENT)
        return self._transport

    @property
    def headers(self) -> dict[str, str]:
        """What a request to the server carries, with the key if there is one."""
        from chatui.protocols import load

        found = self.server_with_key
        if isinstance(found, ConfigError):
            return {}
        return {**load(found.protocol).headers(found.api_key), **dict(found.headers)}

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be told, as far as it was read."""
        if "server_with_key" not in self.__dict__:
            return ()
        from chatui.core.redact import is_secret_header

        values = [value for name, value in self.headers.items() if is_secret_header(name)]
        return tuple(text for value in values for text in (value, value.rpartition(" ")[2]))

    def _resolution(self, *, needs_key: bool) -> "Resolution":
        return self.workspace.resolution(None, ANY_MODEL, (ANY_MODEL,), needs_key=needs_key)


def _or_error(get: Callable[[], _Found]) -> _Found | ConfigError:
    try:
        return get()
    except ConfigError as error:
        return error
