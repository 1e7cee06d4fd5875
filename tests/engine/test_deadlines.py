"""Which limit counts when."""

import asyncio

import pytest

from chatui.engine.deadlines import Deadlines, DeadlineWatch, Limit
from chatui.engine.limit_guard import LimitGuard

LIMITS = Deadlines(connect_s=10, first_event_s=60, gap_s=30)


def watch(total_due_s: float | None = None) -> DeadlineWatch:
    return DeadlineWatch(LIMITS, 0.0, total_due_s)


def test_each_stage_has_its_own_limit() -> None:
    one = watch()
    assert one.due() == (10.0, Limit.CONNECT)
    one.connected(2.0)
    assert one.due() == (62.0, Limit.FIRST_EVENT)
    one.arrived(5.0, has_event=True)
    assert one.due() == (35.0, Limit.GAP)
    one.arrived(6.0, has_event=False)
    assert one.due() == (36.0, Limit.GAP)
    one.proven(7.0)
    assert one.due() == (8.0, Limit.USAGE)
    one.arrived(7.5, has_event=True)
    assert one.due() == (8.0, Limit.USAGE)


def test_the_total_counts_whatever_arrives() -> None:
    one = watch(total_due_s=20.0)
    one.connected(0.0)
    one.arrived(19.0, has_event=True)
    assert one.due() == (20.0, Limit.TOTAL)


def test_whoever_sleeps_is_woken_when_another_limit_begins() -> None:
    changes: list[None] = []
    one = DeadlineWatch(LIMITS, 0.0, None, lambda: changes.append(None))
    one.connected(0.0)
    one.connected(1.0)
    one.arrived(1.0, has_event=True)
    one.arrived(2.0, has_event=True)
    one.proven(3.0)
    one.proven(4.0)
    assert len(changes) == 3


@pytest.mark.parametrize("has_event", [True, False])
def test_no_limits_are_never_due(has_event: bool) -> None:
    one = DeadlineWatch(Deadlines(connect_s=None, first_event_s=None, gap_s=None), 0.0, None)
    assert one.due() is None
    one.connected(0.0)
    one.arrived(1.0, has_event=has_event)
    assert one.due() is None


class SleepsTooLong:
    """A clock of a process that stands still in its first sleep: Ctrl+Z in a shell, a machine without time."""

    def __init__(self, late_s: float) -> None:
        self.now_s = 0.0
        self._late_s = late_s

    def monotonic_s(self) -> float:
        return self.now_s

    def epoch_s(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds + self._late_s
        self._late_s = 0.0


def test_time_in_which_chatui_stood_still_is_no_silence_of_the_server() -> None:
    clock = SleepsTooLong(late_s=3600.0)
    one = watch(total_due_s=500.0)
    one.connected(0.0)
    one.arrived(0.0, has_event=True)
    assert asyncio.run(LimitGuard(clock).reached(one)) is Limit.GAP
    assert clock.now_s == 30.0 + 3600.0 + 30.0, "it listens anew, for as long as is allowed"
    assert one.due() == (clock.now_s, Limit.GAP)


def test_a_moment_too_late_is_the_limit_all_the_same() -> None:
    clock = SleepsTooLong(late_s=0.5)
    one = watch()
    assert asyncio.run(LimitGuard(clock).reached(one)) is Limit.CONNECT
    assert clock.now_s == 10.5
