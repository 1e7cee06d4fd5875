"""Where a cut answer stood in the middle of a code block, what comes after the seam is code too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.continuation import open_fence
from chatui.markdown.blocks import Code
from chatui.markdown.document import IncrementalDocument


@pytest.mark.parametrize(
    ("text", "opening", "joint"),
    [
        ("plain", None, ""),
        ("```py\nx = 1\n```\n", None, ""),
        ("```py\nx = 1\n", "```py\n", "\n"),
        ("```py\nx = ", "```py\n", ""),
        ("```py\n", "```py\n", ""),
        ("```p", "```p", ""),
        ("say\n~~~~ sh\nls\n~~~\n", "~~~~ sh\n", "\n"),
        ("   ```\r\nx\r\n", "   ```\n", "\n"),
        ("```\none\n```\n\n```js\ntwo\n", "```js\n", "\n"),
        ("```\n\n", "```\n", "\n"),
        ("``` a`b\n", None, ""),
        ("    ```\n", None, ""),
    ],
)
def test_an_open_fence_is_known_with_its_language(text: str, opening: str | None, joint: str) -> None:
    found = open_fence(text)
    assert (None if found is None else found.opening, found.joint if found else "") == (opening, joint)


LINES = st.sampled_from(["```", "````", "```py", "~~~", "~~~ js", "x = 1", "", "  y", "`z`", "``"])


def code_of(text: str) -> list[str]:
    """Code blocks as they are copied."""
    document = IncrementalDocument(text)
    document.close()
    found: list[list[str]] = []
    for block in document.blocks:
        if isinstance(block, Code):
            if block.first_line:
                found[-1].extend(block.lines)
            else:
                found.append(list(block.lines))
    return ["\n".join(lines) for lines in found]


@given(st.lists(LINES, max_size=6), st.lists(LINES, max_size=5), st.booleans())
def test_both_sides_of_a_seam_together_are_the_code_of_the_whole(
    before: list[str], after: list[str], is_line_over: bool
) -> None:
    head = "\n".join(before) + ("\n" if is_line_over else "")
    rest = "\n".join(after)
    fence = open_fence(head)
    if fence is None or (not is_line_over and before[-1:] != ["x = 1"]):
        return  # a line of marks that is cut in its middle is not told from a whole one
    if not is_line_over and after and after[0].lstrip()[:1] in ("`", "~"):
        return  # the same at the other side
    left, right = code_of(head), code_of(fence.opening + rest)
    assert [*left[:-1], fence.joined(left[-1], right[0], rest), *right[1:]] == code_of(head + rest)
