"""From names and flags to everything that one request needs: `resolve(...).endpoint()`.

Invariant: what cannot be right is told in one line before anything is sent, with what is allowed. A
provider's key goes only to that provider's own host, whatever the flags say.
"""

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Final

from chatui.config.addressing import ad_hoc_provider, base_from_variable
from chatui.config.key_binding import bound_key, key_header, key_notices, sent_headers
from chatui.config.keys import missing_key_message
from chatui.config.loader import LoadedConfig
from chatui.config.model_cache import load_models
from chatui.config.options import dropped_members, sampling_from
from chatui.config.paths import Paths
from chatui.config.provider_spec import (
    PROTOCOLS,
    Auth,
    ModelFacts,
    ProviderKind,
    ProviderSpec,
    load_provider,
    provider_names,
)
from chatui.config.request_settings import limit_of, merged_parameters, model_facts, own_limit
from chatui.config.settings import Profile, Settings, Wish
from chatui.config.state import AppState
from chatui.config.toml_source import near_match, not_among
from chatui.core.endpoint_url import normalise_base_url
from chatui.core.errors import ConfigError, Unsettled
from chatui.core.request import Sampling
from chatui.core.values import frozen
from chatui.core.wire import Dialect
from chatui.protocols import load, protocol_of_url

if TYPE_CHECKING:
    from chatui.engine.endpoint import Endpoint

EMBEDDED_PROVIDER: Final = "local"


@frozen(kw_only=True)
class Resolution:
    """A provider and model, ready to be asked."""

    spec: ProviderSpec
    protocol: str
    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    key_origin: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    dialect: Dialect = field(default_factory=Dialect)
    sampling: Sampling = field(default_factory=Sampling)
    connect_s: float | None = None
    first_event_s: float | None = None
    gap_s: float | None = None
    total_s: float | None = None
    is_streaming: bool = True
    max_retries: int = 2
    facts: ModelFacts = field(default_factory=ModelFacts)
    system: str = ""
    tools: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    """What the person should be told before sending."""

    @property
    def is_embedded(self) -> bool:
        """The model that chatui itself starts."""
        return self.spec.kind is ProviderKind.EMBEDDED

    def endpoint(self) -> "Endpoint":
        """The engine's value; the embedded engine's start (`prepare`) is put in by `wiring`."""
        from chatui.engine.deadlines import Deadlines
        from chatui.engine.endpoint import Endpoint

        return Endpoint(
            provider=self.spec.name,
            protocol=load(self.protocol),
            base_url=self.base_url,
            model=self.model,
            api_key=self.api_key,
            dialect=self.dialect,
            sampling=self.sampling,
            deadlines=Deadlines(
                connect_s=self.connect_s,
                first_event_s=self.first_event_s,
                gap_s=self.gap_s,
                total_s=self.total_s,
            ),
            is_streaming=self.is_streaming,
            extra_headers=self.headers,
            max_retries=self.max_retries,
            context_window_tokens=self.facts.context_window_tokens,
        )


def resolve(
    wish: Wish,
    config: LoadedConfig,
    environ: Mapping[str, str],
    *,
    state: AppState | None = None,
    known_models: Sequence[str] | None = None,
    local_model: Callable[[], str] | None = None,
    needs_key: bool = True,
) -> Resolution:
    """Everything that a request needs.

    May run the provider's `key_command`: not for the event loop when there is one.

    Args:
        wish: the flags.
        config: settings, as loaded.
        environ: the environment, for keys and base URLs.
        state: what the app remembers (last provider and model).
        known_models: the whole list of models, if it is known to be whole; any other name is refused.
        local_model: gives the name of the one model that the embedded engine has now.
        needs_key: False to look without reading any key.

    Raises:
        ConfigError: provider, protocol, model, option, profile, base URL or key is unknown, missing or wrong.
    """
    settings = config.settings
    profile = _profile(wish, settings)
    spec, base_url = _provider_and_base(wish, profile, config, environ, state)
    protocol = _protocol(wish, settings, spec)
    if spec.kind is ProviderKind.EMBEDDED and local_model is not None and known_models is None:
        known_models = (local_model(),)
        spec = dataclasses.replace(spec, default_model=known_models[0])
    elif known_models is None and wish.base_url is None:
        known_models = _known_models(spec, base_url, config.paths)
    model = _model(wish, profile, settings, spec, state, known_models)
    key, key_origin = _key(wish, spec, base_url, config.paths, environ) if needs_key else (None, "")
    if needs_key and key is None and spec.needs_key and spec.kind is ProviderKind.HTTP:
        raise missing_key_message(spec, config.paths)
    headers = sent_headers(spec, base_url if wish.base_url is not None else "", environ) if needs_key else {}
    sent_key = key
    if key is not None and spec.auth is not Auth.PROTOCOL:
        headers.update(key_header(spec.auth, key))
        sent_key = None
    dialect = spec.dialect_for(protocol)
    if settings.accept_done:
        dialect = dataclasses.replace(dialect, is_done_proof=True)
    if dropped := dropped_members(wish.generation):
        dialect = dataclasses.replace(dialect, unsupported=(*dialect.unsupported, *dropped))
    timeouts = settings.timeouts
    return Resolution(
        spec=spec,
        protocol=protocol,
        base_url=base_url,
        model=model,
        api_key=sent_key,
        key_origin=key_origin,
        headers=tuple(headers.items()),
        dialect=dialect,
        sampling=sampling_from(merged_parameters(settings, profile), wish.generation),
        connect_s=limit_of(wish.connect_s, timeouts.connect_s),
        first_event_s=limit_of(wish.first_event_s, own_limit(config, "first_event_s", spec.first_event_s)),
        gap_s=limit_of(wish.gap_s, own_limit(config, "gap_s", spec.gap_s)),
        total_s=limit_of(wish.total_s, timeouts.total_s),
        is_streaming=wish.is_streaming if wish.is_streaming is not None else settings.stream and spec.stream,
        max_retries=settings.max_retries,
        facts=_facts(spec, settings, model, base_url, config.paths),
        system=wish.system if wish.system is not None else profile.system or settings.system,
        tools=profile.tools or settings.tools.enabled,
        notices=key_notices(spec, base_url, key),
    )


def _profile(wish: Wish, settings: Settings) -> Profile:
    name = wish.profile or settings.profile
    if not name:
        return Profile()
    if name not in settings.profiles:
        names = sorted(settings.profiles)
        raise ConfigError(f'unknown profile "{name}"; {not_among(name, names) if names else "there is none"}')
    return settings.profiles[name]


def _provider_and_base(
    wish: Wish, profile: Profile, config: LoadedConfig, environ: Mapping[str, str], state: AppState | None
) -> tuple[ProviderSpec, str]:
    settings = config.settings
    if wish.base_url is not None and wish.provider is None:
        base_url = normalise_base_url(wish.base_url)
        return ad_hoc_provider(base_url, protocol_of_url(wish.base_url)), base_url
    name = wish.provider or profile.provider or settings.provider
    if not name and state and state.provider in provider_names(config.paths, settings.providers):
        name = state.provider
    spec = load_provider(name or EMBEDDED_PROVIDER, config.paths, settings.providers, config.user_source)
    if spec.kind is ProviderKind.EMBEDDED:
        return spec, ""
    written = wish.base_url or base_from_variable(spec, environ) or spec.base_url
    if not written:
        wanted = " or ".join(spec.base_url_env) or f"base_url in {spec.origin}"
        raise ConfigError(f"{spec.title} has no base URL: set {wanted}, or give --base-url")
    return spec, normalise_base_url(written, version=spec.base_path, may_add_version=bool(spec.base_path))


def _protocol(wish: Wish, settings: Settings, spec: ProviderSpec) -> str:
    if wish.protocol:
        if wish.protocol not in PROTOCOLS:
            raise ConfigError(f'unknown protocol "{wish.protocol}"; {not_among(wish.protocol, PROTOCOLS)}')
        # Asked for by name: the person may know more of the server than its file does.
        return wish.protocol
    if wish.base_url and (named := protocol_of_url(wish.base_url)):
        return named
    if settings.protocol and settings.protocol in spec.all_protocols:
        return settings.protocol
    return spec.protocol


def _known_models(spec: ProviderSpec, base_url: str, paths: Paths) -> tuple[str, ...] | None:
    """The whole list of a provider, if a young one was kept; None is not known."""
    if not spec.is_model_list_closed:
        return None
    cached = load_models(paths, spec.name)
    if cached is None or cached.base_url != base_url or not cached.is_fresh(time.time()):
        return None
    return tuple(model.model_id for model in cached.models) or None


def _model(
    wish: Wish,
    profile: Profile,
    settings: Settings,
    spec: ProviderSpec,
    state: AppState | None,
    known_models: Sequence[str] | None,
) -> str:
    model = wish.model or profile.model
    if not model and settings.provider in ("", spec.name) and not (wish.base_url and not wish.provider):
        model = settings.model
    if (
        not model
        and state
        and state.provider == spec.name
        and state.model in (known_models or (state.model,))
    ):
        model = state.model
    model = model or spec.default_model
    if not model and known_models is not None and len(known_models) == 1:
        model = known_models[0]
    if not model:
        names = known_models or spec.suggested_models
        where = "--base-url URL" if wish.base_url and not wish.provider else f"-p {spec.name}"
        hint = f"; such as: {', '.join(names[:12])}" if names else f"; see `chatui models {where}`"
        raise Unsettled(f"no model is named for {spec.title}: give --model{hint}", provider=spec.name)
    if known_models is not None and model not in known_models:
        near = near_match(model, known_models)
        listed = ", ".join(known_models[:20]) + (", ..." if len(known_models) > 20 else "")
        meant = f'did you mean "{near}"? ' if near else ""
        raise ConfigError(
            f'{spec.title} has no model "{model}"; {meant}known: {listed}',
            "Another one: `chatui local use FILE.gguf`"
            if spec.kind is ProviderKind.EMBEDDED
            else f"Ask for the list anew: `chatui models -p {spec.name}`",
        )
    return model


def _facts(spec: ProviderSpec, settings: Settings, model: str, base_url: str, paths: Paths) -> ModelFacts:
    """What files say of a model; its window also from the server's own list, if one was kept."""
    facts = model_facts(spec, settings, model)
    if facts.context_window_tokens is not None:
        return facts
    cached = load_models(paths, spec.name)
    if cached is None or cached.base_url != base_url:
        return facts
    windows = (listed.context_window_tokens for listed in cached.models if listed.model_id == model)
    return dataclasses.replace(facts, context_window_tokens=next(windows, None))


def _key(
    wish: Wish, spec: ProviderSpec, base_url: str, paths: Paths, environ: Mapping[str, str]
) -> tuple[str | None, str]:
    flagged = base_url if wish.base_url is not None else ""
    return bound_key(spec, flagged, wish.api_key_env, paths, environ)
