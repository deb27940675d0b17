"""A training at one moment as an exporter gets it: counts, and what its processes hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import OPEN, Finding
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_instances import Instances
from envdoctor.watch.outside import Outside
from envdoctor.watch.standing import Remark, remarks

FORMAT = 1  # of `Sample.as_json`; keys are only added
TRAINER = "trainer"
Before = Mapping[tuple[int, str], "SampleCounts"]  # by process and class


@dataclass(frozen=True)
class SampleCounts:
    """Instances and calls that came back, so far. Of the instances `made` here, some are `open`,
    and some were `dropped`: freed without a close(). The paces are those since the sample before.
    """

    made: int = 0
    open: int = 0
    closed: int = 0
    dropped: int = 0
    resets: int = 0
    steps: int = 0
    resets_per_second: float = 0.0
    steps_per_second: float = 0.0


@dataclass(frozen=True)
class EnvironmentSample:
    """The instances of one class in one process."""

    type: str
    counts: SampleCounts


@dataclass(frozen=True)
class ProcessSample:
    """One process. Bytes of `malloc`, `mapped` (its address space) and `resident` memory; None is
    what was not read. Nothing in it ran for `still` seconds. Once it has ended, it comes once more,
    with its `code`, as far as that is known.
    """

    pid: int
    role: str
    running: bool = True
    code: int | None = None
    blocks: int | None = None
    malloc: int | None = None
    mapped: int | None = None
    resident: int | None = None
    descriptors: int | None = None
    threads: int | None = None
    children: int | None = None
    segments: int | None = None
    still: float = 0.0
    environments: tuple[EnvironmentSample, ...] = ()


@dataclass(frozen=True)
class FindingSample:
    """A finding of the report."""

    code: str
    name: str
    severity: str
    message: str
    place: str
    fingerprint: str


@dataclass(frozen=True)
class Sample:
    """A training at one moment: at `time` on the clock of the world, `seconds` after it began.
    `totals` are those of all processes, of those that ended, too. The last sample of a training is
    `over`: it has the exit code and the findings.
    """

    time: float
    seconds: float
    command: tuple[str, ...]
    pid: int
    totals: SampleCounts
    processes: tuple[ProcessSample, ...] = ()
    remarks: tuple[Remark, ...] = ()
    findings: tuple[FindingSample, ...] = ()
    over: bool = False
    code: int | None = None

    def as_json(self) -> dict[str, object]:
        """The sample as plain values."""
        return {"format": FORMAT, **asdict(self)}


class Sampler:
    """Makes samples of one training, each with the paces since the one before. `look` reads what a
    process holds now.
    """

    def __init__(self, look: Callable[[int], Outside]) -> None:
        self._look = look
        self._earlier: Sample | None = None

    def sample(self, training: Training, now: float, findings: Iterable[Finding] = ()) -> Sample:
        """Make the next sample. Findings are those of the report of a training that is over."""
        earlier = self._earlier or Sample(0.0, 0.0, (), 0, SampleCounts())
        passed = training.seconds - earlier.seconds
        total = _paced(_counts(training.instances), earlier.totals, passed)
        before = {
            (process.pid, each.type): each.counts
            for process in earlier.processes
            for each in process.environments
        }
        self._earlier = result = Sample(
            now,
            training.seconds,
            training.command,
            training.pid,
            total,
            tuple(self._processes(training, earlier.seconds, before)),
            tuple(remarks(training)),
            tuple(_finding(each) for each in findings if each.status == OPEN),
            training.over,
            training.code if training.over else None,
        )
        return result

    def _processes(
        self, training: Training, earlier: float, before: Before
    ) -> Iterator[ProcessSample]:
        for process in {each.pid: each for each in training.processes}.values():
            is_over = training.over and process.pid == training.pid
            if is_over or process.ended is None or process.ended > earlier:
                own = tuple(
                    _environments(training, process.pid, training.seconds - earlier, before)
                )
                yield self._process(training, process, is_over, own)

    def _process(
        self,
        training: Training,
        process: TrainingProcess,
        is_over: bool,
        own: tuple[EnvironmentSample, ...],
    ) -> ProcessSample:
        pid = process.pid
        is_running = not is_over and process.ended is None
        holds = self._look(pid) if is_running else Outside()
        readings = next((each.readings for each in training.series if each.pid == pid), ())
        last = readings[-1] if readings else None
        return ProcessSample(
            pid,
            TRAINER if pid == training.pid else process.started,
            is_running,
            training.code if is_over else process.code,
            blocks=last.blocks if last and is_running else None,
            malloc=last.malloc if last and is_running else None,
            mapped=holds.mapped,
            resident=holds.rss or None,
            descriptors=holds.descriptors,
            threads=holds.threads,
            children=holds.children,
            segments=holds.segments,
            still=_still(training, pid) if is_running else 0.0,
            environments=own,
        )


def _still(training: Training, pid: int) -> float:
    """Seconds for which nothing ran in a process, as far as its calls or the training show it."""
    calls = (each.still for each in training.long_calls if each.pid == pid)
    return max((*calls, training.standstill.seconds if training.standstill is not None else 0.0))


def _environments(
    training: Training, pid: int, passed: float, before: Before
) -> Iterator[EnvironmentSample]:
    own = [each for each in training.instances if each.pid == pid and each.is_used]
    for name in dict.fromkeys(each.type for each in own):
        counts = _counts([each for each in own if each.type == name])
        earlier = before.get((pid, name), SampleCounts())
        yield EnvironmentSample(name, _paced(counts, earlier, passed))


def _counts(own: Sequence[Instances]) -> SampleCounts:
    created = [each for each in own if each.number]
    dropped = sum(each.dropped for each in created)
    return SampleCounts(
        sum(each.made for each in created),
        sum(each.unclosed for each in created) - dropped,
        sum(each.closed for each in own if each.is_used),
        dropped,
        sum(each.reset.ended for each in own),
        sum(each.step.ended for each in own),
    )


def _paced(counts: SampleCounts, earlier: SampleCounts, passed: float) -> SampleCounts:
    if passed <= 0:
        return counts
    return replace(
        counts,
        resets_per_second=max(0, counts.resets - earlier.resets) / passed,
        steps_per_second=max(0, counts.steps - earlier.steps) / passed,
    )


def _finding(finding: Finding) -> FindingSample:
    where = finding.location
    place = f"{where.file}:{where.line}" if where is not None else ""
    words = finding.severity, finding.message, place, finding.fingerprint
    return FindingSample(finding.code, finding.name, *words)
