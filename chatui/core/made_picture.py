"""The picture that a hosted tool made.

Invariant: its bytes are held once, in the item that the provider wants back with the next turn. Source:
OpenAI API reference of Responses, output item `image_generation_call` (`result` is the file, as base64).
"""

from collections.abc import Iterable, Mapping
from typing import Final

from chatui.core.messages import ImagePart, Part, ToolActivityPart

MADE_NAME: Final = "generated picture"


def picture_of(part: Part) -> ImagePart | None:
    """The picture of a part; None if it has none."""
    match part:
        case ImagePart():
            return part
        case ToolActivityPart(opaque={"item": Mapping() as item}):
            encoded = item.get("result")
            if item.get("type") == "image_generation_call" and isinstance(encoded, str) and encoded:
                kind = item.get("output_format")
                return ImagePart(f"image/{kind if isinstance(kind, str) else 'png'}", encoded, name=MADE_NAME)
        case _:
            pass
    return None


def pictures_of(parts: Iterable[Part]) -> list[ImagePart]:
    """The pictures of some parts whose bytes are here."""
    found = (picture_of(part) for part in parts)
    return [image for image in found if image is not None and image.data_base64]
