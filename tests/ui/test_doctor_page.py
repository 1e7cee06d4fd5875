"""The doctor in the app: a failed connection leads to it, its report is read and left like any page."""

import socket
from pathlib import Path

import pytest
from support.program import KEY_VARIABLE, in_terminal
from support.scripted_server import ScriptedServer, chat_answer, whole
from ui.acting import on_stage

from chatui.core.errors import Failure, FailureReason

SLOW_S = 30.0
pytestmark = pytest.mark.timeout(120)


@pytest.mark.parametrize(
    ("failure", "is_led"),
    [
        (Failure(reason=FailureReason.CONNECT, message="no"), True),
        (Failure(reason=FailureReason.TIMEOUT, message="late"), True),
        (Failure(reason=FailureReason.HTTP, message="no", http_status=401), True),
        (Failure(reason=FailureReason.HTTP, message="slow down", http_status=429), False),
        (Failure(reason=FailureReason.HTTP, message="long", is_context_too_long=True), False),
        (Failure(reason=FailureReason.CANCELLED, message="you"), False),
        (Failure(reason=FailureReason.LENGTH, message="cut"), False),
    ],
)
async def test_a_failure_of_the_way_to_the_server_leads_to_the_doctor(
    tmp_path: Path, failure: Failure, is_led: bool
) -> None:
    async with on_stage(tmp_path, (80, 24)) as stage:
        await stage.ask("hello")
        stage.session.fail(failure)
        await stage.settle()
        assert ("/doctor looks at each step." in stage.text()) is is_led
        await stage.press("f12")
        await stage.settle()
        assert ("where to look" in stage.text()) is is_led


@pytest.mark.pty
def test_a_refused_connection_is_explained_in_the_app() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    where = ("--base-url", f"http://127.0.0.1:{port}/v1", "-m", "m")
    with in_terminal(*where, env={KEY_VARIABLE: "k"}, size=(110, 90)) as app:
        assert app.wait("Ask anything", SLOW_S), app.text()
        app.keys("hello", "<enter>")
        assert app.wait("/doctor looks at each step", SLOW_S), app.text()
        app.keys("/doctor", "<enter>")
        assert app.wait("Way to the server", SLOW_S), app.text()
        assert app.wait("problem +TCP +127.0.0.1:[0-9]+ refused the connection", SLOW_S), app.text()
        assert app.wait("chatui doctor +. 1 problem", SLOW_S), app.text()
        assert app.find("every key is told apart")
        app.keys("<esc>")
        assert app.wait(lambda: "Way to the server" not in app.text(), 10), app.text()


@pytest.mark.pty
def test_the_doctor_asks_the_model_only_when_told_and_the_prompt_stays() -> None:
    with ScriptedServer() as server:
        server.play(whole(b'{"data": [{"id": "m"}]}')).play(whole(b'{"data": [{"id": "m"}]}'))
        server.play(chat_answer("1 2 3"))
        where = ("--base-url", server.base_url, "-m", "m")
        with in_terminal(*where, env={KEY_VARIABLE: "k"}, size=(110, 90)) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.keys("<f1>")
            assert app.wait("Enter runs it", 10), app.text()
            app.keys("doctor")
            assert app.wait(lambda: "Choose the theme" not in app.text(), 10), app.text()
            app.keys("<enter>")
            assert app.wait("no problem was found", SLOW_S), app.text()
            assert [request.method for request in server.requests] == ["GET"]
            app.keys("<esc>")
            assert app.wait("Ask anything", 10), app.text()
            app.keys("/doctor stream", "<enter>")
            assert app.wait("proof of completion came", SLOW_S), app.text()
            assert [request.method for request in server.requests] == ["GET", "GET", "POST"]
