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


def plain_word(word: str) -> str:
    """A finish word without its spelling: `max_tokens`, `max-tokens` and `MaxTokens` are one."""
    return "".join(letter for letter in word.lower() if letter.isalnum())


def _plain(*words: str) -> frozenset[str]:
    return frozenset(map(plain_word, words))


_NOT_A_WORD: Final = frozenset({"", "null", "none"})
_CALLS: Final = _plain("tool_calls", "function_call", "tool_call", "tool_use")
_WHOLE: Final = _CALLS | _plain(
    "stop", "end_turn", "stop_sequence", "eos", "eos_token", "completed", "complete"
)
_WORDS: Final = {
    FailureReason.LENGTH: _plain(
        *("length", "max_tokens", "max_output_tokens", "max_length", "model_length", "token_limit"),
        *("context_length_exceeded", "model_context_window_exceeded", "context_length", "context_window"),
        "compaction",
    ),
    FailureReason.CONTENT_FILTER: _plain(
        *("content_filter", "content_filtered", "sensitive", "safety", "image_safety", "recitation"),
        *("blocklist", "prohibited_content", "spii", "guardrail_intervened", "moderation"),
    ),
    FailureReason.REFUSAL: _plain("refusal"),
    FailureReason.ERROR: _plain(
        *("error", "abort", "aborted", "insufficient_system_resource", "network_error", "timeout", "oom"),
        *("cancelled", "canceled", "unexpected_tool_call", "too_many_tool_calls", "rate_limit"),
        *("repetition", "repeat"),
    ),
}
_PARTS: Final = {
    FailureReason.CONTENT_FILTER: ("filter", "safety", "moderat", "guardrail", "prohibited", "sensitive"),
    FailureReason.ERROR: (
        *("error", "abort", "fail", "exception", "cancel", "insufficient", "malformed", "overload"),
        *("timeout", "timedout", "unavailable", "interrupted", "incomplete", "disconnect", "crash"),
        *("quota", "repetition"),
    ),
    FailureReason.LENGTH: ("max", "length", "truncat", "tokenlimit", "contextwindow"),
}
"""What words that no one knows must hold to speak plainly."""


def is_word(word: str) -> bool:
    """Whether it says anything: some servers write `null`, or nothing, where null belongs."""
    return bool(word) and plain_word(word) not in _NOT_A_WORD


def is_call_word(word: str) -> bool:
    """Whether a protocol says with this word that the model waits for results."""
    return plain_word(word) in _CALLS


def reason_of(word: str) -> FailureReason | None:
    """Why a turn with this finish word failed; None if it is whole."""
    plain = plain_word(word)
    if plain in _WHOLE:
        return None
    known = next((reason for reason, words in _WORDS.items() if plain in words), None)
    if known is not None:
        return known
    return next((reason for reason, parts in _PARTS.items() if any(part in plain for part in parts)), None)


def word_that_stays(known: str | None, word: str) -> str:
    """Which of two finish words counts where a server sends both.

    One that means failure stays, whatever a gateway adds behind it. So does one that asks for results:
    gateways close every stream with a `stop` of their own (RayBytes/ChatMock#114). Otherwise the later one.
    """
    if known is None or known == word:
        return word
    is_asking = is_call_word(known) and reason_of(word) is None
    return known if is_asking or reason_of(known) is not None else word
