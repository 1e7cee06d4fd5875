"""The formats of an export, by name and by the ending of a file."""

from collections.abc import Callable, Sequence
from typing import Final

from chatui.core.errors import StoreError
from chatui.core.values import frozen
from chatui.history.exporting.html import export_html
from chatui.history.exporting.lossless import export_json
from chatui.history.exporting.markdown import export_markdown
from chatui.history.exporting.openai import export_lines, export_messages
from chatui.history.portable import Portable


@frozen
class ExportFormat:
    """One format."""

    name: str
    ending: str
    """Of a file, without the dot."""
    media_type: str
    one: Callable[[Portable], str]
    several: Callable[[Sequence[Portable]], str] | None
    """How several conversations go into one document; None if they cannot."""


EXPORT_FORMATS: Final = {
    entry.name: entry
    for entry in (
        ExportFormat(
            "markdown",
            "md",
            "text/markdown",
            export_markdown,
            lambda portables: "\n\n".join(export_markdown(portable) for portable in portables),
        ),
        ExportFormat(
            "json", "json", "application/json", lambda portable: export_json([portable]), export_json
        ),
        ExportFormat("openai", "json", "application/json", export_messages, None),
        ExportFormat(
            "openai-lines",
            "jsonl",
            "application/jsonl",
            lambda portable: export_lines([portable]),
            export_lines,
        ),
        ExportFormat("html", "html", "text/html", export_html, None),
    )
}


def export_document(portables: Sequence[Portable], name: str) -> str:
    """Conversations in a format.

    Raises:
        StoreError: the format is unknown, or holds one conversation only.
    """
    found = EXPORT_FORMATS.get(name)
    if found is None:
        raise StoreError(f"Unknown export format {name!r}", f"Known are: {', '.join(EXPORT_FORMATS)}.")
    if len(portables) == 1:
        return found.one(portables[0])
    if found.several is None:
        raise StoreError(
            f"The format {name} holds one conversation", "Name one id, or use json, openai-lines or markdown."
        )
    return found.several(portables)


def format_of(file_name: str) -> str:
    """The format that the ending of a file name asks for; Markdown if it asks for none."""
    ending = file_name.rpartition(".")[2].lower()
    return {"json": "json", "jsonl": "openai-lines", "html": "html", "htm": "html"}.get(ending, "markdown")
