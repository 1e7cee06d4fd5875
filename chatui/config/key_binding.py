"""Which key goes with a request, and in which header.

Invariant: a provider's key goes only to that provider's own host. Where a flag names another host, only the
variable for such hosts (or the one named by flag) is read. Sources: reference pages of OpenAI, Anthropic,
Azure OpenAI.
"""

import dataclasses
from collections.abc import Mapping
from typing import Final

from chatui.config.keys import AD_HOC_KEY_VARIABLE, clean_key, key_for
from chatui.config.paths import Paths
from chatui.config.provider_spec import Auth, ProviderKind, ProviderSpec
from chatui.core.endpoint_url import is_loopback, normalise_base_url, origin_of
from chatui.core.errors import ConfigError
from chatui.core.late_pattern import late_pattern

_VARIABLE: Final = late_pattern(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_HEADER_NAME: Final = late_pattern(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def bound_key(
    spec: ProviderSpec, base_url: str, named_variable: str | None, paths: Paths, environ: Mapping[str, str]
) -> tuple[str | None, str]:
    """The key for requests to `base_url`, and where it came from.

    Args:
        spec: the provider.
        base_url: the normalised address that is asked, where a flag gave one; else empty.
        named_variable: the variable that a flag names.
        paths: for keys that chatui keeps.
        environ: the environment.

    Raises:
        ConfigError: the named variable is not set, or a source of the key is broken.
    """
    if spec.kind is ProviderKind.EMBEDDED or spec.auth is Auth.NONE:
        return None, ""
    if named_variable:
        value = environ.get(named_variable, "")
        if not value.strip():
            raise ConfigError(f"the variable {named_variable} (--api-key-env) is not set")
        return clean_key(value, f"${named_variable}"), f"${named_variable}"
    if base_url and not is_own_host(spec, base_url):
        spec = dataclasses.replace(spec, name="", key_env=(AD_HOC_KEY_VARIABLE,), key_command=(), key_file="")
    return key_for(spec, paths, environ)


def key_header(auth: Auth, key: str) -> dict[str, str]:
    """The header of a key that is not sent as the protocol would."""
    match auth:
        case Auth.BEARER:
            return {"Authorization": f"Bearer {key}"}
        case Auth.API_KEY:
            return {"api-key": key}
        case Auth.X_API_KEY:
            return {"x-api-key": key}
        case Auth.PROTOCOL | Auth.NONE:
            return {}


def key_notices(spec: ProviderSpec, base_url: str, key: str | None) -> tuple[str, ...]:
    """What a person should know before the key is sent."""
    if key is not None and base_url.startswith("http://") and not is_loopback(base_url):
        return (f"The key of {spec.title} goes to {origin_of(base_url)[1]} without encryption (http).",)
    return ()


def named_variables(written: str) -> tuple[str, ...]:
    """The variables that a header names as `${NAME}`."""
    return tuple(_VARIABLE.findall(written))


def sent_headers(spec: ProviderSpec, base_url: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The provider's own headers, with `${NAME}` filled in; none for another host than its own.

    Args:
        spec: the provider.
        base_url: the normalised address that is asked, where a flag gave one; else empty.
        environ: where the names are looked up.

    Raises:
        ConfigError: a variable is not set, or a header could not be sent; its value is not shown.
    """
    if base_url and not is_own_host(spec, base_url):
        return {}
    found: dict[str, str] = {}
    for name, written in spec.headers.items():
        for variable in named_variables(written):
            if variable not in environ:
                raise ConfigError(
                    f"the header {name} of {spec.title} needs the variable {variable}, which is not set"
                )
        value = _VARIABLE.sub(lambda match: environ[match.group(1)], written).strip()
        if not _HEADER_NAME.fullmatch(name) or not (value.isascii() and value.isprintable()):
            raise ConfigError(f"the header {name!r} of {spec.title} holds characters that no header can")
        found[name] = value
    return found


def is_own_host(spec: ProviderSpec, base_url: str) -> bool:
    """Whether an address is where the provider's file says that it is."""
    return bool(spec.base_url) and origin_of(normalise_base_url(spec.base_url)) == origin_of(base_url)
