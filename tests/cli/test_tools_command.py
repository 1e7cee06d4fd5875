"""`chatui tools`: what there is, where it comes from, what is on; nothing is run."""

import json
from pathlib import Path

import pytest
from support.program import run_chatui

CONFIG = """
[tools]
enabled = ["read_file", "touch"]
allow = ["read_file"]
[tools.commands.touch]
command = ["touch", "{path}"]
description = "Makes a file. \\u001b[2J"
parameters = { properties = { path = { type = "string" } } }
[tools.mcp.notes]
command = ["/no/such/server"]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def test_each_tool_is_listed_with_its_state_and_source(config: Path) -> None:
    ran = run_chatui("tools", env={"CHATUI_CONFIG_FILE": str(config)})
    assert (ran.code, ran.err) == (0, "")
    lines = {line.split()[0]: line for line in ran.out.splitlines()}
    assert "on, runs without asking" in lines["read_file"]
    assert "built into chatui" in lines["read_file"]
    assert "on, asks" in lines["touch"]
    assert f"[tools.commands.touch] in {config}:6" in lines["touch"]
    assert lines["current_time"].split()[1] == "off"
    assert "MCP server, started when it is needed: /no/such/server" in lines["notes"]
    assert "\x1b" not in ran.out


def test_the_list_is_there_as_json_too(config: Path) -> None:
    ran = run_chatui("tools", "--json", env={"CHATUI_CONFIG_FILE": str(config)})
    rows = {row["name"]: row for row in json.loads(ran.out)}
    assert rows["read_file"]["is_on"] is True
    assert rows["read_file"]["runs_without_asking"] is True
    assert rows["touch"]["runs_without_asking"] is False
    assert rows["touch"]["problem"] is None


def test_a_tool_that_cannot_be_used_is_told_and_the_exit_code_says_so(config: Path) -> None:
    config.write_text(CONFIG.replace('"{path}"', '"{other}"'), encoding="utf-8")
    ran = run_chatui("tools", env={"CHATUI_CONFIG_FILE": str(config)})
    assert ran.code == 2
    assert "{other} is no property of parameters" in ran.err
    assert "read_file" in ran.out
