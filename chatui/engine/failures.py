"""Failures that the engine itself finds, in words of the person's world: what happened, and what can be done.

Invariant: a failure names the address, model or limit that it is about, and its hint is something a person
can do.
"""

from dataclasses import replace
from typing import Final, assert_never

from chatui.core import ending
from chatui.core.endpoint_url import likely_fix
from chatui.core.errors import ChatuiError, ConnectFailed, ConnectionLost, Failure, FailureReason, StopCause
from chatui.core.redact import MASK, is_secret_header
from chatui.engine.body_sniffing import BodyKind
from chatui.engine.deadlines import Limit
from chatui.engine.endpoint import Endpoint
from chatui.engine.ports import HttpResponse, OpenStage
from chatui.protocols import endpoints

_EXCERPT_CHARACTERS: Final = 200


def shown_url(url: str) -> str:
    """An address as it may be shown: values in its query that may be secrets are masked."""
    base, mark, query = url.partition("?")
    parts = [
        f"{name}={MASK}" if value and is_secret_header(name) else f"{name}{equals}{value}"
        for name, equals, value in (part.partition("=") for part in query.split("&"))
    ]
    return base + mark + "&".join(parts)


def address_hint(url: str) -> str:
    """What most likely is wrong with an address at which no model answers."""
    return likely_fix(url, endpoints())


def failure_of_error(error: ChatuiError, characters: int) -> Failure:
    """The failure that an error of the transport means, after so many characters of the answer."""
    after = f" {ending.after(characters)}" if characters else ""
    match error:
        case ConnectFailed():
            return Failure(
                reason=FailureReason.CONNECT, message=error.message, hint=error.hint, is_retryable=True
            )
        case ConnectionLost():
            return Failure(
                reason=FailureReason.DISCONNECT,
                message=error.message + after,
                hint=error.hint or "What was received is kept. Send again to ask anew.",
                is_retryable=True,
            )
        case _:
            return Failure(reason=FailureReason.PROTOCOL, message=error.message + after, hint=error.hint)


def decoder_bug(error: Exception) -> Failure:
    """Bytes that found a bug of ours."""
    return Failure(
        reason=FailureReason.PROTOCOL,
        message=f"chatui could not decode this answer ({type(error).__name__})",
        hint="Please report it, with a recording (--record DIR).",
    )


def cancelled(waited_after: str = "", cause: StopCause = StopCause.PERSON) -> Failure:
    """The turn was stopped; `waited_after` is why it was going to be tried again."""
    why = f" while it waited to be tried again: {waited_after}" if waited_after else ""
    match cause:
        case StopCause.PERSON:
            who = "You"
        case StopCause.TERMINAL_CLOSED:
            who = "The terminal was closed, which"
        case StopCause.TOLD_TO_END:
            who = "chatui was told to end, which"
        case _:
            assert_never(cause)
    return Failure(
        reason=FailureReason.CANCELLED, message=f"{who} stopped this answer{why}", code=cause.value
    )


def status_failure(response: HttpResponse, told: Failure) -> Failure:
    """The failure of an error status, with the address where it matters."""
    status = response.status
    failure = replace(told, reason=FailureReason.HTTP, http_status=status)
    if status < 400:
        here, target = shown_url(response.url), shown_url(response.headers.get("location", ""))
        return replace(
            failure,
            message=f"The server answered {status} and redirects {here} to {target or 'nowhere'}",
            hint="Redirects to another address are not followed, because the key would go there too: "
            "set the base URL to the right address.",
            is_retryable=False,
        )
    if status in (404, 405):
        is_model_unknown = "model" in f"{failure.code} {failure.message}".lower()
        return replace(
            failure,
            message=f"{failure.message} (asked: {shown_url(response.url)})",
            hint=failure.hint if failure.hint and is_model_unknown else address_hint(shown_url(response.url)),
        )
    return failure


def empty_body(response: HttpResponse) -> Failure:
    """A good status and nothing else."""
    return Failure(
        reason=FailureReason.PROTOCOL,
        message=f"The server answered {response.status} with an empty body",
        hint=f"Check that {shown_url(response.url)} is the right address for this protocol.",
        http_status=response.status,
    )


def not_understood(response: HttpResponse, kind: BodyKind, start: bytes) -> Failure:
    """A good status and a body that is neither an event stream nor JSON."""
    url = shown_url(response.url)
    content_type = response.headers.get("content-type", "") or "no content type"
    if kind is BodyKind.HTML:
        message = f"{url} answered with a web page ({content_type}), not with an answer of a model"
        hint = "Is this a login page or the site's front page? " + address_hint(url)
    else:
        excerpt = start[:_EXCERPT_CHARACTERS].decode("utf-8", "replace")
        coding = response.headers.get("content-encoding", "")
        compressed = f", compressed as {coding}" if coding else ""
        message = (
            f"{url} answered with something that is neither an event stream nor JSON "
            f"({content_type}{compressed}): {excerpt!r}"
        )
        hint = address_hint(url)
    return Failure(reason=FailureReason.PROTOCOL, message=message, hint=hint, http_status=response.status)


def timed_out(
    limit: Limit, allowed_s: float | None, elapsed_s: float, endpoint: Endpoint, stage: OpenStage
) -> Failure:
    """A limit was reached, so long after the request.

    Args:
        limit: Which one.
        allowed_s: How many seconds it allows.
        elapsed_s: Seconds since the turn began.
        endpoint: Who was asked.
        stage: How far the opening of the response got.
    """
    allowed = f"{allowed_s or 0.0:g} s"
    elapsed = f"{elapsed_s:.0f} s"
    model = endpoint.model
    match limit:
        case Limit.CONNECT:
            message = f"No connection to {shown_url(endpoint.base_url)} within {allowed} (while {stage})"
            hint = "Check the base URL and the network."
        case Limit.FIRST_EVENT:
            message = f"{model} sent nothing for {allowed} ({elapsed} after the request)"
            hint = "Slow models need longer: raise it with --first-event-timeout or first_event_s."
        case Limit.GAP | Limit.USAGE:
            message = f"{model} fell silent for {allowed} in the middle of the answer ({elapsed} in all)"
            hint = "Send again, or raise the limit with --gap-timeout or gap_s."
        case Limit.KEEP_ALIVE:
            message = f"{model} sent nothing but keep-alives for {allowed}"
            hint = "Send again, or raise --first-event-timeout and --gap-timeout (a tenth of this limit)."
        case Limit.TOTAL:
            message = f"{model} was not done within {allowed}"
            hint = "Raise the limit with --total-timeout or total_s."
        case _:
            assert_never(limit)
    return Failure(reason=FailureReason.TIMEOUT, message=message, hint=hint)
