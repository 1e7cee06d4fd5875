"""Token counts under the names that servers of the OpenAI family use.

Invariants: a number that is missing or null stays unknown, and so do counts that are all zero, because no
request is empty: they are placeholders of servers that count late or not at all. Later reports replace
earlier ones field by field, because they are cumulative; a zero never replaces a count. Sources: OpenAI
`usage` of both protocols, DeepSeek `prompt_cache_hit_tokens`, Moonshot `cached_tokens`, Perplexity
`reasoning_tokens`, gateways that pass Anthropic's names on.
"""

from typing import Final

from chatui.core.events import Usage
from chatui.core.json_access import JsonObject, as_count, as_object

REASONING_COUNTS: Final = ("reasoning_tokens", "thinking_tokens")
"""Names of what reasoning cost, as a part of the output."""


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
        first_count(fields, "prompt_tokens", "input_tokens"),
        first_count(fields, "completion_tokens", "output_tokens"),
        first_count(fields, "total_tokens"),
        _or(
            as_count(prompt_details.get("cached_tokens")),
            first_count(fields, "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens"),
        ),
        _or(first_count(output_details, *REASONING_COUNTS), first_count(fields, *REASONING_COUNTS)),
    )
    return usage if any(usage) else None


def merged(old: Usage | None, new: Usage) -> Usage:
    """`new` where it knows something, `old` elsewhere."""
    if old is None:
        return new
    return Usage(*map(later_count, new, old))


def later_count(new: int | None, old: int | None) -> int | None:
    """What is known of a cumulative count after a later report: it never falls back to nothing."""
    return new or (new if old is None else old)


def first_count(fields: JsonObject, *names: str) -> int | None:
    """The first of these members that is a count."""
    for name in names:
        if name in fields and (count := as_count(fields[name])) is not None:
            return count
    return None


def _or(first: int | None, second: int | None) -> int | None:
    return second if first is None else first
