"""The embedded engine starts on first use, answers, and never outlives the app."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from support.real_servers import ENGINE_GROUP

from chatui.core.errors import ConnectFailed
from chatui.transport.local_engine import LocalEngine
from chatui.transport.local_model import LocalModel
from chatui.transport.local_progress import LocalProgress, LocalStage

pytestmark = [pytest.mark.real, pytest.mark.xdist_group(ENGINE_GROUP)]


@pytest.fixture
async def engine_of_app(model_data_dir: Path) -> AsyncIterator[LocalEngine]:
    engine = LocalEngine(LocalModel(model_data_dir), context_tokens=512)
    yield engine
    await engine.stop()


def is_alive(process_id: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False


async def until(condition: object, limit_s: float = 30.0) -> bool:
    """Poll; the limit only ends a test that has failed."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        if condition():  # type: ignore[operator]  # a callable, kept short
            return True
        await asyncio.sleep(0.02)
    return False


async def test_the_engine_answers_on_loopback_to_its_key_only(engine_of_app: LocalEngine) -> None:
    seen: list[LocalProgress] = []
    base_url, key = await engine_of_app.ensure_started(seen.append)
    assert base_url.startswith("http://127.0.0.1:")
    assert base_url.endswith("/v1")
    assert [progress.stage for progress in seen] == [LocalStage.STARTING, LocalStage.READY]
    body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2}
    async with httpx.AsyncClient(trust_env=False) as client:
        without = await client.post(f"{base_url}/chat/completions", json=body, timeout=30)
        assert without.status_code == 401
        with_key = await client.post(
            f"{base_url}/chat/completions", json=body, headers={"Authorization": f"Bearer {key}"}, timeout=30
        )
    assert with_key.status_code == 200
    assert with_key.json()["usage"]["completion_tokens"] <= 2


async def test_only_the_bundled_model_gets_defaults_that_suit_a_tiny_one(
    model_data_dir: Path, model_file: Path, tmp_path: Path
) -> None:
    own = LocalModel(tmp_path)
    own.use(model_file)
    found = []
    for model in (LocalModel(model_data_dir), own):
        engine = LocalEngine(model, context_tokens=512)
        base_url, key = await engine.ensure_started()
        async with httpx.AsyncClient(trust_env=False, headers={"Authorization": f"Bearer {key}"}) as client:
            told = (await client.get(base_url.removesuffix("/v1") + "/props", timeout=30)).json()
        defaults = told["default_generation_settings"]["params"]
        found.append((round(defaults["temperature"], 2), round(defaults["dry_multiplier"], 2)))
        await engine.stop()
    assert found == [(0.2, 0.8), (0.8, 0.0)]


async def test_two_first_questions_share_one_engine(engine_of_app: LocalEngine) -> None:
    first, second = await asyncio.gather(engine_of_app.ensure_started(), engine_of_app.ensure_started())
    assert first == second
    assert await engine_of_app.ensure_started() == first


async def test_cancelling_the_question_does_not_lose_the_start(engine_of_app: LocalEngine) -> None:
    asking = asyncio.create_task(engine_of_app.ensure_started())
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait({asking})
    assert asking.cancelled()
    await engine_of_app.ensure_started()
    assert engine_of_app.process_id is not None


async def test_stopping_ends_the_process_and_a_later_question_starts_a_new_one(
    engine_of_app: LocalEngine,
) -> None:
    await engine_of_app.ensure_started()
    first = engine_of_app.process_id
    assert first is not None
    await engine_of_app.stop()
    assert not is_alive(first)
    assert engine_of_app.process_id is None
    await engine_of_app.ensure_started()
    assert engine_of_app.process_id not in (None, first)


async def test_an_engine_that_crashed_is_started_again(engine_of_app: LocalEngine) -> None:
    await engine_of_app.ensure_started()
    first = engine_of_app.process_id
    assert first is not None
    os.kill(first, signal.SIGKILL)
    assert await until(lambda: engine_of_app.process_id is None)
    await engine_of_app.ensure_started()
    assert engine_of_app.process_id not in (None, first)


async def test_stopping_while_it_starts_leaves_nothing(
    engine_of_app: LocalEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "xllamacpp.py").write_text("import time\ntime.sleep(60)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    others = set(_children(os.getpid()))  # the engines of this worker's fixtures
    asking = asyncio.create_task(engine_of_app.ensure_started())
    assert await until(lambda: set(_children(os.getpid())) - others)
    await engine_of_app.stop()
    await asyncio.wait({asking})
    assert asking.cancelled()
    assert set(_children(os.getpid())) == others


def _children(process_id: int) -> list[int]:
    listed = Path(f"/proc/{process_id}/task/{process_id}/children").read_text().split()
    return [int(child) for child in listed if "local_child" in _command(int(child))]


def _command(process_id: int) -> str:
    try:
        return Path(f"/proc/{process_id}/cmdline").read_text()
    except OSError:
        return ""


PARENT = """
import asyncio, sys
from pathlib import Path
from chatui.transport.local_engine import LocalEngine
from chatui.transport.local_model import LocalModel

async def main():
    engine = LocalEngine(LocalModel(Path(sys.argv[1])), context_tokens=512)
    if sys.argv[2] == "ready":
        await engine.ensure_started()
        print(engine.process_id, flush=True)
    else:
        starting = asyncio.create_task(engine.ensure_started())
        print("starting", flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize("moment", ["ready", "starting"])
async def test_sigkill_of_the_app_ends_the_engine(model_data_dir: Path, tmp_path: Path, moment: str) -> None:
    script = tmp_path / "parent.py"
    script.write_text(textwrap.dedent(PARENT))
    with subprocess.Popen(
        [sys.executable, str(script), str(model_data_dir), moment], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        assert await until(lambda: _children(parent.pid))
        (child,) = _children(parent.pid)
        parent.kill()
        parent.wait()
    assert await until(lambda: not is_alive(child))


async def test_a_file_that_is_no_model_is_named_with_the_engines_own_reason(tmp_path: Path) -> None:
    bad = tmp_path / "broken.gguf"
    bad.write_bytes(b"GGUF" + b"\x7f" * 4096)
    model = LocalModel(tmp_path)
    model.use(bad)
    engine = LocalEngine(model)
    with pytest.raises(ConnectFailed) as failed:
        await engine.ensure_started()
    assert "broken.gguf could not be loaded" in failed.value.message
    assert "version" in failed.value.message
    assert "chatui local install" in failed.value.hint


async def test_a_model_file_that_was_deleted_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "mine.gguf"
    gone.write_bytes(b"GGUF")
    model = LocalModel(tmp_path)
    model.use(gone)
    gone.unlink()
    with pytest.raises(ConnectFailed, match=r"mine\.gguf"):
        await LocalEngine(model).ensure_started()


async def test_the_engine_gets_no_key_of_a_provider(
    engine_of_app: LocalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-the-engine")
    await engine_of_app.ensure_started()
    environment = Path(f"/proc/{engine_of_app.process_id}/environ").read_bytes()
    assert b"sk-not-for-the-engine" not in environment


async def test_an_engine_whose_library_is_missing_says_what_to_install(
    tmp_path: Path, model_data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "xllamacpp.py").write_text(
        "raise ImportError('libgomp.so.1: cannot open shared object file: No such file or directory')"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(ConnectFailed) as failed:
        await LocalEngine(LocalModel(model_data_dir)).ensure_started()
    assert "libgomp" in failed.value.message
    assert "apt-get install libgomp1" in failed.value.hint


async def test_an_engine_killed_by_an_illegal_instruction_is_explained(
    tmp_path: Path, model_data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "xllamacpp.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGILL)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(ConnectFailed, match="AVX2"):
        await LocalEngine(LocalModel(model_data_dir)).ensure_started()


async def test_a_module_in_the_working_folder_cannot_pose_as_the_engine(
    engine_of_app: LocalEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "xllamacpp.py").write_text("raise ImportError('hijacked')")
    monkeypatch.chdir(tmp_path)
    await engine_of_app.ensure_started()
