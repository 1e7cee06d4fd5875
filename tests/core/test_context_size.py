"""How much of the window a conversation takes."""

from dataclasses import replace

from support.plain_turns import completed

from chatui.core.context_size import context_size, text_tokens, turn_tokens, turns_to_keep
from chatui.core.events import Usage


def test_what_the_server_counted_is_no_estimate() -> None:
    path = [completed("a"), replace(completed("b"), usage=Usage(700, 300, 1000))]
    size = context_size(path)
    assert (size.tokens, size.is_estimated) == (1000, False)


def test_a_draft_or_an_uncounted_turn_makes_it_an_estimate() -> None:
    counted = replace(completed("a"), usage=Usage(700, 300, 1000))
    with_draft = context_size([counted], draft="four" * 10)
    assert (with_draft.tokens, with_draft.is_estimated) == (1010, True)
    uncounted = replace(completed("b", "x" * 400, "y" * 400), usage=None)
    assert context_size([counted, uncounted]).tokens == 1200
    assert context_size([counted, uncounted]).is_estimated


def test_a_count_of_a_time_when_more_was_sent_does_not_hold() -> None:
    path = [completed("a", "x" * 4000), replace(completed("b", "y" * 40, "z" * 40), usage=Usage(1000, 10))]
    assert context_size(path, left_out=1).tokens == 20


def test_text_without_blanks_counts_by_its_characters() -> None:
    assert text_tokens("word " * 4) == 5
    assert text_tokens("的一是不了人我在") == 8
    assert text_tokens("") == 0


def test_as_few_old_turns_are_dropped_as_make_room() -> None:
    path = [completed(str(number), "x" * 2000, "y" * 2000) for number in range(10)]
    sizes = [turn_tokens(turn) for turn in path]
    kept = turns_to_keep(sizes, 8000)
    assert sum(sizes[:kept]) <= 0.6 * 8000 < sum(sizes[: kept + 1])
    assert turns_to_keep(sizes, None) == 5
    assert turns_to_keep(sizes[3:], 100_000) == 6, "asked again, one more goes at least"
    assert turns_to_keep(sizes, 1000) == 1, "the newest one stays, however large it is"
    assert turns_to_keep(sizes[:1], 8000) == turns_to_keep([], None) == 0, "there is nothing older"


def test_no_more_turns_are_read_than_stay() -> None:
    taken = iter([1000] * 9)
    assert turns_to_keep(taken, 8000) == 4
    assert len(list(taken)) == 4
