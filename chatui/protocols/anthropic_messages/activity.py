"""What a hosted tool did, from its call block and its result block.

Invariant: nothing here is a call for the client to run; encrypted content is kept to be sent back, never
shown. Source: Anthropic API guides on web search, code execution, and the MCP connector.
"""

import json

from chatui.core.events import PartKey
from chatui.core.json_access import BadJson, JsonObject, as_object, as_text, parse_json
from chatui.core.messages import ToolActivityPart


class Activity:
    """What a hosted tool does, from its call and its result."""

    def __init__(self, key: PartKey, block: JsonObject) -> None:
        self.key = key
        self.block = block
        self.result: JsonObject | None = None
        self.pieces: list[str] = []
        self.is_asked = False
        """Its input is whole."""

    def part(self) -> ToolActivityPart:
        """As it stands."""
        block = dict(self.block)
        self.pieces = ["".join(self.pieces)]
        detail = self.pieces[0]
        if detail and not (self.is_asked or self.result is not None):
            pass  # A half is not worth the look at each of its pieces.
        elif detail:
            try:
                block["input"] = parse_json(detail)
            except BadJson:
                block["input"] = as_object(block.get("input"))
        elif as_object(block.get("input")):
            detail = json.dumps(block["input"], ensure_ascii=False)
        opaque: dict[str, object] = {"block": block}
        status = "running"
        result = ""
        if self.result is not None:
            opaque["result"] = self.result
            status, result = _outcome(self.result)
        return ToolActivityPart(
            as_text(block.get("id")), as_text(block.get("name")), status, detail, result, opaque
        )


def _outcome(result: JsonObject) -> tuple[str, str]:
    """How a hosted tool ended, and what it gave, in words."""
    content = result.get("content")
    single = as_object(content)
    if single.get("error_code") or result.get("is_error") is True:
        return "failed", as_text(single.get("error_code")) or _plain(content)
    return "completed", _plain(content)


def _plain(content: object) -> str:
    """The readable part of a result: titles and addresses, output, text; never encrypted content."""
    match content:
        case str():
            return content
        case list():
            return "\n".join(line for entry in content if (line := _plain(entry)))
        case dict():
            fields: JsonObject = content
            if as_text(fields.get("url")):
                return " ".join(filter(None, (as_text(fields.get("title")), as_text(fields.get("url")))))
            said = [as_text(fields.get(name)) for name in ("text", "stdout", "stderr", "title", "tool_name")]
            inner = _plain(fields.get("content")) if isinstance(fields.get("content"), list | dict) else ""
            return "\n".join(line for line in (*said, inner) if line)
        case _:
            return ""
