"""One small real question: does the answer come as a stream, and with the protocol's proof of its end."""

from dataclasses import replace
from typing import Final

from chatui.core.conversation import Conversation
from chatui.core.diagnosis import Finding, note, ok, problem
from chatui.core.errors import ConfigError, Failure, FailureReason
from chatui.core.messages import user_message
from chatui.core.turn import Turn
from chatui.engine.deadlines import Deadlines
from chatui.engine.session import ChatSession, TurnUpdate
from chatui.transport.local_model import LocalModel
from chatui.view.badge import HTTP_WORDS, seconds, short
from chatui.wiring.doctor.arrival import Arrival, judge
from chatui.wiring.doctor.check import Check
from chatui.wiring.doctor.patient import Patient
from chatui.wiring.doctor.watched_transport import WatchedTransport

QUESTION: Final = "Write the numbers from 1 to 40 in digits, with a space between them. Write nothing else."
MOST_TOKENS: Final = 400
BEFORE_ANSWER: Final = 6
WHOLE_ANSWER: Final = 12
"""Times the limit of a step: a model may have to be loaded first, and an answer takes its time."""


async def look(patient: Patient) -> list[Finding]:
    """Ask it."""
    if patient.is_unreachable:
        return [note("skipped", "not asked, because of what is said above")]
    server = patient.server
    is_embedded = not isinstance(server, ConfigError) and server.is_embedded
    if is_embedded and not LocalModel(patient.workspace.paths.data_dir).is_present:
        # A question would fetch it: a doctor changes nothing.
        return [note("skipped", "the embedded model is not fetched yet", "chatui local install")]
    try:
        endpoint = patient.workspace.resolve()
    except ConfigError as error:
        return [problem("request", error.message, error.hint or "See the section Key.")]
    sampling = replace(endpoint.sampling, max_output_tokens=MOST_TOKENS)
    watched = WatchedTransport(patient.transport, patient.clock)
    session = ChatSession(
        endpoint=replace(
            endpoint,
            sampling=sampling,
            is_streaming=True,
            max_retries=0,
            deadlines=_within(endpoint.deadlines, patient.limit_s),
        ),
        transport=watched,
        store=None,
        clock=patient.clock,
        conversation=Conversation(conversation_id="temporary-doctor", is_temporary=True),
        on_update=_ignore,
    )
    turn = await session.send((user_message(QUESTION),))
    return [*_arrival(turn, watched), _end(turn)]


def _within(set_limits: Deadlines, limit_s: float) -> Deadlines:
    """The person's limits, but none longer than somebody who looks for a fault would wait."""

    def least(set_s: float | None, own_s: float) -> float:
        return own_s if set_s is None else min(set_s, own_s)

    return Deadlines(
        connect_s=least(set_limits.connect_s, limit_s),
        first_event_s=least(set_limits.first_event_s, BEFORE_ANSWER * limit_s),
        gap_s=least(set_limits.gap_s, BEFORE_ANSWER * limit_s),
        total_s=least(set_limits.total_s, WHOLE_ANSWER * limit_s),
    )


def _ignore(_update: TurnUpdate) -> None:
    """Nobody looks at the answer."""


def _arrival(turn: Turn, watched: WatchedTransport) -> list[Finding]:
    if watched.status is None or watched.head_ms is None:
        return []
    content_type = short(watched.headers.get("content-type", "") or "no content type", 60)
    found = [
        ok(
            "answer",
            f"HTTP {watched.status}, {content_type}, its head after {seconds(watched.head_ms / 1000)}",
        )
    ]
    if watched.status < 400 and (turn.failure is None or turn.text):
        is_json = "json" in content_type.lower()
        found.append(
            judge(
                Arrival(
                    chunks_ms=watched.chunks_ms,
                    events=turn.delta_count,
                    is_whole_body=is_json and "event-stream" not in content_type.lower(),
                )
            )
        )
    return found


def _end(turn: Turn) -> Finding:
    failure = turn.failure
    if failure is None:
        return ok(
            "end", f"the protocol's proof of completion came ({short(turn.finish_reason or 'completed')})"
        )
    if failure.reason is FailureReason.LENGTH and not failure.is_context_too_long:
        return ok("end", "the server told that the answer was cut at the limit that this question has")
    return problem("end", f"{failure.reason.value}: {_words(failure)}", failure.hint or "Run it again.")


def _words(failure: Failure) -> str:
    """What happened; a server's own words stay out: they may repeat a part of the key, or an account."""
    if failure.reason is FailureReason.HTTP or failure.http_status is not None:
        status = failure.http_status
        return f"HTTP {status}: {HTTP_WORDS.get(status or 0, '') or short(failure.code) or 'refused'}"
    if failure.reason is FailureReason.ERROR:
        return f"the server reported {short(failure.code) or 'an error'} inside the answer"
    return failure.message


CHECK = Check(title="Stream", order=65, look=look, is_network=True, is_asking=True)
