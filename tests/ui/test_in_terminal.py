"""The app in a real terminal: keys of poor terminals, pastes that break, silence while nothing happens."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from support.odd_controls import odd_controls
from support.program import CHATUI, KEY_VARIABLE, in_terminal
from support.scripted_server import DONE, Hold, ScriptedServer, Wait, chat_answer, chat_chunk, head
from support.terminal import App

pytestmark = [pytest.mark.pty, pytest.mark.timeout(120)]
SLOW_S = 30.0


@contextmanager
def poor_terminal(*arguments: str) -> Iterator[App]:
    """Without the kitty keyboard, in-band sizes and synchronised output."""
    app = App(
        [*CHATUI, *arguments], env={KEY_VARIABLE: "k"}, size=(80, 24), kitty=False, in_band=False, sync=False
    )
    try:
        yield app
    finally:
        app.close()


def at(server: ScriptedServer) -> tuple[str, ...]:
    return ("--base-url", server.base_url, "-m", "scripted")


def test_alt_enter_makes_a_line_also_without_the_kitty_protocol() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("Fine."))
        with poor_terminal(*at(server)) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.keys("one")
            app.write(b"\x1b\r")
            app.keys("two", "<c-j>", "three")
            assert app.wait("three", 10), app.text()
            assert not server.requests
            app.keys("<enter>")
            assert app.wait("completed", SLOW_S), app.text()
            assert server.requests[0].json["messages"][-1]["content"] == "one\ntwo\nthree"


def test_a_paste_whose_end_is_lost_does_not_leave_the_keyboard_dead() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("Fine."))
        with in_terminal(*at(server), env={KEY_VARIABLE: "k"}) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.write(b"\x1b[200~pasted words")
            assert app.wait("pasted words", 10), app.text()
            app.keys(" and typed ones")
            assert app.wait("pasted words and typed ones", 10), app.text()


def test_a_paste_of_a_megabyte_is_taken_whole_and_sent_whole() -> None:
    text = "\n".join(f"line {number} of a very long paste" for number in range(30_000))
    with ScriptedServer() as server:
        server.play(chat_answer("Fine."))
        with in_terminal(*at(server), env={KEY_VARIABLE: "k"}, size=(100, 30)) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.paste(text)
            assert app.wait("pasted", 20), app.text()
            app.keys("x")
            assert app.wait("⟧x", 10), app.text()
            app.keys("<backspace>", "<enter>")
            assert app.wait("completed", SLOW_S), app.text()
            assert server.requests[0].json["messages"][-1]["content"] == text


def test_an_idle_app_writes_nothing() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("Fine."))
        with in_terminal(*at(server), env={KEY_VARIABLE: "k"}) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            assert app.falls_silent(2.0), "however long the machine takes to come so far"


def test_the_hardware_cursor_stays_on_the_caret_while_text_streams() -> None:
    with ScriptedServer() as server:
        released = threading.Event()
        server.play(head(), *(chat_chunk(f"word {n} ") for n in range(40)), Hold(released))
        with in_terminal(*at(server), env={KEY_VARIABLE: "k"}, size=(80, 24)) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.keys("go", "<enter>")
            assert app.wait("word 39", SLOW_S), app.text()
            app.keys("next")
            assert app.wait("next", 10), app.text()
            (column, row, _), *_ = app.find("next")
            assert app.wait(lambda: app.cursor[:2] == (column + 4, row)), (app.cursor, app.text())
            released.set()


def test_quitting_leaves_nothing_switched_on() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("Fine."))
        with in_terminal(*at(server), env={KEY_VARIABLE: "k"}) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.keys("<c-c>", "<c-c>")
            assert app.wait_exit(10) == 0
            assert app.leftovers() == []
            assert odd_controls(app.raw) == []


def test_alt_with_a_letter_is_a_command_and_no_text_in_poor_and_rich_terminals() -> None:
    with ScriptedServer() as server:
        for is_rich in (False, True):
            with App([*CHATUI, *at(server)], env={KEY_VARIABLE: "k"}, size=(80, 24), kitty=is_rich) as app:
                assert app.wait("Ask anything", SLOW_S), app.text()
                app.write(b"\x1b[107;3u" if is_rich else b"\x1bk")
                assert app.wait("Who answers", 10), app.text()
                app.keys("<esc>")
                assert app.wait(lambda app=app: "Who answers" not in app.text(), 10)
                assert app.find("Ask anything"), app.text()


def test_an_editor_of_ones_own_gets_the_terminal_and_gives_it_back() -> None:
    with ScriptedServer() as server:
        editor = '/bin/sh -c \'printf "in the editor"; printf " and more" >> "$1"; sleep 0.3\' sh'
        with in_terminal(*at(server), env={KEY_VARIABLE: "k", "VISUAL": editor}) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.keys("draft", "<c-g>")
            assert app.wait("draft and more", 15), app.text()
            app.keys("!")
            assert app.wait("draft and more!", 10), app.text()
            assert app.find("F1"), "the whole screen is there again"
            app.keys("<c-q>")
            assert app.wait_exit(10) == 0
            assert app.leftovers() == []


def test_ctrl_z_on_an_empty_line_gives_the_terminal_back_and_fg_shows_all_of_the_chat_again() -> None:
    with ScriptedServer() as server:
        released = threading.Event()
        server.play(
            head(),
            chat_chunk("The first half"),
            Hold(released),
            chat_chunk(", the second."),
            chat_chunk({}, "stop"),
            DONE,
        )
        with in_terminal(*at(server), env={KEY_VARIABLE: "k"}) as app:
            assert app.wait("Ask anything"), app.text()
            app.keys("go", "<enter>")
            assert app.wait("The first half"), app.text()
            app.keys("<c-z>")
            os.waitid(os.P_PID, app.pid, os.WSTOPPED)
            assert app.wait(lambda: not app.leftovers()), app.leftovers()
            released.set()
            app.signal(signal.SIGCONT)
            assert app.wait("The first half, the second."), app.text()
            assert app.wait("completed"), app.text()
            whole = ("chatui", "▌go", "Ask anything", "F1 help")
            assert app.wait(lambda: all(words in app.text() for words in whole)), app.text()
            app.keys("draft")
            assert app.wait("draft"), app.text()
            app.keys("<c-z>")
            assert app.wait(lambda: "draft" not in app.text()), "where something is written it undoes"
            app.keys("<c-z>", "x")
            assert app.wait("▏ x"), "who takes back once too often does not land in the shell"


def test_the_title_is_set_safely_and_given_back() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("Fine."))
        with in_terminal(*at(server), env={KEY_VARIABLE: "k"}) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.keys("What is a title?", "<enter>")
            assert app.wait("completed", SLOW_S), app.text()
            assert app.wait(lambda: "What is a title?" in app.title, 10), app.title
            app.keys("<c-q>")
            assert app.wait_exit(10) == 0
            assert app.title == ""
            assert odd_controls(app.raw) == []


def test_the_mouse_can_be_given_to_the_terminal_and_taken_back() -> None:
    with ScriptedServer() as server, in_terminal(*at(server), env={KEY_VARIABLE: "k"}) as app:
        assert app.wait("Ask anything", SLOW_S), app.text()
        assert app.wait(lambda: app.term.modes.get(1000), 10)
        app.write(b"\x1bm")
        assert app.wait("with the terminal", SLOW_S), app.text()
        assert app.wait(lambda: not any(app.term.modes.get(mode) for mode in (1000, 1003, 1006)), 10)
        app.write(b"\x1bm")
        assert app.wait("with the app", SLOW_S), app.text()
        assert app.wait(lambda: app.term.modes.get(1000), 10)
        app.keys("<c-q>")
        assert app.wait_exit(10) == 0
        assert app.leftovers() == []


def test_the_end_of_an_answer_is_told_while_the_window_is_not_looked_at(tmp_path) -> None:
    folder = tmp_path / ".config" / "chatui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[ui]\nnotification = "osc9"\nnotify_after_s = 0\n')
    with ScriptedServer() as server:
        released = threading.Event()
        server.play(
            head(), chat_chunk("begun "), Hold(released), chat_chunk("ended", "stop"), b"data: [DONE]\n\n"
        )
        with App([*CHATUI, *at(server)], env={KEY_VARIABLE: "k"}, size=(80, 24), home=str(tmp_path)) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.keys("go", "<enter>")
            assert app.wait("begun", SLOW_S), app.text()
            app.focus(False)
            app.settle(quiet=0.3, timeout=3)
            released.set()
            assert app.wait(lambda: app.term.notify, SLOW_S), app.text()
            assert "Answer completed" in app.term.notify[-1]


@pytest.mark.parametrize("is_synchronised", [True, False])
def test_a_streaming_answer_taller_than_the_window_costs_what_is_new_and_clears_nothing(
    is_synchronised: bool,
) -> None:
    words = [f"word {number} " + "\n\n" * (number % 5 == 4) for number in range(300)]
    steps = [step for word in words for step in (chat_chunk(word), Wait(0.004))]
    with ScriptedServer() as server:
        server.play(head(), *steps, chat_chunk({}, "stop"), DONE)
        command = [*CHATUI, *at(server)]
        with App(command, env={KEY_VARIABLE: "k"}, size=(80, 24), sync=is_synchronised) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.settle(quiet=0.5, timeout=10)
            mark = app.mark()
            app.keys("go", "<enter>")
            assert app.wait("completed", SLOW_S), app.text()
            written = app.raw_since(mark)
            assert b"\x1b[2J" not in written
            frames = written.count(b"\x1b[?2026h")
            if is_synchronised:
                # A redraw of all 24 rows at each frame would be more than 2,000 bytes a frame.
                assert len(written) <= 700 * frames + 12 * sum(map(len, words))
            else:
                assert frames == 0, "the marks are relied on only where the terminal knows them"


def test_pasted_control_text_is_shown_as_text_and_sent_as_it_was() -> None:
    hostile = "a\x1b]0;owned\x07b\x9b2J c\u202ed\x1b[2Je\x08f"
    with ScriptedServer() as server:
        server.play(chat_answer("Fine."))
        with in_terminal(*at(server), env={KEY_VARIABLE: "k"}) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.paste(hostile)
            assert app.wait("a␛]0;owned␇b", 10), app.text()
            app.keys("<enter>")
            assert app.wait("completed", SLOW_S), app.text()
            assert odd_controls(app.raw) == []
            assert b"\x1b]0;owned" not in app.raw
            assert server.requests[0].json["messages"][-1]["content"] == hostile
