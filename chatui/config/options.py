"""Options of generation from flags: `-o KEY VALUE`.

Invariant: a misspelt option is refused, never quietly sent; one that we do not know is sent only when it is
asked for as `body.NAME`. Source: the request references of the three protocols and of llama.cpp's, vLLM's
and Ollama's servers.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Final

from chatui.config.reading import check_value, field_types, limits_of, parse_text
from chatui.config.settings import Parameters
from chatui.config.sources import put
from chatui.config.toml_source import KeyPath, Problem, near_match
from chatui.core.errors import ConfigError
from chatui.core.request import Sampling

BODY_PREFIX: Final = "body."

SAMPLING_NAMES: Final = (
    "max_output_tokens",
    "temperature",
    "top_p",
    "stop",
    "seed",
    "reasoning_effort",
    "thinking_budget_tokens",
)

_OTHER_NAMES: Final = {
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "effort": "reasoning_effort",
    "thinking_budget": "thinking_budget_tokens",
    "stop_sequences": "stop",
}

_RESERVED: Final = {
    "model": "use --model",
    "messages": "the conversation is sent by itself",
    "input": "the conversation is sent by itself",
    "instructions": "use --system",
    "system": "use --system",
    "stream": "use --no-stream",
    "tools": "tools are set in the configuration",
}

_MEMBERS: Final = (
    # All three protocols
    "metadata service_tier top_k top_logprobs tool_choice parallel_tool_calls user store logprobs include "
    # Chat Completions
    "n frequency_penalty presence_penalty logit_bias response_format prediction modalities audio verbosity "
    "safety_identifier prompt_cache_key prompt_cache_retention stream_options web_search_options moderation "
    # Responses
    "reasoning text truncation background max_tool_calls previous_response_id conversation prompt "
    "context_management "
    # Messages
    "thinking output_config cache_control container mcp_servers context_management inference_geo speed "
    # Servers people run themselves, and gateways
    "min_p typical_p repeat_penalty repetition_penalty repeat_last_n top_n_sigma mirostat mirostat_tau "
    "mirostat_eta dynatemp_range dynatemp_exponent xtc_probability xtc_threshold dry_multiplier dry_base "
    "dry_allowed_length dry_penalty_last_n samplers grammar json_schema n_predict n_keep n_probs min_keep "
    "cache_prompt id_slot ignore_eos min_tokens top_a num_ctx keep_alive think options chat_template_kwargs "
    "reasoning_format enable_thinking return_progress timings_per_token guided_json guided_regex "
    "guided_choice "
    "guided_grammar structured_outputs skip_special_tokens include_stop_str_in_output add_generation_prompt "
    "continue_final_message length_penalty best_of use_beam_search regex ebnf separate_reasoning lora "
    "provider route models transforms plugins include_reasoning usage reasoning_details extra_body "
    "safe_prompt random_seed prompt_mode search_parameters deferred search_mode search_domain_filter "
    "search_recency_filter return_images return_related_questions enable_search search_options "
    "safety_model context_length_exceeded_behavior prompt_truncate_len raw_output perf_metrics_in_response "
    "do_sample request_id incremental_output result_format vl_high_resolution_images mask_sensitive_info "
    "reasoning_split citation_options compound_custom include_domains exclude_domains "
    "disable_tool_validation "
    "documents clear_thinking preserve_thinking"
)
BODY_MEMBERS: Final = frozenset(_MEMBERS.split())
"""Names that some server knows; sent as they are."""


def sampling_from(parameters: Parameters, options: Iterable[tuple[str, str]] = ()) -> Sampling:
    """Parameters of configuration and profile, overridden by `-o` options.

    Raises:
        ConfigError: an option is unknown or its value is wrong; one line with what is allowed.
    """
    values: dict[str, object] = {name: getattr(parameters, name) for name in SAMPLING_NAMES}
    extra: dict[str, object] = _copied(parameters.extra)
    for written, text in options:
        name = _OTHER_NAMES.get(written, written)
        if name in SAMPLING_NAMES:
            if _is_drop(text) or text.strip() in ("null", ""):
                values[name] = () if name == "stop" else None
            else:
                values[name] = _typed(written, name, text)
        elif not _is_drop(text):
            put(extra, tuple(_body_path(written)), _json_or_text(text))
    return Sampling(**values, extra=extra)  # type: ignore[arg-type]  # checked against the fields


def dropped_members(options: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Members that `-o NAME none` takes out of the body, for servers that refuse what others want.

    Raises:
        ConfigError: the name is unknown.
    """
    return tuple(
        ".".join(_body_path(written))
        for written, text in options
        if _is_drop(text) and _OTHER_NAMES.get(written, written) not in SAMPLING_NAMES
    )


def _is_drop(text: str) -> bool:
    return text.strip().lower() == "none"


def _body_path(written: str) -> list[str]:
    name = written.removeprefix(BODY_PREFIX)
    path = name.split(".")
    if not all(path):
        raise ConfigError(f'unknown option "{written}"')
    if path[0] in _RESERVED:
        raise ConfigError(f'the option "{path[0]}" cannot be set with -o: {_RESERVED[path[0]]}')
    if not written.startswith(BODY_PREFIX) and path[0] not in BODY_MEMBERS:
        near = near_match(path[0], (*SAMPLING_NAMES, *_OTHER_NAMES, *sorted(BODY_MEMBERS)))
        meant = f'did you mean "{near}"? ' if near else ""
        raise ConfigError(
            f'unknown option "{written}"; {meant}allowed: {", ".join(SAMPLING_NAMES)}, '
            f"members of the request such as top_k, n or response_format, and {BODY_PREFIX}NAME for any other"
        )
    return path


def _typed(written: str, name: str, text: str) -> object:
    kind = field_types(Parameters)[name]
    item = next(one for one in dataclasses.fields(Parameters) if one.name == name)
    raw = [text] if name == "stop" else text if name == "reasoning_effort" else parse_text(text, kind)

    def report(_: KeyPath, message: str) -> Problem:
        return Problem("option", None, written, message)

    value, problem = check_value(raw, kind, limits_of(item), (name,), report)
    if problem is not None:
        raise ConfigError(f"option {written}: {problem.message}")
    return value


def _json_or_text(text: str) -> object:
    import json  # takes two milliseconds of the start, and few options need it

    try:
        value: object = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text
    return value


def _refuse_constant(word: str) -> object:
    raise ValueError(word)


def _copied(table: Mapping[str, object]) -> dict[str, object]:
    return {name: _copied(value) if isinstance(value, dict) else value for name, value in table.items()}
