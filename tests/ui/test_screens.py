"""How every state looks, at two sizes. Look at the report before you accept a change."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from ui.acting import ActedApp, acted_app, call, conversation_of, cut, thought

from chatui.core.errors import FailureReason
from chatui.core.messages import TextPart, ToolCallState
from chatui.engine.approval import ApprovalRequest

SIZES = [(80, 24), (120, 40)]
ANSWER = """TCP slow start lets a sender find the capacity of a path:

- It begins with a **small** congestion window.
- Every acknowledgement lets it grow, see [RFC 5681](https://www.rfc-editor.org/rfc/rfc5681).

```python
cwnd = min(cwnd * 2, ssthresh)  # doubles each round trip
```

| phase | window |
|:------|-------:|
| first |      1 |
| next  |    2.5 |
"""


async def asked(pilot: Pilot[Any]) -> ActedApp:
    app = pilot.app
    assert isinstance(app, ActedApp)
    await pilot.pause()
    app.chat.composer.put("Explain TCP slow start in three bullet points.")
    await pilot.press("enter")
    app.acted.clock.now_s += 4.1
    return app


async def empty(pilot: Pilot[Any]) -> None:
    await pilot.pause()


async def receiving(pilot: Pilot[Any]) -> None:
    app = await asked(pilot)
    app.session.text(ANSWER[: len(ANSWER) // 2])


async def completed(pilot: Pilot[Any]) -> None:
    app = await asked(pilot)
    app.session.text(ANSWER)
    app.session.complete()


async def failed(pilot: Pilot[Any]) -> None:
    app = await asked(pilot)
    app.session.text("TCP slow start lets")
    app.session.fail(
        cut(
            message="The connection broke after 19 characters of the answer",
            hint="What was received is kept. Send again to ask anew.",
            request_id="req_1",
        )
    )


async def cancelled(pilot: Pilot[Any]) -> None:
    app = await asked(pilot)
    app.session.text("TCP slow start lets")
    app.session.fail(cut(FailureReason.CANCELLED, "You stopped this answer after 19 characters"))


async def with_reasoning(pilot: Pilot[Any]) -> None:
    app = await asked(pilot)
    app.session.receive(thought("They ask for three points, so first the window."), TextPart(ANSWER))
    app.session.complete()
    await pilot.pause()
    if app.size.width < 100:
        await pilot.press("f2")


async def with_a_tool_call(pilot: Pilot[Any]) -> None:
    app = await asked(pilot)
    app.session.receive(
        thought("Look it up."),
        TextPart("I look it up."),
        call('{"city": "Paris"}', ToolCallState.WHOLE),
        call('{"city": "Lyon', name="get_forecast"),
    )
    await pilot.pause()
    if app.size.width < 100:
        await pilot.press("f3")


async def with_a_question(pilot: Pilot[Any]) -> None:
    app = await asked(pilot)
    app.session.receive(TextPart("I look it up."), call('{"city": "Paris"}', ToolCallState.WHOLE))
    approver = app.session.approver
    assert approver is not None
    request = ApprovalRequest(
        call_id="call-1",
        tool="get_weather",
        source="[tools.commands.get_weather] in config.toml:7",
        description="Tells the weather of a city.",
        arguments={"city": "Paris\u200b", "days": 3},
        what_runs="weather-report --days=3 -- Paris\u200b\nin /home/me",
    )
    app.session.question = asyncio.create_task(approver.decide(request))


STATES = [
    empty,
    receiving,
    completed,
    failed,
    cancelled,
    with_reasoning,
    with_a_tool_call,
    with_a_question,
]


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "COLORTERM", "truecolor")
    monkeypatch.setitem(os.environ, "TERM", "xterm-256color")


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])
@pytest.mark.parametrize("state", STATES, ids=[state.__name__ for state in STATES])
def test_state(snap_compare: Any, tmp_path: Path, state: Any, size: tuple[int, int]) -> None:
    async def settled(pilot: Pilot[Any]) -> None:
        await state(pilot)
        await pilot.pause()

    assert snap_compare(acted_app(tmp_path), terminal_size=size, run_before=settled)


@pytest.mark.parametrize("keys", [["ctrl+r"], ["ctrl+o"], ["f4"]], ids=lambda keys: keys[0])
def test_list(snap_compare: Any, tmp_path: Path, keys: list[str]) -> None:
    app = acted_app(tmp_path)
    conversation = conversation_of(2)
    app.acted.history.keep(conversation)
    for turn in conversation.turns:
        app.acted.history.commit(conversation.conversation_id, turn)

    async def opened(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()

    assert snap_compare(app, terminal_size=(120, 40), run_before=opened)


@pytest.mark.parametrize("theme", ["lamplight", "paper", "midnight"])
def test_theme(snap_compare: Any, tmp_path: Path, theme: str) -> None:
    async def settled(pilot: Pilot[Any]) -> None:
        await completed(pilot)
        assert isinstance(pilot.app, ActedApp)
        pilot.app.show_theme(theme)
        await pilot.pause()

    assert snap_compare(acted_app(tmp_path), terminal_size=(80, 24), run_before=settled)


def test_ascii(snap_compare: Any, tmp_path: Path) -> None:
    from ui.acting import ActedWorkspace

    app = ActedApp(ActedWorkspace(tmp_path), is_unicode=False)
    assert snap_compare(app, terminal_size=(120, 40), run_before=with_a_tool_call)


async def test_where_letters_are_ascii_the_drawer_has_no_other_lines(tmp_path: Path) -> None:
    from ui.acting import ActedWorkspace

    app = ActedApp(ActedWorkspace(tmp_path), is_unicode=False)
    async with app.run_test(size=(80, 24)) as pilot:
        for key in ("f2", "f3"):
            await pilot.press(key)
            await pilot.pause()
            strips = app.screen._compositor.render_strips()
            text = "".join(segment.text for strip in strips for segment in strip)
            assert "Reasoning" in text
            assert text.isascii(), sorted({letter for letter in text if not letter.isascii()})
