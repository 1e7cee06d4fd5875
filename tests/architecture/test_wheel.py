"""What a person installs is complete: themes, styles and data files are inside the wheel."""

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_wheel_holds_everything_that_is_not_python(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    themes = {path.name for path in (ROOT / "themes").glob("*.toml")}
    assert themes
    assert {f"chatui/_themes/{name}" for name in themes} <= inside
    sources = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "chatui").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert sources <= inside
    assert not [name for name in inside if name.startswith("tests/")]
