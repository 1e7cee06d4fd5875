"""What is beneath can be looked at: the next request without keys, and everything known of a turn."""

from dataclasses import replace
from pathlib import Path

from ui.acting import completed_turn, conversation_of, cut, on_stage
from ui.test_hostile_text import HOSTILE, assert_safe

from chatui.config.provider_spec import ModelFacts
from chatui.config.settings import Settings
from chatui.core.conversation import Conversation
from chatui.core.errors import FailureReason
from chatui.core.messages import FilePart, ImagePart, Message, Role, TextPart, user_message
from chatui.engine.session import Endpoint
from chatui.protocols import load
from chatui.wiring.request_preview import preview_request


def endpoint(**more: object) -> Endpoint:
    values: dict[str, object] = {
        "provider": "acme",
        "protocol": load("chat_completions"),
        "base_url": "https://api.example.com/v1",
        "model": "m",
        "api_key": "sk-topsecretkey123",
    }
    return Endpoint(**{**values, **more})  # type: ignore[arg-type]


def test_a_preview_is_what_is_sent_without_key_and_without_the_bytes_of_files() -> None:
    message = Message(
        Role.USER,
        (
            ImagePart("image/png", "A" * 4000, name="p.png"),
            FilePart("d.pdf", "application/pdf", "B" * 4000),
            TextPart("hi"),
        ),
    )
    for protocol in ("chat_completions", "responses", "anthropic_messages"):
        asked = endpoint(protocol=load(protocol), extra_headers=(("x-team", "Bearer sk-topsecretkey123"),))
        preview = preview_request(asked, conversation_of(2), (message,))
        whole = f"{preview.url} {preview.headers} {preview.body}"
        assert "topsecret" not in whole
        assert "AAAA" not in whole
        assert "BBBB" not in whole
        assert "characters of base64" in whole
        assert "Question 1" in whole
        assert "An answer. (1)" in whole
        assert preview.url.startswith("https://api.example.com/v1/")


def test_a_preview_names_what_is_left_out() -> None:
    failed = replace(completed_turn(5, "q", "half"), parent_id="t1", phase="failed", failure=cut())
    conversation = replace(conversation_of(2), unfinished=(failed,))
    preview = preview_request(endpoint(), conversation, (user_message(" "), user_message("x")))
    assert preview.omissions
    assert preview.estimated_tokens > 0


async def test_the_request_is_shown_on_a_key_and_esc_leaves(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 40), conversation=conversation_of(1)) as stage:
        stage.chat.composer.put("What comes next?")
        await stage.press("f10")
        await stage.settle()
        text = stage.text()
        assert "What Enter sends" in text
        assert '"model": "smollm2"' in text
        assert "What comes next?" in text
        assert "an estimate" in text
        await stage.press("end", "home", "pagedown", "y")
        await stage.settle()
        assert "OSC 52" in stage.text() or "Copied" in stage.text()
        await stage.press("escape")
        await stage.settle()
        assert "What Enter sends" not in stage.text()
        assert stage.chat.composer.text == "What comes next?"


async def test_the_details_of_a_turn_say_what_is_known_and_what_is_not(tmp_path: Path) -> None:
    settings = replace(
        Settings(),
        models={"smollm2": ModelFacts(input_price_per_million=1.0, output_price_per_million=2.0)},
    )
    async with on_stage(tmp_path, (120, 60), settings=settings) as stage:
        await stage.ask("What is it?")
        stage.session.text("A thing.")
        stage.session.complete(
            response_id="resp-1",
            service_tier="priority",
            provider="local",
            requested_model="smollm2",
            requests=1,
        )
        await stage.settle()
        await stage.press("f12")
        await stage.settle()
        text = stage.text()
        for words in (
            "resp-1",
            "priority",
            "420 ms",
            "stop",
            "fingerprint       unknown",
            "reasoning         unknown",
        ):
            assert words in text, words
        assert "0.000261 by your prices" in text
        assert "What is it?" in text
        await stage.press("f12")


async def test_without_prices_no_cost_is_made_up(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 60)) as stage:
        await stage.ask()
        stage.session.fail(cut(FailureReason.HTTP, "no", http_status=500, request_id="req-7"))
        await stage.settle()
        await stage.press("tab", "i")
        await stage.settle()
        text = stage.text()
        assert "cost              unknown" in text
        assert "req-7" in text


async def test_hostile_text_in_details_and_request_is_text(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (70, 30)) as stage:
        for text in HOSTILE.values():
            await stage.ask(text or "x")
            await stage.settle()
            if stage.chat.live.is_busy:
                stage.session.text(text)
                stage.session.complete(
                    response_id=text,
                    service_tier=text,
                    system_fingerprint=text,
                    notices=(text,),
                    provider=text,
                )
            stage.chat.composer.take()
            await stage.settle()
            for key in ("f12", "f10"):
                await stage.press(key)
                await stage.settle()
                assert_safe(stage)
                await stage.press("end")
                assert_safe(stage)
                await stage.press("escape")
            await stage.press("ctrl+n")


async def test_an_empty_conversation_has_no_details(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("f12")
        assert "no answer yet" in stage.text()
        assert Conversation(conversation_id="x").path() == ()


async def test_turns_that_are_not_on_the_screen_yet_are_in_the_request_too(tmp_path: Path) -> None:
    whole = conversation_of(30)
    async with on_stage(tmp_path, (120, 40)) as stage:
        history = stage.app.acted.history
        history.keep(replace(whole, turns=(), head=None))
        for turn in whole.turns:
            history.commit("saved", turn)
        loaded = history.load("saved", last=3)
        assert loaded.earlier_turns == 27
        stage.session.conversation = loaded
        await stage.press("f10")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        page = stage.app.screen
        assert "Question 0" in page._source
        assert "Question 29" in page._source
