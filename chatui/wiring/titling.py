"""A title that the model is asked for: one short request beside the conversation, saved nowhere.

Invariant: asked only because the settings say so, once for each conversation.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from chatui.core.conversation import Conversation
from chatui.core.messages import user_message
from chatui.core.turn import Phase, Turn
from chatui.engine.endpoint import Endpoint

if TYPE_CHECKING:
    from chatui.wiring.workspace import Workspace

MOST_CHARACTERS: Final = 1500
LONGEST_TITLE: Final = 80
_AROUND: Final = " \t#*_\"'`\u201c\u201d\u00ab\u00bb"
_ASKED: Final = (
    "Give a title of at most six words for the conversation that begins like this. "
    "Answer with the title only, in its language.\n\nPrompt:\n{prompt}\n\nAnswer:\n{answer}"
)


async def title_by_model(workspace: "Workspace", endpoint: Endpoint, first: Turn) -> str:
    """A title for the conversation that begins with this turn; empty if none came."""
    asked = _ASKED.format(prompt=first.prompt[:MOST_CHARACTERS], answer=first.text[:MOST_CHARACTERS])
    session = workspace.build_session(
        lambda _update: None,
        Conversation(conversation_id="temporary-title", is_temporary=True),
        endpoint=replace(endpoint, max_retries=0),
        has_tools=False,
    )
    turn = await session.send((user_message(asked),))
    if turn.phase is not Phase.COMPLETED:
        return ""
    line = next((line for line in turn.text.splitlines() if line.strip()), "")
    return line.strip(_AROUND).removeprefix("Title:").strip(_AROUND)[:LONGEST_TITLE]
