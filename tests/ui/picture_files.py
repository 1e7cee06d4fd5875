"""Pictures for tests, made by Pillow, so small that every pixel can be named."""

import base64
import io
from dataclasses import replace

from PIL import Image
from ui.acting import completed_turn

from chatui.core.conversation import Conversation
from chatui.core.messages import ImagePart, Message, Part, Role, TextPart

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
SIGNALS = [RED, GREEN, BLUE, WHITE] * 2 + [WHITE, BLUE, GREEN, RED] * 2
"""Four pixels by four: two equal rows, then two other equal rows."""


def picture(pixels: list[tuple[int, ...]], size: tuple[int, int], kind: str = "PNG", **options) -> bytes:
    image = Image.new("RGBA" if len(pixels[0]) == 4 else "RGB", size)
    image.putdata(pixels)
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def plain_picture(colour: tuple[int, int, int], size: tuple[int, int], kind: str = "PNG", **options) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, kind, **options)
    return out.getvalue()


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def image_part(data: bytes, name: str = "pic.png") -> ImagePart:
    return ImagePart("image/png", encoded(data), name=name)


def shown(*parts: Part, text: str = "What is it?", answer: str = "A picture.") -> Conversation:
    """A saved conversation of one turn whose prompt has these parts."""
    prompt = Message(Role.USER, (*parts, TextPart(text)))
    turn = replace(completed_turn(0, "", answer), input=(prompt,))
    return Conversation(conversation_id="saved", turns=(turn,), head=turn.turn_id)
