"""Hostile text in everything around the chat: lists, chips, queue, questions, outputs of commands."""

import sys
from dataclasses import replace
from pathlib import Path

from ui.acting import on_stage
from ui.test_hostile_text import HOSTILE, assert_safe

from chatui.config.settings import Profile, Settings, Template
from chatui.view.turn_details import Fact, fact_lines

NAMED = {text or "empty": text for text in HOSTILE.values()}


async def test_in_profiles_templates_and_what_they_ask(tmp_path: Path) -> None:
    settings = replace(
        Settings(),
        profiles={name: Profile(system=text, description=text, model="m") for name, text in NAMED.items()},
        templates={name: Template(text=text + "{x}", description=text) for name, text in NAMED.items()},
    )
    async with on_stage(tmp_path, (100, 30), settings=settings) as stage:
        for key in ("alt+o", "alt+t"):
            await stage.press(key)
            await stage.settle()
            assert_safe(stage)
            await stage.press("ctrl+end")
            await stage.settle()
            assert_safe(stage)
            await stage.press("escape")
        for name in NAMED:
            from chatui.ui.lists.templates import use_template

            use_template(stage.chat, name)
            await stage.settle()
            assert_safe(stage)
            stage.app.screen.lines.field.insert(name)
            await stage.press("end")
            await stage.settle()
            assert_safe(stage)
            await stage.press("escape")
            await stage.ask(f"/profile {name}")
            await stage.settle()
            assert_safe(stage)
            stage.chat.composer.take()


async def test_in_the_queue_and_in_earlier_prompts(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 40)) as stage:
        await stage.ask("first")
        for text in HOSTILE.values():
            if text.strip():
                await stage.ask(f"x{text}")
            await stage.settle()
            assert_safe(stage)
        await stage.press("alt+r")
        await stage.settle()
        for _ in range(len(HOSTILE)):
            await stage.press("down")
            assert_safe(stage)


async def test_in_what_a_command_says_and_in_names_of_files(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        await stage.ask()
        stage.session.text("".join(HOSTILE.values()))
        stage.session.complete()
        await stage.settle()
        await stage.ask(
            f"/pipe-answer {sys.executable} -c 'import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())'"
        )
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert_safe(stage)
        for text in HOSTILE.values():
            await stage.ask(f"/write-answer {tmp_path}/{text or 'x'}/none")
            await stage.settle()
            assert_safe(stage)
            await stage.ask(f"/pipe-answer {text}")
            await stage.app.workers.wait_for_complete()
            await stage.settle()
            assert_safe(stage)
            await stage.press("escape")
            stage.chat.composer.take()


def test_facts_of_a_turn_become_safe_lines_at_every_width() -> None:
    from ui.test_hostile_text import is_safe

    facts = [Fact(text, text) for text in HOSTILE.values()]
    for width in (4, 11, 47, 48, 100):
        for line in fact_lines(facts, width):
            assert all(is_safe(character) for run in line.runs for character in run.text)
