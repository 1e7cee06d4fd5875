"""Text from outside is text: no crash, no styling, no control byte, wherever it can appear."""

from dataclasses import replace
from pathlib import Path

import pytest
from ui.acting import Acting, completed_turn, cut, on_stage

from chatui.core.conversation import Conversation
from chatui.core.errors import FailureReason
from chatui.core.messages import (
    ImagePart,
    Message,
    ReasoningPart,
    RefusalPart,
    Role,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolCallState,
    ToolResultPart,
)
from chatui.core.safe_text import BIDI_CONTROLS
from chatui.core.turn import TurnId
from chatui.wiring import ProviderChoice

HOSTILE = {
    "open tag": "[/",
    "bold": "[bold red]x[/bold red]",
    "click": "[@click=app.quit]press me[/]",
    "link": "[link=http://evil.example]x[/link]",
    "escape": "a\x1b[2J\x1b]0;owned\x07b",
    "osc 52": "\x1b]52;c;b3duZWQ=\x07",
    "c1": "\x9b31m\x9d0;t\x9c\x90q\x9c",
    "controls": "\r\b\x0e\x0f\x00\x7f",
    "bidi": "\u202egnp.exe\u2066\u2069\u200f",
    "zero width": "a\u200b\u200d\ufeff\u2060b",
    "wide": "\ufdfd" * 4 + "漢" * 30,
    "combining": "e" + "\u0301" * 40,
    "separators": "a\u2028b\u2029c\u0085d",
    "surrogate": "a\ud800b",
    "braces": "{0} $background ${x} %s {{",
    "tags": "a\U000e0041\U000e007fb",
    "emoji": "👨‍👩‍👧‍👦🏳️‍🌈🇩🇪1️⃣",
    "newlines": "one\ntwo\r\nthree\rfour",
    "empty": "",
    "long": "x" * 5000,
}


def is_safe(character: str) -> bool:
    code = ord(character)
    return not (
        code < 0x20
        or 0x7F <= code < 0xA0
        or code in BIDI_CONTROLS
        or 0xD800 <= code < 0xE000
        or code in (0x2028, 0x2029)
        or 0xE0000 <= code < 0xE0080
    )


def assert_safe(stage: Acting) -> None:
    for strip in stage.app.screen._compositor.render_strips():
        for text, style, _ in strip:
            assert all(is_safe(character) for character in text), repr(text)
            assert style is None or not style.link
            assert style is None or "@click" not in style.meta


async def test_in_an_answer_its_reasoning_and_its_tools(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 40)) as stage:
        endpoint = stage.session.endpoint
        for text in HOSTILE.values():
            await stage.ask(text or "hello")
            stage.session.endpoint = replace(endpoint, model=text, provider=text)
            stage.session.receive(
                ReasoningPart(text),
                TextPart(text),
                RefusalPart(text),
                ToolCallPart(text, text, text, ToolCallState.UNPARSABLE),
                ToolCallPart(text, text, '{"a": 1}', ToolCallState.WHOLE),
                ToolActivityPart(text, text, text, text, text),
                ToolResultPart(text, text, text),
                ImagePart(text, name=text),
            )
            await stage.settle()
            assert_safe(stage)
            stage.session.complete(notices=(text,))
            await stage.settle()
            assert_safe(stage)
            await stage.press("ctrl+n")
            assert_safe(stage)


async def test_in_a_failure_a_notice_and_the_status_line(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 24), problems=tuple(HOSTILE.values())[:3]) as stage:
        assert_safe(stage)
        for text in HOSTILE.values():
            await stage.ask("hello")
            stage.session.fail(
                cut(FailureReason.HTTP, text, hint=text, code=text, http_status=418, request_id=text)
            )
            await stage.settle()
            assert_safe(stage)
            stage.chat.notice(text, text)
            stage.chat.say(text)
            stage.chat.composer.put(text)
            await stage.settle()
            assert_safe(stage)
            assert stage.chat.composer.written == text.replace("\r\n", "\n").replace("\r", "\n")
            stage.chat.composer.take()


async def test_in_the_lists(tmp_path: Path) -> None:
    choices = tuple(
        ProviderChoice(
            name=f"{text}p{n}",
            title=text,
            protocol=text,
            models=(text,),
            is_ready=False,
            what_is_missing=text,
        )
        for n, text in enumerate(HOSTILE.values())
    )
    async with on_stage(tmp_path, (120, 40), providers=choices) as stage:
        history = stage.app.acted.history
        for number, text in enumerate(HOSTILE.values()):
            turn = replace(completed_turn(1, text or "q", text), turn_id=TurnId(f"t{number}"))
            conversation = Conversation(
                conversation_id=f"c{number}x", title=text, turns=(turn,), head=turn.turn_id
            )
            history.keep(conversation)
            history.commit(conversation.conversation_id, turn)
        for key in ("ctrl+r", "ctrl+o", "ctrl+p", "f1"):
            await stage.press(key)
            assert_safe(stage)
            await stage.press("ctrl+end")
            assert_safe(stage)
            await stage.press("x", "backspace")
            assert_safe(stage)
            await stage.press("escape")
        for text in HOSTILE.values():
            await stage.press("ctrl+f")
            stage.chat.search.field.insert(text)
            await stage.press("enter")
            assert_safe(stage)
            await stage.press("escape")


async def test_in_a_title_and_a_file_name(tmp_path: Path) -> None:
    texts = list(HOSTILE.values())
    parts = tuple(ImagePart("image/png", name=text) for text in texts)
    turn = replace(completed_turn(1, "q", "a"), input=(Message(Role.USER, (TextPart("q"), *parts)),))
    conversation = Conversation(conversation_id="c", title="".join(texts), turns=(turn,), head=turn.turn_id)
    async with on_stage(tmp_path, (120, 60), conversation=conversation) as stage:
        assert_safe(stage)


async def test_a_theme_file_is_text_too(tmp_path: Path) -> None:
    folder = tmp_path / "themes"
    folder.mkdir()
    (folder / "[bold].toml").write_text("title = 3")
    (folder / "odd\u202ename.toml").write_text(
        'title = "[/\\u001b]52;c;eA==\\u0007"\n[surface]\npage = "red"\n'
    )
    async with on_stage(tmp_path, (120, 40)) as stage:
        await stage.press("f4")
        assert_safe(stage)
        assert "[bold]" in stage.text()
        await stage.press("down", "down", "down", "down", "down")
        assert_safe(stage)


async def test_a_link_shows_its_true_target_and_is_opened_only_when_asked(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        opened: list[str] = []
        stage.app.open_url = lambda url, **_: opened.append(url)  # type: ignore[method-assign]
        await stage.ask()
        stage.session.text("See [the safe bank](http://evil.example/x) now.")
        stage.session.complete()
        await stage.settle()
        row = next(y for y, line in enumerate(stage.screen()) if "the safe bank" in line)
        column = stage.screen()[row].index("the safe bank")
        await stage.pilot.hover(offset=(column + 2, row))
        await stage.settle()
        assert "http://evil.example/x" in stage.screen()[-1]
        await stage.pilot.click(offset=(column + 2, row))
        await stage.settle()
        assert "http://evil.example/x" in stage.text()
        assert not opened
        await stage.press("enter")
        assert opened == ["http://evil.example/x"]


@pytest.mark.parametrize("target", ["javascript:alert(1)", "file:///etc/passwd", "http://a.b/%1b]52;c;x%07"])
async def test_odd_targets_are_not_opened(tmp_path: Path, target: str) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        opened: list[str] = []
        stage.app.open_url = lambda url, **_: opened.append(url)  # type: ignore[method-assign]
        from chatui.ui.links import follow

        follow(stage.chat, target.replace("%1b", "\x1b").replace("%07", "\x07"), 0)
        await stage.settle()
        await stage.press("enter")
        assert not opened
        assert_safe(stage)
