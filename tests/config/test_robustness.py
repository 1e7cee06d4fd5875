"""Whatever stands in a file, the app starts; and the start loads no more than it needs."""

import contextlib
import subprocess
import sys
import time

import pytest
import tomli_w
from config.worlds import World
from hypothesis import given
from hypothesis import strategies as st

from chatui.config import keys
from chatui.config.provider_spec import load_provider
from chatui.config.settings import Settings
from chatui.core.errors import ConfigError

WORDS = """
ui theme mouse parameters temperature extra profiles system keys providers openai base_url dialect dialects
responses models tools mcp x
"""
NAMES = st.sampled_from([*WORDS.split(), "", "a b", "\x1b"])
VALUES = st.recursive(
    st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=4) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(NAMES, VALUES, max_size=6))
def test_any_table_gives_settings_and_a_line_for_each_mistake(tmp_path_factory, table):
    world = World(tmp_path_factory.getbasetemp() / "odd-files")
    world.root.mkdir(exist_ok=True)
    world.write(tomli_w.dumps(table))
    config = world.load()
    assert isinstance(config.settings, Settings)
    for problem in config.problems:
        assert str(problem).startswith(str(world.paths.config_file))
        assert problem.line is not None
    for name in config.settings.providers:
        with contextlib.suppress(ConfigError):
            load_provider(name, world.paths, config.settings.providers, config.user_source)


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 50_000, "a = " + "9" * 5_000, "a." * 5_000 + "b = 1", "[" * 5_000]
)
def test_a_file_made_to_break_readers_is_told_and_harmless(world, text):
    world.write(text)
    config = world.load()
    assert config.settings == Settings()
    assert config.problems


def test_a_file_larger_than_any_configuration_is_not_read(world):
    world.write("# " + "x" * 5_000_000)
    assert "larger than 4 MiB" in str(world.load().problems[0])


def test_a_working_folder_that_is_gone_or_closed_does_no_harm(world, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    from chatui.config.paths import find_project_file

    assert find_project_file() is None


def test_an_unknown_home_in_a_path_does_no_harm(world):
    world.write(
        '[providers.x]\nbase_url = "http://h/v1"\nkey_file = "~nobody-here/key"\ndefault_model = "m"\n'
    )
    with pytest.raises(ConfigError, match="cannot be read"):
        world.resolve(provider="x")


def test_a_command_that_asks_the_person_is_not_run_for_every_request(tmp_path, monkeypatch):
    counter = tmp_path / "count"
    script = f"p=r'{counter}'; open(p,'a').write('x'); print('sk-' + str(len(open(p).read())))"
    command = (sys.executable, "-c", script)
    assert keys.run_key_command(command) == "sk-1"
    assert keys.run_key_command(command) == "sk-1"
    later = time.monotonic() + keys.COMMAND_KEY_LASTS_S + 1
    monkeypatch.setattr(keys.time, "monotonic", lambda: later)
    assert keys.run_key_command(command) == "sk-2"


def test_reading_the_configuration_loads_nothing_heavy():
    program = (
        "import sys, os\n"
        "from chatui.config.loader import load_config\n"
        "from chatui.config.resolve import resolve\n"
        "from chatui.config.settings import Wish\n"
        "resolve(Wish(base_url='http://127.0.0.1:1', model='m'), load_config(), os.environ)\n"
        "heavy = {'httpx', 'asyncio', 'tomli_w', 'textual', 'sqlite3', 'subprocess', 'platformdirs'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
