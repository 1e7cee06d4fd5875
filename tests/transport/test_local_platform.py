"""Where the engine cannot run, the person reads why, and what to do, before anything crashes."""

import dataclasses
from pathlib import Path

import pytest

from chatui.transport.local_platform import Machine, engine_problem, import_problem

GOOD = Machine(
    system="linux",
    processor="x86_64",
    is_musl=False,
    has_engine=True,
    has_pip=True,
    prefix="/home/me/.venv",
    cpu_flags=frozenset({"avx", "avx2", "fma", "f16c"}),
)


def test_a_fitting_machine_has_no_problem() -> None:
    assert engine_problem(GOOD) is None
    assert engine_problem(dataclasses.replace(GOOD, cpu_flags=None)) is None
    assert engine_problem(dataclasses.replace(GOOD, processor="aarch64", cpu_flags=frozenset())) is None


def test_an_old_processor_is_told_what_it_lacks() -> None:
    problem = engine_problem(dataclasses.replace(GOOD, cpu_flags=frozenset({"avx", "fma"})))
    assert problem is not None
    assert "AVX2, F16C" in problem.message
    assert "FMA" not in problem.message
    assert "another model" in problem.hint


@pytest.mark.parametrize(
    "changes",
    [
        {"is_musl": True},
        {"system": "win32", "processor": "ARM64"},
        {"system": "freebsd14"},
        {"processor": "riscv64"},
    ],
)
def test_a_platform_without_a_build_is_named_and_offered_no_install(changes: dict[str, object]) -> None:
    problem = engine_problem(dataclasses.replace(GOOD, has_engine=False, **changes))
    assert problem is not None
    assert "no build" in problem.message
    assert "pip install" not in problem.hint


@pytest.mark.parametrize(
    ("mark", "has_pip", "command"),
    [
        ("pyvenv.cfg", True, "-m pip install xllamacpp"),
        ("pyvenv.cfg", False, "uv pip install --python"),
        ("pipx_metadata.json", True, "pipx inject chatui xllamacpp"),
        ("uv-receipt.toml", False, "uv tool install --with xllamacpp chatui"),
    ],
)
def test_a_missing_engine_is_installed_by_the_tool_that_made_the_environment(
    tmp_path: Path, mark: str, has_pip: bool, command: str
) -> None:
    (tmp_path / mark).touch()
    problem = engine_problem(
        dataclasses.replace(GOOD, has_engine=False, has_pip=has_pip, prefix=str(tmp_path))
    )
    assert problem is not None
    assert command in problem.hint


def test_import_errors_are_explained() -> None:
    assert "libgomp1" in import_problem("ImportError: libgomp.so.1: cannot open shared object file").hint
    assert "C library" in import_problem("ImportError: version `GLIBC_2.34' not found").message
    assert "weird" in import_problem("ImportError: weird").message
