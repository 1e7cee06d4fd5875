"""What is known of a model: its window, abilities and the prices that the person gave.

Invariant: what nobody said is unknown, never a guess; no key is read and nothing is asked.
"""

from typing import TYPE_CHECKING

from chatui.core.context_size import EMBEDDED_WINDOW_TOKENS
from chatui.core.errors import ConfigError
from chatui.core.events import Usage
from chatui.engine.endpoint import Endpoint

if TYPE_CHECKING:
    from chatui.config.loader import LoadedConfig
    from chatui.config.provider_spec import ModelFacts

MILLION = 1_000_000
EMBEDDED = "local"


def facts_of_model(config: "LoadedConfig", endpoint: Endpoint) -> "ModelFacts":
    """The facts of an endpoint's model, from files alone."""
    import dataclasses

    from chatui.config.provider_spec import ProviderSpec, load_provider
    from chatui.config.request_settings import model_facts

    settings = config.settings
    try:
        spec = load_provider(endpoint.provider, config.paths, settings.providers, config.user_source)
    except ConfigError:  # an address from the command line is no provider with a file
        spec = ProviderSpec(name=endpoint.provider)
    facts = model_facts(spec, settings, endpoint.model)
    if endpoint.context_window_tokens is not None and facts.context_window_tokens is None:
        facts = dataclasses.replace(facts, context_window_tokens=endpoint.context_window_tokens)
    if endpoint.provider == EMBEDDED:
        if facts.can_see_images is None:
            # The server that chatui starts loads no projector: it reads text only.
            facts = dataclasses.replace(facts, can_see_images=False, can_read_pdf=False)
        if facts.context_window_tokens is None:
            facts = dataclasses.replace(facts, context_window_tokens=EMBEDDED_WINDOW_TOKENS)
    return facts


def cost_of(usage: Usage | None, facts: "ModelFacts") -> float | None:
    """What a turn cost by the prices that the person gave; None where a price or a number is missing."""
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    if facts.input_price_per_million is None or facts.output_price_per_million is None:
        return None
    cached = min(usage.cached_tokens or 0, usage.input_tokens)
    cached_price = facts.cached_price_per_million
    if cached_price is None:
        cached_price = facts.input_price_per_million
    whole = (
        (usage.input_tokens - cached) * facts.input_price_per_million
        + cached * cached_price
        + usage.output_tokens * facts.output_price_per_million
    )
    return whole / MILLION
