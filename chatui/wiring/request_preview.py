"""The next request as it would go out, to be looked at: address, headers, body, and what is left out.

Invariant: made by the same plan and the same protocol that send; no key and nothing that looks like one is in
it; the bytes of files are named by their number, not shown.
"""

import json
import re
from typing import TYPE_CHECKING

from chatui.core.conversation import Conversation
from chatui.core.endpoint_url import endpoint_url
from chatui.core.messages import Message
from chatui.core.redact import redact, redact_headers
from chatui.core.request import ToolSpec
from chatui.core.send_plan import Omission
from chatui.core.tool_calls import with_waiting_results
from chatui.core.values import frozen

if TYPE_CHECKING:
    from chatui.core.turn import TurnId
    from chatui.engine.endpoint import Endpoint

LONGEST_DATA = 512
_DATA = re.compile(r"(?:data:[\w./+-]*;base64,)?[A-Za-z0-9+/=]+")
CHARACTERS_A_TOKEN = 4


@frozen(kw_only=True)
class RequestPreview:
    """What would be sent."""

    method: str
    url: str
    headers: dict[str, str]
    body: str
    """JSON, indented."""
    omissions: tuple[Omission, ...]
    estimated_tokens: int
    """From the length of the text alone: an estimate."""


def preview_request(
    endpoint: "Endpoint",
    conversation: Conversation,
    messages: tuple[Message, ...],
    after: "TurnId | None" = None,
    *,
    is_after_head: bool = True,
    tools: tuple[ToolSpec, ...] = (),
) -> RequestPreview:
    """The request that sends `messages` after the head of a conversation, or after another turn of it."""
    parent_id = conversation.head if is_after_head else after
    messages = with_waiting_results(conversation, parent_id, messages)
    plan = conversation.plan(parent_id, messages, endpoint.provider)
    request = endpoint.request(plan.messages, conversation.system, tools)
    body = _without_data(endpoint.protocol.body(request, endpoint.dialect))
    secrets = [endpoint.api_key or ""]
    for _, value in endpoint.extra_headers:
        secrets += [value, value.rpartition(" ")[2]]
    headers = {
        "content-type": "application/json",
        **{name.lower(): value for name, value in endpoint.protocol.headers(endpoint.api_key).items()},
        **{name.lower(): value for name, value in endpoint.extra_headers},
    }
    text = json.dumps(body, ensure_ascii=False, indent=2)
    return RequestPreview(
        method="POST",
        url=redact(endpoint_url(endpoint.base_url, endpoint.protocol.path), secrets),
        headers=redact_headers({name: value for name, value in headers.items() if value}, secrets),
        body=redact(text, secrets),
        omissions=plan.omissions,
        estimated_tokens=estimated_tokens(plan.messages, conversation.system),
    )


def estimated_tokens(messages: tuple[Message, ...], system: str = "") -> int:
    """About how many tokens the text of these messages has."""
    return (len(system) + sum(len(message.text) for message in messages)) // CHARACTERS_A_TOKEN


def _without_data(value: object) -> object:
    """The body with the bytes of files named, not shown."""
    match value:
        case dict():
            return {key: _without_data(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_without_data(inner) for inner in value]
        case str() if len(value) > LONGEST_DATA and _DATA.fullmatch(value):
            head = value[: value.find(",") + 1] if value.startswith("data:") else ""
            return f"{head}({len(value)} characters of base64)"
        case _:
            return value
