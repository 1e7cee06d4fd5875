"""What a message says beside its text: sources, pictures, and which model goes on.

Sources: Anthropic API guides on citations, and on refusals and fallback (seen 2026-11); gateways that let
models which make pictures speak this protocol.
"""

from chatui.core.attachments import image_at
from chatui.core.json_access import JsonObject, as_object, as_text
from chatui.core.messages import Citation, ImagePart


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


def image_of(block: JsonObject) -> ImagePart | None:
    """The picture of a block; None if it holds none."""
    source = as_object(block.get("source"))
    data, url = as_text(source.get("data")), as_text(source.get("url"))
    if data:
        return ImagePart(as_text(source.get("media_type")) or "image/png", data)
    return image_at(url) if url else None
