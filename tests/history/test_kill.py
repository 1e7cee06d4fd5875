import sys
from pathlib import Path

import pytest
from support.killing import kill_many


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.timeout(120)
def test_a_kill_at_any_moment_loses_nothing_that_was_saved(tmp_path: Path) -> None:
    kill_many(25, tmp_path, seed=None, say=print)
