"""A prompt that is ready to be sent, or waits until the answer that is coming has ended.

Invariant: what waits is visible, is sent in order and only after a completed answer, and is never lost: taken
back it stands in the composer again.
"""

from chatui.core.messages import Message, TextPart, user_message
from chatui.core.values import frozen


@frozen
class Prompt:
    """What the person wrote, and the message that it becomes."""

    text: str
    message: Message

    @property
    def file_count(self) -> int:
        """Files that go with it."""
        return sum(not isinstance(part, TextPart) for part in self.message.parts)


def plain_prompt(text: str) -> Prompt:
    """A prompt without files."""
    return Prompt(text, user_message(text))
