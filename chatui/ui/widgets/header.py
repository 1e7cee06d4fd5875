"""The header: the app, the conversation's title, provider and model.

All of it is text from outside, made safe.
"""

from collections.abc import Sequence

from chatui.ui.widgets.one_line import LinesWidget
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.plain_lines import cell_width, one_line, spread_line

MODEL_LINK = "chatui:model"
TITLE_LINK = "chatui:conversations"


class Header(LinesWidget):
    """One line at the top."""

    title = ""
    provider = ""
    model = ""
    note = ""
    """A word after the model, such as "tiny model"."""
    warning = ""
    """What must be seen at any width, such as "recording"."""

    def tell(
        self,
        *,
        title: str | None = None,
        provider: str | None = None,
        model: str | None = None,
        note: str | None = None,
        warning: str | None = None,
    ) -> None:
        """Show other facts; None leaves one as it is."""
        self.title = self.title if title is None else title
        self.provider = self.provider if provider is None else provider
        self.model = self.model if model is None else model
        self.note = self.note if note is None else note
        self.warning = self.warning if warning is None else warning
        self.lines_changed()

    def make_lines(self, width: int) -> Sequence[Line]:
        """Name and title at the left, the model at the right."""
        muted = Style(Tone.MUTED)
        right: tuple[Run, ...] = ()
        if self.model or self.provider:
            names = [one_line(name, max(6, width // 3)) for name in (self.provider, self.model) if name]
            shown = " / ".join(names)
            if cell_width(shown) > width // 2:
                shown = names[-1]
            right = (Run(shown, muted, MODEL_LINK),)
            if self.note and width >= 90:
                right = (*right, Run(f"  {self.note}", Style(Tone.WARNING), MODEL_LINK))
            right = (*right, Run(f" {self.signs.unfolded} ", Style(Tone.FAINT), MODEL_LINK))
        title = one_line(self.title, max(4, width // 2)) if self.title else "new conversation"
        left = (
            Run(" chatui", Style(Tone.ACCENT, is_bold=True)),
            Run("  "),
            *((Run(f"{self.warning}  ", Style(Tone.WARNING)),) if self.warning else ()),
            Run(title, Style(Tone.TEXT if self.title else Tone.FAINT), TITLE_LINK),
        )
        return [spread_line(left, right, width)]
