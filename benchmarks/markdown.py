"""CPU of reading and laying out a growing answer, beside one markdown-it parse of the whole as the floor.

    python benchmarks/markdown.py                      every kind, 1k and 10k tokens, batches of 7 and 40
    python benchmarks/markdown.py --sizes 50000 --kinds md,para
    python benchmarks/markdown.py --adversarial        text made to be slow

A batch is what arrives between two frames: 7 tokens at 500 tokens/s, 40 at full speed. After each batch the
lines are brought up to date and the last 40 are taken, as a screen does. Columns: microseconds of CPU per
token (4 characters), and the same as a multiple of parsing the whole once by markdown-it-py (gfm-like).
`parsed` is characters given to the inline parser per character received. Flat means: no dearer at 50k than
at 1k.
"""

import argparse
import gc
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from markdown_it import MarkdownIt

from chatui.markdown.document import IncrementalDocument
from chatui.view.layout.document_layout import DocumentLayout, LayoutOptions

WIDTH = 100
SCREEN = 40
WORDS = (  # noqa: SIM905 - a list would be a page long
    "the scheduler hands each frame to a compositor which repaints only what can be seen before next tick "
    "ends and so latency stays low while throughput of every queue grows with its buffer until cache "
    "invalidation begins"
).split()
IDEOGRAPHS = (
    "这个函数在每一帧都会被调用，因此必须足够快。",
    "変更された行だけが**再描画**されます。",
    "한글 문장도 `있습니다`.",
)
CODE = '''def fetch_{n}(client, url, *, retries=3):
    """Try again (number {n})."""
    for attempt in range(retries):
        try:
            return client.get(url, timeout=10.0).json()
        except OSError as error:
            log.warning("attempt %d failed: %s", attempt, error)
'''


class Writer:
    """Makes Markdown of one kind."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)
        self.number = 0

    def sentence(self) -> str:
        words = [self.random.choice(WORDS) for _ in range(self.random.randint(7, 22))]
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            mark = self.random.choice(
                ("**{}**", "*{}*", "`{}()`", "[{}](https://example.com/docs/page)", "~~{}~~")
            )
            at = self.random.randrange(len(words))
            words[at] = mark.format(words[at])
        return " ".join(words).capitalize() + "."

    def count(self) -> int:
        self.number += 1
        return self.number

    def mixed(self) -> str:
        match self.count() % 8:
            case 1:
                return f"## Section {self.number}: {self.random.choice(WORDS)}"
            case 2 | 5:
                return " ".join(self.sentence() for _ in range(5))
            case 3:
                return "\n".join(f"- {self.sentence()}" for _ in range(5))
            case 4:
                return f"```python\n{CODE.replace('{n}', str(self.number))}```"
            case 6:
                rows = "\n".join(
                    f"| {self.random.choice(WORDS)} | {self.count()} | {self.sentence()[:30]} |"
                    for _ in range(6)
                )
                return f"| Name | Value | Note |\n| --- | ---: | :-- |\n{rows}"
            case 7:
                return f"> {self.sentence()}\n> {self.sentence()}"
            case _:
                return "".join(self.random.choice(IDEOGRAPHS) for _ in range(3))


KINDS: dict[str, tuple[str, Callable[[Writer], str], str]] = {
    "md": ("", Writer.mixed, "\n\n"),
    "para": ("", Writer.sentence, " "),
    "lines": ("", Writer.sentence, "\n"),
    "list": ("", lambda w: f"- {w.sentence()}", "\n"),
    "table": (
        "| a | b |\n|---|---|\n",
        lambda w: f"| {w.random.choice(WORDS)} {w.random.choice(WORDS)} | {w.count()} |",
        "\n",
    ),
    "code": ("```python\n", lambda w: CODE.replace("{n}", str(w.count())), "\n"),
    "cjk": ("", lambda w: w.random.choice(IDEOGRAPHS), ""),
    "quotes": ("", lambda w: f"{'> ' * w.random.randint(1, 4)}{w.sentence()}", "\n"),
    "headings": ("", lambda w: f"## {w.sentence()}", "\n\n"),
    "links": (
        "",
        lambda w: (
            f"See [{w.random.choice(WORDS)}](https://example.com/{w.count()}) and https://e.example/{w.number}."
        ),
        "\n\n",
    ),
}
ADVERSARIAL: dict[str, tuple[str, Callable[[Writer], str], str]] = {
    "one word": ("", lambda _: "word", ""),
    "open star": ("*", lambda w: f"{w.sentence()} 5*{w.count()}", " "),
    "brackets": ("", lambda _: "[", ""),
    "stars": ("", lambda _: "*a **b ", ""),
    "ticks": ("", lambda _: "`a ``b ", ""),
    "wide table": (
        "| a | b | c |\n|---|---|---|\n",
        lambda w: f"| {w.sentence()} | {w.sentence()} | {w.sentence()} |",
        "\n",
    ),
    "one cell": ("| a |\n|---|\n| x", Writer.sentence, " "),
    "one heading": ("# ", Writer.sentence, " "),
    "one code line": ("```json\n", lambda w: f'{{"id":{w.count()}}}', ","),
    "deep quotes": ("", lambda w: "> " * 200 + w.sentence(), "\n"),
    "late links": (
        "",
        lambda w: f"See [x][r{w.count()}].\n\n[r{w.number}]: https://e.example/{w.number}",
        "\n\n",
    ),
    "footnotes": ("", lambda w: f"Text[^{w.count()}].\n\n[^{w.number}]: note", "\n\n"),
}


def text_of(kind: str, tokens: int) -> str:
    head, write, separator = (KINDS | ADVERSARIAL)[kind]
    writer = Writer(kind)
    parts, size = [], 0
    while size < tokens * 4:
        parts.append(write(writer))
        size += len(parts[-1]) + len(separator)
    return head + separator.join(parts)


def floor_us(text: str, floor: MarkdownIt) -> float:
    begin = time.process_time()
    floor.parse(text)
    return (time.process_time() - begin) / len(text) * 4e6


def grown_us(text: str, batch: int) -> tuple[float, float]:
    document = IncrementalDocument()
    layout = DocumentLayout(document, WIDTH, LayoutOptions())
    step = batch * 4
    begin = time.process_time()
    for at in range(0, len(text), step):
        document.append(text[at : at + step])
        layout.refresh()
        layout.lines(layout.line_count - SCREEN, layout.line_count)
    document.close()
    layout.refresh()
    used = time.process_time() - begin
    return used / len(text) * 4e6, document.characters_parsed / document.characters_received


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--kinds", default="")
    arguments.add_argument("--sizes", default="1000,10000")
    arguments.add_argument("--batches", default="7,40")
    arguments.add_argument("--adversarial", action="store_true")
    arguments.add_argument("--file", type=Path, help="measure this Markdown instead")
    options = arguments.parse_args()
    kinds = options.kinds.split(",") if options.kinds else list(ADVERSARIAL if options.adversarial else KINDS)
    batches = [int(batch) for batch in options.batches.split(",")]
    floor = MarkdownIt("gfm-like")
    floor.parse("warm *up* https://a.example")
    print(
        f"{'kind':14} {'tokens':>7} {'whole':>7}  "
        + "  ".join(f"{f'batch {b}':>9} {'ratio':>6} {'parsed':>6}" for b in batches)
    )
    for kind in kinds:
        for size in map(int, options.sizes.split(",")):
            text = options.file.read_text("utf-8") if options.file else text_of(kind, size)
            gc.collect()
            whole = floor_us(text, floor) if not options.adversarial else float("nan")
            cells = []
            for batch in batches:
                used, parsed = grown_us(text, batch)
                cells.append(f"{used:9.1f} {used / whole:6.1f} {parsed:6.2f}")
            print(f"{kind:14} {len(text) // 4:7} {whole:7.1f}  " + "  ".join(cells), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
