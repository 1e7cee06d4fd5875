"""What a streamed answer costs in chatui, beside a plain printer and Textual's MarkdownStream in the same
run.

    python benchmarks/stream.py               everything, about 20 minutes
    python benchmarks/stream.py --quick       the most telling part, about 3 minutes
    python benchmarks/stream.py --kind list --size 10k --rate 500 --with floor,chatui

Absolute numbers depend on the machine and on what else it does: only ratios of one run mean something. The
targets are those of the project's issue on the transcript. Needs Linux, and is best run with two
processors that are idle.
"""

import argparse
import os
import statistics
import sys
from collections.abc import Callable, Sequence
from typing import Final

from harness.corpus import KINDS
from harness.load import Load
from harness.measure import Outcome, RunFailedError, run
from harness.programs import CHATUI, FLOOR, MARKDOWN_STREAM, RICH_LIVE, Program
from harness.report import Report
from harness.server_process import ServerProcess
from harness.terminal_program import own_processors, prefer

PROGRAMS: Final = {program.name: program for program in (FLOOR, RICH_LIVE, MARKDOWN_STREAM, CHATUI)}
NOISE: Final = 1.05
"""Two medians of the same thing differ by that much on a quiet machine."""


def middle(outcomes: Sequence[Outcome], of: Callable[[Outcome], float | None]) -> float | None:
    """The median of a number of the runs in which it was seen."""
    seen = [value for outcome in outcomes if (value := of(outcome)) is not None]
    return statistics.median(seen) if seen else None


def in_ms(seconds: float | None) -> float | None:
    """Milliseconds."""
    return None if seconds is None else seconds * 1000


class StreamBenchmark:
    """Runs programs against one server and compares them."""

    def __init__(self, server: ServerProcess, report: Report, runs: int) -> None:
        self._server = server
        self._report = report
        self._runs = runs

    def outcomes(
        self, load: Load, *programs: Program, runs: int | None = None, types_keys: bool = False
    ) -> dict[str, list[Outcome]]:
        """Run programs in turns, so that what the machine does besides hits all of them."""
        found: dict[str, list[Outcome]] = {program.name: [] for program in programs}
        for _ in range(runs or self._runs):
            for program in programs:
                found[program.name].append(run(program, load, self._server, types_keys=types_keys))
        for name, outcomes in found.items():
            if not all(outcome.is_complete for outcome in outcomes):
                self._report.note(f"{name} did not show the end of {load}")
        return found

    def cpu(self, outcomes: Sequence[Outcome]) -> float:
        """Microseconds of CPU for each token."""
        return statistics.median(outcome.cpu_us_per_token for outcome in outcomes)

    def once_slow(self, load: Load, program: Program, floor: float, ours: float, share: float | None) -> None:
        """Run a slow reference once and tell how much dearer it is than chatui."""
        slow = run(program, load, self._server)
        end = "" if slow.is_complete else ", unfinished"
        per_token = slow.cpu_us_per_token
        self._report.note(
            f"{program.name}: {per_token:.0f} us/token, {per_token / floor:.1f} times the floor{end}"
        )
        self._report.add(f"chatui against {program.name}, {load}", ours / per_token, share)

    def full_speed(self, sizes: Sequence[int], *, has_slow: bool) -> None:
        """Mixed Markdown as fast as it comes."""
        report = self._report
        report.section("Full speed, mixed Markdown")
        ours: dict[int, float] = {}
        for size in sizes:
            load = Load("md", size, 0)
            found = self.outcomes(load, FLOOR, CHATUI)
            floor = self.cpu(found[FLOOR.name])
            ours[size] = self.cpu(found[CHATUI.name])
            report.note(f"{size // 1000}k: floor {floor:.1f}, chatui {ours[size]:.1f} us/token")
            report.add(f"CPU a token against the floor, {size // 1000}k", ours[size] / floor, 2)
            report.add(
                f"to the terminal, {size // 1000}k",
                middle(found[CHATUI.name], lambda o: o.kib_per_token),
                *few_bytes(size),
            )
            if size == 10_000 and has_slow:
                self.once_slow(load, RICH_LIVE, floor, ours[size], None)
                self.once_slow(load, MARKDOWN_STREAM, floor, ours[size], 1 / 50)
            if size == 50_000:
                grown = [o.memory_peak_mib - o.memory_before_mib for o in found[CHATUI.name]]
                report.add("memory of 50k beyond the empty app", statistics.median(grown), 60, "MiB")
        if 10_000 in ours and 50_000 in ours:
            report.add("CPU a token at 50k against 10k", ours[50_000] / ours[10_000], NOISE)

    def kinds(self, kinds: Sequence[str]) -> None:
        """One kind of block that grows."""
        report = self._report
        report.section("Full speed, one kind of block that grows")
        for kind in kinds:
            small = self.cpu(self.outcomes(Load(kind, 10_000, 0), CHATUI)[CHATUI.name])
            large = self.cpu(self.outcomes(Load(kind, 50_000, 0), CHATUI)[CHATUI.name])
            report.note(f"{kind}: {small:.1f} us/token at 10k, {large:.1f} at 50k")
            report.add(f"CPU a token at 50k against 10k, {kind}", large / small, NOISE)

    def paced(
        self, load: Load, times_floor: float, most_kilobytes: float, share: float, *, has_slow: bool
    ) -> None:
        """At the speed of a model."""
        report = self._report
        report.section(str(load))
        found = self.outcomes(load, FLOOR, CHATUI)
        floor, ours = self.cpu(found[FLOOR.name]), self.cpu(found[CHATUI.name])
        outcomes = found[CHATUI.name]
        report.note(f"floor {floor:.0f}, chatui {ours:.0f} us/token")
        report.add("CPU a token against the floor", ours / floor, times_floor)
        report.add("to the terminal", middle(outcomes, lambda o: o.kib_per_token), most_kilobytes, "kB/token")
        report.add("last delta to final screen", in_ms(middle(outcomes, lambda o: o.lag_s)), 80, "ms")
        report.add(
            "largest gap between frames", in_ms(middle(outcomes, lambda o: o.largest_gap_s)), 100, "ms"
        )
        if has_slow:
            self.once_slow(load, MARKDOWN_STREAM, floor, ours, share)

    def keys(self, load: Load) -> None:
        """Typing while it streams."""
        report = self._report
        report.section(f"Keys while {load}")
        outcomes = self.outcomes(load, CHATUI, types_keys=True)[CHATUI.name]
        echoes = sorted(echo for outcome in outcomes for echo in outcome.echoes_s)
        pressed = sum(outcome.keys_pressed for outcome in outcomes)
        report.note(f"{len(echoes)} of {pressed} keys were shown, {self.cpu(outcomes):.0f} us of CPU a token")
        middle_s = echoes[len(echoes) // 2] if echoes else None
        late_s = echoes[min(len(echoes) - 1, int(len(echoes) * 0.99))] if echoes else None
        report.add("key to its echo, half of them", in_ms(middle_s), 20, "ms")
        report.add("key to its echo, 99 of 100", in_ms(late_s), 50, "ms")

    def stop(self, load: Load) -> None:
        """Esc while it streams."""
        report = self._report
        report.section(f"Esc while {load}")
        outcomes = [run(CHATUI, load, self._server, stops_after_s=2.0) for _ in range(self._runs)]
        report.add(
            "Esc to 'stopped' on the screen", in_ms(middle(outcomes, lambda o: o.stopped_shown_s)), 50, "ms"
        )
        report.add(
            "Esc to the socket closed", in_ms(middle(outcomes, lambda o: o.stopped_closed_s)), 50, "ms"
        )


def few_bytes(size: int) -> tuple[float | None, str]:
    """At 1k the first screen is most of what is written, so the target is for longer answers."""
    return (None if size < 10_000 else 0.01), "kB/token"


def one_load(
    benchmark: StreamBenchmark, report: Report, load: Load, names: Sequence[str], *, types_keys: bool
) -> None:
    """Tell everything about one load."""
    report.section(str(load))
    programs = [PROGRAMS[name] for name in names]
    found = benchmark.outcomes(load, *programs, types_keys=types_keys)
    for name, outcomes in found.items():
        report.add(f"{name}: CPU", benchmark.cpu(outcomes), None, "us/token")
        report.add(f"{name}: to the terminal", middle(outcomes, lambda o: o.kib_per_token), None, "kB/token")
        report.add(
            f"{name}: first delta to the end shown", in_ms(middle(outcomes, lambda o: o.total_s)), None, "ms"
        )
        report.add(
            f"{name}: last delta to the end shown", in_ms(middle(outcomes, lambda o: o.lag_s)), None, "ms"
        )
        report.add(
            f"{name}: largest gap between frames",
            in_ms(middle(outcomes, lambda o: o.largest_gap_s)),
            None,
            "ms",
        )
        report.add(f"{name}: memory, highest", middle(outcomes, lambda o: o.memory_peak_mib), None, "MiB")
        if types_keys and PROGRAMS[name].takes_keys:
            report.add(
                f"{name}: key to its echo, half", in_ms(middle(outcomes, lambda o: o.echo_s(0.5))), None, "ms"
            )
            report.add(
                f"{name}: key to its echo, 99 %",
                in_ms(middle(outcomes, lambda o: o.echo_s(0.99))),
                None,
                "ms",
            )
    if FLOOR.name in found:
        floor = benchmark.cpu(found[FLOOR.name])
        for name, outcomes in found.items():
            report.add(f"{name}: CPU against the floor", benchmark.cpu(outcomes) / floor)


def main(arguments: Sequence[str]) -> int:
    """Measure and print; returns 0 if every target holds."""
    parser = argparse.ArgumentParser(
        description="What a streamed answer costs, beside other ways to show it."
    )
    parser.add_argument("--quick", action="store_true", help="the most telling part only")
    parser.add_argument("--runs", type=int, default=3, help="runs of each measurement (the median counts)")
    parser.add_argument("--kind", choices=KINDS, help="measure one load: this kind of text")
    parser.add_argument("--size", default="10k", help="its tokens, in thousands: 1k, 10k, 50k")
    parser.add_argument("--rate", type=int, default=0, help="its tokens a second; 0 is full speed")
    parser.add_argument("--keys", action="store_true", help="type while it streams")
    parser.add_argument("--with", dest="names", default="floor,chatui", help=f"of {', '.join(PROGRAMS)}")
    given = parser.parse_args(arguments)
    report = Report()
    with ServerProcess() as server:
        os.sched_setaffinity(0, own_processors()[1])
        prefer(-12)
        benchmark = StreamBenchmark(server, report, given.runs)
        try:
            if given.kind:
                load = Load(given.kind, int(given.size.removesuffix("k")) * 1000, given.rate)
                one_load(benchmark, report, load, given.names.split(","), types_keys=given.keys)
            else:
                is_whole = not given.quick
                benchmark.full_speed((1000, 10_000, 50_000), has_slow=is_whole)
                benchmark.paced(Load("md", 1000, 200), 3, 0.45, 1 / 5, has_slow=is_whole)
                benchmark.paced(
                    Load("md", 5000 if is_whole else 2000, 500), 2, 0.23, 1 / 6, has_slow=is_whole
                )
                benchmark.keys(Load("md", 5000, 500))
                benchmark.stop(Load("md", 5000, 500))
                if is_whole:
                    benchmark.kinds([kind for kind in KINDS if kind != "md"])
        except RunFailedError as error:
            print(error, file=sys.stderr)
            return 2
    return report.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
