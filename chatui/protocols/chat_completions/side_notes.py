"""What a chunk says beside the answer: sources and moderation.

Sources: Perplexity `citations` and `search_results`; OpenAI moderation of streamed completions.
"""

from chatui.core.json_access import JsonObject, as_label, as_list, as_object, as_text
from chatui.core.messages import Citation


def citations_of(value: JsonObject) -> list[Citation]:
    """Sources that stand at the top of a chunk."""
    results = [as_object(entry) for entry in as_list(value.get("search_results"))]
    titles = {as_text(entry.get("url")): as_text(entry.get("title")) for entry in results}
    found: list[Citation] = []
    for entry in (*as_list(value.get("citations")), *titles):
        fields = as_object(entry)
        url = as_text(entry) or as_text(fields.get("url"))
        if url:
            found.append(Citation(titles.get(url) or as_text(fields.get("title")) or url, url))
    return found


def moderation_notices(value: JsonObject) -> list[str]:
    """What moderation found, if it found anything that a person should know."""
    moderation = as_object(value.get("moderation"))
    notices = (_notice(side, as_object(moderation.get(side))) for side in ("input", "output"))
    return [notice for notice in notices if notice]


def _notice(side: str, result: JsonObject) -> str:
    if as_text(result.get("type")) == "error":
        what = as_label(result.get("message")) or as_label(result.get("code"))
        return f"Moderation of the {side} failed: {what}"
    flagged: list[str] = []
    for entry in as_list(result.get("results")):
        fields = as_object(entry)
        if fields.get("flagged") is True:
            categories = as_object(fields.get("categories"))
            flagged += [name for name, is_hit in categories.items() if is_hit is True] or ["flagged"]
    return f"Moderation of the {side}: {', '.join(dict.fromkeys(flagged))}" if flagged else ""
