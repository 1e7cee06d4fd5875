"""What a process and its children cost, read from outside (Linux).

Source: clock_getcpuclockid(3): the processor clock of another process counts nanoseconds of all its
threads, the finished ones too, where /proc/PID/stat counts hundredths of a second.
"""

import os
import time
from pathlib import Path

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_SCHEDULER_CLOCK = 2


def _stat(process_id: int) -> list[str]:
    return Path(f"/proc/{process_id}/stat").read_text("utf-8", "replace").rsplit(")", 1)[1].split()


def family(process_id: int) -> list[int]:
    """A process and everything below it."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                children.setdefault(int(_stat(int(entry))[1]), []).append(int(entry))
            except OSError:
                continue
    found: list[int] = []
    left = [process_id]
    while left:
        found.append(left.pop())
        left.extend(children.get(found[-1], ()))
    return found


def cpu_s(process_id: int) -> float:
    """User and system time of the family so far, in seconds."""
    total_s = 0.0
    for member in family(process_id):
        try:
            total_s += time.clock_gettime((~member << 3) | _SCHEDULER_CLOCK)
            fields = _stat(member)
            total_s += (int(fields[13]) + int(fields[14])) / _TICKS_A_SECOND
        except OSError:
            continue
    return total_s


def resident_mib(process_id: int, *, is_peak: bool) -> float:
    """Memory of the family now, or at its highest."""
    name = "VmHWM:" if is_peak else "VmRSS:"
    total_kib = 0
    for member in family(process_id):
        try:
            status = Path(f"/proc/{member}/status").read_text("utf-8", "replace")
        except OSError:
            continue
        total_kib += sum(int(line.split()[1]) for line in status.splitlines() if line.startswith(name))
    return total_kib / 1024
