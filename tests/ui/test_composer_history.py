"""Earlier prompts come back, an editor of one's own can be used, answers leave in exact form."""

import shutil
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from ui.acting import conversation_of, on_stage

from chatui.config.outside_programs import editor_command
from chatui.core.messages import AudioPart
from chatui.ui.turns.table_source import tab_separated, tables_in

TABLE = "Look:\n\n| a | b\\|c |\n| - | -: |\n| **x** | 1 |\n| `y` | 2 |\n\nEnd."


async def test_earlier_prompts_are_found_by_their_words(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(3)) as stage:
        history = stage.app.acted.history
        other = conversation_of(2)
        from dataclasses import replace

        turns = tuple(
            replace(turn, turn_id=f"o{n}", parent_id=None, input=turn.input)
            for n, turn in enumerate(other.turns)
        )
        history.keep(replace(other, conversation_id="other", turns=turns[:1], head="o0"))
        stage.chat.composer.put("a draft")
        await stage.press("alt+r")
        await stage.settle()
        assert "Question 2" in stage.text()
        await stage.type("question 1")
        await stage.press("enter")
        await stage.settle()
        assert stage.chat.composer.text == "Question 1"
        await stage.press("up", "up")
        assert "a draft" in stage.chat.composer.prompts


@pytest.mark.parametrize(
    ("environ", "command"),
    [
        ({"VISUAL": "code --wait", "EDITOR": "vi"}, ["code", "--wait"]),
        ({"VISUAL": " ", "EDITOR": "/opt/my editor"}, ["/opt/my", "editor"]),
        ({"EDITOR": "'/opt/my editor' -x"}, ["/opt/my editor", "-x"]),
        ({"EDITOR": "broken'quote"}, ["broken'quote"]),
    ],
)
def test_the_editor_is_the_persons_own(environ: dict[str, str], command: list[str]) -> None:
    assert editor_command(environ) == command


async def test_what_the_editor_saved_stands_in_the_composer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "editor.py"
    script.write_text("import sys; p = sys.argv[1]; t = open(p).read(); open(p, 'w').write(t + '\\nmore\\n')")
    monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")
    async with on_stage(tmp_path) as stage:
        monkeypatch.setattr(stage.app, "suspend", nullcontext)
        stage.chat.composer.put("first")
        await stage.press("ctrl+g")
        await stage.settle()
        assert stage.chat.composer.text == "first\nmore"
        monkeypatch.setenv("VISUAL", shutil.which("false") or "false")
        await stage.press("ctrl+g")
        await stage.settle()
        assert stage.chat.composer.text == "first\nmore"
        assert "as it was" in stage.text()
        monkeypatch.setenv("VISUAL", "/no/such/editor")
        await stage.press("ctrl+g")
        await stage.settle()
        assert "cannot be run" in stage.text()


def test_tables_leave_as_tab_separated_values() -> None:
    (table,) = tables_in(TABLE)
    assert tab_separated(table) == "a\tb|c\nx\t1\ny\t2\n"
    assert tables_in("no | table") == []


async def test_the_sound_of_an_answer_is_saved_as_a_file(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 24)) as stage:
        path = tmp_path / "answer.mp3"
        await stage.ask()
        stage.session.text("no sound")
        stage.session.complete()
        await stage.settle()
        await stage.ask(f"/save-audio {path}")
        await stage.settle()
        assert not path.exists()
        assert "No sound came" in stage.text()
        await stage.ask("Say it")
        stage.session.receive(AudioPart("a", "Hello there", "SUQzAAEC"))
        stage.session.complete()
        await stage.settle()
        assert "Hello there" in stage.text()
        await stage.ask(f"/save-audio {path}")
        await stage.settle()
        assert path.read_bytes() == b"ID3\0\1\2"


async def test_a_spoken_answer_is_copied_in_words(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 24)) as stage:
        copied: list[str] = []
        stage.app.copier.copy = lambda text, what: copied.append(text) or f"Copied {what}"  # type: ignore[method-assign]
        await stage.ask()
        stage.session.receive(AudioPart("a", "Hello there", "SUQzAAEC"))
        stage.session.complete()
        await stage.settle()
        await stage.press("f5")
        assert copied == ["Hello there"]


async def test_the_answer_is_written_piped_and_copied_as_a_table(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 24)) as stage:
        copied: list[str] = []
        stage.app.copier.copy = lambda text, what: copied.append(text) or f"Copied {what}"  # type: ignore[method-assign]
        await stage.ask()
        stage.session.text(TABLE)
        stage.session.complete()
        await stage.settle()
        await stage.press("alt+y")
        assert copied == ["a\tb|c\nx\t1\ny\t2\n"]
        assert "Copied the table of 3 rows" in stage.text()
        path = tmp_path / "answer.md"
        await stage.ask(f"/write-answer {path}")
        await stage.settle()
        assert path.read_text() == TABLE
        path.write_text("mine")
        await stage.ask(f"/write-answer {path}")
        await stage.settle()
        assert path.read_text() == "mine", "nothing is replaced unasked"
        assert "Replace this file" in stage.text()
        await stage.press("enter")
        await stage.settle()
        assert path.read_text() == TABLE
        target = tmp_path / "piped"
        await stage.ask(
            f"/pipe-answer {sys.executable} -c \"import sys; open(r'{target}', 'wb').write(sys.stdin.buffer.read())\""
        )
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert target.read_text() == TABLE
        await stage.ask("/pipe-answer /no/such/tool")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert "cannot be run" in stage.text()
