"""Attachments in the forms that protocols want. Source: RFC 2397 (data URLs)."""

import base64
import binascii
import re

from chatui.core.legal_messages import sound_text
from chatui.core.messages import FilePart, ImagePart

_TEXT_TYPES = frozenset(
    {"application/json", "application/xml", "application/toml", "application/yaml", "application/javascript"}
)


def image_url(part: ImagePart) -> str:
    """The address of an image: its own, or a data URL."""
    return part.url if part.url and not part.data_base64 else data_url(part.media_type, part.data_base64)


def data_url(media_type: str, data_base64: str) -> str:
    """A data URL."""
    return f"data:{media_type or 'application/octet-stream'};base64,{data_base64}"


def in_data_url(address: str) -> tuple[str, str]:
    """Media type and base64 data of a data URL; empty for any other address."""
    head, comma, data = address.partition(",")
    if not comma or head[:5].lower() != "data:" or not head.endswith(";base64"):
        return "", ""
    return head[5:].removesuffix(";base64"), data


def image_at(address: str, name: str = "") -> ImagePart:
    """The image at an address, or in it."""
    media_type, data = in_data_url(address)
    return ImagePart(media_type, data, name=name) if data else ImagePart("", url=address, name=name)


def text_of_file(part: FilePart) -> str | None:
    """The text of a text file; None for any other file."""
    media_type = part.media_type.partition(";")[0].strip().lower()
    if not (media_type.startswith("text/") or media_type in _TEXT_TYPES or media_type.endswith("+xml")):
        return None
    try:
        return sound_text(base64.b64decode(part.data_base64, validate=True).decode("utf-8", "replace"))
    except (binascii.Error, ValueError):
        return None


def quoted_file(name: str, text: str) -> str:
    """A text file as part of a prompt: its name, and a fence that nothing in it can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{name}:\n{fence}\n{text}{end}{fence}"
