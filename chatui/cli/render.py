"""`chatui render`: Markdown from a file or stdin, laid out as the app would show it."""

import argparse
import os
import shutil
import sys
from pathlib import Path

from chatui.core.errors import ConfigError

_LEAST_WIDTH = 1


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "render",
        help="print Markdown laid out for the terminal",
        description="Print Markdown laid out for the terminal, safe to look at whatever it holds.",
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="a Markdown file; stdin without it or for -")
    parser.add_argument(
        "--width", type=_positive, metavar="N", help="columns (default: the terminal's, at most 100)"
    )
    look = parser.add_mutually_exclusive_group()
    look.add_argument("--plain", action="store_true", help="without colours (default in a pipe)")
    look.add_argument("--ansi", action="store_true", help="with colours (default in a terminal)")
    parser.add_argument(
        "--chunks", type=_positive, metavar="N", help="feed it N characters at a time, as a stream would"
    )
    parser.add_argument(
        "--maths",
        choices=("unicode", "source"),
        default="source",
        help="formulas in Unicode where they are understood, or as they are written (default: source)",
    )
    parser.add_argument("--open", action="store_true", help="show it as it stands in mid-stream")
    parser.set_defaults(run=run)


def _positive(text: str) -> int:
    number = int(text)
    if number < _LEAST_WIDTH:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def run(args: argparse.Namespace) -> int:
    """Render; returns the exit status.

    Raises:
        ConfigError: the file cannot be read.
    """
    try:
        data = sys.stdin.buffer.read() if args.file in (None, "-") else Path(args.file).read_bytes()
    except OSError as error:
        raise ConfigError(f"{args.file} cannot be read: {error.strerror or error}") from error
    text = data.decode("utf-8-sig", "replace")
    width = args.width or min(shutil.get_terminal_size().columns, 100)
    encoding = sys.stdout.encoding or "utf-8"
    output = render(
        text,
        width,
        has_colours=_has_colours(args),
        chunk_size=args.chunks,
        is_open=args.open,
        converts_maths=args.maths == "unicode",
        is_unicode=encoding.lower().replace("-", "").startswith("utf"),
    )
    try:
        sys.stdout.buffer.write(output.encode(encoding, "replace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # The reader went away (a pager was quit): that is not an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _has_colours(args: argparse.Namespace) -> bool:
    if args.ansi or args.plain:
        return bool(args.ansi)
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def render(
    text: str,
    width: int,
    *,
    has_colours: bool,
    chunk_size: int | None,
    is_open: bool,
    is_unicode: bool = True,
    converts_maths: bool = False,
) -> str:
    """The text as the app would show it."""
    from chatui.markdown.document import IncrementalDocument
    from chatui.view.layout.document_layout import DocumentLayout, LayoutOptions

    document = IncrementalDocument()
    options = LayoutOptions(is_highlighted=has_colours, is_unicode=is_unicode, converts_maths=converts_maths)
    layout = DocumentLayout(document, width, options)
    size = chunk_size or max(len(text), 1)
    for start in range(0, len(text), size):
        document.append(text[start : start + size])
        layout.refresh()
    if not is_open:
        document.close()
    layout.settle()
    lines = layout.lines(0, layout.line_count)
    if has_colours:
        from chatui.view.ansi import ansi_text

        return ansi_text(lines)
    from chatui.view.plain import plain_text

    return plain_text(lines)
