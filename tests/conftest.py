"""Every test runs in a clean, offline world: no keys, no proxies, folders of its own, loopback only."""

import os
import socket
from collections.abc import Iterator
from ipaddress import ip_address
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["support.real_servers"]

settings.register_profile("dev", max_examples=100, deadline=None)
settings.register_profile(
    "ci", max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("deep", max_examples=2_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))

FORGOTTEN = ("_API_KEY", "_TOKEN", "_PROXY", "_proxy", "_BASE_URL")
"""Endings of variables that would change what chatui does; the installers' own ones (PIP_, UV_, npm) stay."""


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Home folders, one for each test. `tmp_path` for each would look through those of all tests before."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


FORGOTTEN_TOO = (
    *("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "TERM_PROGRAM", "LC_TERMINAL"),
    *("TMUX", "STY", "EDITOR", "VISUAL", "SSL_CERT_FILE", "SSL_CERT_DIR", "PYTHONWARNINGS"),
)
"""What the terminal and the person's own settings would change."""


@pytest.fixture(autouse=True)
def _clean_world(_homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if (name.startswith("CHATUI_") and name != "CHATUI_TEST_CACHE") or name.endswith(FORGOTTEN):
            monkeypatch.delenv(name)
    for name in FORGOTTEN_TOO:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    home = next(_homes)
    for variable, folder in (
        ("HOME", ""),
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_DATA_HOME", ".local/share"),
        ("XDG_STATE_HOME", ".local/state"),
        ("XDG_CACHE_HOME", ".cache"),
    ):
        path = home / folder
        path.mkdir(parents=True, exist_ok=True)
        monkeypatch.setenv(variable, str(path))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("TZ", "UTC")


def _is_loopback(host: object) -> bool:
    if isinstance(host, bytes):
        host = host.decode()
    if host in (None, "", "localhost"):
        return True
    try:
        return ip_address(str(host)).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True, scope="session")
def _loopback_only() -> Iterator[None]:
    """A test that reaches for the network fails at once, as on a machine without one."""
    with pytest.MonkeyPatch.context() as patch:
        connect, connect_ex, getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

        def checked_connect(self: socket.socket, address: object) -> None:
            if isinstance(address, tuple) and not _is_loopback(address[0]):
                raise OSError(101, f"Network is unreachable (tests stay on loopback): {address}")
            return connect(self, address)

        def checked_connect_ex(self: socket.socket, address: object) -> int:
            if isinstance(address, tuple) and not _is_loopback(address[0]):
                return 101
            return connect_ex(self, address)

        def checked_getaddrinfo(host: object, *rest: object, **named: object) -> object:
            if not _is_loopback(host):
                try:
                    ip_address(str(host))
                except ValueError:
                    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known") from None
            return getaddrinfo(host, *rest, **named)

        patch.setattr(socket.socket, "connect", checked_connect)
        patch.setattr(socket.socket, "connect_ex", checked_connect_ex)
        patch.setattr(socket, "getaddrinfo", checked_getaddrinfo)
        yield
