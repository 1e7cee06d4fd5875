"""Files that a prompt names: found, looked at, read; everything else stays words."""

import os
import re
import shlex
from pathlib import Path
from urllib.parse import quote

import pytest
from core.test_attached_file import png
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.errors import ConfigError
from chatui.core.messages import FilePart, ImagePart, TextPart
from chatui.wiring.attaching import (
    existing_file,
    files_in,
    mention_of,
    mentioned_paths,
    message_with_files,
    pasted_path,
    pasted_paths,
)


def test_a_mention_begins_a_word_and_may_be_quoted() -> None:
    text = 'see @a.py and @"b c.md", not me@host.org; @d\\ e.txt'
    assert mentioned_paths(text) == ("a.py", "b c.md", "d e.txt")


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1))
def test_what_is_written_for_a_path_is_read_as_that_path(path: str) -> None:
    if path.isspace() or ('"' in path and "'" in path) or "\x85" in path:
        return
    assert mentioned_paths(f"see {mention_of(path)} there") == (path,)


def test_files_are_found_with_what_they_are_and_other_mentions_are_words(tmp_path: Path) -> None:
    (tmp_path / "pic.png").write_bytes(png(3, 4))
    (tmp_path / "odd.bin").write_bytes(b"\x00\x01")
    (tmp_path / "folder").mkdir()
    found, problems = files_in("look at @pic.png, @john @folder @odd.bin @pic.png.", tmp_path)
    assert [item.file.name for item in found] == ["pic.png"]
    assert len(problems) == 1
    assert "odd.bin" in problems[0]


def test_a_message_carries_its_files_before_its_words(tmp_path: Path) -> None:
    (tmp_path / "pic.png").write_bytes(png(3, 4))
    (tmp_path / "a.py").write_text("print()")
    message = message_with_files("what is @a.py?", [tmp_path / "pic.png", tmp_path / "a.py"])
    image, file, text = message.parts
    assert isinstance(image, ImagePart)
    assert isinstance(file, FilePart)
    assert text == TextPart("what is @a.py?")


def test_a_pipe_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert existing_file("pipe", tmp_path) is None
    with pytest.raises(ConfigError):
        message_with_files("x", [tmp_path / "pipe"])


@pytest.mark.parametrize("written", ["{}", "'{}'", '"{}"', "{}\n", "file://{}"])
def test_a_pasted_path_is_noticed_in_the_ways_terminals_write_it(tmp_path: Path, written: str) -> None:
    path = tmp_path / "a picture.png"
    path.write_bytes(png(1, 1))
    shown = str(path).replace(" ", "%20") if written.startswith("file") else str(path)
    assert pasted_path(written.format(shown), tmp_path) == str(path)
    assert pasted_path(str(path).replace(" ", "\\ "), tmp_path) == str(path)


def test_a_pasted_word_or_a_text_is_no_path(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("x")
    assert pasted_path("word", tmp_path) is None
    assert pasted_path(f"{tmp_path}/word\nand more", tmp_path) is None
    assert pasted_path("/no/such/file", tmp_path) is None
    assert pasted_path("\x00/" * 3000, tmp_path) is None
    assert pasted_path("file://[no-address/a", tmp_path) is None


@pytest.mark.skipif(os.name == "nt", reason="words of a POSIX shell")
@pytest.mark.parametrize(
    "written",
    [
        "{quoted} {other_quoted}",
        "{escaped} {other_escaped} ",
        "{uri}\r\n{other_uri}\r\n",
        "{uri} {other_uri}",
        "{plain}\n{other}",
        "{plain}\r{other}\r",
    ],
)
def test_files_that_are_dropped_together_are_all_noticed(tmp_path: Path, written: str) -> None:
    paths = [tmp_path / "a picture.png", tmp_path / "it's (1) \u00fcn\u00ef.jpg"]
    for path in paths:
        path.write_bytes(png(1, 1))
    names = {}
    for before, path in zip(("", "other_"), map(str, paths), strict=True):
        names |= {
            f"{before}quoted": shlex.quote(path),
            f"{before}escaped": re.sub(r"([^\w/.-])", r"\\\1", path),
            f"{before}uri": f"file://{quote(path)}",
            before.strip("_") or "plain": path,
        }
    assert pasted_paths(written.format(**names), tmp_path) == tuple(map(str, paths))


def test_a_list_of_paths_that_is_not_wholly_one_stays_text(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("src/a.py", "src/b.py"):
        (tmp_path / name).write_text("x")
    assert pasted_paths("src/a.py\nsrc/b.py", tmp_path) == (), "a list of names, as of a diff, is text"
    assert pasted_paths(f"{tmp_path}/src/a.py\n{tmp_path}/src/gone.py", tmp_path) == ()
    assert pasted_paths(f"see {tmp_path}/src/a.py and {tmp_path}/src/b.py", tmp_path) == ()
    assert pasted_paths(f"{tmp_path}/src/a.py 'half", tmp_path) == ()
    assert pasted_paths(f"{tmp_path}/src/a.py", tmp_path) == (str(tmp_path / "src/a.py"),)
