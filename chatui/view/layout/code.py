"""Code blocks to lines on the raised surface."""

from chatui.core.safe_text import safe_line
from chatui.markdown.blocks import Code
from chatui.view.layout import styles
from chatui.view.layout.flow import Flow
from chatui.view.layout.margin import Margin
from chatui.view.layout.measure import cells, fit
from chatui.view.layout.options import LayoutOptions
from chatui.view.layout.spans import add_safe
from chatui.view.lines import Line, Run


def code_lines(block: Code, beside: Margin, width: int, options: LayoutOptions) -> list[Line]:
    """Lines of a piece of a code block, its label first."""
    out: list[Line] = []
    inset = Run("  ", styles.CODE_TEXT) if width - beside.size > 12 else Run("", styles.CODE_TEXT)
    room = max(width - beside.size - 2 * len(inset.text), 1)
    prefix = beside.first
    at = beside.size + len(inset.text)
    if not block.first_line and block.language:
        label = safe_line(block.language)
        label = label[: fit(label, room)]
        out.append(Line((*prefix, inset, Run(label, styles.CODE_LABEL)), at + cells(label), at + cells(label), False, styles.CODE_TEXT))
        prefix = beside.rest
    for line in block.lines:
        flow = Flow()
        add_safe(flow, line.expandtabs(4), styles.CODE_TEXT)
        text = flow.text
        start = 0
        while True:
            count = max(fit(text[start:], room), 1) if options.wraps_code else len(text)
            stop = min(start + count, len(text))
            is_soft = stop < len(text)
            out.append(Line((*prefix, inset, *flow.runs(start, stop)), at + cells(text[start:stop]), at, is_soft, styles.CODE_TEXT))
            prefix = beside.rest
            start = stop
            if not is_soft:
                break
    return out
