"""When a pilot may go on: not after some milliseconds, but when the app has nothing left to do.

Textual's own `wait_for_idle` takes a fiftieth of a second in which the process used little time for idleness.
On a busy machine the process used none because it was given none, and a test looked at a screen that was not
painted yet. Here the event loop itself says whether something is left, and the kernel whether a thread works.

The clocks of the app stand for the same reason: a badge that goes quiet after four seconds did so in the middle
of a test that a busy machine takes so long for.

Invariant: what can be done without the test is done; a thread that waits for the test is not waited for;
nothing happens because time passed.
"""

import asyncio
import threading
from asyncio import sleep
from pathlib import Path
from time import monotonic, process_time
from typing import Any

GRANULARITY_S = 1 / 50
"""Timers that ring within this time are waited for: Textual paints sixty times a second."""
IDLE_CPU_S = GRANULARITY_S / 20
LONGEST_WORK_S = 1.0
"""An app that always has something to do (an animation) is left at it, after so much work."""
LONGEST_WAIT_S = 30.0
SHORT_S = 0.2
"""Textual's own timers are shorter; the app's, which a person sees, are not."""
NEVER_S = 86_400.0
MOST_LOOKS_AT_THREADS = 50
"""A thread that always has something to do (a server that looks whether it may go on) is left at it."""
_TASKS = Path("/proc/self/task")


async def wait_for_idle(min_sleep: float = 0.0, max_sleep: float = LONGEST_WORK_S) -> None:
    """Until the app waits for somebody else. `max_sleep` is time that it worked, not time that passed."""
    del min_sleep
    ready = getattr(asyncio.get_running_loop(), "_ready", ())
    until_s, until_cpu_s = monotonic() + LONGEST_WAIT_S, process_time() + max_sleep
    looks = 0
    while monotonic() < until_s and process_time() < until_cpu_s:
        others = _other_threads()
        started_cpu_s = process_time()
        await sleep(GRANULARITY_S)
        has_work = False
        for _ in range(3):  # what a timer began posts messages, and these are read a turn later
            await sleep(0)
            has_work = has_work or bool(ready)
        if has_work or process_time() - started_cpu_s >= IDLE_CPU_S:
            continue
        looks += 1
        is_at_rest = all(state not in "RD" for state, *_ in others.values()) and others == _other_threads()
        if is_at_rest or looks >= MOST_LOOKS_AT_THREADS:
            return


def _other_threads() -> dict[str, tuple[str, ...]]:
    """What each other thread does (R: it runs or would like to) and how often it stopped and went on."""
    found: dict[str, tuple[str, ...]] = {}
    if threading.active_count() == 1 or not _TASKS.exists():
        return found
    own = str(threading.get_native_id())
    for task in _TASKS.iterdir():
        if task.name == own:
            continue
        try:
            lines = (task / "status").read_text().splitlines()
        except OSError:  # it has ended meanwhile
            continue
        told = dict(line.split(":", 1) for line in lines)
        found[task.name] = (
            told["State"].strip()[:1],
            told["voluntary_ctxt_switches"].strip(),
            told["nonvoluntary_ctxt_switches"].strip(),
        )
    return found


def _stand(pump: type[Any], name: str) -> None:
    start = getattr(pump, name)

    def starts(self: Any, seconds: float, *given: Any, **named: Any) -> Any:
        return start(self, seconds if seconds < SHORT_S else NEVER_S, *given, **named)

    setattr(pump, name, starts)


def install() -> None:
    """Every pilot of this process waits like this, and timers of more than an instant never ring."""
    import textual.app
    import textual.pilot
    from textual.message_pump import MessagePump

    if textual.pilot.wait_for_idle is wait_for_idle:
        return
    for name in ("set_timer", "set_interval"):
        _stand(MessagePump, name)

    for module in (textual.app, textual.pilot):
        assert hasattr(module, "wait_for_idle"), "Textual waits in another way now: look at it again"
        module.wait_for_idle = wait_for_idle
