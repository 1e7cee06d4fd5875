"""A field of one line of text, without a widget: what is typed is shown safely, keys edit it."""

from chatui.core.safe_text import safe_line
from chatui.view.layout.measure import boundary_before, graphemes
from chatui.view.lines import Run, Style, Tone
from chatui.view.plain_lines import cell_width

MOST_CHARACTERS = 2000


class TextField:
    """Text and a caret."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.at = len(text)

    def insert(self, text: str) -> None:
        """Put text at the caret; line ends become blanks."""
        text = " ".join(text.split("\n")).replace("\r", "")[:MOST_CHARACTERS]
        self.text = self.text[: self.at] + text + self.text[self.at :]
        self.at += len(text)

    def key(self, key: str, character: str | None) -> bool:
        """Edit by a key; returns whether it meant something here."""
        before, after = self.text[: self.at], self.text[self.at :]
        match key:
            case "backspace":
                start = boundary_before(before)
                self.text, self.at = before[:start] + after, start
            case "ctrl+u":
                self.text, self.at = after, 0
            case "ctrl+w":
                kept = before.rstrip(" ")
                kept = kept[: kept.rfind(" ") + 1]
                self.text, self.at = kept + after, len(kept)
            case "delete":
                first = next(graphemes(after), ("", 0))[0]
                self.text = before + after[len(first) :]
            case "left":
                self.at = boundary_before(before)
            case "right":
                self.at += len(next(graphemes(after), ("", 0))[0])
            case "home" | "ctrl+a":
                self.at = 0
            case "end" | "ctrl+e":
                self.at = len(self.text)
            case _:
                if character is None or key.startswith(("alt+", "ctrl+")):
                    return False
                self.insert(character)
        return True

    def runs(self, width: int, placeholder: str = "") -> tuple[Run, ...]:
        """What is shown: the end of a long text, the caret marked."""
        if not self.text:
            return (Run(" ", Style(Tone.ACCENT, is_underlined=True)), Run(placeholder, Style(Tone.FAINT)))
        before = safe_line(self.text[: self.at])
        while cell_width(before) > max(1, width - 2):
            before = before[max(1, len(before) // 8) :]
        under = next(graphemes(safe_line(self.text[self.at :])), ("", 0))[0]
        after = safe_line(self.text[self.at :])[len(under) :]
        return (
            Run(before, Style(Tone.TEXT)),
            Run(under or " ", Style(Tone.ACCENT, is_underlined=True)),
            Run(after[: max(0, width - cell_width(before))], Style(Tone.TEXT)),
        )
