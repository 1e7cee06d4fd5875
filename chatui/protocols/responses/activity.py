"""What hosted tools did, in words: from the item of a response to a `ToolActivityPart`.

Invariant: nothing here is a call for the client to run; encrypted content and images are never shown as text.
Source: OpenAI API reference, output items of Responses (web search, file search, code interpreter, image
generation, MCP, shell, computer use).
"""

from typing import Final

from chatui.core.json_access import JsonObject, as_list, as_object, as_text
from chatui.core.messages import ToolActivityPart
from chatui.protocols.responses.item import Item

ECHOED_TOOLS: Final = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
    }
)
"""Hosted tools that are whole in themselves: their items may go back as they came."""


def activity_of(item: Item) -> ToolActivityPart:
    """A hosted tool's item, in words."""
    fields = item.fields
    action = as_object(fields.get("action"))
    operation = as_object(fields.get("operation"))
    item.detail = ["".join(item.detail)]
    detail = item.detail[0]
    queries = [as_text(query) for query in as_list(fields.get("queries")) or as_list(action.get("queries"))]
    for said in (
        as_text(fields.get("code")),
        as_text(fields.get("arguments")),
        as_text(action.get("query")),
        "\n".join(filter(None, queries)),
        as_text(action.get("url")),
        "\n".join(as_text(command) for command in as_list(action.get("commands"))),
        as_text(action.get("command")),
        as_text(fields.get("revised_prompt")),
        as_text(fields.get("prompt")),
        as_text(operation.get("diff")),
    ):
        detail = detail or said
    if path := as_text(operation.get("path")):
        detail = f"{path}\n{detail}".rstrip()
    name = as_text(fields.get("name")) or item.kind.removesuffix("_call")
    label = as_text(fields.get("server_label"))
    error = as_object(fields.get("error"))
    failed = as_text(fields.get("error")) or as_text(error.get("message"))
    result = failed or as_text(fields.get("output")) or _outputs(fields)
    opaque: dict[str, object] = {"item": fields} if item.is_finished and item.kind in ECHOED_TOOLS else {}
    return ToolActivityPart(
        next(iter(sorted(item.ids)), ""),
        f"{label}: {name}" if label else name,
        "failed" if failed else item.status or ("completed" if item.is_finished else "in_progress"),
        detail,
        result,
        opaque,
    )


def _outputs(fields: JsonObject) -> str:
    """Readable outputs and results: logs, text, file names; no images."""
    lines: list[str] = []
    for entry in (
        *as_list(fields.get("outputs")),
        *as_list(fields.get("results")),
        *as_list(fields.get("output")),
    ):
        output = as_object(entry)
        said = [as_text(output.get(name)) for name in ("logs", "filename", "text", "stdout", "stderr", "url")]
        lines += filter(None, said)
    tools = [as_text(as_object(tool).get("name")) for tool in as_list(fields.get("tools"))]
    return "\n".join(lines) or ", ".join(filter(None, tools))
