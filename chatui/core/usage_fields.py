"""Token counts under the names that servers of the OpenAI family use.

Invariant: a number that is missing or null stays unknown; later reports replace earlier ones field by
field, because they are cumulative. Sources: OpenAI `usage` of both protocols, DeepSeek
`prompt_cache_hit_tokens`, Moonshot `cached_tokens`, Perplexity `reasoning_tokens`, gateways that pass
Anthropic's names on.
"""

from chatui.core.events import Usage
from chatui.core.json_access import JsonObject, as_count, as_object


def usage_of(value: object) -> Usage | None:
    """The counts in a usage object; None if there are none."""
    fields = as_object(value)
    if not fields:
        return None
    prompt_details = as_object(fields.get("prompt_tokens_details")) or as_object(
        fields.get("input_tokens_details")
    )
    output_details = as_object(fields.get("completion_tokens_details")) or as_object(
        fields.get("output_tokens_details")
    )
    usage = Usage(
        _first(fields, "prompt_tokens", "input_tokens"),
        _first(fields, "completion_tokens", "output_tokens"),
        _first(fields, "total_tokens"),
        _or(
            as_count(prompt_details.get("cached_tokens")),
            _first(fields, "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens"),
        ),
        _or(as_count(output_details.get("reasoning_tokens")), _first(fields, "reasoning_tokens")),
    )
    return None if usage == Usage() else usage


def merged(old: Usage | None, new: Usage) -> Usage:
    """`new` where it knows something, `old` elsewhere."""
    if old is None:
        return new
    return new if None not in new else Usage(*map(_or, new, old))


def _first(fields: JsonObject, *names: str) -> int | None:
    for name in names:
        if name in fields and (count := as_count(fields[name])) is not None:
            return count
    return None


def _or(first: int | None, second: int | None) -> int | None:
    return second if first is None else first
