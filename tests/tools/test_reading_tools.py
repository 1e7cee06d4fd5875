"""The tools that come along read below one directory, and only there."""

import os
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatui.core.errors import ConfigError, ToolError
from chatui.engine.tool_ports import Tool, ToolOutput
from chatui.tools.confined import Confined
from chatui.tools.read_only_tool import Surroundings
from chatui.tools.registry import Declared, ToolRegistry, built_in

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=ZoneInfo("Europe/Vienna"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("one\ntwo\nthree\n", encoding="utf-8")
    (root / "ü.txt").write_text("ü" * 100, encoding="utf-8")
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    (tmp_path / "project-2").mkdir()
    (tmp_path / "project-2" / "x").write_text("other", encoding="utf-8")
    return root


def tool(project: Path, name: str) -> Tool:
    registry = ToolRegistry(built_in(Surroundings(directory=project, now=lambda: NOON)), [name])
    found = registry.find(name)
    assert found is not None
    return found


async def run(of: Tool, arguments: Mapping[str, object], most_bytes: int = 65536) -> ToolOutput:
    assert of.problem_with(arguments) == ""
    return await of.run(arguments, most_bytes)


async def test_a_file_is_read_whole_or_by_lines(project: Path) -> None:
    read = tool(project, "read_file")
    assert (await run(read, {"path": "src/a.py"})).text == "one\ntwo\nthree\n"
    assert (await run(read, {"path": "src/a.py", "first_line": 2, "line_count": 1})).text == "two\n"
    beyond = await run(read, {"path": "src/a.py", "first_line": 9})
    assert (beyond.is_error, beyond.text) == (True, "'src/a.py' has 3 lines.")


async def test_a_whole_number_may_be_written_with_a_point(project: Path) -> None:
    """JSON Schema takes 2.0 for an integer, and models write it."""
    read = tool(project, "read_file")
    lines = {"path": "src/a.py", "first_line": 2.0, "line_count": 1.0}
    assert (await run(read, lines)).text == "two\n"
    assert (await run(read, {"path": "src/a.py", "first_line": 1e300})).is_error


async def test_of_a_large_file_only_the_beginning_is_read_and_the_size_is_known(project: Path) -> None:
    output = await run(tool(project, "read_file"), {"path": "ü.txt"}, most_bytes=10)
    assert (output.text, output.total_bytes) == ("üüüüü", 200)


@pytest.mark.parametrize(
    "path", ["../secret", "/etc/passwd", "src/../../secret", "../project-2/x", "..", "link", "linked/x", "\0"]
)
async def test_nothing_outside_is_read(project: Path, path: str) -> None:
    (project / "link").symlink_to(project.parent / "secret")
    (project / "linked").symlink_to(project.parent / "project-2")
    read = tool(project, "read_file")
    assert read.problem_with({"path": path}) != ""
    with pytest.raises(ToolError):
        await read.run({"path": path}, 100)


@pytest.mark.skipif(sys.platform == "win32", reason="has no openat")
def test_a_link_that_comes_after_the_look_is_not_followed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    confined = Confined(project)
    target = project / "src" / "a.py"

    def resolve(path: str) -> Path:
        target.unlink(missing_ok=True)
        target.symlink_to(project.parent / "secret")
        return target

    monkeypatch.setattr(confined, "resolve", resolve)
    with pytest.raises(ToolError), confined.opened("src/a.py"):
        pass


@given(st.text(alphabet="./ab\0", max_size=12))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_path_leads_out(project: Path, path: str) -> None:
    confined = Confined(project)
    try:
        found = confined.resolve(path)
    except ToolError:
        return
    assert found == confined.root or confined.root in found.parents


@pytest.mark.parametrize("path", ["src", "missing", "pipe", "binary"])
async def test_what_is_no_text_file_is_told(project: Path, path: str) -> None:
    if hasattr(os, "mkfifo"):
        os.mkfifo(project / "pipe")
    (project / "binary").write_bytes(b"a\0b")
    with pytest.raises(ToolError):
        await tool(project, "read_file").run({"path": path}, 100)


async def test_a_directory_is_listed(project: Path) -> None:
    (project / "link").symlink_to("src")
    lister = tool(project, "list_directory")
    assert (await run(lister, {})).text == "link@\nsrc/\nü.txt"
    assert (await run(lister, {"path": "src"})).text == "a.py"
    (project / "empty").mkdir()
    assert (await run(lister, {"path": "empty"})).text == "(empty)"
    with pytest.raises(ToolError, match="no directory"):
        await lister.run({"path": "src/a.py"}, 100)


async def test_the_time_is_told_here_and_elsewhere(project: Path) -> None:
    clock = tool(project, "current_time")
    assert (await run(clock, {})).text == "Monday, 2026-11-30T12:00:00+01:00, 2026-11-30T11:00:00Z in UTC"
    assert "20:00:00+09:00 (Asia/Tokyo)" in (await run(clock, {"timezone": "Asia/Tokyo"})).text
    for wrong in ("Nowhere", "../../etc/passwd", "", "\0"):
        if wrong:
            with pytest.raises(ToolError, match="no time zone"):
                await clock.run({"timezone": wrong}, 100)


def test_each_is_named_like_its_file_says_what_it_takes_and_takes_nothing_else(project: Path) -> None:
    names = [one.name for one in built_in(Surroundings(directory=project, now=lambda: NOON))]
    assert {"current_time", "list_directory", "read_file"} <= set(names)
    for name in names:
        of = tool(project, name)
        assert of.spec.name == name
        assert of.spec.description
        assert "additional" in of.problem_with({"path": "src", "timezone": "UTC", "other": 1}).lower()


async def test_only_what_was_named_is_on(project: Path) -> None:
    declared = built_in(Surroundings(directory=project, now=lambda: NOON))
    assert await ToolRegistry(declared, []).offered() == ()
    registry = ToolRegistry(declared, ["read_file", "nothing"])
    assert [spec.name for spec in await registry.offered()] == ["read_file"]
    assert registry.find("list_directory") is None
    assert registry.problems == (
        'there is no tool "nothing"; known: current_time, list_directory, read_file',
    )
    known = {one.name: one.is_on for one in registry.known()}
    assert known == {"current_time": False, "list_directory": False, "read_file": True}
    assert registry.find("list_directory") is None, "looking at it does not switch it on"


async def test_a_tool_that_cannot_be_made_keeps_no_other_from_working(project: Path) -> None:
    def broken() -> Tool:
        raise ConfigError("it is broken", "mend it")

    declared = (
        *built_in(Surroundings(directory=project, now=lambda: NOON)),
        Declared("mine", "my file", broken),
        Declared("read_file", "another file", broken),
        Declared("not a name", "third file", broken),
    )
    registry = ToolRegistry(declared, ["mine", "read_file", "not a name"])
    assert [spec.name for spec in await registry.offered()] == ["read_file"]
    told = "\n".join(registry.problems)
    assert "it is broken mend it" in told
    assert 'another tool "read_file" (built into chatui)' in told
    assert "1 to 64 letters" in told
