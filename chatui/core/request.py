"""What is asked of a model, independent of any protocol."""

from collections.abc import Mapping
from dataclasses import field

from chatui.core.messages import Message
from chatui.core.values import frozen


@frozen
class ToolSpec:
    """A tool offered to the model; `parameters` is a JSON Schema object."""

    name: str
    description: str
    parameters: Mapping[str, object]
    is_free_text: bool = False
    """A custom tool: its input is any text, `parameters` is not sent where the protocol knows such tools."""


@frozen(kw_only=True)
class Sampling:
    """Options of generation; None is left to the server."""

    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    reasoning_effort: str | None = None
    thinking_budget_tokens: int | None = None
    extra: Mapping[str, object] = field(default_factory=dict)
    """Members put into the body as they are (`-o KEY VALUE`)."""


@frozen(kw_only=True)
class ChatRequest:
    """One request: everything that a protocol needs to write a body."""

    model: str
    messages: tuple[Message, ...]
    """In order, without system text; already validated by `core.conversation`."""
    system: str = ""
    sampling: Sampling = field(default_factory=Sampling)
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: str | None = None
    """`auto`, `none`, `required` or the name of a tool."""
    is_streaming: bool = True
