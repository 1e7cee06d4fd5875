"""What a message says beside its text: sources, and which model goes on.

Sources: Anthropic API guides on citations, and on refusals and fallback (seen 2026-11).
"""

from chatui.core.json_access import JsonObject, as_object, as_text
from chatui.core.messages import Citation


def citation_of(citation: JsonObject) -> Citation | None:
    """A source for text; None if it names nothing."""
    url = as_text(citation.get("url"))
    title = as_text(citation.get("title")) or as_text(citation.get("document_title"))
    quote = as_text(citation.get("cited_text"))
    source = as_text(citation.get("source"))
    if not (title or url or quote or source):
        return None
    return Citation(title or source or url or "document", url, quote)


def handed_over(block: JsonObject) -> str:
    """What is to be told where another model goes on with the answer, because the one before declined."""
    declined, follows = (as_text(as_object(block.get(name)).get("model")) for name in ("from", "to"))
    return f"{declined or 'The model'} declined; what follows is by {follows or 'another model'}."
