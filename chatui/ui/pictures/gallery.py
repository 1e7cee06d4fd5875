"""The pictures that are shown: how this terminal can show them, and their pixels.

Invariant: a picture is decoded when it is in sight for the first time, in a thread, once for each size; what
is kept is bounded; nothing is fetched and nothing asked of the terminal. What a terminal can is told by its
name alone: a question at the start would wait for terminals that never answer, and its reply could arrive as
if it were typed (both are known of libraries that ask).
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Final

from chatui.config.settings import PictureDisplay

if TYPE_CHECKING:
    from chatui.core.attached_file import AttachedFile
    from chatui.core.messages import ImagePart
    from chatui.ui.pictures.picture_decoding import Pixels
    from chatui.view.lines import PictureBox

MOST_KEPT_BYTES: Final = 4_000_000
"""Of decoded pictures: about 5 kB for one in the conversation, 60 kB for one as large as the window."""
MOST_SENT: Final = 100
"""Pictures that the terminal is asked to keep: more than a window has rows."""
MOST_REFUSED: Final = 1000

BoxKey = tuple[tuple[int, int], int, int]


class PictureMode(Enum):
    """How pictures are shown."""

    NONE = "none"
    """As words."""
    HALF_BLOCKS = "half-blocks"
    """A cell shows two pixels, one above the other."""
    KITTY = "kitty"
    """The terminal shows them itself, where placeholders stand."""


def picture_mode(
    wanted: PictureDisplay,
    environ: Mapping[str, str],
    *,
    colour_system: str | None,
    has_colour: bool,
    is_unicode: bool,
) -> PictureMode:
    """How pictures are shown in this terminal.

    Args:
        wanted: What the person set.
        environ: The environment.
        colour_system: The terminal's colours, in Rich's words.
        has_colour: Colours are used.
        is_unicode: The terminal takes UTF-8.
    """
    if wanted is PictureDisplay.OFF or environ.get("ACCESSIBLE") or not has_colour or not is_unicode:
        return PictureMode.NONE
    if colour_system not in ("truecolor", "256"):
        return PictureMode.NONE
    is_kitty = wanted is PictureDisplay.KITTY or (
        wanted is PictureDisplay.AUTO and _has_placeholders(environ)
    )
    # The number of a picture is told as a colour of 24 bits.
    return PictureMode.KITTY if is_kitty and colour_system == "truecolor" else PictureMode.HALF_BLOCKS


def is_in_multiplexer(environ: Mapping[str, str]) -> bool:
    """Whether tmux, screen or the like stands between the app and the terminal."""
    name = environ.get("TERM", "")
    return bool(environ.get("TMUX") or environ.get("STY") or environ.get("ZELLIJ")) or name.startswith(
        ("tmux", "screen")
    )


def _has_placeholders(environ: Mapping[str, str]) -> bool:
    """Kitty and Ghostty say who they are, over SSH too; others that show pictures know no placeholders."""
    return environ.get("TERM", "") in ("xterm-kitty", "xterm-ghostty") and not is_in_multiplexer(environ)


class Gallery:
    """Pictures by their room on the page."""

    def __init__(
        self,
        find_mode: Callable[[], PictureMode],
        write: Callable[[str], None],
        environ: Mapping[str, str],
    ) -> None:
        self._find_mode = find_mode
        self._write = write
        self._environ = environ
        self._mode: PictureMode | None = None
        self._has_decoder: bool | None = None
        self._kept: OrderedDict[BoxKey, Pixels] = OrderedDict()
        self._kept_bytes = 0
        self._sent: OrderedDict[BoxKey, int] = OrderedDict()
        self._refused: OrderedDict[tuple[int, int], str] = OrderedDict()
        self._wanted: OrderedDict[BoxKey, PictureBox] = OrderedDict()
        self._work: asyncio.Task[None] | None = None
        self._next_id = 0
        self.listeners: list[tuple[Callable[[], None], Callable[[], None]]] = []
        """Called when a picture can be painted now, and when one turned out to be none: its room is free."""
        self.decoded = 0
        """For tests of the budget."""

    @property
    def mode(self) -> PictureMode:
        """How pictures are shown; found when it is first asked for."""
        if self._mode is None:
            self._mode = self._find_mode()
        return self._mode

    @property
    def has_decoder(self) -> bool:
        """Whether there is something that can read pictures."""
        if self._has_decoder is None:
            from chatui.ui.pictures.picture_decoding import has_decoder

            self._has_decoder = has_decoder()
        return self._has_decoder

    def look_again(self) -> bool:
        """The settings may be other ones; returns whether pictures are shown in another way now."""
        was, self._mode = self._mode, None
        if was is None or was is self.mode:
            return False
        self.forget_sent()
        return True

    def refusal(self, image: "ImagePart", file: "AttachedFile") -> str | None:
        """None: it can be shown. Else why not, in words; empty where that is not worth a word."""
        if self.mode is PictureMode.NONE:
            return ""
        from chatui.ui.pictures.picture_decoding import why_too_large

        if not self.has_decoder:
            return ""
        too_large = why_too_large(file)
        if too_large:
            return too_large
        return self._refused.get((len(image.data_base64), hash(image.data_base64)))

    def pixels(self, box: "PictureBox") -> "Pixels | None":
        """What fills a room; None while it is not known."""
        key = (box.key, box.columns, box.rows)
        found = self._kept.get(key)
        if found is None:
            self._want(key, box)
            return None
        self._kept.move_to_end(key)
        return found

    def sent_as(self, box: "PictureBox") -> int:
        """The number by which the terminal knows a picture; 0 where it does not (yet, or at all)."""
        if self.mode is not PictureMode.KITTY:
            return 0
        key = (box.key, box.columns, box.rows)
        found = self._sent.get(key, 0)
        if found:
            self._sent.move_to_end(key)
        else:
            self._want(key, box)
        return found

    # Loading

    def _want(self, key: BoxKey, box: "PictureBox") -> None:
        if key in self._wanted or box.key in self._refused:
            return
        self._wanted[key] = box
        if self._work is None or self._work.done():
            self._work = asyncio.get_running_loop().create_task(self._load())
            self._work.add_done_callback(_raise_bug)

    async def _load(self) -> None:
        from chatui.ui.pictures.picture_decoding import PictureRefused, decode

        has_refused = False
        while self._wanted:
            key = next(reversed(self._wanted))  # what was asked for last is what is in sight
            box = self._wanted[key]
            is_fine = self.mode is PictureMode.KITTY
            try:
                pixels = await asyncio.to_thread(
                    decode, box.image.data_base64, box.columns, box.rows, is_fine=is_fine
                )
            except PictureRefused as error:
                self._wanted.pop(key, None)
                self._refused[box.key] = str(error)
                if len(self._refused) > MOST_REFUSED:
                    self._refused.popitem(last=False)
                has_refused = True
                continue
            self._wanted.pop(key, None)
            self.decoded += 1
            self._keep(key, pixels)
            for came, _ in tuple(self.listeners):
                came()
        self._work = None
        if has_refused:  # once for all of them: every page in sight is laid out anew
            for _, refused in tuple(self.listeners):
                refused()

    def _keep(self, key: BoxKey, pixels: "Pixels") -> None:
        if pixels.png and self.mode is PictureMode.KITTY:
            self._send(key, pixels)
        was = self._kept.pop(key, None)
        self._kept[key] = pixels._replace(png=b"")
        self._kept_bytes += len(pixels.rgba) - (len(was.rgba) if was is not None else 0)
        while self._kept_bytes > MOST_KEPT_BYTES and len(self._kept) > 1:
            self._kept_bytes -= len(self._kept.popitem(last=False)[1].rgba)

    async def settled(self) -> None:
        """Until nothing is being decoded."""
        if self._work is not None:
            await self._work

    # The terminal's own pictures

    def _send(self, key: BoxKey, pixels: "Pixels") -> None:
        from chatui.ui.pictures.kitty_pictures import FIRST_ID, LAST_ID, transmission

        if not self._next_id:
            import random

            # Two apps in one terminal must not overwrite each other's pictures.
            self._next_id = random.randrange(FIRST_ID, LAST_ID)  # noqa: S311 - no secret
        self._next_id = self._next_id + 1 if self._next_id < LAST_ID else FIRST_ID
        self._sent[key] = self._next_id
        rows = pixels.half_rows // 2
        in_tmux = is_in_multiplexer(self._environ)
        self._write(transmission(self._next_id, pixels.png, pixels.columns, rows, is_in_tmux=in_tmux))
        if len(self._sent) > MOST_SENT:
            self._delete(self._sent.popitem(last=False)[1])

    def _delete(self, picture_id: int) -> None:
        from chatui.ui.pictures.kitty_pictures import deletion

        self._write(deletion(picture_id, is_in_tmux=is_in_multiplexer(self._environ)))

    def forget_sent(self) -> None:
        """The terminal may have lost its pictures, or need them no longer."""
        while self._sent:
            self._delete(self._sent.popitem()[1])


def _raise_bug(work: "asyncio.Task[None]") -> None:
    if not work.cancelled() and (bug := work.exception()) is not None:
        raise bug  # a picture that cannot be shown is a refusal; the loop's handler ends the app
