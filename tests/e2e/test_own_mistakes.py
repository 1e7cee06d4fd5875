"""A mistake of our own ends in one line that gives nothing away, with the terminal and the draft whole."""

import sys
from pathlib import Path

import pytest
from support.program import KEY_VARIABLE, in_terminal
from support.scripted_server import ScriptedServer, chat_answer
from support.terminal import App

pytestmark = [pytest.mark.pty, pytest.mark.timeout(120)]
SECRET = "words that nobody else may read"
BROKEN = f"""
import sys
from chatui.ui.app import ChatApp
async def broken(self):
    local = {SECRET!r}
    {{}}[local]
ChatApp.action_leave = broken
from chatui.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("has_report", [True, False])
def test_a_bug_while_the_app_runs_is_one_line_without_content(tmp_path: Path, has_report: bool) -> None:
    home = tmp_path / "person"
    home.mkdir()
    env = {KEY_VARIABLE: "k"} if has_report else {KEY_VARIABLE: "k", "XDG_STATE_HOME": "/proc/nowhere"}
    with ScriptedServer() as server:
        server.play(chat_answer("An answer."))
        where = ("--base-url", server.base_url, "-m", "scripted")
        app = App([sys.executable, "-P", "-c", BROKEN, *where], env=env, size=(200, 30), home=str(home))
        try:
            assert app.wait("Ask anything", 30), app.text()
            app.keys("hello", "<enter>")
            assert app.wait("completed", 30), app.text()
            app.keys("half a thought")
            assert app.wait("half a thought", 10), app.text()
            mark = app.mark()
            app.keys("<c-q>")
            assert app.wait_exit(10) == 1, app.text()
            said = app.raw[mark:].decode(errors="replace")
            assert app.leftovers() == []
        finally:
            app.close(keep_home=True)
        assert "chatui: a bug of chatui: KeyError at <string>:6." in said
        assert SECRET not in said
        assert "Traceback" not in said
        reports = list(home.rglob("bug-report.txt"))
        assert len(reports) == has_report
        if has_report:
            assert "KeyError" in reports[0].read_text()
            assert SECRET not in reports[0].read_text()
            assert reports[0].stat().st_mode & 0o077 == 0
        else:
            assert "CHATUI_TRACEBACK=1" in said
        with in_terminal(*where, "-c", env={KEY_VARIABLE: "k"}, home=home) as again:
            assert again.wait("half a thought", 30), "the draft is there again"
            assert again.find("An answer.")


BROKEN_TURN = f"""
import sys
from chatui.engine.session import ChatSession
async def broken(self, *rest):
    local = {SECRET!r}
    {{}}[local]
ChatSession.ask = broken
from chatui.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_bug_while_a_turn_runs_is_not_silent() -> None:
    with ScriptedServer() as server:
        where = ("--base-url", server.base_url, "-m", "scripted")
        with App([sys.executable, "-P", "-c", BROKEN_TURN, *where], env={KEY_VARIABLE: "k"}) as app:
            assert app.wait("Ask anything", 30), app.text()
            mark = app.mark()
            app.keys("hello", "<enter>")
            assert app.wait_exit(10) == 1, app.text()
            said = app.raw[mark:].decode(errors="replace")
            assert "chatui: a bug of chatui: KeyError at <string>:6." in said
            assert SECRET not in said
            assert "Traceback" not in said
            assert app.leftovers() == []
