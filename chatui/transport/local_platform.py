"""Can the embedded engine run on this machine? Told before it is started, for a crash explains nothing.

The xllamacpp wheels exist for glibc Linux (x86_64, aarch64), macOS and Windows on x86-64, and the x86-64 code
needs AVX2, FMA and F16C. Source: the wheel's own file list and a disassembly, 2026-11.
"""

import importlib.metadata
import importlib.util
import platform
import sys
import sysconfig
from pathlib import Path
from typing import Final

from chatui.core.values import frozen

ENGINE_PACKAGE: Final = "xllamacpp"
NEEDED_CPU_FLAGS: Final = ("avx2", "fma", "f16c")


@frozen
class EngineProblem:
    """Why the engine cannot run here, and what can be done."""

    message: str
    hint: str


@frozen(kw_only=True)
class Machine:
    """What decides whether the engine can run; read once from the machine, given in tests."""

    system: str
    """`sys.platform`."""
    processor: str
    """`platform.machine()`."""
    is_musl: bool
    has_engine: bool
    has_pip: bool
    prefix: str
    """`sys.prefix`: the tool that made the environment left its mark there."""
    cpu_flags: frozenset[str] | None
    """Lower case; None where they cannot be read."""

    @classmethod
    def this(cls) -> "Machine":
        """The machine that runs this code."""
        return cls(
            system=sys.platform,
            processor=platform.machine(),
            is_musl="musl" in str(sysconfig.get_config_var("SOABI")),
            has_engine=importlib.util.find_spec(ENGINE_PACKAGE) is not None,
            has_pip=importlib.util.find_spec("pip") is not None,
            prefix=sys.prefix,
            cpu_flags=_cpu_flags(Path("/proc/cpuinfo")),
        )

    @property
    def has_wheel(self) -> bool:
        """A prebuilt engine exists for this platform."""
        match self.system:
            case "linux":
                return not self.is_musl and self.processor in ("x86_64", "aarch64")
            case "darwin":
                return True
            case "win32":
                return self.processor.upper() == "AMD64"
            case _:
                return False

    @property
    def how_to_install(self) -> str:
        """The command that adds the engine to the environment in which chatui runs."""
        prefix = Path(self.prefix)
        if (prefix / "pipx_metadata.json").is_file():
            return f"pipx inject chatui {ENGINE_PACKAGE}"
        if (prefix / "uv-receipt.toml").is_file():
            return f"uv tool install --with {ENGINE_PACKAGE} chatui"
        if not self.has_pip:
            return f"uv pip install --python {sys.executable} {ENGINE_PACKAGE}"
        return f"{sys.executable} -m pip install {ENGINE_PACKAGE}"


CONNECT_ANOTHER: Final = (
    "Connect another model: chatui --base-url http://HOST/v1 -m MODEL, or set a provider's key."
)


def engine_problem(machine: Machine | None = None) -> EngineProblem | None:
    """What keeps the engine from running here; None if nothing is known to."""
    machine = machine or Machine.this()
    if not machine.has_engine:
        if not machine.has_wheel:
            libc = " (musl)" if machine.is_musl else ""
            return EngineProblem(
                f"The embedded model's engine has no build for {machine.system} {machine.processor}{libc}.",
                CONNECT_ANOTHER,
            )
        return EngineProblem(
            "The embedded model's engine is not installed.",
            f"Install it: {machine.how_to_install}. {CONNECT_ANOTHER}",
        )
    return cpu_problem(machine)


def cpu_problem(machine: Machine) -> EngineProblem | None:
    """Instructions that the engine's code needs and this processor lacks."""
    if machine.system != "linux" or machine.processor != "x86_64" or machine.cpu_flags is None:
        return None
    missing = [flag.upper() for flag in NEEDED_CPU_FLAGS if flag not in machine.cpu_flags]
    if not missing:
        return None
    return EngineProblem(
        f"This processor lacks {', '.join(missing)}, which the embedded model's engine needs.",
        CONNECT_ANOTHER,
    )


def import_problem(text: str) -> EngineProblem:
    """What an import error of the engine means; `text` is the error's own."""
    if "libgomp" in text:
        return EngineProblem(
            "The embedded model's engine needs the system library libgomp.so.1, which is missing.",
            "Install it: apt-get install libgomp1 (Debian, Ubuntu), dnf install libgomp (Fedora).",
        )
    if "GLIBC" in text:
        return EngineProblem(
            f"The embedded model's engine needs a newer C library than this system has: {text}",
            CONNECT_ANOTHER,
        )
    return EngineProblem(f"The embedded model's engine cannot be loaded: {text}", CONNECT_ANOTHER)


def engine_version() -> str | None:
    """Version of the installed engine."""
    try:
        return importlib.metadata.version(ENGINE_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cpu_flags(path: Path) -> frozenset[str] | None:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            return frozenset(value.lower().split())
    return None
