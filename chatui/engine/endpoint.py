"""Where and how to ask: a provider, resolved to values."""

from collections.abc import Awaitable, Callable
from dataclasses import field

from chatui.core.messages import Message
from chatui.core.request import ChatRequest, Sampling, ToolSpec
from chatui.core.values import frozen
from chatui.core.wire import Dialect, WireProtocol
from chatui.engine.deadlines import Deadlines


@frozen(kw_only=True)
class Endpoint:
    """A provider and a model, ready to be asked."""

    provider: str
    protocol: WireProtocol
    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    dialect: Dialect = field(default_factory=Dialect)
    sampling: Sampling = field(default_factory=Sampling)
    deadlines: Deadlines = field(default_factory=Deadlines)
    is_streaming: bool = True
    extra_headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Sent last, so that they replace the protocol's own; an empty value removes one."""
    max_retries: int = 2
    context_window_tokens: int | None = None
    prepare: "Callable[[Callable[[str], None]], Awaitable[Endpoint]] | None" = None
    """Run before the first request (starts the embedded engine); told where to say how far it is, in one
    short line; gives the endpoint to ask. May raise ChatuiError, which becomes the failure of the turn."""

    def request(
        self,
        messages: tuple[Message, ...],
        system: str,
        tools: tuple[ToolSpec, ...] = (),
        tool_choice: str | None = None,
    ) -> ChatRequest:
        """What is asked here: the same for what is sent and for what is shown of it beforehand."""
        return ChatRequest(
            model=self.model,
            messages=messages,
            system=system,
            sampling=self.sampling,
            tools=tools,
            tool_choice=tool_choice,
            is_streaming=self.is_streaming,
        )
