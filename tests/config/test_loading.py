"""Settings: what wins, what is refused, and how a mistake is told."""

import os
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.config.commented import commented_config, toml_value
from chatui.config.settings import ReasoningDisplay, Settings
from chatui.config.sources import setting_keys, variable_of
from chatui.config.state import AppState
from chatui.config.toml_source import key_lines, parse_toml


def told(config):
    return "\n".join(str(problem) for problem in config.problems)


def test_without_any_file_everything_has_its_default(world):
    config = world.load()
    assert config.settings == Settings()
    assert config.problems == ()
    assert config.origin_of("ui.theme").kind == "default"


def test_flag_beats_environment_beats_project_beats_user_file_beats_memory_beats_default(world):
    assert world.load().settings.ui.theme == "auto"
    memory = AppState(theme="remembered")
    assert world.load(memory).settings.ui.theme == "remembered"
    world.write('model = "user"\n[ui]\ntheme = "user"\n')
    config = world.load(memory)
    assert (config.settings.ui.theme, str(config.origin_of("ui.theme"))) == (
        "user",
        f"{world.paths.config_file}:3",
    )
    world.write('model = "project"\n', world.project / ".chatui.toml")
    config = world.load()
    assert config.settings.model == "project"
    assert str(config.origin_of("model")) == f"{world.project / '.chatui.toml'}:1"
    world.environ["CHATUI_MODEL"] = "environment"
    config = world.load()
    assert (config.settings.model, str(config.origin_of("model"))) == ("environment", "$CHATUI_MODEL")
    config = world.load(model="flag")
    assert (config.settings.model, str(config.origin_of("model"))) == ("flag", "flag")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[ui]\n\nmouse = "yes"\n', ':3: ui.mouse: must be true or false, not "yes"'),
        ("[ui]\nmousse = true\n", ':2: ui.mousse: is not known; did you mean "mouse"? allowed: '),
        ('theme = "nord"\n', ':1: theme: is not known here; did you mean "ui.theme"?'),
        (
            '[ui]\nreasoning = "sometimes"\n',
            ':2: ui.reasoning: must be one of "hidden", "live", "open", not "sometimes"',
        ),
        (
            '[history]\nauto_title = "mdel"\n',
            ':2: history.auto_title: "mdel" is not allowed; did you mean "model"?',
        ),
        ("[parameters]\ntemperature = 3\n", ":2: parameters.temperature: must be at most 2, not 3"),
        ("[parameters]\ntemperature = nan\n", ":2: parameters.temperature: must be a number, not nan"),
        (
            "[parameters]\nmax_output_tokens = 0\n",
            ":2: parameters.max_output_tokens: must be at least 1, not 0",
        ),
        ("ui = 3\n", ":1: ui: must be a table, not 3"),
        (
            "[profiles.a]\nparameters = { temperature = 9 }\n",
            ":2: profiles.a.parameters.temperature: must be at most 2",
        ),
        ("profiles = { a = 1 }\n", ":1: profiles.a: must be a table, not 1"),
        (
            '[models."a/b"]\ncontext_window_tokens = -1\n',
            ':2: models."a/b".context_window_tokens: must be at least 1',
        ),
        ("[parameters.extra]\nwhen = 2026-01-01\n", "holds a date or a number that JSON does not know"),
        ('api_key = "sk-secret"\n', ":1: api_key: does not belong in this file"),
        (
            "[providers.openai]\nbase_ulr = 1\n",
            ':2: providers.openai.base_ulr: is not known; did you mean "base_url"?',
        ),
        ("providers.x = 1\n", ":1: providers.x: must be a table"),
        ("a = 1\nb = = 2\n", ":2: is no valid TOML"),
        ('a = "unclosed\n', ":1: is no valid TOML"),
        ("[ui\n", ":1: is no valid TOML"),
    ],
)
def test_a_mistake_is_told_with_file_line_key_and_what_is_allowed(world, text, message):
    file = world.write(text)
    config = world.load()
    assert told(config).startswith(f"{file}:")
    assert message in told(config)
    assert len(config.problems) == 1
    assert "sk-secret" not in told(config)
    assert file.read_text() == text


def test_one_mistake_costs_only_its_own_setting(world):
    world.write('[ui]\nmouse = "yes"\ntheme = "nord"\n[profiles.a]\nsystem = "hi"\nfoo = 1\n')
    settings = world.load().settings
    assert settings.ui.mouse is True
    assert settings.ui.theme == "nord"
    assert settings.profiles["a"].system == "hi"


def test_a_broken_file_leaves_the_defaults_and_the_file(world):
    file = world.write("[ui\ntheme =")
    config = world.load()
    assert config.settings == Settings()
    assert str(config.problems[0]).startswith(f"{file}:")
    assert file.read_text() == "[ui\ntheme ="


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a = 1\nb = '\x80'\n"])
def test_a_file_that_is_no_text_is_told(world, content):
    world.write("").write_bytes(content)
    assert "is no UTF-8 text" in told(world.load())


def test_a_byte_order_mark_does_no_harm(world):
    world.write("").write_bytes(b'\xef\xbb\xbfmodel = "m"\r\n')
    config = world.load()
    assert config.settings.model == "m"
    assert config.problems == ()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_told(world):
    world.write("model = 'm'", mode=0o000)
    assert "cannot be read: Permission denied" in told(world.load())


def test_a_folder_in_the_files_place_is_told(world):
    world.paths.config_file.mkdir(parents=True)
    assert "cannot be read" in told(world.load())


def test_a_project_file_cannot_move_keys_run_commands_or_allow_tools(world):
    text = """
model = "fine"
[providers.openai]
base_url = "https://evil.example/v1"
[providers.new]
key_command = "touch /tmp/owned"
[tools]
allow = ["shell"]
[tools.commands.x]
command = ["rm"]
[profiles.p]
system = "fine"
tools = ["shell"]
[ui]
mouse = false
[keys]
quit = "a"
"""
    world.write(text, world.project / ".chatui.toml")
    config = world.load()
    settings = config.settings
    assert settings.model == "fine"
    assert settings.profiles["p"].system == "fine"
    assert settings.profiles["p"].tools == ()
    assert settings.providers == {}
    assert settings.tools.allow == ()
    assert settings.tools.commands == {}
    assert settings.keys == {}
    assert settings.ui.mouse is True
    assert told(config).count("cannot be set by a project file") == 7


def test_a_project_file_is_found_from_a_folder_inside_and_not_from_outside(world, tmp_path):
    world.write('model = "project"\n', world.project / ".chatui.toml")
    inside = world.project / "a" / "b"
    inside.mkdir(parents=True)
    world.write('model = "stray"\n', tmp_path / ".chatui.toml")
    from chatui.config.paths import find_project_file

    assert find_project_file(inside) == world.project / ".chatui.toml"
    (world.project / ".chatui.toml").unlink()
    assert find_project_file(inside) is None


def test_variables_are_checked_as_the_file_is(world):
    world.environ |= {
        "CHATUI_UI_MOUSE": "off",
        "CHATUI_PARAMETERS_TEMPERATURE": "0.5",
        "CHATUI_TOOLS_ENABLED": "a, b",
    }
    world.environ |= {"CHATUI_UI_REASONING": "open", "CHATUI_TIMEOUTS_GAP_S": "soon", "CHATUI_UI_THEM": "x"}
    config = world.load()
    assert config.settings.ui.mouse is False
    assert config.settings.parameters.temperature == 0.5
    assert config.settings.tools.enabled == ("a", "b")
    assert config.settings.ui.reasoning is ReasoningDisplay.OPEN
    assert 'environment: CHATUI_TIMEOUTS_GAP_S: must be a number, not "soon"' in told(config)
    assert 'environment: CHATUI_UI_THEM: is not known; did you mean "CHATUI_UI_THEME"?' in told(config)


def test_dotted_action_ids_need_no_quotes(world):
    world.write('[keys]\nturn.cancel = "escape"\n"app.quit" = "ctrl+q"\n')
    config = world.load()
    assert config.settings.keys == {"turn.cancel": "escape", "app.quit": "ctrl+q"}
    assert config.problems == ()


def test_a_change_of_any_file_is_noticed(world):
    world.write('model = "a"\n', world.project / ".chatui.toml")
    config = world.load()
    assert not config.has_changed()
    world.write('model = "b"\n')
    assert config.has_changed()
    config = world.load()
    file = world.project / ".chatui.toml"
    os.utime(file, ns=(1, 1))
    assert config.has_changed()


def test_the_commented_file_changes_nothing_and_tells_every_setting(world):
    world.write(commented_config())
    config = world.load()
    assert config.settings == Settings()
    assert config.origins == {}
    assert config.problems == ()
    text = commented_config()
    for path, _, limits, _ in setting_keys():
        assert f"#{path[-1]} = " in text
        assert variable_of(path) in text
        assert limits.doc
        assert f"# {limits.doc}" in text


def test_the_commented_file_is_right_when_everything_is_switched_on(world):
    lines = commented_config().split("\n")
    switched_on = "\n".join(
        line[1:] if line[:1] == "#" and line[1:2] not in (" ", "") else line for line in lines
    )
    world.write(switched_on)
    config = world.load()
    assert config.problems == ()
    assert "translator" in config.settings.profiles
    assert "work" in config.settings.providers


plain = st.recursive(
    st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


@given(plain)
def test_values_are_written_as_toml_reads_them(value):
    assert tomllib.loads(f"a = {toml_value(value)}")["a"] == value


NAMES = st.sampled_from(["a", "b", "c-d", "e f", "g.h", "ü", 'q"'])
VALUES = st.sampled_from(
    [
        "1",
        '"x"',
        "'y # ['",
        '"""\nfake = 1\n[no]\n"""',
        "'''\nz = 2\n'''",
        "[\n 1, # ]\n 2\n]",
        "{ k = 1 }",
        '"a\\"b"',
        "'''x'''",
    ]
)


@given(
    st.lists(
        st.tuples(NAMES, st.lists(st.tuples(NAMES, VALUES), max_size=4, unique_by=lambda t: t[0])),
        max_size=4,
        unique_by=lambda t: t[0],
    )
)
def test_the_line_of_every_key_is_found_in_any_file(tables):
    def quoted(name):
        return (
            name if name.replace("-", "").isascii() and name.replace("-", "").isalnum() else toml_value(name)
        )

    lines: list[str] = []
    expected: dict[tuple[str, ...], int] = {}
    for table, entries in tables:
        lines += ["# remark = 1", "", f"[ {quoted(table)} ]  # end"]
        expected[(table,)] = len(lines)
        for name, value in entries:
            expected[(table, name)] = len(lines) + 1
            lines += f"{quoted(name)}={value}".split("\n")
    text = "\n".join(lines)
    source, problems = parse_toml(text, "file")
    assert problems == ()
    assert set(source.data) == {table for table, _ in tables}
    found = key_lines(text)
    for path, line in expected.items():
        assert found[path] == line


@given(st.text(alphabet="ab=[]{}\"'#\n\\., 1"))
def test_looking_for_lines_never_fails(text):
    key_lines(text)
    parse_toml(text, "file")
