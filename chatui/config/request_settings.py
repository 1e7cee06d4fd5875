"""What settings, profile and provider say about one request, joined.

Invariant: what a person set wins over what a file of chatui says; None stays unknown, never zero.
"""

import dataclasses

from chatui.config.loader import LoadedConfig
from chatui.config.provider_spec import ModelFacts, ProviderSpec
from chatui.config.settings import Parameters, Profile, Settings


def merged_parameters(settings: Settings, profile: Profile) -> Parameters:
    """The parameters of the settings, overridden by those that a profile sets."""
    changes = {
        item.name: getattr(profile.parameters, item.name)
        for item in dataclasses.fields(Parameters)
        if getattr(profile.parameters, item.name) not in (None, (), {})
    }
    changes["extra"] = {**settings.parameters.extra, **profile.parameters.extra}
    return dataclasses.replace(settings.parameters, **changes)


def limit_of(flag: float | None, configured: float) -> float | None:
    """A limit in seconds from flag or settings; 0 means none."""
    value = configured if flag is None else flag
    return value if value > 0 else None


def own_limit(config: LoadedConfig, name: str, of_provider: float | None) -> float:
    """A limit of the settings, or the provider's own where the person set none."""
    configured: float = getattr(config.settings.timeouts, name)
    return configured if of_provider is None or f"timeouts.{name}" in config.origins else of_provider


def model_facts(spec: ProviderSpec, settings: Settings, model: str) -> ModelFacts:
    """What the provider's file says of a model, overridden by what the person says of it."""
    facts = spec.models.get(model, ModelFacts())
    for name in (model, f"{spec.name}/{model}"):
        own = settings.models.get(name)
        if own is not None:
            known = {
                item.name: getattr(own, item.name)
                for item in dataclasses.fields(ModelFacts)
                if getattr(own, item.name) is not None
            }
            facts = dataclasses.replace(facts, **known)
    return facts
