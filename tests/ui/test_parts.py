"""The parts of the app that need no screen."""

import subprocess
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.config.outside_programs import native_tool
from chatui.ui.commands import ALL
from chatui.ui.keymap import Where, key_name, read_key, rebind
from chatui.ui.terminal.clipboard import MOST_OSC_52_BYTES, Clipboard
from chatui.ui.theme import (
    CONTRAST_PAIRS,
    ThemeError,
    default_theme,
    find_themes,
    read_theme,
    shipped_themes_directory,
)
from chatui.ui.turns.heights import Heights
from chatui.ui.turns.selection import Place, Selection, selected_text, word_cells
from chatui.ui.writing.paste_atoms import FOLD_CHARACTERS, PasteAtoms
from chatui.ui.writing.text_field import TextField
from chatui.view.plain_lines import plain_lines

THEMES = list(find_themes(shipped_themes_directory()))


# Heights


@given(st.lists(st.integers(0, 9), max_size=40), st.data())
def test_sums_of_heights_follow_every_change(heights: list[int], data: st.DataObject) -> None:
    tree = Heights(heights)
    for _ in range(data.draw(st.integers(0, 10))):
        if heights and data.draw(st.booleans()):
            index = data.draw(st.integers(0, len(heights) - 1))
            tree[index] = heights[index] = data.draw(st.integers(0, 9))
        else:
            height = data.draw(st.integers(0, 9))
            tree.append(height)
            heights.append(height)
    assert [tree.before(n) for n in range(len(heights) + 1)] == [0, *accumulate(heights)]
    assert tree.total == sum(heights)
    rows = [(index, row) for index, height in enumerate(heights) for row in range(height)]
    assert [tree.find(n) for n in range(len(rows))] == rows


# Themes


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("path", THEMES, ids=lambda path: path.stem)
def test_every_pair_of_colours_can_be_read(path: Path) -> None:
    theme = read_theme(path)
    for text, surface, least in CONTRAST_PAIRS:
        wanted = 7.0 if theme.is_high_contrast and least == 4.5 else least
        assert contrast(theme[text], theme[surface]) >= wanted, (text, surface)


def test_there_are_light_dark_and_high_contrast_themes() -> None:
    themes = [read_theme(path) for path in THEMES]
    assert len(themes) >= 8
    assert sum(not theme.is_dark for theme in themes) >= 3
    assert {theme.is_dark for theme in themes if theme.is_high_contrast} == {True, False}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x = [", "Invalid"),
        ("[surface]\npage = 'red'\n", "missing"),
        ("surface = 3", "table"),
        ("", "missing"),
    ],
)
def test_a_broken_theme_is_named_with_its_reason(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ThemeError, match=reason) as raised:
        read_theme(path)
    assert str(path) in str(raised.value)


def test_a_colour_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(THEMES[0].read_text().replace('page = "#', 'page = "'))
    with pytest.raises(ThemeError, match="page"):
        read_theme(path)


def test_a_theme_of_the_person_wins_over_one_that_ships(tmp_path: Path) -> None:
    mine = tmp_path / "paper.toml"
    mine.write_text("")
    assert mine in list(find_themes(shipped_themes_directory(), tmp_path))


def test_without_a_choice_the_theme_suits_the_terminal() -> None:
    assert default_theme("standard", {}) == "console"
    assert default_theme("truecolor", {"COLORFGBG": "0;15"}) == "paper"
    assert default_theme("truecolor", {"COLORFGBG": "15;default;0"}) == "lamplight"
    assert default_theme("256", {}) == "lamplight"


# Keys


def test_no_key_means_two_things_at_one_place() -> None:
    assert rebind(ALL, {})[1] == []
    assert len({command.name for command in ALL}) == len(ALL)


def test_what_needs_a_modern_terminal_has_a_twin_that_arrives_everywhere() -> None:
    def arrives(key: str) -> bool:
        *modifiers, last = key.split("+")
        plain = last.isalpha() or last in ("up", "down", "home", "end")
        return not modifiers or (modifiers in (["ctrl"], ["alt"]) and plain)

    for command in ALL:
        single = [c for c in ALL if c.name == f"{command.name}-here"]
        keys = [*command.keys, *(key for c in single for key in c.keys)]
        assert not keys or any(arrives(key) for key in keys), command.name


def test_keys_can_be_changed_and_conflicts_are_told() -> None:
    commands, problems = rebind(ALL, {"new": "ctrl+alt+n", "nothing": "x"})
    # As Textual names it: its modifiers stand in the order of the alphabet, `ctrl+alt+n` never comes.
    assert next(c for c in commands if c.name == "new").keys == ("alt+ctrl+n",)
    assert problems == ["keys.nothing: there is no command 'nothing'; the palette shows them all"]
    _, problems = rebind(ALL, {"thme": "f4"}, lambda key: f"a.toml:3: {key}")
    assert problems == ["a.toml:3: keys.thme: there is no command 'thme'; did you mean 'theme'?"]
    _, problems = rebind(ALL, {"theme": "ctrl+zz, F99, Crtl+X, f11"})
    assert [line.partition(": ")[2] for line in problems] == [
        "'ctrl+zz' is no key",
        "'F99' is no key",
        "'Crtl+X' is no key",
    ]
    _, problems = rebind(ALL, {"new": "ctrl+p"})
    assert "Ctrl+P" in problems[0]


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("Ctrl+N", "ctrl+n"),
        ("Ctrl+Alt+N", "alt+ctrl+n"),
        ("?", "question_mark"),
        ("G", "G"),
        ("Shift+g", "G"),
        ("PgDn", "pagedown"),
        ("Ctrl+PgUp", "ctrl+pageup"),
        ("Esc", "escape"),
        ("F12", "f12"),
        ("+", "plus"),
        ("ctrl++", "ctrl+plus"),
        ("question_mark", "question_mark"),
        ("", None),
        ("hold+x", None),
    ],
)
def test_a_key_may_be_written_as_people_say_it(written: str, key: str | None) -> None:
    assert read_key(written) == key


def test_every_key_of_ours_is_read_as_itself() -> None:
    assert all(read_key(key) == key for command in ALL for key in command.keys)


def test_keys_are_named_as_people_say_them() -> None:
    assert [key_name(key) for key in ("ctrl+p", "f1", "shift+enter", "left_square_bracket")] == [
        "Ctrl+P",
        "F1",
        "Shift+Enter",
        "[",
    ]
    assert key_name("ctrl+p", is_short=True) == "⌃P"


def test_single_letters_work_only_in_the_transcript() -> None:
    for command in ALL:
        if any(len(key) == 1 for key in command.keys):
            assert command.where is Where.TRANSCRIPT


# Pastes


@given(st.text(max_size=200), st.text(max_size=50))
def test_a_folded_paste_comes_back_whole(text: str, around: str) -> None:
    atoms = PasteAtoms()
    big = text + "x" * FOLD_CHARACTERS
    word = atoms.fold(big)
    assert len(word) < 100
    assert atoms.expand(around + word + around) == around + big + around
    assert atoms.fold(text[:50]) == text[:50] or text[:50].count("\n") >= 59


def test_words_that_only_look_like_a_folded_paste_stay_words() -> None:
    assert PasteAtoms().expand("⟦pasted 1: 3 lines, 9 characters⟧") == "⟦pasted 1: 3 lines, 9 characters⟧"


# Selection


@given(st.text(st.sampled_from("ab 漢\n"), max_size=80), st.integers(4, 20))
def test_selecting_everything_copies_the_source(text: str, width: int) -> None:
    lines = plain_lines(text, width)
    selection = Selection(Place(0, 0, 0), Place(0, len(lines) - 1, 10_000))
    copied = selected_text(selection, ((0, row, line) for row, line in enumerate(lines)))
    assert copied.split() == text.split()
    assert [line.rstrip(" ") for line in copied.split("\n")] == [
        line.rstrip(" ") for line in text.split("\n")
    ]


def test_a_word_is_found_around_a_cell() -> None:
    (line,) = plain_lines("some plain_words here", 40)
    assert word_cells(line, 8) == (5, 16)


# Fields of one line


def test_a_field_is_edited_by_keys() -> None:
    field = TextField("two words")
    for key in ("ctrl+w", "left", "backspace", "home"):
        assert field.key(key, None)
    assert field.text == "tw "
    field.key("é", "é")
    assert field.text == "étw "
    assert not field.key("f5", None)
    field.insert("\nlines\r\n")
    assert "\n" not in field.text


# Copying


def test_over_ssh_the_terminal_is_asked_and_it_is_not_claimed_that_it_took_it() -> None:
    sent: list[str] = []
    said = Clipboard(sent.append, {"SSH_TTY": "/dev/pts/1", "DISPLAY": ":0"}).copy("words", "the answer")
    assert sent == ["words"]
    assert "can't be confirmed" in said


def test_half_a_surrogate_pair_is_no_end() -> None:
    sent: list[str] = []
    Clipboard(sent.append, {"SSH_TTY": "x"}).copy("a\ud800b", "it")
    assert sent == ["a?b"]


def test_too_much_for_a_terminal_is_told() -> None:
    sent: list[str] = []
    said = Clipboard(sent.append, {"SSH_TTY": "x"}).copy("x" * (MOST_OSC_52_BYTES + 1), "it")
    assert not sent
    assert said.startswith("Not copied")
    assert "/write-answer" in said, "there is another way out"


def test_a_native_tool_is_preferred_and_a_broken_one_is_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert native_tool({"WAYLAND_DISPLAY": "w"}, lambda name: f"/bin/{name}") == ["/bin/wl-copy"]
    assert native_tool({}, lambda name: None) is None
    sent: list[str] = []

    def broken(*_: object, **__: object) -> None:
        raise subprocess.CalledProcessError(1, "x")

    monkeypatch.setattr(subprocess, "run", broken)
    monkeypatch.setattr("chatui.ui.terminal.clipboard.native_tool", lambda _environ: ["xclip"])
    assert "OSC 52" in Clipboard(sent.append, {}).copy("words", "it")
    assert sent == ["words"]
