"""What docs/extending.md shows is all that an addition takes: each is put in its place and used."""

import argparse
import importlib
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import chatui.cli
import chatui.protocols
import chatui.tools.builtin
import chatui.ui.commands
import chatui.wiring.doctor.checks
from chatui.cli.main import command_names, whole_parser
from chatui.config.paths import find_paths
from chatui.config.provider_spec import load_provider
from chatui.core.diagnosis import ok
from chatui.core.errors import FailureReason
from chatui.core.messages import user_message
from chatui.core.request import ChatRequest
from chatui.core.turn import Phase, Turn
from chatui.core.turn_builder import TurnBuilder
from chatui.core.wire import Dialect
from chatui.protocols import endpoints, load, names, protocol_of_url
from chatui.tools.read_only_tool import Surroundings
from chatui.tools.registry import ToolRegistry, built_in
from chatui.ui.keymap import Command
from chatui.ui.theme import CONTRAST_PAIRS, read_theme
from chatui.wiring import LaunchOptions
from chatui.wiring.doctor.check import all_checks
from chatui.wiring.doctor.patient import Patient

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`([\w/.]+)`\n\n```\w+\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
PACKAGES = (
    chatui.cli,
    chatui.protocols,
    chatui.tools.builtin,
    chatui.ui.commands,
    chatui.wiring.doctor.checks,
)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The files of the page where the page says that they belong, beside those that are there."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for package in PACKAGES:
        own = tmp_path / package.__name__.replace(".", "/")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(own)])
    known = set(sys.modules)
    names.cache_clear()
    endpoints.cache_clear()
    yield tmp_path
    for name in set(sys.modules) - known:
        if name.startswith("chatui."):
            del sys.modules[name]
    names.cache_clear()
    endpoints.cache_clear()


def answered(*lines: str) -> Turn:
    decoder = load("plain_completions").stream_decoder(Dialect())
    builder = TurnBuilder()
    builder.apply_all(decoder.feed("".join(f"data: {line}\n\n" for line in lines).encode()))
    builder.apply_all(decoder.close())
    return builder.snapshot()


@pytest.mark.usefixtures("tree")
def test_a_protocol_is_a_package_and_a_turn_is_whole_only_by_its_own_word() -> None:
    assert "plain_completions" in names()
    assert protocol_of_url("https://h.example/v1/completions") == "plain_completions"
    request = ChatRequest(model="m", messages=(user_message("Once"),), system="Tell.")
    body = load("plain_completions").body(request, Dialect())
    assert body == {"model": "m", "prompt": "Tell.\n\nOnce", "stream": True}
    text, end = (
        '{"choices": [{"text": " upon"}]}',
        '{"choices": [{"text": " a time", "finish_reason": "%s"}]}',
    )
    assert answered(text).phase is Phase.FAILED
    whole = answered(text, end % "stop", "[DONE]")
    assert (whole.phase, whole.text) == (Phase.COMPLETED, " upon a time")
    cut = answered(text, end % "length")
    assert cut.failure is not None
    assert cut.failure.reason is FailureReason.LENGTH
    said = answered(text, '{"error": {"message": "overloaded"}}')
    assert said.failure is not None
    assert "overloaded" in said.failure.message


@pytest.mark.usefixtures("tree")
async def test_a_built_in_tool_is_a_file() -> None:
    around = Surroundings(directory=Path(), now=lambda: datetime.now(UTC))
    registry = ToolRegistry(built_in(around), ["count_words"])
    assert registry.problems == ()
    tool = registry.find("count_words")
    assert tool is not None
    assert tool.problem_with({"text": "one two"}) == ""
    assert (await tool.run({"text": "one two"}, 100)).text == "2"


@pytest.mark.usefixtures("tree")
async def test_a_check_of_the_doctor_is_a_file() -> None:
    (check,) = [check for check in all_checks() if check.title == "Clock"]
    async with Patient.of(LaunchOptions(), is_offline=True) as patient:
        assert list(await check.look(patient)) == [ok("date", str(datetime.now(UTC).year))]


@pytest.mark.usefixtures("tree")
def test_a_command_of_the_command_line_is_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert "hello" in command_names()
    assert isinstance(whole_parser().parse_args(["hello"]), argparse.Namespace)
    importlib.import_module("chatui.cli.hello").run(argparse.Namespace())
    assert capsys.readouterr().out == "hello\n"


@pytest.mark.usefixtures("tree")
def test_commands_of_the_app_are_a_file() -> None:
    (command,) = importlib.import_module("chatui.ui.commands.counting").COMMANDS
    assert isinstance(command, Command)
    assert command.name not in {known.name for known in chatui.ui.commands.ALL}


def test_a_provider_is_a_file(tree: Path) -> None:
    folder = find_paths().providers_dir
    folder.mkdir(parents=True)
    (folder / "example.toml").write_text((tree / "chatui/config/providers/example.toml").read_text())
    spec = load_provider("example", find_paths())
    assert spec.key_env == ("EXAMPLE_API_KEY",)
    assert not spec.dialect_for("chat_completions").sends_usage_option


def test_a_theme_is_a_file(tree: Path) -> None:
    theme = read_theme(tree / "themes" / "ink.toml")
    assert not theme.is_dark
    assert all(theme[text] and theme[surface] for text, surface, _ in CONTRAST_PAIRS)
