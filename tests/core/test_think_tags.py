"""Reasoning in tags."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.think_tags import PieceKind, ThinkSplitter


def split(*pieces: str, has_tags: bool = True) -> tuple[str, str]:
    """Reasoning and text."""
    splitter = ThinkSplitter(has_tags=has_tags)
    reasoning = text = ""
    found = [decided for piece in pieces for decided in splitter.feed(piece)]
    for kind, piece in found + splitter.close():
        match kind:
            case PieceKind.TEXT:
                text += piece
            case PieceKind.REASONING:
                reasoning += piece
            case PieceKind.WAS_REASONING:
                reasoning, text = text, ""
    return reasoning, text


@pytest.mark.parametrize(
    ("content", "reasoning", "text"),
    [
        ("<think>inner</think>\n\nouter", "inner", "outer"),
        ("\n <think>\ninner\n</think>outer", "inner\n", "outer"),
        ("<think>\n\n</think>\n\nAnswer", "", "Answer"),
        ("<thinking>a</thinking>b", "a", "b"),
        ("<thought>a</think>b</thought>c", "a</think>b", "c"),
        ("<think>still thinking", "still thinking", ""),
        ("Use <think> tags like </think> so", "", "Use <think> tags like </think> so"),
        ("`<think>` is a tag", "", "`<think>` is a tag"),
        ("```\n<think>\n</think>\n```", "", "```\n<think>\n</think>\n```"),
        ("<think>write `</think>` to end</think>done", "write `</think>` to end", "done"),
        ("<think>ends in code `x`</think>done", "ends in code `x`", "done"),
        ("hidden\n</think>\n\nVisible", "hidden\n", "Visible"),
        ("hidden</think>", "hidden", ""),
        ("a `</think>`\nb", "", "a `</think>`\nb"),
        ("the </think> tag\n</think>\nx", "", "the </think> tag\n</think>\nx"),
        ("<thin", "", "<thin"),
        ("<thinner>x", "", "<thinner>x"),
        ("  spaced", "", "  spaced"),
        ("a < b", "", "a < b"),
        ("", "", ""),
    ],
)
def test_only_a_tag_at_the_start_opens_reasoning(content: str, reasoning: str, text: str) -> None:
    assert split(content) == (reasoning, text)
    assert split(*content) == (reasoning, text)


def test_tags_can_be_switched_off() -> None:
    assert split("<think>a</think>b", has_tags=False) == ("", "<think>a</think>b")


tagged = st.lists(
    st.sampled_from(["<think>", "</think>", "<", "</", "think>", "`", "```", "\n", " ", "a", "b"])
)


@given(pieces=tagged, cuts=st.lists(st.integers(0, 60), max_size=10))
def test_any_split_gives_the_same(pieces: list[str], cuts: list[int]) -> None:
    content = "".join(pieces)
    places = sorted({cut % (len(content) + 1) for cut in cuts})
    parts = [content[start:end] for start, end in zip([0, *places], [*places, len(content)], strict=True)]
    assert split(*parts) == split(content)


@given(pieces=tagged)
def test_nothing_but_tags_and_the_space_around_them_is_lost(pieces: list[str]) -> None:
    content = "".join(pieces)
    reasoning, text = split(content)
    kept = (reasoning + text).replace("<think>", "").replace("</think>", "")
    assert "".join(kept.split()) == "".join(
        content.replace("<think>", "").replace("</think>", "").split()
    ) or ("think>" in content)
    assert reasoning in content
    assert text in content
