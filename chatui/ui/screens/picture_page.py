"""A picture over the chat, as large as the window, with the others beside it one key away.

Invariant: a page shows what is attached or was made, never what would have to be fetched; what it shows is
decoded and kept by the gallery, as in the conversation.
"""

from collections.abc import Callable, Sequence
from typing import Final

from textual import events

from chatui.core.attached_file import attached_file
from chatui.core.attachment_limits import what_is_sent
from chatui.core.messages import ImagePart
from chatui.ui.pictures.gallery import Gallery
from chatui.ui.screens.text_page import PageLines, TextPage
from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.key_hints import LEAVES, Keys
from chatui.view.glyphs import Glyphs
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.pictures import box_lines, picture_box
from chatui.view.plain_lines import one_line, plain_lines

KEYS: Final[Keys] = (LEAVES, ("s", "saves it"), ("y", "copies its name"))


class PictureLines(PageLines):
    """The lines of one picture; they depend on the height of the window too."""

    _lines_height = 0

    def content_height(self) -> int:
        """Number of lines."""
        if self.window_height != self._lines_height:
            self._lines_height = self.window_height
            self._lines_width = 0
        return super().content_height()


class PicturePage(TextPage):
    """Shows one of some pictures."""

    def __init__(
        self,
        images: Sequence[ImagePart],
        at: int,
        gallery: Gallery,
        copy: Callable[[str, str], str],
        save: Callable[[ImagePart], None],
        styles: ThemeStyles,
        signs: Glyphs,
    ) -> None:
        super().__init__("", self._make, "", copy, styles, signs)
        self.lines = PictureLines(self._make, styles, signs)
        self.lines.pictures = gallery
        self._gallery = gallery
        self._save = save
        self._images = images
        self._signs = signs
        self._at = at
        self._tell()

    def on_mount(self) -> None:
        """Hear of pixels."""
        self._gallery.listeners.append((self.lines.pictures_came, self.lines.renew))

    def on_unmount(self) -> None:
        """Hear no more."""
        self._gallery.listeners.remove((self.lines.pictures_came, self.lines.renew))

    def _tell(self) -> None:
        image = self._images[self._at]
        file = attached_file(image)
        count = len(self._images)
        place = f"{self._at + 1} of {count} {self._signs.dot} " if count > 1 else ""
        self.bar.left = one_line(image.name or image.media_type or "picture")
        self.bar.right = place + (what_is_sent(file) if file is not None else "")
        self.foot.use_keys((*KEYS, ("n p", "show the others")) if count > 1 else KEYS)
        self._source = self.bar.left

    def _make(self, width: int) -> list[Line]:
        image = self._images[self._at]
        file = attached_file(image)
        refusal = "nothing of it is here" if file is None else self._gallery.refusal(image, file)
        box = None
        if file is not None and refusal is None:
            box = picture_box(image, file, width, most_rows=max(1, self.lines.window_height))
        if box is None:
            return plain_lines(refusal or "cannot be shown", width, Style(Tone.WARNING))
        room = (width - box.columns) // 2
        return box_lines(box, (Run(" " * room),), room)

    def on_key(self, event: events.Key) -> None:
        """Another picture, a file of it, or what every page does."""
        steps = {"n": 1, "right": 1, "space": 1, "p": -1, "left": -1}
        if event.key not in steps and event.key != "s":
            super().on_key(event)
            return
        event.stop()
        event.prevent_default()
        if event.key == "s":
            self._save(self._images[self._at])
            return
        self._at = (self._at + steps[event.key]) % len(self._images)
        self._tell()
        self.bar.lines_changed()
        self.lines.renew()
