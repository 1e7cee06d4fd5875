"""Text in whatever a server wraps it in, and under whatever name.

Sources: reasoning as DeepSeek, OpenRouter, vLLM, LiteLLM, GitHub Copilot and others name it; content parts of
OpenAI and Mistral.
"""

from typing import Final

REASONING_FIELDS: Final = (
    "reasoning_content",
    "reasoning",
    "reasoning_text",
    "thinking",
    "thinking_content",
    "thought",
    "thoughts",
)


def said_once(texts: list[str]) -> str:
    """Reasoning that stands under several names: servers repeat it so, but what differs is not lost."""
    said = texts[0] if texts else ""
    for text in texts[1:]:
        if text.strip() not in said and said.strip() not in text:
            said += text
    return said


def plain_text(value: object) -> str:
    """Text that may be wrapped in objects and lists."""
    match value:
        case str():
            return value
        case list():
            return "".join(plain_text(entry) for entry in value)
        case dict():
            names = ("text", "content", "summary", "value")
            return plain_text(next((value[name] for name in names if value.get(name)), ""))
        case _:
            return ""
