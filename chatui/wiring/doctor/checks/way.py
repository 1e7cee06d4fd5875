"""The way to the server, one step at a time: proxy, DNS, TCP, tunnel, TLS."""

import os
from typing import Final

from chatui.core.diagnosis import Finding, note, ok, problem
from chatui.core.errors import ConfigError
from chatui.transport.certificates import named_certificates
from chatui.transport.connection_steps import StepTaken, take_steps
from chatui.transport.httpx_transport import proxy_used
from chatui.transport.proxies import exempted_by, proxy_for
from chatui.wiring.doctor.check import Check
from chatui.wiring.doctor.patient import Patient
from chatui.wiring.doctor.privacy import shown_address, shown_path

SOON_DAYS: Final = 14
_DAY_S: Final = 86_400.0


async def look(patient: Patient) -> list[Finding]:
    """Every step up to the first that fails."""
    server = patient.server
    if isinstance(server, ConfigError):
        patient.is_unreachable = True
        return [note("skipped", "there is no provider to reach, see above")]
    if server.is_embedded:
        return [ok("network", "the embedded model runs on this machine and needs none")]
    url = server.base_url
    found = [_proxy(url)]
    if url.startswith("https:"):
        found.append(_certificates())
    async for taken in take_steps(url, patient.limit_s, patient.clock):
        found.append(_step(taken))
        found += _expiry(taken, patient.clock.epoch_s())
        patient.is_unreachable = patient.is_unreachable or taken.error is not None
    return found


def _proxy(url: str) -> Finding:
    used = proxy_used(url)
    if used is not None:
        return ok("proxy", f"{shown_address(proxy_for(url))}, from {used.origin}")
    exempting = exempted_by(url)
    if exempting:
        return ok("proxy", f"not used for this host, because {exempting} names it")
    return ok("proxy", "none is used for this host")


def _certificates() -> Finding:
    variable, path = named_certificates(os.environ)
    if not variable:
        return ok("certificates", "the usual authorities are trusted (SSL_CERT_FILE is not set)")
    return note("certificates", f"only those of {shown_path(path)} are trusted, from {variable}")


def _step(taken: StepTaken) -> Finding:
    if taken.error is not None:
        hint = taken.error.hint or "Check the base URL and the network."
        return problem(str(taken.step), taken.error.message, hint)
    return ok(str(taken.step), f"{taken.words} ({taken.took_ms:.0f} ms)")


def _expiry(taken: StepTaken, now_epoch_s: float) -> list[Finding]:
    if taken.expires_at_epoch_s is None:
        return []
    days = (taken.expires_at_epoch_s - now_epoch_s) / _DAY_S
    words = f"valid for another {days:.0f} days"
    if days < SOON_DAYS:
        return [note("certificate", words, "Whoever runs the server has to renew it.")]
    return [ok("certificate", words)]


CHECK = Check(title="Way to the server", order=50, look=look, is_network=True)
