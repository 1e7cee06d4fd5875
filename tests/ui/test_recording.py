"""The wire is recorded only while the screen says so."""

from pathlib import Path

from ui.acting import on_stage


async def test_recording_is_told_on_screen_for_as_long_as_it_goes_on(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (240, 24)) as stage:  # the path of the folder may be long
        workspace = stage.app.workspace
        assert "recording" not in stage.text()
        await stage.press("ctrl+p", *"record", "enter")
        assert workspace.record_directory == str(tmp_path / "wires")
        assert "without keys" in stage.text()
        await stage.ask("hi")
        assert "recording" in stage.text().splitlines()[0]
        stage.session.complete()
        await stage.settle()
        await stage.press("ctrl+p", *"record", "enter")
        assert workspace.record_directory is None
        assert "recording" not in stage.text().splitlines()[0]
        assert "shows it again" in stage.text()
