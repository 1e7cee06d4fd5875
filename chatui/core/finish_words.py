"""What the words mean with which servers say why they stopped: `finish_reason`, `stop_reason`, `reason`.

Invariant: a word that no one knows completes the turn and is shown as it is, unless it plainly speaks of a
limit, a filter or an error. Gateways pass the words of one protocol on in another, so there is one list for
all. Sources: OpenAI, Azure, Anthropic, DeepSeek (`insufficient_system_resource`), Zhipu (`sensitive`,
`network_error`), Mistral (`model_length`, `error`), Gemini (upper-case words, `MALFORMED_RESPONSE`,
`TOO_MANY_TOOL_CALLS`), Bedrock (`guardrail_intervened`, `malformed_tool_use`), vLLM and SGLang (`abort`,
`repetition`), Moonshot (`repeat`), OpenRouter (`error`).
"""

from typing import Final

from chatui.core.errors import FailureReason

NOT_A_WORD: Final = frozenset({"", "null", "none"})
"""Written in place of null by servers whose template prints it."""

CALL_WORDS: Final = frozenset({"tool_calls", "function_call", "tool_call", "tool_use"})
"""Words with which a protocol says that the model waits for results."""

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
        "completed",
        "complete",
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
        "context_window",
        "compaction",
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
        "unexpected_tool_call",
        "too_many_tool_calls",
        "rate_limit",
        "repetition",
        "repeat",
    }
)
_FILTER_PARTS: Final = ("filter", "safety", "moderat", "guardrail", "prohibited", "sensitive")
_ERROR_PARTS: Final = (
    "error",
    "abort",
    "fail",
    "exception",
    "cancel",
    "insufficient",
    "malformed",
    "overload",
    "timeout",
    "timed_out",
    "unavailable",
    "interrupted",
    "repetition",
)
_LENGTH_PARTS: Final = ("max_", "_length", "truncat", "token_limit", "context_window")


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
    for parts, reason in (
        (_FILTER_PARTS, FailureReason.CONTENT_FILTER),
        (_ERROR_PARTS, FailureReason.ERROR),
        (_LENGTH_PARTS, FailureReason.LENGTH),
    ):
        if any(part in lower for part in parts):
            return reason
    return None


def word_that_stays(known: str | None, word: str) -> str:
    """Which of two finish words counts where a server sends both.

    One that means failure stays, whatever a gateway adds behind it. So does one that asks for results:
    gateways close every stream with a `stop` of their own (RayBytes/ChatMock#114). Otherwise the later one.
    """
    if known is None or known == word:
        return word
    is_asking = known.lower() in CALL_WORDS and reason_of(word) is None
    return known if is_asking or reason_of(known) is not None else word
