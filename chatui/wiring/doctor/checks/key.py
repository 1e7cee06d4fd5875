"""Where the key comes from and which host it goes to; the key itself is never told."""

from chatui.config.keys import has_key
from chatui.config.provider_spec import Auth
from chatui.core.diagnosis import Finding, note, ok, problem
from chatui.core.endpoint_url import origin_of
from chatui.core.errors import ConfigError
from chatui.wiring.doctor.check import Check
from chatui.wiring.doctor.patient import Patient
from chatui.wiring.doctor.privacy import shown_address, shown_path


async def look(patient: Patient) -> list[Finding]:
    """The provider, its key and its host."""
    server = patient.server
    if isinstance(server, ConfigError):
        return [problem("provider", server.message, server.hint or "See `chatui models --providers`.")]
    spec = server.spec
    name = spec.title if spec.title == spec.name else f"{spec.title} ({spec.name})"
    found = [ok("provider", f"{name}, {server.protocol}")]
    if server.is_embedded:
        return [*found, ok("key", "the embedded model needs none")]
    found.append(ok("address", shown_address(server.base_url)))
    if spec.auth is Auth.NONE:
        return [*found, ok("key", "none is sent to this provider")]
    if patient.is_offline and spec.key_command:
        words = "a command of yours may print it; it was not run (--offline)"
        return [*found, note("key", words)]
    found += _key(patient, origin_of(server.base_url)[1])
    return found


def _key(patient: Patient, host: str) -> list[Finding]:
    server = patient.server_with_key
    if isinstance(server, ConfigError):
        return [problem("key", server.message, server.hint or "See `chatui models --providers`.")]
    if not server.key_origin:
        words = f"none was found, and {server.spec.title} does not need one"
        return [ok("key", words), *_unused(patient)]
    found = [ok("key", f"from {shown_path(server.key_origin)}; it goes to {host} only")]
    found += [problem("key", words, "Use an https address.") for words in server.notices]
    return found


def _unused(patient: Patient) -> list[Finding]:
    """A key that is there and stays here, because the address is another one than its provider's."""
    options = patient.workspace.options
    if not options.base_url or not options.provider:
        return []
    server = patient.server
    if isinstance(server, ConfigError) or not has_key(server.spec, patient.workspace.paths, patient.environ):
        return []
    words = f"the key of {server.spec.title} is not sent: --base-url names another host"
    return [note("key", words, "Set CHATUI_API_KEY, or name the variable with --api-key-env.")]


CHECK = Check(title="Key", order=40, look=look)
