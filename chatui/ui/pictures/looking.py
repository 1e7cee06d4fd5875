"""Which pictures are looked at when the person asks for them.

Those of the prompt that is being written, else those in sight, else those of the turn at hand.

Invariant: where none can be shown, it is said why, and what helps.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chatui.core.errors import ChatuiError
from chatui.core.made_picture import pictures_of
from chatui.core.messages import ImagePart
from chatui.core.turn import Turn
from chatui.ui.pictures.gallery import PictureMode

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen

NO_COLOURS = "Pictures are not shown here: ui.pictures is off, or the terminal has fewer than 256 colours."
NO_DECODER = "Pictures need Pillow: pip install 'chatui[pictures]'"


async def look(screen: "ChatScreen") -> None:
    """Look at the pictures that are at hand."""
    if screen.attachment_lines.files and screen.focused is screen.composer:
        await look_at_attached(screen)
    else:
        look_at_sight(screen, 0)


def look_at_sight(screen: "ChatScreen", at: int) -> None:
    """Look at the pictures in sight, at one of them first."""
    seen = [box.image for box in screen.transcript.pictures_in_sight()]
    show(screen, seen or of_turn(screen.turn_at_hand()), at)


async def look_at_attached(screen: "ChatScreen", name: str = "") -> None:
    """Look at the pictures of the prompt that is being written, at this one first."""
    from chatui.wiring.attaching import files_in, read_part

    found, _ = files_in(screen.composer.text, Path.cwd())
    parts: list[ImagePart] = []
    for item in found:
        if item.file.width_pixels:
            try:
                part = await asyncio.to_thread(read_part, item.path)
            except ChatuiError as error:
                screen.notice(error.message, error.hint)
                return
            if isinstance(part, ImagePart):
                parts.append(part)
    show(screen, parts, next((at for at, part in enumerate(parts) if part.name == name), 0))


def show(screen: "ChatScreen", images: Sequence[ImagePart], at: int) -> None:
    """Show some pictures, one of them first."""
    from chatui.ui.screens.picture_page import PicturePage

    app = screen.app_
    if not images:
        screen.say("No picture is in sight.")
    elif app.gallery.mode is PictureMode.NONE:
        screen.say(NO_COLOURS)
    elif not app.gallery.has_decoder:
        screen.say(NO_DECODER)
    else:

        def save(image: ImagePart) -> None:
            from chatui.ui.commands.taking_out import ask_where_to_save

            ask_where_to_save(screen, image)

        page = PicturePage(images, at, app.gallery, app.copier.copy, save, app.styles_of_theme, screen.signs)
        app.ask(page, lambda _answer: None)


def of_turn(turn: Turn | None) -> list[ImagePart]:
    """The pictures of a turn: those of the answer, else those of the prompt."""
    if turn is None:
        return []
    answer = pictures_of(part for choice in turn.choices for part in choice.parts)
    return answer or pictures_of(part for message in turn.input for part in message.parts)
