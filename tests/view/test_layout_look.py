"""Answers look typeset: what a reader sees of each construct."""

import pytest
from view.pages import laid_out, page, shown

from chatui.view.lines import Tone


def test_a_heading_has_weight_and_space_and_no_hash() -> None:
    assert shown("a\n\n## Two\n\nb", 40) == ["a", "", "Two", "", "b"]
    (heading,) = page("## Two", 40)
    assert heading.runs[0].style.is_bold
    assert heading.runs[0].style.tone is Tone.HEADING


def test_no_level_of_heading_looks_like_another() -> None:
    looks = {}
    for level in range(1, 7):
        lines = page(f"{'#' * level} Head", 40)
        looks[level] = (len(lines), lines[0].runs[0].style)
    assert len(set(looks.values())) == 6, looks


def test_items_hang_under_their_text() -> None:
    assert shown("- alpha beta gamma delta\n- two", 14) == [" • alpha beta", "   gamma delta", " • two"]


def test_numbers_line_up_up_to_two_digits() -> None:
    assert shown("9. nine\n10. ten", 20) == [" 9. nine", "10. ten"]


def test_a_loose_item_keeps_its_space_and_a_tight_one_has_none() -> None:
    assert shown("- a\n- b\n\n- c", 20) == [" • a", " • b", "", " • c"]


def test_a_quote_has_a_bar_on_every_line() -> None:
    assert shown("> one\n>\n> two", 20) == ["▎ one", "▎", "▎ two"]


def test_an_alert_has_a_name_and_a_colour_and_its_code_stands_below_the_name() -> None:
    layout = laid_out("> [!WARNING]\n> ```py\n> x = 1\n> ```", 40)
    name = layout.lines(0, 1)[0].runs[-1]
    assert (name.text, name.style.tone, name.style.is_bold) == ("WARNING", Tone.WARNING, True)
    (region,) = layout.code_regions()
    assert (region.first_line, region.stop_line, region.source) == (1, 3, "x = 1")


def test_nesting_deeper_than_the_page_leaves_room_for_text() -> None:
    lines = shown(">" * 60 + " deep words", 20)
    assert all(len(line) <= 20 for line in lines)
    assert "deep" in " ".join(lines)


def test_numbers_stand_right_when_nothing_else_is_said() -> None:
    assert shown("| n | w |\n|---|---|\n| 1 | a |\n| 22,5 % | b |", 40)[2:] == ["     1 │ a", "22,5 % │ b"]


def test_a_cell_is_wrapped_by_words() -> None:
    assert shown("| k | v |\n|---|---|\n| a | one two three four |", 16) == [
        "k │ v",
        "──┼─────────────",
        "a │ one two",
        "  │ three four",
    ]


def test_rows_of_several_lines_are_told_apart_by_a_rule() -> None:
    assert shown("| a | b |\n|---|---|\n| 1 | one<br>two |\n| 2 | x |\n| 3 | y |", 40)[2:] == [
        "1 │ one",
        "  │ two",
        "──┼────",
        "2 │ x",
        "3 │ y",
    ]


def test_a_table_without_room_becomes_a_list() -> None:
    text = "| name | value | note |\n|---|---|---|\n| alpha | beta | gamma |"
    assert shown(text, 12) == [
        "name · value",
        "· note",
        "────────────",
        "name: alpha",
        "value: beta",
        "note: gamma",
    ]


def test_wide_and_joined_characters_keep_columns_straight() -> None:
    lines = page("| a | b |\n|---|---|\n| 日本 | x |\n| 👩‍🚀 | y |\n| ❤️ | z |\n| é | w |", 40)
    assert len({line.cells for line in lines}) == 1


def test_a_break_tag_breaks_a_cell() -> None:
    assert shown("| a |\n|---|\n| one<br>two |", 20)[2:] == ["one", "two"]


def test_code_is_on_the_raised_surface_and_keeps_its_shape() -> None:
    lines = page("```py\ndef f():\n\treturn 1\n```", 40)
    assert [line.text.rstrip() for line in lines] == ["  py", "  def f():", "      return 1"]
    assert all(line.fill_style is not None and line.fill_style.is_raised for line in lines)
    assert Tone.SYNTAX_KEYWORD in {run.style.tone for run in lines[1].runs}


def test_long_code_wraps_or_goes_on_as_asked() -> None:
    text = "```\n" + "x" * 50 + "\n```"
    assert [line.cells for line in page(text, 30)] == [28, 26]
    (whole,) = page(text, 30, wraps_code=False)
    assert whole.cells == 52


def test_line_numbers_count_lines_not_rows() -> None:
    text = "```\n" + "x" * 50 + "\ny\n```"
    assert [line.text[:6].strip() for line in page(text, 40, has_line_numbers=True)] == ["1", "", "2"]


def test_the_colour_of_a_line_knows_the_comment_it_stands_in() -> None:
    lines = page("```c\n/* one\ntwo */ int x;\n```", 40)
    assert lines[2].runs[1].style.tone is Tone.SYNTAX_COMMENT
    assert Tone.SYNTAX_TYPE in {run.style.tone for run in lines[2].runs}


@pytest.mark.parametrize(
    "language", ["python", "js", "rust", "sql", "bash", "html", "yaml", "diff", "erlang", "ocaml", "klingon"]
)
def test_colours_never_change_the_code(language: str) -> None:
    code = "x = '1' # \"a\" -- /* <b c='d'> $e */ -->\n+y: [1.5e3, 日本] `z` \\ ''' \"\"\"\n-- end"
    lines = page(f"```{language}\n{code}\n```", 90)
    assert [line.text.strip() for line in lines[1:]] == code.split("\n")


def test_a_diff_has_its_colours() -> None:
    lines = page("```diff\n@@ -1 +1 @@\n-old\n+new\n```", 40)
    assert [line.runs[1].style.tone for line in lines[1:]] == [
        Tone.DIFF_HUNK,
        Tone.DIFF_REMOVED,
        Tone.DIFF_ADDED,
    ]


def test_an_image_is_shown_by_its_words_and_opens_its_source() -> None:
    (line,) = page("![a kite](https://l.example/k.png)", 40)
    assert line.text == "▣ a kite"
    assert {run.link for run in line.runs} == {"https://l.example/k.png"}


def test_glyphs_have_twins_for_terminals_without_unicode() -> None:
    text = "# T\n\n- a\n- [x] b\n\n> q\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n![i](u)\n"
    assert all(line.isascii() for line in shown(text, 40, is_unicode=False))


def test_a_wrapped_line_tells_what_stood_at_the_wrap() -> None:
    first, second = page("alpha beta", 6)
    assert (first.text, first.is_soft_wrapped, first.soft_join) == ("alpha", True, " ")
    assert not second.is_soft_wrapped


def test_ideographs_wrap_anywhere_but_no_line_begins_with_a_closing_mark() -> None:
    lines = shown("数据库的事务，隔离级别。", 12)
    assert all(line[0] not in "，。" for line in lines)
    assert "".join(lines) == "数据库的事务，隔离级别。"


def test_the_narrowest_pages_do_not_break() -> None:
    text = "# T\n\n- [x] item 日本\n  1. n\n\n> q\n\n```py\ncode\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[^1]\n\n[^1]: n"
    for width in range(1, 12):
        layout = laid_out(text, width)
        assert all(line.cells <= width for line in layout.lines(0, layout.line_count))


def test_targets_of_links_are_told_when_asked_for() -> None:
    text = "[the **docs**](https://d.example), https://a.example and ![k](https://i.example/k.png)"
    (line,) = shown(text, 120, shows_link_targets=True)
    assert line == "the docs (https://d.example), https://a.example and ▣ k (https://i.example/k.png)"


def test_text_in_a_quote_has_its_own_tone() -> None:
    (line,) = page("> said", 20)
    assert [run.style.tone for run in line.runs] == [Tone.QUOTE_BAR, Tone.QUOTE]


def test_three_numbered_levels_stand_further_in_on_twenty_columns_too() -> None:
    lines = shown("1. one\n   1. two\n      1. three\n", 20)
    assert [line.index(word) for line, word in zip(lines, ("one", "two", "three"), strict=True)] == [4, 8, 12]


def test_a_number_that_has_no_room_is_marked_as_cut() -> None:
    lines = page("```\n" + "x\n" * 10_001 + "```", 40, has_line_numbers=True)
    assert [line.text[:7].strip() for line in (lines[9998], lines[9999], lines[10_000])] == [
        "9999",
        "…000",
        "…001",
    ]
