"""The words for how a stream ended without its proof.

Invariant: every failure says how much was received and what the person can do; a reason that the engine knows
better (timeout, cancel, disconnect) is kept.
"""

from dataclasses import replace

from chatui.core.error_shapes import ErrorFound
from chatui.core.errors import Failure, FailureReason
from chatui.core.http_failure import is_context_error, is_quota_error
from chatui.core.redact import redact

KEPT_HINT = "What arrived is kept. Ask again, or continue from here."


def after(characters: int) -> str:
    """How much was received, as the end of a sentence."""
    match characters:
        case 0:
            return "before any text"
        case 1:
            return "after 1 character"
        case _:
            return f"after {characters:,} characters"


def cut_off(cut: Failure, characters: int) -> Failure:
    """What broke the input, with how much had been received."""
    if "character" in cut.message or "before any text" in cut.message:
        return cut
    return replace(
        cut, message=f"{cut.message.rstrip('.')} {after(characters)}", hint=cut.hint or _hint(characters)
    )


def without_proof(characters: int, what_is_missing: str) -> Failure:
    """The body ended cleanly, but the protocol's proof never came."""
    return Failure(
        reason=FailureReason.PROTOCOL,
        message=f"The server ended the stream {after(characters)}, {what_is_missing}",
        hint=_hint(characters),
    )


def undecodable(characters: int, what: str, excerpt: str = "") -> Failure:
    """The bytes are not what the protocol allows."""
    shown = f": {redact(excerpt[:200])}" if excerpt else ""
    return Failure(
        reason=FailureReason.PROTOCOL,
        message=f"{what} {after(characters)}{shown}",
        hint=_hint(characters),
    )


def not_this_protocol(what: str, hint: str) -> Failure:
    """The answer is something else altogether."""
    return Failure(reason=FailureReason.PROTOCOL, message=what, hint=hint)


def reported(error: ErrorFound, characters: int) -> Failure:
    """The server reported an error inside its answer."""
    said = redact(error.message)
    if error.metadata and error.metadata not in said:
        said = f"{said} ({redact(error.metadata)})"
    is_long = is_context_error(error.code, error.message)
    if is_long:
        hint = "The conversation is too long for this model: start a new one or leave out old turns."
    elif is_quota_error(error.code, error.message):
        hint = "The account has no quota or credit left: check plan and billing."
    else:
        hint = _hint(characters)
    return Failure(
        reason=FailureReason.ERROR,
        message=f"The server reported an error {after(characters)}: {said}",
        hint=hint,
        code=error.code,
        http_status=error.status,
        request_id=error.request_id,
        is_context_too_long=is_long,
    )


def ended_early(reason: FailureReason, word: str, characters: int, detail: str = "") -> Failure:
    """The protocol's own word says that the answer is not whole."""
    more = f": {redact(detail)}" if detail else ""
    match reason:
        case FailureReason.LENGTH:
            return Failure(
                reason=reason,
                message=f"The answer was cut {after(characters)} by a token limit ({word}){more}",
                hint="Raise the output limit, shorten the conversation, or ask it to continue.",
            )
        case FailureReason.CONTENT_FILTER:
            return Failure(
                reason=reason,
                message=f"A content filter stopped the answer {after(characters)} ({word}){more}",
                hint="Ask in other words, or use another model.",
            )
        case FailureReason.REFUSAL:
            return Failure(
                reason=reason,
                message=f"The model declined to answer {after(characters)} ({word}){more}",
                hint="The provider wants this left out: edit the prompt or start a new conversation.",
            )
        case _:
            return Failure(
                reason=FailureReason.ERROR,
                message=f"The server gave up {after(characters)} ({word}){more}",
                hint=_hint(characters),
            )


def ended_unexplained(characters: int) -> Failure:
    """The server calls its answer incomplete and gives no reason: a limit is the likeliest."""
    return Failure(
        reason=FailureReason.LENGTH,
        message=f"The answer ended incomplete {after(characters)}, and the server did not say why",
        hint="Most likely a token limit: raise the output limit, or ask it to continue.",
    )


def _hint(characters: int) -> str:
    return KEPT_HINT if characters else "Nothing arrived: ask again."
