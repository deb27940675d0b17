"""A sweep from its order to its exit code."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from envdoctor import __version__
from envdoctor.cli import files, streams, writing
from envdoctor.cli.sweep_plan import Planner, entries, memory_of_each, packages
from envdoctor.errors import ExitCode, UsageError
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.reporters._showing import clean
from envdoctor.request.options import Words
from envdoctor.request.request import Request
from envdoctor.request.settings import Settings
from envdoctor.sweep import page, texts
from envdoctor.sweep.comparing import SweepComparison, compare, differing
from envdoctor.sweep.engine import Engine
from envdoctor.sweep.ledger import INDEX, PAGES, Driver, Ledger, is_ledger, page_names
from envdoctor.sweep.outcomes import ResultPublisher
from envdoctor.sweep.plans import Examination, PlanEntry, Where, share
from envdoctor.sweep.processors import default_jobs
from envdoctor.sweep.ray_cluster import Cluster, RayEngine, refuse_folder
from envdoctor.sweep.results import Result, latest
from envdoctor.sweep.summary import report_of, settled
from envdoctor.verdict import triage
from envdoctor.verdict.baseline import BaselineEntry


@dataclass(frozen=True)
class NamedExaminations:
    """The examinations that the command line names."""

    specs: Words = None
    file: Path | None = None
    registry: str | None = None
    match: Words = None

    def __bool__(self) -> bool:
        return bool(tuple(self.specs or ()) or self.file or self.registry)

    def entries(self, planner: Planner) -> tuple[PlanEntry, ...]:
        """All of it. Raises UsageError."""
        if self.match and not self.registry:
            raise UsageError("--match chooses ids of a registry: name one with --registry")
        name = self.registry
        listed: Callable[[], tuple[PlanEntry, ...]] | None = (
            (lambda: planner.registered(name, self.match)) if name else None
        )
        return entries(self.specs, self.file, listed)


@dataclass(frozen=True)
class Order:
    """The manner of a sweep. `share` is (number, of how many), `cluster` where it is not here."""

    jobs: int | None = None
    retries: int = 2
    share: tuple[int, int] = (1, 1)
    cluster: Cluster | None = None
    resume: bool = False
    since: Path | None = None
    fail_on: str = "error"
    allow_inconclusive: bool = False
    quiet: int = 0


@contextmanager
def reached(where: Where, sent: Path | None, out: Path) -> Iterator[Cluster | None]:
    """The cluster that is named, connected; None for this machine. Raises UsageError."""
    if where.ray is None:
        if sent is not None:
            raise UsageError("--working-dir sends a folder to the nodes of a cluster: --on ray")
        yield None
        return
    if sent is not None and not sent.is_dir():
        raise UsageError(f"--working-dir {sent}: it is not a folder")
    refuse_folder(str(out.absolute()))
    with Cluster(where.ray, "" if sent is None else str(sent)) as cluster:
        yield cluster


def sweep(
    out: Path,
    planner: Planner,
    named: NamedExaminations,
    order: Order,
    known: tuple[BaselineEntry, ...] | None,
) -> int:
    """Examine what has no result, write the index, show the table; the exit code. Raises UsageError
    where a file of the folder could not be written.
    """
    try:
        return _sweep(out, planner, named, order, known)
    except OSError as error:
        if not str(error.filename or "").startswith(str(out.absolute())):
            raise
        place = error.filename2 or error.filename
        raise UsageError(f"--out {out}: {error.strerror}: {place}") from error


def _sweep(
    out: Path,
    planner: Planner,
    named: NamedExaminations,
    order: Order,
    known: tuple[BaselineEntry, ...] | None,
) -> int:
    earlier = None if order.since is None else Ledger(order.since)
    again = order.resume and not named and is_ledger(out)
    listed = [] if again else planner.requests(named.entries(planner))
    ledger = Ledger(out, make=True)
    ledger.remove_abandoned()
    mine = share(_examinations(ledger, planner, listed, order), *order.share)
    interrupted, troubles = _examine(ledger, mine, planner, order)
    settings = planner.settings
    everything, before = latest(ledger.results())
    if earlier is not None:
        before, _ = latest(earlier.results())
    results = settled(everything, lambda report: settings.settle(report, known))
    changed = _changed(before, everything, ledger, earlier, settings) if before else None
    troubles += _write_index(ledger, results, changed)
    if order.quiet < 2:
        _show(results, changed, ledger)
    code = _exit_code(ledger, everything, mine, settings, known, order, interrupted)
    if troubles:
        raise UsageError(texts.shortened(troubles))
    return code


def _examinations(
    ledger: Ledger, planner: Planner, listed: Sequence[tuple[PlanEntry, Request]], order: Order
) -> tuple[Examination, ...]:
    """Return the examinations: those that are named, or all that any driver of this folder
    planned.
    """
    if not listed:
        planned = ledger.planned()
        _refuse_other_versions(ledger, planner, planned)
        return planned
    examinations = planner.examinations(ledger, listed)
    done = ledger.done() & {examination.key for examination in share(examinations, *order.share)}
    if done and not order.resume:
        raise UsageError(
            f"{ledger.folder} holds {texts.number(len(done), 'result')} of this sweep already:"
            " --resume goes on with the rest, another --out begins anew"
        )
    ledger.plan(examinations)
    return examinations


def _refuse_other_versions(
    ledger: Ledger, planner: Planner, planned: Sequence[Examination]
) -> None:
    """Raises UsageError where packages changed since the sweep began: one half of it would be about
    other code than the other half.
    """
    for python, digest in {(each.identity.interpreter, each.identity.versions) for each in planned}:
        known = ledger.versions(digest)
        differ = differing(known, packages(planner.ask(python))) if known else ()
        if differ:
            name, was, now = differ[0]
            raise UsageError(
                f"packages of {python} changed since this sweep began ({name} {was} -> {now}):"
                " sweep into another folder, and compare the two"
            )


def _examine(
    ledger: Ledger, mine: Sequence[Examination], planner: Planner, order: Order
) -> tuple[bool, list[str]]:
    """Examine what has no result yet; whether that was interrupted, and what was not written."""
    began, done = time.monotonic(), ledger.done()
    todo = sum(examination.key not in done for examination in mine)

    def say(line: str) -> None:
        if order.quiet == 0:
            streams.say(clean(line, unicode=False) + "\n")

    def tell(result: Result) -> None:
        say(texts.progress(result, todo - engine.left, todo, time.monotonic() - began))

    with Driver(ledger) as driver:
        publisher = ResultPublisher(ledger, driver, order.retries, tell)
        engine = _engine(publisher, planner, order, mine, say)
        engine.run(mine)
    return engine.interrupted, publisher.troubles


def _engine(
    publisher: ResultPublisher,
    planner: Planner,
    order: Order,
    mine: Sequence[Examination],
    say: Callable[[str], None],
) -> Engine | RayEngine:
    """Return the engine, here or on a cluster."""
    if order.cluster is None:
        jobs = order.jobs or default_jobs()
        return Engine(publisher, jobs, memory_of_each(planner.settings, planner.options, jobs))
    return RayEngine(publisher, order.cluster, planner.expected(mine), order.jobs, say=say)


def _changed(
    before: Sequence[Result],
    after: Sequence[Result],
    ledger: Ledger,
    earlier: Ledger | None,
    settings: Settings,
) -> SweepComparison:
    """Return the changes since the earlier sweep, or since the earlier results in this folder."""
    was, now = (
        settled(results, lambda report: settings.settle(report, None))
        for results in (before, after)
    )
    return compare(was, now, (versions_of(earlier or ledger, before), versions_of(ledger, after)))


def versions_of(ledger: Ledger, results: Sequence[Result]) -> dict[str, str]:
    """The packages that results were found with."""
    versions: dict[str, str] = {}
    for name in sorted({result.identity.versions for result in results}):
        versions |= ledger.versions(name)
    return versions


def _write_index(
    ledger: Ledger, results: Sequence[Result], changed: SweepComparison | None
) -> list[str]:
    """Write the index; what went wrong with that, in a sentence."""
    missing = len({examination.key for examination in ledger.planned()} - ledger.done())
    pages = frozenset(page_names(ledger))
    text = page.render(results, pages, PAGES, __version__, changed, missing)
    path = ledger.folder / INDEX
    try:
        files.write_whole(path, text)
    except OSError as error:
        return [f"{path}: {error.strerror}"]
    return []


def _show(results: Sequence[Result], changed: SweepComparison | None, ledger: Ledger) -> None:
    text = texts.table(results, writing.width(), writing.is_unicode())
    if changed is not None:
        text += f"since the earlier sweep: {texts.summary(changed)}\n"
    writing.write(f"{text}{ledger.folder / INDEX}\n")


def _exit_code(
    ledger: Ledger,
    results: Sequence[Result],
    mine: Sequence[Examination],
    settings: Settings,
    known: tuple[BaselineEntry, ...] | None,
    order: Order,
    interrupted: bool,
) -> int:
    done = ledger.done()
    missing = sum(examination.key not in done for examination in mine)
    report = settings.settle(report_of(results, unexamined=missing), known)
    if interrupted:
        streams.say(
            f"envdoctor: interrupted: {missing} of {len(mine)} have no result; --resume goes on\n"
        )
        return ExitCode.INTERRUPTED
    return triage.exit_code(report, order.fail_on, order.allow_inconclusive)
