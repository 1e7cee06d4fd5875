"""Keys are read from safe places only and never shown; what the app remembers is never lost."""

import os
import subprocess
import sys
import threading
import tomllib

import pytest

from chatui.config import write_lock
from chatui.config.keys import clean_key, read_key_file, run_key_command, save_key
from chatui.config.paths import find_paths
from chatui.config.state import MAX_RECENT_MODELS, AppState, StateFile, write_atomically
from chatui.core.errors import ConfigError

posix = pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
WORK = '[providers.work]\nbase_url = "https://llm.example/v1"\ndefault_model = "m"\n'


@posix
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o666])
def test_a_key_file_that_others_may_read_is_refused_with_the_remedy(world, mode):
    file = world.write("sk-secret\n", world.root / "key", mode)
    with pytest.raises(ConfigError, match=f"may be read by others \\(mode {mode:04o}\\)") as caught:
        read_key_file(file)
    assert f"chmod 600 {file}" in caught.value.hint
    assert "sk-secret" not in caught.value.message + caught.value.hint


@posix
@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_key_file_of_ones_own_is_read(world, mode):
    assert read_key_file(world.write("\n sk-secret \n", world.root / "key", mode)) == "sk-secret"


def test_a_key_file_of_the_configuration_is_used(world):
    world.write("sk-file", world.root / "key")
    world.environ["HERE"] = str(world.root)
    world.write(WORK + f'key_file = "{world.root}/key"\n')
    assert world.resolve(provider="work").api_key == "sk-file"


def test_a_missing_or_empty_key_file_is_told(world):
    with pytest.raises(ConfigError, match="cannot be read"):
        read_key_file(world.root / "none")
    with pytest.raises(ConfigError, match="is empty"):
        read_key_file(world.write(" \n", world.root / "key"))
    with pytest.raises(ConfigError):
        read_key_file(world.root)


def test_a_saved_key_is_found_again_with_a_safe_mode(world):
    path = save_key(world.paths, "groq", "  sk-saved\n")
    assert path.read_text() == "sk-saved\n"
    if os.name != "nt":
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o077 == 0
    assert world.resolve(provider="groq").api_key == "sk-saved"


def test_a_variable_beats_a_file_and_a_file_beats_a_command(world):
    command = f'["{sys.executable}", "-c", "print(\'sk-command\')"]'
    world.write(WORK + f'key_env = ["WORK_KEY"]\nkey_command = {command}\n')
    assert world.resolve(provider="work").api_key == "sk-command"
    save_key(world.paths, "work", "sk-saved")
    assert world.resolve(provider="work").api_key == "sk-saved"
    world.environ["WORK_KEY"] = "sk-variable"
    assert world.resolve(provider="work").api_key == "sk-variable"


def test_a_command_runs_without_a_shell_and_its_first_line_counts():
    script = "import sys; print(sys.argv[1]); print('more')"
    assert run_key_command((sys.executable, "-c", script, "$HOME;x")) == "$HOME;x"
    assert run_key_command((f"{sys.executable} -c \"print('sk-one')\"",)) == "sk-one"


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("import sys; print('sk-secret'); sys.exit(3)", "failed with exit code 3"),
        ("print()", "is empty"),
        ("print('two words')", "characters that no key has"),
    ],
)
def test_a_command_that_fails_is_named_without_its_output(script, told):
    with pytest.raises(ConfigError, match=told) as caught:
        run_key_command((sys.executable, "-c", script))
    assert "sk-secret" not in caught.value.message + caught.value.hint
    assert "two words" not in caught.value.message + caught.value.hint


def test_a_command_that_does_not_exist_is_told():
    with pytest.raises(ConfigError, match='the key command "no-such-program-here" was not found'):
        run_key_command(("no-such-program-here --x",))


@pytest.mark.parametrize("text", ["sk-ü", "a\nb", "a b", "a\x00b", "\x1b[31m"])
def test_what_could_not_stand_in_a_header_is_no_key_and_is_not_shown(text):
    with pytest.raises(ConfigError) as caught:
        clean_key(text, "$X")
    assert text not in caught.value.message


# What the app remembers


def test_state_survives_and_only_what_changed_is_written(world):
    file = StateFile(world.paths.state_file)
    assert file.load() == (AppState(), ())
    file.update(lambda state: state.with_model_used("groq", "m").with_favourite("groq/m", True))
    state, problems = file.load()
    assert problems == ()
    assert (state.provider, state.model, state.recent_models, state.favourite_models) == (
        "groq", "m", ("groq/m",), ("groq/m",),
    )  # fmt: skip
    stamp = world.paths.state_file.stat().st_mtime_ns
    file.update(lambda state: state)
    assert world.paths.state_file.stat().st_mtime_ns == stamp
    file.update(lambda state: state.with_favourite("groq/m", False))
    assert file.load()[0].favourite_models == ()


def test_two_apps_keep_each_others_changes(world):
    one, two = StateFile(world.paths.state_file), StateFile(world.paths.state_file)
    one.load(), two.load()
    one.update(lambda state: state.with_favourite("a/b", True))
    after = two.update(lambda state: state.with_model_used("c", "d"))
    assert after.favourite_models == ("a/b",)
    assert one.load()[0].model == "d"


def test_an_app_waits_while_another_one_writes_so_that_no_change_is_lost(world):
    one, two = StateFile(world.paths.state_file), StateFile(world.paths.state_file)
    has_begun = threading.Event()

    def slow(state: AppState) -> AppState:
        other.start()
        assert not has_begun.wait(0.05), "the other one reads only when this one has written"
        return state.with_favourite("a/b", True)

    def quick(state: AppState) -> AppState:
        has_begun.set()
        return state.with_model_used("c", "d").with_favourite("c/d", True)

    other = threading.Thread(target=two.update, args=(quick,))
    one.update(slow)
    other.join()
    assert one.load()[0].favourite_models == ("a/b", "c/d")


def test_many_processes_at_once_lose_nothing(world):
    adding = (
        "import sys; from pathlib import Path; from chatui.config.state import StateFile\n"
        "for number in range(10):\n"
        "    name = f'{sys.argv[2]}/{number}'\n"
        "    StateFile(Path(sys.argv[1])).update(lambda state: state.with_favourite(name, True))"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", adding, str(world.paths.state_file), name]) for name in "abc"
    ]
    assert [process.wait() for process in processes] == [0, 0, 0]
    favourites = StateFile(world.paths.state_file).load()[0].favourite_models
    assert sorted(favourites) == [f"{name}/{number}" for name in "abc" for number in range(10)]


def test_a_lock_that_nobody_gives_back_does_not_stop_an_app(world, monkeypatch):
    monkeypatch.setattr(write_lock, "LONGEST_WAIT_S", 0.02)
    file = StateFile(world.paths.state_file)
    with write_lock.write_lock(world.paths.state_file):
        file.update(lambda state: state.with_model_used("a", "b"))
    assert file.load()[0].model == "b"


def test_only_keys_that_changed_are_written(world):
    world.write('theme = 3\nmodel = "m"\nfuture = 1\n', world.paths.state_file)
    StateFile(world.paths.state_file).update(lambda state: state.with_favourite("a/b", True))
    written = tomllib.loads(world.paths.state_file.read_text())
    assert written == {"theme": 3, "model": "m", "future": 1, "favourite_models": ["a/b"]}


def test_a_newer_chatuis_memory_is_kept(world):
    world.write('theme = "nord"\nfuture = [1, 2]\n', world.paths.state_file)
    file = StateFile(world.paths.state_file)
    assert file.load()[1] == ()
    file.update(lambda state: state.with_model_used("a", "b"))
    assert "future" in world.paths.state_file.read_text()
    assert file.load()[0].theme == "nord"


def test_a_broken_memory_is_told_and_set_aside_not_overwritten(world):
    for number in (1, 2):
        world.write(f"broken {number} = [", world.paths.state_file)
        file = StateFile(world.paths.state_file)
        state, problems = file.load()
        assert state == AppState()
        assert str(problems[0]).startswith(f"{world.paths.state_file}:1: is no valid TOML")
        file.update(lambda state: state.with_model_used("a", "b"))
        aside = world.paths.state_file.with_name(f"state.toml.broken-{number}")
        assert aside.read_text() == f"broken {number} = ["
        assert file.load()[0].model == "b"


def test_a_wrong_value_in_the_memory_costs_only_itself(world):
    world.write('theme = 3\nmodel = "m"\n', world.paths.state_file)
    state, problems = StateFile(world.paths.state_file).load()
    assert (state.theme, state.model) == ("", "m")
    assert len(problems) == 1


def test_recent_models_do_not_grow_for_ever():
    state = AppState()
    for number in range(MAX_RECENT_MODELS + 5):
        state = state.with_model_used("p", str(number))
    state = state.with_model_used("p", "7").with_model_used("p", "7")
    assert len(state.recent_models) == MAX_RECENT_MODELS
    assert state.recent_models[0] == "p/7"
    assert len(set(state.recent_models)) == len(state.recent_models)


@posix
def test_a_write_that_fails_leaves_the_old_file_and_no_rubbish(world, monkeypatch):
    target = world.write("old", world.root / "folder" / "file")

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigError, match="cannot be written: No space left on device"):
        write_atomically(target, "new")
    assert target.read_text() == "old"
    assert [path.name for path in target.parent.iterdir()] == ["file"]


@posix
def test_a_link_to_a_file_stays_a_link(world):
    real = world.write("old", world.root / "dotfiles" / "config.toml")
    link = world.root / "config.toml"
    link.symlink_to(real)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


# Folders


def test_absolute_xdg_folders_count_on_every_platform_and_relative_ones_do_not(tmp_path):
    paths = find_paths({"XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": "relative", "XDG_DATA_HOME": ""})
    assert paths.config_file == tmp_path / "chatui" / "config.toml"
    assert paths.state_dir.is_absolute()
    assert paths.data_dir.is_absolute()
    assert "relative" not in str(paths.state_dir)


def test_the_configuration_file_can_be_named(tmp_path):
    paths = find_paths({"CHATUI_CONFIG_FILE": str(tmp_path / "my.toml"), "XDG_CONFIG_HOME": str(tmp_path)})
    assert paths.config_file == tmp_path / "my.toml"
    assert paths.themes_dir == tmp_path / "chatui" / "themes"
