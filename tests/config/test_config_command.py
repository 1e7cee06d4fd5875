"""`chatui config`: as a person uses it, through the program's own entry."""

import json
import os
import sys

import pytest

from chatui.cli.main import main
from chatui.config.paths import find_paths


def written(text: str):
    path = find_paths().config_file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture(autouse=True)
def _somewhere_else(tmp_path, monkeypatch):
    folder = tmp_path / "work"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)


def test_path_prints_one_path_for_scripts_and_all_on_request(capsys):
    assert main(["config", "path"]) == 0
    assert capsys.readouterr().out == f"{find_paths().config_file}\n"
    assert main(["config", "path", "--all"]) == 0
    out = capsys.readouterr().out
    assert str(find_paths().history_file) in out
    assert str(find_paths().state_file) in out


def test_init_writes_a_commented_file_once_and_never_again(capsys):
    assert main(["config", "init"]) == 0
    path = find_paths().config_file
    assert capsys.readouterr().out == f"{path}\n"
    path.write_text("# mine\n")
    assert main(["config", "init"]) == 2
    assert "it was left as it is" in capsys.readouterr().err
    assert path.read_text() == "# mine\n"


def test_show_tells_where_each_value_comes_from(capsys, monkeypatch):
    path = written('# remark\n[ui]\ntheme = "nord"\n')
    monkeypatch.setenv("CHATUI_UI_MOUSE", "false")
    assert main(["config", "show"]) == 0
    lines = {line.split(" = ")[0]: line for line in capsys.readouterr().out.splitlines()}
    assert lines["ui.theme"].split() == ["ui.theme", "=", '"nord"', "#", f"{path}:3"]
    assert lines["ui.mouse"].endswith("# $CHATUI_UI_MOUSE")
    assert lines["ui.vim_keys"].endswith("# default")
    assert lines["parameters.temperature"].startswith("parameters.temperature = not set")


def test_show_can_be_narrowed_and_read_by_programs(capsys):
    written('model = "m"\nmodle = "x"\n')
    assert main(["config", "show", "model", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert list(shown["settings"]) == ["model"]
    assert shown["settings"]["model"]["value"] == "m"
    assert "modle" in shown["problems"][0]
    assert main(["config", "show", "modell"]) == 2
    assert 'did you mean "model"?' in capsys.readouterr().err


def test_show_never_shows_a_key(capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-variable")
    written(
        '[providers.x]\nbase_url = "http://h/v1"\nkey_env = ["X_KEY"]\nkey_command = "sk-canary-cmd"\n'
        '[providers.x.headers]\nAuthorization = "Bearer sk-canary-header"\n'
        '[providers.x.dialect.extra_body]\napi_key = "sk-canary-body"\n'
        '[tools.mcp.y.env]\nSECRET = "sk-canary-env"\n[parameters.extra]\ntoken = "sk-canary-extra"\n'
        '[providers.openai]\napi_key = "sk-canary-mistake"\n'
    )
    for arguments in (["show"], ["show", "--json"], ["check"]):
        main(["config", *arguments])
        captured = capsys.readouterr()
        assert "sk-canary" not in captured.out + captured.err
    main(["config", "show"])
    assert "X_KEY" in capsys.readouterr().out


def test_check_names_everything_that_is_wrong_and_where(capsys):
    path = written('profile = "none"\n[ui]\nmouse = 1\n[providers.mine]\nneeds_key = false\n')
    own = path.parent / "providers" / "work.toml"
    own.parent.mkdir()
    own.write_text('base_url = "http://h/v1"\nprotocol = "chat"\n')
    key = path.parent / "keys" / "groq"
    key.parent.mkdir()
    key.write_text("sk-x")
    key.chmod(0o644)
    assert main(["config", "check"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert f"{path}:3: ui.mouse: must be true or false, not 1" in lines
    assert any(line.startswith(f"{path}:1: profile: is unknown") for line in lines)
    assert any(line.startswith(f"{own}:2: protocol: ") for line in lines)
    assert any(line.startswith(f"{path}:4: providers.mine: ") for line in lines)
    if os.name != "nt":
        assert any(f"chmod 600 {key}" in line for line in lines)


def test_check_is_content_with_a_right_file(capsys):
    written('[ui]\ntheme = "midnight"\n')
    assert main(["config", "check"]) == 0
    assert capsys.readouterr().out == "No problems in 1 file.\n"


def test_check_names_a_theme_that_is_none_and_those_that_are(capsys):
    path = written('[ui]\ntheme = "midnigth"\n')
    assert main(["config", "check"]) == 2
    told = capsys.readouterr().err
    assert f'{path}:2: ui.theme: is unknown; did you mean "midnight"? allowed: auto, blossom, ' in told
    own = path.parent / "themes" / "midnigth.toml"
    own.parent.mkdir()
    own.write_text("")
    assert main(["config", "check"]) == 0
    path.write_text('[ui]\ntheme = "auto"\n')
    assert main(["config", "check"]) == 0


def test_edit_makes_the_file_opens_it_and_checks_it(capsys, monkeypatch):
    script = "import sys,pathlib; p=pathlib.Path(sys.argv[1]); p.write_text(p.read_text()+'\\nmodle = 1\\n')"
    monkeypatch.setenv("VISUAL", f'{sys.executable} -c "{script}"')
    assert main(["config", "edit"]) == 2
    captured = capsys.readouterr()
    assert 'modle: is not known; did you mean "model"?' in captured.err
    monkeypatch.setenv("VISUAL", "no-such-editor")
    assert main(["config", "edit"]) == 2
    assert "VISUAL or EDITOR" in capsys.readouterr().err


def test_odd_bytes_in_names_and_values_never_reach_the_terminal(capsys):
    written(
        'model = "\\u001b]0;x\\u0007\\u202e"\n"\\u001b[2J" = 1\n[profiles."\\u009b1m"]\nsystem = "a\\nb"\n'
    )
    main(["config", "show"])
    main(["config", "check"])
    captured = capsys.readouterr()
    shown = captured.out + captured.err
    assert not any((ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 or c == "\u202e" for c in shown)


def test_check_without_a_file_says_so(capsys):
    assert main(["config", "check"]) == 0
    assert "There is no configuration yet" in capsys.readouterr().out


def test_a_missing_verb_names_those_that_there_are(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["config"])
    assert ended.value.code == 2
    assert "One of path, show, edit, check, init (see" in capsys.readouterr().err


def test_paths_are_exact_in_a_pipe_and_safe_in_a_terminal(capsys, monkeypatch, tmp_path):
    folder = tmp_path / "a\x1b[31mb"
    folder.mkdir()
    (folder / ".chatui.toml").write_text("")
    monkeypatch.chdir(folder)
    main(["config", "path", "--all"])
    assert "\x1b[31m" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    main(["config", "path", "--all"])
    assert "\x1b" not in capsys.readouterr().out


def test_check_names_keys_that_cannot_be_and_the_example_of_init_can(capsys):
    path = written('[keys]\nquit = "ctrl+zz"\nqiut = "f9"\nnew = "ctrl+p"\n')
    assert main(["config", "check"]) == 2
    told = capsys.readouterr().err
    assert f"{path}:2: keys.quit: 'ctrl+zz' is no key" in told
    assert f"{path}:3: keys.qiut: there is no command 'qiut'; did you mean 'quit'?" in told
    assert f"{path}:4: keys.new: Ctrl+P is bound to both" in told
    path.unlink()
    assert main(["config", "init"]) == 0
    example = path.read_text().partition("#[keys]\n")[2].splitlines()[0]
    path.write_text(f"[keys]\n{example.removeprefix('#')}\n")
    assert main(["config", "check"]) == 0
