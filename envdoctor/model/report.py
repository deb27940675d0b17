"""The report: everything one run found out, ready for any reporter."""

from __future__ import annotations

from dataclasses import field
from typing import Mapping, Optional, Tuple

from envdoctor.model.actions import PlayedActions
from envdoctor.model.facts import Allocations, EmptiedStorage, SampledSlices, StorageTurn, Suspects
from envdoctor.model.facts.decoding import read_loosely
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Finding, Location, Passed, Skipped
from envdoctor.model.fixes import Fix
from envdoctor.model.remedy import Change
from envdoctor.model.trace import Trace
from envdoctor.model.training import Training

HEALTHY, SICK, INCONCLUSIVE = "healthy", "sick", "inconclusive"
#: What people read for each verdict; JSON keeps the values above.
VERDICT_WORDS = {HEALTHY: "passed", SICK: "failed", INCONCLUSIVE: "inconclusive"}
#: Why nothing is judged of a SPEC that leads to nothing.
NO_ENVIRONMENT = "no environment to examine"


@dataclass(frozen=True)
class MeterGrowth:
    """One meter over a leak check: kind flat, leak, filling or open; growth per cycle; rise in each
    block; growth per call; whether it is a leak of its own, and does not follow from another one.
    """

    meter: str
    kind: str
    rate: float
    deltas: Tuple[int, ...]
    per_operation: Mapping[str, float] = field(default_factory=dict)
    leaks: bool = False


@dataclass(frozen=True)
class LeakReport:
    """Steady growth of a meter: `rate` per cycle, `shares` per call of each operation, the main one
    first; `bytes` that one call of it keeps, where known; `holder` is the container that keeps it.
    """

    meter: str
    rate: float
    shares: Mapping[str, float]
    bytes: Optional[float] = None
    holder: str = ""


@dataclass(frozen=True)
class GrowthReport:
    """One leak check in one place. `blocks` are the cycles of each block. `sees` is the least
    growth per cycle that would have shown, by meter, as the controls proved; `tier` and `reasons`
    say when that is less than exact. `suspects` is what grew, where anything did, and `allocations`
    what memray saw. `ended` says why it stopped early, if it did. `side` is "parent" or "worker 1"
    where a manager stayed open, "one instance" where one did without a manager, and a cycle is a
    reset; empty for whole cycles. A `quick` one has no table. `unit` is what a whole cycle is:
    "cycle", "launch" of a manager, or "call" of a function.
    """

    manager: str
    start_method: Optional[str]
    blocks: Tuple[int, ...]
    meters: Tuple[MeterGrowth, ...]
    sees: Mapping[str, float] = field(default_factory=dict)
    tier: str = ""
    reasons: Tuple[str, ...] = ()
    suspects: Optional[Suspects] = None
    allocations: Optional[Allocations] = None
    ended: str = ""
    side: str = ""
    quick: bool = False
    leaks: Tuple[LeakReport, ...] = ()
    unit: str = "cycle"

    @property
    def cycles(self) -> int:
        """The number of cycles in all blocks."""
        return sum(self.blocks)


# What the user sees of a fault that was put into a worker.
ITSELF = "itself"  # the very error that the environment raised
OTHER = "other"  # an error, but another one
HANG = "hang"  # a call that does not come back
NOTHING = "nothing"  # no error at all


@dataclass(frozen=True)
class FaultReport:
    """The effect of one fault in one place. `framework` is "gymnasium 1.4.0". `sees` is one of the
    four above, in the verb `call`, and `error` its text. `close` is the result of the close() after
    that, or HANG. `workers` still ran and `zombies` were there after close(), None where the doctor
    had to end the play; `unclosed` environments were never closed; `leaks` counts by sensor what
    stayed after all had been given up. `seconds` went into steps.
    """

    manager: str
    start_method: Optional[str]
    framework: str
    fault: str
    worker: int
    sees: str
    call: str = ""
    error: str = ""
    close: str = ""
    workers: Optional[int] = None
    zombies: Optional[int] = None
    unclosed: int = 0
    leaks: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True)
class WorkerCost:
    """A worker's cost under one manager and start method. `seconds` until the last of `workers` had
    its instance; `uss` (bytes that are its own) and `pss` (with its share of what is shared) of the
    largest, with the processes that it started. `fit` is how many of them the memory holds that a
    run may use, `cores` how many there are to run them on; None where that is not known.
    """

    manager: str
    start_method: str
    workers: int
    seconds: float
    uss: int
    pss: int
    fit: Optional[int] = None
    cores: Optional[int] = None

    @property
    def suggested(self) -> Optional[int]:
        """The number of workers to begin with: one a core, as far as memory holds them; None where
        neither is known.
        """
        known = [number for number in (self.fit, self.cores) if number is not None]
        return max(1, min(known)) if known else None


@dataclass(frozen=True)
class EpisodeReport:
    """The whole episodes of one place. `mode` is how a vectorizer of Gymnasium's goes on after an
    end, where it was given. `steps` were played in all, the `longest` episode that ended had so
    many; `ended` is how many ended in each way ("terminated", "truncated", "done"). `bound` is what
    stopped them before an end ("steps" or "time"), `failed` what else did.
    """

    manager: str
    start_method: Optional[str]
    mode: str = ""
    steps: int = 0
    longest: int = 0
    ended: Mapping[str, int] = field(default_factory=dict)
    bound: str = ""
    failed: str = ""


@dataclass(frozen=True)
class StorageReport:
    """One replay storage. `missing` says why it was not filled at all. `parts` are the bytes of one
    transition as the spaces say, `asked` the capacity that was asked for, `capacity` the one that
    was filled, and `reduced` why that is less. `points` are bytes of memory at each reading, the
    first before any; `measured` bytes a transition, `forecast` the same from the spaces. `full` is
    by how much each meter rose until it was full, `turns` are whole turns of the ring after that.
    `kind` is flat, grows or undecided, empty where it was never full. `collected` is what only the
    garbage collector gave back when it was full, `dropped` what was left when it was given up.
    `read` are transitions that were read back, `wrong` of them not as the subject produced them,
    `slices` what the framework's own sampler returned. `ended` says why it stopped early.
    """

    storage: str
    asked: int
    class_name: str = ""
    missing: str = ""
    place: str = "memory"
    capacity: int = 0
    reduced: str = ""
    parts: Mapping[str, int] = field(default_factory=dict)
    rooms: Mapping[str, int] = field(default_factory=dict)
    points: Tuple[int, ...] = ()
    measured: Optional[float] = None
    full: Mapping[str, int] = field(default_factory=dict)
    turns: Tuple[StorageTurn, ...] = ()
    kind: str = ""
    collected: Mapping[str, int] = field(default_factory=dict)
    dropped: Optional[EmptiedStorage] = None
    read: int = 0
    wrong: int = 0
    slices: Optional[SampledSlices] = None
    ended: str = ""

    @property
    def forecast(self) -> int:
        """Bytes of one transition."""
        return sum(self.parts.values())


@dataclass(frozen=True)
class DrawingReport:
    """The cost of an open instance that has drawn off the screen: its `context` ("EGL context of
    mujoco"), the bytes of native memory, and how many of them its close() gives back.
    """

    context: str
    acquired: int
    given_back: int


@dataclass(frozen=True)
class ServiceReport:
    """A service that an environment is connected to while it lives, by TCP: its `address`, the
    command line of the `listener` where that runs on this machine and is visible, and whether what
    it keeps is `counted` by a command of the user's.
    """

    address: str
    listener: str = ""
    counted: bool = False


@dataclass(frozen=True)
class SubjectReport:
    """One subject as it was found. `managers` are (manager, start method) pairs that were played;
    `frameworks` maps package names of the target to versions; `lacks` says what the object does not
    offer (a duck without close()). `growth` has one entry for each place where growth was looked
    for, `worker_costs` one for each that runs workers, `faults` one for each fault that was put
    into a worker, `storages` one for each replay storage that was asked for, `episodes`
    one for each place where whole episodes were followed; `training` is what `watch` saw.
    `actions` is what was played where actions are given, or made of the fields of a class.
    `drawing` is what an instance takes that draws off the screen. `command` is the SPEC with the
    user's options, as command lines that are shown repeat them. `probes` are (way, number) of the
    processes that scenarios were played in. `services` are those it is connected to. `fix` is what
    cures its findings together, where that was asked for.
    """

    spec: str
    env_class: str = ""
    source: Optional[Location] = None
    managers: Tuple[Tuple[str, Optional[str]], ...] = ()
    frameworks: Mapping[str, str] = field(default_factory=dict)
    python: str = ""
    lacks: Tuple[str, ...] = ()
    seconds: float = 0.0
    growth: Tuple[GrowthReport, ...] = ()
    worker_costs: Tuple[WorkerCost, ...] = ()
    faults: Tuple[FaultReport, ...] = ()
    storages: Tuple[StorageReport, ...] = ()
    episodes: Tuple[EpisodeReport, ...] = ()
    training: Optional[Training] = None
    actions: Optional[PlayedActions] = None
    drawing: Optional[DrawingReport] = None
    command: str = ""
    probes: Tuple[Tuple[str, int], ...] = ()
    services: Tuple[ServiceReport, ...] = ()
    fix: Optional[Fix] = None


@dataclass(frozen=True)
class FixedFile:
    """One file of a fix. `examined` is the SHA-256 of the bytes that it was made for."""

    file: str
    examined: str
    changes: Tuple[Change, ...]


@dataclass(frozen=True)
class FindingOfFix:
    """A finding that a fix cures; or one that it leaves, with the `reason`."""

    finding: Finding
    reason: str = ""


@dataclass(frozen=True)
class Fixes:
    """A fix, as --diff shows and --fix writes it: `written` says that it was. `files` in the order
    in which they were written, one after each round more than once.
    """

    written: bool = False
    files: Tuple[FixedFile, ...] = ()
    cured: Tuple[FindingOfFix, ...] = ()
    left: Tuple[FindingOfFix, ...] = ()


@dataclass(frozen=True)
class Platform:
    """The platform of a report: operating system, its release, the machine's processor, and the
    version of the doctor's own Python.
    """

    system: str = ""
    release: str = ""
    machine: str = ""
    python: str = ""


@dataclass(frozen=True)
class Report:
    """One run. `verdict` is healthy, sick or inconclusive; findings are worst first.
    `leak_checked`: growth was all that was looked for. `incomplete` says why not all that was asked
    for was seen, if so; `stale` are sentences on settings that match nothing any more.
    """

    subjects: Tuple[SubjectReport, ...]
    findings: Tuple[Finding, ...]
    passed: Tuple[Passed, ...]
    skipped: Tuple[Skipped, ...]
    traces: Tuple[Tuple[str, Trace], ...]  # (spec, trace)
    verdict: str
    seed: int = 0
    seconds: float = 0.0
    command: Tuple[str, ...] = ()
    platform: Mapping[str, str] = field(default_factory=dict)
    version: str = ""
    interrupted: bool = False
    leak_checked: bool = False
    incomplete: str = ""
    stale: Tuple[str, ...] = ()
    fixes: Optional[Fixes] = None

    @property
    def not_found(self) -> Tuple[str, ...]:
        """SPECs that led to no environment, where no finding says why."""
        reported = {finding.subject for finding in self.findings}
        missing = {skipped.subject for skipped in self.skipped if skipped.reason == NO_ENVIRONMENT}
        return tuple(
            subject.spec for subject in self.subjects if subject.spec in missing - reported
        )

    @property
    def made_on(self) -> Platform:
        """The platform that the report was made on."""
        return read_loosely(Platform, self.platform)

    @property
    def verdict_word(self) -> str:
        """The verdict as people read it: passed, failed or inconclusive."""
        return VERDICT_WORDS.get(self.verdict, self.verdict)

    def count(self, severity: str) -> int:
        """Open findings of one severity."""
        return sum(
            finding.severity == severity and finding.status == "open" for finding in self.findings
        )
