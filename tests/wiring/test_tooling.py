"""Which tools are on: only what the person's own files and command line name; profiles change it."""

from pathlib import Path

import pytest
from support.program import run_chatui
from support.scripted_server import ScriptedServer, chat_answer

from chatui.config.paths import find_paths
from chatui.core.errors import ConfigError
from chatui.core.messages import user_message
from chatui.engine.session import TurnUpdate
from chatui.wiring import LaunchOptions, Workspace, open_workspace
from chatui.wiring.tooling import tool_problems

CONFIG = """
[tools]
enabled = ["current_time"]
max_steps = 3
timeout_s = 0
[tools.commands.echo]
command = ["echo", "{words}"]
description = "Says it again."
parameters = { properties = { words = { type = "string" } } }
[profiles.coder]
tools = ["read_file", "echo"]
[profiles.broken]
tools = ["nothing"]
"""


def ignore(_update: TurnUpdate) -> None:
    pass


@pytest.fixture
def config() -> Path:
    file = find_paths().config_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(CONFIG, encoding="utf-8")
    return file


def opened(**options: object) -> Workspace:
    return open_workspace(LaunchOptions(base_url="http://127.0.0.1:1/v1", model="m", **options))  # type: ignore[arg-type]  # names of LaunchOptions


def names(workspace: Workspace) -> list[str]:
    return [spec.name for spec in workspace.tools().known_specs]


def test_without_a_word_about_tools_none_is_on_and_nothing_of_them_is_loaded() -> None:
    workspace = opened()
    assert workspace.tool_loop(None) is None
    assert workspace.build_session(ignore).tools == ()


def test_configuration_profile_and_command_line_switch_tools_on(config: Path) -> None:
    assert names(opened()) == ["current_time"]
    assert names(opened(profile="coder")) == ["read_file", "echo"]
    assert names(opened(tools=("list_directory",))) == ["current_time", "list_directory"]


def test_a_broken_profile_is_told_and_leaves_the_rest(config: Path) -> None:
    assert "there is no tool" in opened(profile="broken").tools().problems[0]


def test_the_limits_are_those_of_the_configuration(config: Path) -> None:
    loop = opened().tool_loop(None)
    assert loop is not None
    assert (loop.limits.max_steps, loop.limits.call_s, loop.limits.total_s) == (3, None, 600.0)


def test_another_profile_makes_other_tools_and_the_same_one_keeps_them(config: Path) -> None:
    workspace = opened()
    session = workspace.build_session(ignore)
    before = workspace.tools()
    assert workspace.tools() is before
    workspace.use_profile("coder", session.endpoint)
    session.use_tools(workspace.tool_loop(None))
    assert [spec.name for spec in session.tools] == ["read_file", "echo"]
    workspace.use_profile("", session.endpoint)
    session.use_tools(workspace.tool_loop(None))
    assert [spec.name for spec in session.tools] == ["current_time"]


def test_a_changed_file_changes_the_tools(config: Path) -> None:
    workspace = opened()
    assert names(workspace) == ["current_time"]
    config.write_text(CONFIG.replace('"current_time"', '"echo"') + "# longer\n", encoding="utf-8")
    import os

    os.utime(config, ns=(1, 1))
    assert workspace.reload_if_changed()
    assert names(workspace) == ["echo"]


def test_a_projects_file_declares_and_switches_on_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / ".chatui.toml").write_text(CONFIG + '[tools.mcp.x]\ncommand = ["evil"]\n', encoding="utf-8")
    monkeypatch.chdir(project)
    workspace = opened(profile="coder")
    assert workspace.tool_loop(None) is None
    assert {known.name for known in workspace.tools().known()} == {
        "current_time",
        "list_directory",
        "read_file",
    }


def test_a_tool_says_where_it_is_declared(config: Path) -> None:
    (echo,) = [known for known in opened().tools().known() if known.name == "echo"]
    assert echo.source == f"[tools.commands.echo] in {config}:7"
    with pytest.raises(ConfigError, match="--tool nothing"):
        opened(tools=("nothing",)).tools()


async def test_a_title_is_asked_for_without_tools(config: Path) -> None:
    from chatui.wiring.titling import title_by_model

    with ScriptedServer() as server:
        server.play(chat_answer("A title"))
        workspace = open_workspace(LaunchOptions(base_url=server.base_url, model="m"))
        session = workspace.build_session(ignore)
        first = await session.send((user_message("hi"),))
        assert await title_by_model(workspace, session.endpoint, first) == "A title"
        await workspace.aclose()
        assert "tools" in server.requests[0].json
        assert "tools" not in server.requests[1].json


async def test_a_command_gets_no_providers_key(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text(
        """
[tools]
enabled = ["environment"]
[tools.commands.environment]
command = ["env"]
description = "Shows it."
[providers.mine]
base_url = "https://mine.invalid/v1"
key_env = "MINE_KEY"
[providers.openai]
key_env = ["OTHER_KEY"]
[providers.mine.headers]
X-Team = "team ${TEAM_TOKEN}"
""",
        encoding="utf-8",
    )
    broken = find_paths().providers_dir / "groq.toml"
    broken.parent.mkdir(parents=True, exist_ok=True)
    broken.write_text("no = toml = at all", encoding="utf-8")
    secret = [
        "OPENAI_API_KEY",
        "OTHER_KEY",
        "MINE_KEY",
        "TEAM_TOKEN",
        "CHATUI_API_KEY",
        "NAMED_BY_FLAG",
        "GROQ_API_KEY",
    ]
    for name in (*secret, "WEATHER_API_KEY"):
        monkeypatch.setenv(name, "a-secret")
    tool = opened(api_key_env="NAMED_BY_FLAG").tools().find("environment")
    assert tool is not None
    printed = (await tool.run({}, 100_000)).text.splitlines()
    assert [line for line in printed if "a-secret" in line] == ["WEATHER_API_KEY=a-secret"]
    assert any(line.startswith("PATH=") for line in printed)


def test_checking_the_configuration_checks_its_tools(config: Path) -> None:
    assert tool_problems(opened().config) == (
        'there is no tool "nothing"; known: current_time, echo, list_directory, read_file',
    )
    config.write_text(
        CONFIG.replace('"{words}"', '"{other}"') + "[tools.mcp.a]\ncommand = []\n", encoding="utf-8"
    )
    told = "\n".join(tool_problems(opened().config))
    assert "{other} is no property of parameters" in told
    assert "command must be a list" in told
    ran = run_chatui("config", "check")
    assert ran.code == 2
    assert "{other} is no property of parameters" in ran.err
