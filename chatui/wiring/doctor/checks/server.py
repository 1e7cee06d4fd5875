"""What the server says to the cheapest question, `GET /models`: is it the right one, does it take the key."""

from collections.abc import Sequence

from chatui.config.resolve import Resolution
from chatui.config.toml_source import near_match
from chatui.core.diagnosis import Finding, note, ok, problem
from chatui.core.errors import ChatuiError, ConfigError, WireError
from chatui.core.model_listing import parse_model_list
from chatui.engine.body_sniffing import BodyKind, sniff
from chatui.engine.failures import address_hint
from chatui.transport.model_list import ListAnswer, ask_for_models
from chatui.view.badge import HTTP_WORDS, short
from chatui.wiring.doctor.check import Check
from chatui.wiring.doctor.patient import Patient
from chatui.wiring.doctor.privacy import shown_address


async def look(patient: Patient) -> list[Finding]:
    """Status, key, and whether the chosen model is there."""
    server = patient.server
    if isinstance(server, ConfigError) or patient.is_unreachable:
        return [note("skipped", "not asked, because of what is said above")]
    if server.is_embedded:
        return [_chosen(patient, ())]
    began_s = patient.clock.monotonic_s()
    has_key = not isinstance(patient.server_with_key, ConfigError) and bool(
        patient.server_with_key.key_origin
    )
    try:
        answer = await ask_for_models(
            patient.transport, server.base_url, patient.headers, limit_s=patient.limit_s
        )
    except ChatuiError as error:
        remedy = address_hint(server.base_url) if isinstance(error, WireError) else _TOO_SLOW
        return [problem("HTTP", error.message, error.hint or remedy)]
    took_ms = (patient.clock.monotonic_s() - began_s) * 1000
    who = short(answer.headers.get("server", ""))
    words = (
        f"GET {shown_address(answer.url)}: {answer.status}{f' from {who}' if who else ''} ({took_ms:.0f} ms)"
    )
    return _judged(answer, words, patient, server, has_key=has_key)


_TOO_SLOW = "The connection was made, but no answer came: the server is busy, or no HTTP server."


def _judged(
    answer: ListAnswer, words: str, patient: Patient, server: Resolution, *, has_key: bool
) -> list[Finding]:
    status = answer.status
    said = HTTP_WORDS.get(status, "")
    if status in (401, 403):
        if has_key:
            next_step = "Is it the key of this provider, complete, and not revoked? See the section Key."
            return [ok("HTTP", words), problem("key", f"the server rejects it: {said}", next_step)]
        return [ok("HTTP", words), note("key", "the server wants one, and none was sent")]
    if status in (404, 405):
        if not server.spec.has_model_list:
            return [
                ok("HTTP", words),
                note("models", "this provider has no list to look at"),
                *_model(patient),
            ]
        return [problem("HTTP", f"{words}: {said or 'not allowed'}", address_hint(server.base_url))]
    if status >= 400:
        again = "Wait a little and run it again." if status in (408, 429) or status >= 500 else ""
        return [problem("HTTP", f"{words}: {said or 'refused'}", again or "Check base URL and key.")]
    if status >= 300:
        return [problem("HTTP", f"{words}: it redirects elsewhere", "Set the base URL to the right address.")]
    kind = sniff(answer.headers.get("content-type", ""), answer.body, is_whole=True)
    if kind is BodyKind.HTML:
        hint = f"Is this a login page or the site's front page? {address_hint(server.base_url)}"
        return [problem("HTTP", f"{words}: a web page, not a list of models", hint)]
    try:
        models = parse_model_list(answer.body)
    except WireError as error:
        return [
            problem(
                "HTTP",
                f"{words}: {error.message[:1].lower()}{error.message[1:]}",
                address_hint(server.base_url),
            )
        ]
    taken = "accepted, as far as a list tells: only a question (--stream) proves it"
    found = [ok("HTTP", words), ok("key", taken)] if has_key else [ok("HTTP", words)]
    return [*found, _chosen(patient, [model.model_id for model in models])]


def _model(patient: Patient) -> list[Finding]:
    model = patient.model
    if isinstance(model, ConfigError):
        return [problem("model", model.message, model.hint or "Name one with --model.")]
    return [ok("model", model)]


def _chosen(patient: Patient, names: Sequence[str]) -> Finding:
    """The chosen model, beside the list of the server."""
    first = _model(patient)[0]
    model = patient.model
    if isinstance(model, ConfigError) or not names:
        return first
    known = {name for full in names for name in (full, full.rpartition("/")[2])}
    if model in known:
        return ok("model", f"{model} is among the {len(names)} that are listed")
    near = near_match(model, names)
    meant = f'Did you mean "{near}"? ' if near else ""
    listed = "the one that is" if len(names) == 1 else f"the {len(names)} that are"
    words = f"{model} is not among {listed} listed"
    next_step = f"{meant}See `chatui models`."
    server = patient.server
    is_closed = not isinstance(server, ConfigError) and server.spec.is_model_list_closed
    return problem("model", words, next_step) if is_closed or near else note("model", words, next_step)


CHECK = Check(title="Server", order=60, look=look, is_network=True)
