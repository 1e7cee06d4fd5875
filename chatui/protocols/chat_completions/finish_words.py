"""What the finish words of Chat Completions servers mean.

Invariant: a word that no one knows completes the turn and is shown as it is, unless it plainly speaks of an
error. Sources: OpenAI, Azure, DeepSeek (`insufficient_system_resource`), Zhipu (`sensitive`,
`network_error`), Mistral (`model_length`, `error`), Gemini (upper-case words), vLLM and SGLang (`abort`),
OpenRouter (`error`).
"""

from typing import Final

from chatui.core.errors import FailureReason

NOT_A_WORD: Final = frozenset({"", "null", "none"})
"""Written in place of null by servers whose template prints it."""

_WHOLE: Final = frozenset(
    {
        "stop",
        "tool_calls",
        "function_call",
        "tool_call",
        "tool_use",
        "end_turn",
        "stop_sequence",
        "eos",
        "eos_token",
    }
)
_LENGTH: Final = frozenset(
    {
        "length",
        "max_tokens",
        "max_output_tokens",
        "max_length",
        "model_length",
        "token_limit",
        "context_length_exceeded",
        "model_context_window_exceeded",
        "context_length",
    }
)
_FILTER: Final = frozenset(
    {
        "content_filter",
        "content_filtered",
        "sensitive",
        "safety",
        "image_safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
        "guardrail_intervened",
        "moderation",
    }
)
_ERROR: Final = frozenset(
    {
        "error",
        "abort",
        "aborted",
        "insufficient_system_resource",
        "network_error",
        "timeout",
        "cancelled",
        "canceled",
        "malformed_function_call",
        "unexpected_tool_call",
        "overloaded",
        "rate_limit",
    }
)


def reason_of(word: str) -> FailureReason | None:
    """Why a turn with this finish word failed; None if it is whole."""
    lower = word.lower()
    if lower in _WHOLE:
        return None
    if lower in _LENGTH:
        return FailureReason.LENGTH
    if lower in _FILTER:
        return FailureReason.CONTENT_FILTER
    if lower == "refusal":
        return FailureReason.REFUSAL
    if lower in _ERROR:
        return FailureReason.ERROR
    if "filter" in lower or "safety" in lower:
        return FailureReason.CONTENT_FILTER
    if any(part in lower for part in ("error", "abort", "fail", "exception", "cancel", "insufficient")):
        return FailureReason.ERROR
    return None
