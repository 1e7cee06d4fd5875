"""What is taken of markdown-it-py is taken alone; whoever wants the rest gets it."""

import subprocess
import sys

CODE = """
import sys
from chatui.markdown.borrowed import normalizeLink, unescapeAll
assert unescapeAll("&amp;") == "&" and normalizeLink("http://a/b c") == "http://a/b%20c"
lean = [name for name in sys.modules if name.startswith(("markdown_it", "linkify_it"))]
assert "markdown_it.main" not in lean and "linkify_it" not in lean and len(lean) < 8, lean
import markdown_it
assert markdown_it.__version__
from markdown_it import MarkdownIt
from markdown_it import _punycode, presets
print(MarkdownIt("gfm-like").render("www.example.com &amp;"))
"""


def test_the_parser_is_loaded_by_who_asks_for_it_and_not_by_a_saved_conversation() -> None:
    ran = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert 'href="http://www.example.com"' in ran.stdout
