"""A plugin of pytest that tries mutants: the tests are collected once, and each mutant is tried in a
forked child, by the tests that can see it, the cheapest first, until one fails.

Only tests that start no process are tried: a mutant is in the process that was forked, and in no
other. Load changes no result: a mutant is killed by a test that fails, or by taking many times the
CPU time of the test. A child that waits forever ends itself, and its mutant is not killed.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import coverage
import pytest

from tests.mutants.children import Order, Say, play
from tests.mutants.drawing import Mutant
from tests.mutants.swapping import Live

#: The CPU time that a test may take with a mutant: so many seconds, and times what it takes without.
CPU_SECONDS, CPU_TIMES = 5.0, 30.0

SURVIVED, KILLED, TOOK_TOO_LONG, UNDECIDED = "survived", "killed", "took too long", "undecided"

#: The exit code of a child whose test starts a process, and how Python says that one is started.
_STARTS_PROCESS = 77
_STARTS = frozenset(
    ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.system")
)
#: Into so many parts the tests are cut where all of them run: more than jobs, so that all are busy.
_PARTS = 16
_TEST, _FILE = "test ", "file "


class StopTrying(Exception):
    """Mutants cannot be judged by these tests."""


@dataclass(frozen=True)
class Result:
    """Outcome of the trial of a mutant."""

    mutant: Mutant
    outcome: str
    note: str  # the test that failed, or what went wrong
    tests: int  # that run the statement

    @property
    def is_killed(self) -> bool:
        """Return whether the tests notice the fault."""
        return self.outcome in (KILLED, TOOK_TOO_LONG)


@dataclass(eq=False)
class Trial:
    """The plugin. After `pytest.main()` there are `results`, or an `error`."""

    mutants: Sequence[Mutant]
    jobs: int
    tell: Callable[[str], None]
    cpu_seconds: float = CPU_SECONDS
    results: list[Result] = field(default_factory=list)
    error: str = "no test was collected"

    def __post_init__(self) -> None:
        self._items: list[pytest.Item] = []
        self._seconds: dict[int, float] = {}  # of CPU, by the number of a test
        self._lines: dict[str, dict[int, set[int]]] = {}  # {file: {line: tests that run it}}
        self._failed = False
        self._coverage: coverage.Coverage | None = None

    # Hooks of pytest.

    def pytest_configure(self) -> None:
        """Have Hypothesis give each mutant the same examples, and keep none that made one fail."""
        from hypothesis import settings

        settings.register_profile("mutants", max_examples=25, deadline=None, derandomize=True)
        settings.load_profile("mutants")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try the mutants in place of running the tests."""
        self._items = session.items
        self._live = Live()
        try:
            self._run_without_mutants()
            self._see_lines()
            self.results += self._try_all()
            self._confirm()
            self.error = ""
        except StopTrying as error:
            self.error = str(error)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notice that a test fails."""
        self._failed |= report.failed

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """Lines of fixtures are of all tests of a file, because they may share them."""
        if self._coverage is None:
            return (yield)
        self._coverage.switch_context(_FILE + _file(item))
        try:
            return (yield)
        finally:
            self._coverage.switch_context(_TEST + item.nodeid)

    # What children do.

    def _play(self, numbers: Sequence[int]) -> Iterator[tuple[int, bool]]:
        """Run tests; yields the number of each and whether it passed."""
        items = [self._items[number] for number in numbers]
        for number, item, following in zip(numbers, items, [*items[1:], None], strict=True):
            self._failed = False
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            yield number, not self._failed

    def _watch(self, numbers: Sequence[int], say: Say) -> None:
        """Say the CPU time of each test. The child ends where one starts a process."""
        sys.addaudithook(lambda event, _: os._exit(_STARTS_PROCESS) if event in _STARTS else None)
        self._live.forget_results()
        began = time.process_time()
        for number, passed in self._play(numbers):
            say((number, passed, time.process_time() - began))
            began = time.process_time()

    def _trace(self, numbers: Sequence[int], say: Say) -> None:
        """Say which lines each test runs."""
        self._live.forget_results()
        files = sorted({str(mutant.function.file.resolve()) for mutant in self.mutants})
        self._coverage = coverage.Coverage(data_file=None, config_file=False, include=files)
        self._coverage.set_option("run:disable_warnings", ["no-data-collected"])
        self._coverage.start()
        for _ in self._play(numbers):
            pass
        self._coverage.stop()
        data = self._coverage.get_data()
        say({file: data.contexts_by_lineno(file) for file in data.measured_files()})

    def _try(self, mutant: Mutant | None, numbers: Sequence[int], say: Say) -> None:
        """Say which test is the first to fail."""
        if mutant is not None:
            self._live.swap(mutant)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the child
        tests = self._play(numbers)
        for number in numbers:
            seconds = self.cpu_seconds + CPU_TIMES * self._seconds[number]
            signal.setitimer(signal.ITIMER_PROF, seconds)
            if next(tests) != (number, True):
                say(number)
                return

    # What the parent does.

    def _run_without_mutants(self) -> None:
        """Find the tests that start no process, with their CPU times. All of them have to pass."""
        failed: list[int] = []
        orders = deque(
            Order(part, partial(self._watch, part))
            for part in _parts(range(len(self._items)), _PARTS)
        )
        for order, ending in play(orders, self.jobs):
            if ending.error:
                raise StopTrying(ending.error)
            failed += [number for number, passed, _ in ending.said if not passed]
            self._seconds |= {number: seconds for number, _, seconds in ending.said}
            rest = order.subject[len(ending.said) :]
            if rest and ending.code != _STARTS_PROCESS:
                failed.append(rest[0])
            if rest[1:]:
                orders.append(Order(rest[1:], partial(self._watch, rest[1:])))
        self._stop_if(failed, "without a mutant")
        self.tell(
            f"{len(self._seconds)} of {len(self._items)} tests start no process:"
            f" {sum(self._seconds.values()):.0f} s of CPU"
        )

    def _see_lines(self) -> None:
        """Find the lines that each test runs."""
        numbers = {self._items[number].nodeid: number for number in self._seconds}
        of_file: dict[str, set[int]] = defaultdict(set)
        for number in self._seconds:
            of_file[_file(self._items[number])].add(number)
        orders = deque(
            Order(part, partial(self._trace, part))
            for part in _parts(sorted(self._seconds), _PARTS)
        )
        for _, ending in play(orders, self.jobs):
            if ending.code:
                raise StopTrying(f"lines were not followed: {ending.error or ending.code}")
            for file, contexts in ending.said[0].items():
                lines = self._lines.setdefault(file, defaultdict(set))
                for line, names in contexts.items():
                    for kind, name in ((name[: len(_TEST)], name[len(_TEST) :]) for name in names):
                        lines[line] |= of_file[name] if kind == _FILE else {numbers[name]}

    def _tests(self, mutant: Mutant) -> list[int]:
        """The tests that run its statement, the cheapest first."""
        start, end = mutant.span
        lines = self._lines.get(str(mutant.function.file.resolve()), {})
        tests = set().union(*(tests for line, tests in lines.items() if start <= line <= end))
        return sorted(tests, key=lambda number: (self._seconds[number], number))

    def _try_all(self) -> Iterator[Result]:
        orders: deque[Order] = deque()
        for mutant in self.mutants:
            tests = self._tests(mutant)
            orders.append(Order((mutant, len(tests)), partial(self._try, mutant, tests)))
        for order, ending in play(orders, self.jobs):
            mutant, tests = order.subject
            note = ""
            if ending.code == -signal.SIGPROF:
                outcome = TOOK_TOO_LONG
            elif ending.code:
                outcome = UNDECIDED
                note = ending.error or f"the child ended with {ending.code}"
            else:
                outcome = KILLED if ending.said else SURVIVED
                note = self._items[ending.said[0]].nodeid if ending.said else ""
            yield Result(mutant, outcome, note, tests)
            self.tell(f"{outcome}: {mutant.name} {note}")

    def _confirm(self) -> None:
        """Each test that killed a mutant has to pass alone, without one."""
        killers = {result.note for result in self.results if result.outcome == KILLED}
        numbers = [number for number in self._seconds if self._items[number].nodeid in killers]
        orders = deque(Order(number, partial(self._try, None, [number])) for number in numbers)
        failed = [
            order.subject for order, ending in play(orders, self.jobs) if ending.said or ending.code
        ]
        self._stop_if(failed, "alone, without a mutant")

    def _stop_if(self, failed: Sequence[int], where: str) -> None:
        if failed:
            names = "".join(f"\n    {self._items[number].nodeid}" for number in failed)
            raise StopTrying(f"{where}, tests fail:{names}")


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _parts(numbers: Sequence[int], count: int) -> Iterator[Sequence[int]]:
    """About as many parts, of one size."""
    size = -(-len(numbers) // count) or 1
    return (numbers[start : start + size] for start in range(0, len(numbers), size))
