"""A late pattern is a pattern."""

import re
from unittest.mock import patch

from chatui.core.late_pattern import late_pattern


def test_it_finds_what_a_pattern_finds() -> None:
    late, known = (
        late_pattern(r"(?P<word>[a-z]+)", re.IGNORECASE),
        re.compile(r"(?P<word>[a-z]+)", re.IGNORECASE),
    )
    text = "One two 3"
    assert [found["word"] for found in late.finditer(text)] == [
        found["word"] for found in known.finditer(text)
    ]
    assert late.sub("x", text) == known.sub("x", text)
    assert late.pattern == known.pattern
    assert late.fullmatch("3") is None


def test_it_is_compiled_at_its_first_use_and_not_again() -> None:
    with patch("re.compile", wraps=re.compile) as compiled:
        late = late_pattern("a+")
        assert compiled.call_count == 0
        assert late.match("aa")
        assert late.match("b") is None
        assert compiled.call_count == 1
