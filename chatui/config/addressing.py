"""Where a provider is: its own address, one from a variable, or a base URL from the command line.

Invariant: a provider made from a bare base URL knows nothing of any other provider's key.
Source: Ollama's documentation of OLLAMA_HOST (host, port or both, without a scheme).
"""

import re
from collections.abc import Mapping

from chatui.config.keys import AD_HOC_KEY_VARIABLE
from chatui.config.provider_spec import PROTOCOLS, ProviderSpec
from chatui.core.endpoint_url import is_loopback


def base_from_variable(spec: ProviderSpec, environ: Mapping[str, str]) -> str:
    """The address in a variable; a bare `HOST`, `HOST:PORT` or `:PORT` (OLLAMA_HOST) is completed."""
    found = (environ[name].strip() for name in spec.base_url_env if environ.get(name, "").strip())
    written = next(found, "")
    if written and "://" not in written and spec.is_local:
        host, _, rest = written.partition("/")
        if host.startswith(":"):
            host = f"127.0.0.1{host}"
        if spec.default_port and not re.search(r":\d+$", host):
            host = f"{host}:{spec.default_port}"
        written = f"http://{host}/{rest}" if rest else f"http://{host}"
    return written


def ad_hoc_provider(base_url: str, protocol: str | None) -> ProviderSpec:
    """A provider that is only a base URL from the command line."""
    place = base_url.partition("://")[2].partition("/")[0]
    return ProviderSpec(
        name=place,
        title=place,
        protocol=protocol or "chat_completions",
        protocols=PROTOCOLS,
        base_url=base_url,
        key_env=(AD_HOC_KEY_VARIABLE,),
        needs_key=False,
        is_local=is_loopback(base_url),
        origin="--base-url",
    )
