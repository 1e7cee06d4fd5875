"""Where pictures stand on the page: how many cells they take is told by the first bytes of their file.

Invariant: the lines of a picture depend on its header and on the width alone, so nothing jumps when its
pixels come; nothing is decoded here, and an address is never followed.
"""

from collections.abc import Iterable
from math import ceil
from typing import Final, Protocol
from urllib.parse import unquote

from chatui.core.attached_file import AttachedFile, AttachedKind, attached_file
from chatui.core.attachments import image_at
from chatui.core.messages import ImagePart
from chatui.view.lines import Line, PictureBox, PictureRow, Run
from chatui.view.plain_lines import one_line

MOST_ROWS: Final = 12
MOST_COLUMNS: Final = 100
"""And rows, where a window has so many: terminals number no more cells of a picture of their own."""
LEAST_ROWS: Final = 3
"""In a very narrow window."""
CELLS_A_ROW: Final = 6
"""So many cells of the text column allow one row more."""
LONGEST_NAME: Final = 200


class PictureShelf(Protocol):
    """Who shows the page knows which pictures it can show."""

    def refusal(self, image: ImagePart, file: AttachedFile) -> str | None:
        """None: it can be shown. Else why not, in words; empty where that is not worth a word."""
        ...


def cells_of_picture(
    width_pixels: int, height_pixels: int, width: int, most_rows: int | None = None
) -> tuple[int, int]:
    """Columns and rows of a picture in a text column.

    A cell is one pixel wide and two high; small pictures stay small.
    """
    width = min(width, MOST_COLUMNS)
    if most_rows is None:
        most_rows = max(LEAST_ROWS, min(MOST_ROWS, width // CELLS_A_ROW))
    scale = min(1.0, width / width_pixels, 2 * most_rows / height_pixels)
    columns = max(1, min(width, round(width_pixels * scale)))
    return columns, max(1, min(most_rows, ceil(height_pixels * scale / 2 - 0.01)))


def picture_box(
    image: ImagePart, file: AttachedFile, width: int, most_rows: int | None = None
) -> PictureBox | None:
    """Room for a picture; None where its size is not known.

    Args:
        image: The picture.
        file: What is known of it.
        width: Cells of the text column.
        most_rows: Rows that it may take; None leaves that to the width.
    """
    if file.kind is not AttachedKind.IMAGE or not file.width_pixels or not file.height_pixels:
        return None
    columns, rows = cells_of_picture(
        file.width_pixels,
        file.height_pixels,
        width,
        None if most_rows is None else min(most_rows, MOST_COLUMNS),
    )
    name = one_line(image.name or "picture", LONGEST_NAME)
    return PictureBox(name, columns, rows, (len(image.data_base64), hash(image.data_base64)), image)


def box_lines(box: PictureBox, beside: tuple[Run, ...] = (), beside_cells: int = 0) -> list[Line]:
    """The lines of a picture.

    Args:
        box: Its room.
        beside: Decoration at the left of each line.
        beside_cells: Cells of it.
    """
    runs = (*beside, Run(" " * box.columns))
    cells = beside_cells + box.columns
    return [Line(runs, cells, beside_cells, picture=PictureRow(box, row)) for row in range(box.rows)]


class PagePictures:
    """Pictures that the text of an answer may show: those it holds itself, and those of its prompt."""

    def __init__(self, shelf: PictureShelf, attached: Iterable[ImagePart]) -> None:
        self._shelf = shelf
        self._attached = {image.name: image for image in attached if image.name and image.data_base64}

    def box(self, address: str, name: str, width: int) -> PictureBox | None:
        """Room for what stands at an address; None where that would have to be fetched, or is no picture."""
        if address[:5].lower() == "data:":
            image = image_at(address, name)
        else:
            path = unquote(address)
            known = None if "://" in path else self._attached.get(path.rpartition("/")[2])
            if known is None:
                return None
            image = known
        file = attached_file(image)
        if file is None or self._shelf.refusal(image, file) is not None:
            return None
        return picture_box(image, file, width)
