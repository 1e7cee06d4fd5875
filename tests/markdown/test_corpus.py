"""Every case of the corpus holds: public reports of terminal clients that got Markdown wrong.

The keys of a case are those of its `expect`: what is visible, absent, aligned, limited; with `open`, the
same in mid-stream; with `same_chunked`, in whatever pieces the text arrived.
"""

import json
from pathlib import Path

import pytest
from markdown.page_checks import check

from chatui.cli.render import render

CASES = {path.stem: path for path in sorted((Path(__file__).parent / "cases").glob("*.json"))}
GLOBAL_KEYS = ("max_width", "no_controls", "code_may_scroll")


def _shown(text: str, width: int, chunk_size: int | None = None, *, is_open: bool = False) -> str:
    return render(text, width, has_colours=False, chunk_size=chunk_size, is_open=is_open)


def _tidy(page: str) -> list[str]:
    return "\n".join(line.rstrip() for line in page.split("\n")).strip("\n").split("\n")


@pytest.mark.parametrize("name", CASES)
def test_a_case_holds_at_every_width_and_chunk_size(name: str) -> None:
    case = json.loads(CASES[name].read_text("utf-8"))
    text, expect = case["markdown"], case["expect"]
    text = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    for width in case["widths"]:
        whole = _shown(text, width)
        assert check(expect, whole, width) == []
        assert check(expect.get("wish", {}), whole, width) == []
        if expect.get("same_chunked"):
            for size in case.get("chunks", (1, 7, 61)):
                assert _tidy(_shown(text, width, size)) == _tidy(whole)
    stages = expect.get("open", [])
    for stage in [stages] if isinstance(stages, dict) else stages:
        wanted = {key: expect[key] for key in GLOBAL_KEYS if key in expect} | stage
        for at in stage["at"]:
            for width in stage.get("widths", [case["widths"][len(case["widths"]) // 2]]):
                page = _shown(text[:at], width, is_open=True)
                assert check(wanted, page, width) == []
                assert _tidy(_shown(text[:at], width, 7, is_open=True)) == _tidy(page)
