"""What people report about Markdown in terminal clients, many small cases in one file played at one width.

A case has a text and the keys of the corpus (`page_checks`); `open` holds what must not flash before its end.
"""

import json
from pathlib import Path

import pytest
from markdown.page_checks import check

from chatui.cli.render import render

CASES = json.loads((Path(__file__).parent / "reports.json").read_text("utf-8"))
WIDTH = 80


def _shown(text: str, size: int | None = None, *, is_open: bool = False) -> str:
    return render(text, WIDTH, has_colours=False, chunk_size=size, is_open=is_open)


@pytest.mark.parametrize("kind", sorted({case["kind"] for case in CASES}))
def test_what_was_reported_is_shown_as_it_should_be(kind: str) -> None:
    for case in CASES:
        if case["kind"] != kind:
            continue
        text = case["markdown"]
        page = _shown(text)
        assert check(case["expect"] | {"max_width": True, "no_controls": True}, page, WIDTH) == [], case
        assert _shown(text, 5) == page, case
        for flash in case.get("never", []):
            for stop in range(1, len(text)):
                assert flash not in _shown(text[:stop], is_open=True), (case, text[:stop])
