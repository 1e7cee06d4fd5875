"""Makes the first answer as quick as the second: what it needs is loaded and tried while nothing happens.

Invariant: nothing here changes what is shown; it runs once, in a thread, after the first paint. Measured:
parsers, grammars and the network's modules take longer to load than a thousand streamed tokens to show.
"""

import gc

SAMPLE = """# Heading

Words, **bold**, *slanted*, `code`, ~~struck~~ and a [link](https://example.com).
An address: https://example.com/page

- item
  - nested
1. first

> quoted

| left | right |
| ---- | ----: |
| \N{PARTY POPPER}    | 1     |

- [ ] task

---
"""
LANGUAGES = ("python", "bash", "javascript", "typescript", "json", "sql", "rust", "go")
LAYOUT_CELLS = 80
WITH_A_MARK = "Words with a **mark**."
"""The parser of marks is loaded by the first one."""
SIGHT_CHARACTERS = 4000
"""More than a window shows of an answer."""
COLLECT_AFTER_OBJECTS = 20_000


def load_layout(text: str) -> None:
    """Load what lays out the end of this text (its languages too), and any text at all."""
    import chatui.view.turn_view  # noqa: F401 - the first turn is made with it
    from chatui.markdown.document import IncrementalDocument
    from chatui.view.layout.document_layout import DocumentLayout, LayoutOptions

    document = IncrementalDocument()
    document.append(f"{WITH_A_MARK}\n\n{text[-SIGHT_CHARACTERS:]}")
    document.close()
    layout = DocumentLayout(document, LAYOUT_CELLS, LayoutOptions())
    layout.refresh()
    layout.lines(0, layout.line_count)  # code is coloured when its lines are asked for


def warm_up() -> None:
    """Lay out a document with everything in it that answers commonly have."""
    import chatui.view.turn_view  # noqa: F401 - loaded with the first turn, if not before
    from chatui.markdown.document import IncrementalDocument
    from chatui.view.layout.document_layout import DocumentLayout, LayoutOptions

    fences = "".join(f"\n```{language}\nx = 1\n```\n" for language in LANGUAGES)
    document = IncrementalDocument()
    layout = DocumentLayout(document, LAYOUT_CELLS, LayoutOptions())
    for text in (SAMPLE, fences):
        document.append(text)
        layout.refresh()
    document.close()
    layout.refresh()


def settle_memory() -> None:
    """What is loaded now stays: the collector need not look at it again, and looks less often at what comes.

    While the app started it did not look at all.

    A streamed answer makes many small objects and few cycles; by default the collector runs every 700.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(COLLECT_AFTER_OBJECTS, 10, 10)
