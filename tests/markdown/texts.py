"""Markdown made of pieces that meet in the worst ways, for the property tests."""

from hypothesis import strategies as st

MARKS = (
    "a", "b c", "- ", "* ", "+ ", "1. ", "2) ", "10. ", "> ", ">", "\n", "\n", "\n", "\n\n", "    ", "  ", " ", "\t",
    "# ", "## x", "```", "```py\n", "~~~", "`", "``", "---", "***", "===", "| a | b |\n", "|---|--:|\n", "| 1 | 2 |\n",
    "|", "[x]: /u\n", "[x]: /u 'title\n", "[x]", "[y][x]", "[^1]", "[^1]: note\n", "**", "*", "_", "__", "~~", "~", "\\",
    "<", "[", "](u)", "](", "![", "- [ ] ", "- [x] t", "&amp;", "&#x202e;", "word word", "foo bar baz qux quux corge",
    "日本語テキスト", "**注意。**请", "👩‍🚀", "🇫🇷", "é", "❤️", "\x1b[31m", "\x9b2J", "\u202e", "<https://a.example/%1B>",
    "http://x.example/a_b_c", "www.k.example", "a@b.example", "\r\n", "\r", "\0", "\u200d", "\u2028", "\ufeff", "def f(x):\n",
    "'''", "/*", "<br>", "<div>", "$5", "$", "$$", "$$\n", "\\(", "\\)", "\\[", "\\]", "\n\\[\n", "$x$", "x^2", "a_{1}", "\\frac{a}{b}", "= c\n",
    "+ b\n", "```math\n", "{", "}", "\\\\", "\\text{if so}", "$HOME", "\\begin{align}\n", "\\end{align}", "\ufdd0", "\x85", "\x0b", "\x1c",
    "> [!NOTE]\n", "[!tip]", "<ul>\n", "</li>", "| x<br>y | z |\n", "| [x] |\n", "7. ", "1. ",
)  # fmt: skip

markdown_texts = st.lists(st.sampled_from(MARKS), max_size=24).map("".join)
sizes = st.lists(st.integers(1, 9), min_size=1, max_size=8)
