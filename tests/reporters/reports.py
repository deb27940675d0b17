"""Reports to render: one of each kind that a user may meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from envdoctor.model.facts import (
    Allocations,
    EmptiedStorage,
    GrownCache,
    GrownHolder,
    GrownType,
    SampledSlices,
    StorageTurn,
    Suspects,
)
from envdoctor.model.finding import (
    BASELINED,
    ENVIRONMENT,
    ERROR,
    IGNORED,
    INTERACTION,
    MANAGER,
    MEDIUM,
    NOTE,
    UNKNOWN,
    WARNING,
    Finding,
    Location,
    Passed,
    Remedy,
    Skipped,
)
from envdoctor.model.report import (
    HEALTHY,
    INCONCLUSIVE,
    SICK,
    GrowthReport,
    LeakReport,
    MeterGrowth,
    Report,
    StorageReport,
    SubjectReport,
)
from envdoctor.model.scenario import DIRECT, Scenario
from envdoctor.model.trace import FINISHED, INTERRUPTED, TIMED_OUT, Outcome, Trace

SPEC = "warehouse:Forklift-v0"
FILE = "/home/ana/projects/warehouse-simulation/src/warehouse/envs/forklift.py"
CLOSE = Location(FILE, 88, "close")
ASYNC = "gymnasium-async"
PLACES = ((DIRECT, None), ("gymnasium-sync", None), (ASYNC, "fork"), (ASYNC, "spawn"))
SUBJECT = SubjectReport(
    SPEC,
    "warehouse.envs.forklift.Forklift",
    Location(FILE, 31),
    PLACES,
    {"gymnasium": "1.4.0", "numpy": "2.4.0"},
    "3.11.7",
    (),
    14.2,
)
PLATFORM = {"system": "Linux", "release": "6.1.0", "machine": "x86_64", "python": "3.11.7"}


def finding(
    code: str = "CLS006",
    name: str = "close-leaves-descriptors",
    severity: str = ERROR,
    message: str = "close() leaves 1 descriptor open: /tmp/log",
    remedy: str = "close it in Forklift.close() (taken in reset()).",
    commands: tuple[str, ...] = (),
    **fields: Any,
) -> Finding:
    """A finding of the forklift."""
    return Finding(
        code,
        name,
        severity,
        message,
        Remedy(remedy, commands),
        **{"subject": SPEC, "manager": DIRECT, "blame": ENVIRONMENT, **fields},
    )


def trace(
    name: str = "life",
    manager: str = DIRECT,
    method: str | None = None,
    outcome: str = FINISHED,
    seconds: float = 0.5,
    **fields: Any,
) -> Trace:
    """A trace without events."""
    return Trace(
        Scenario(
            name,
            "make reset step:20 close drop",
            manager,
            method,
            control=fields.pop("control", False),
        ),
        Outcome(outcome, seconds, **fields),
    )


def report(
    *findings: Finding,
    verdict: str = HEALTHY,
    traces: tuple[Trace, ...] | None = None,
    **fields: Any,
) -> Report:
    """A report on the forklift; played once in each place unless told otherwise."""
    every = (
        tuple(trace(manager=manager, method=method) for manager, method in PLACES)
        if traces is None
        else traces
    )
    passed = (
        *tuple(Passed(f"CLS00{number}", SPEC, DIRECT) for number in range(1, 6)),
        Passed("HNG001", SPEC, DIRECT),
        Passed("CLS001", SPEC, ASYNC, "spawn"),
    )
    known = {
        "subjects": (SUBJECT,),
        "passed": passed,
        "skipped": (),
        "seconds": 14.2,
        "platform": PLATFORM,
        "version": "0.1.0",
        "command": ("envdoctor", "check", SPEC),
    }
    return Report(
        findings=findings,
        traces=tuple((SPEC, each) for each in every),
        verdict=verdict,
        **{**known, **fields},
    )


LOG = {"7": "/home/ana/projects/warehouse-simulation/runs/2024-11-20/episode.log"}
ACQUISITIONS = [
    {
        "target": LOG["7"],
        "file": FILE,
        "line": 52,
        "function": "reset",
        "text": "self._log = open(path)",
    }
]
STACK = (
    f'Thread 0x1 (most recent call first):\n  File "{FILE}", line 91 in close\n  File "runner.py",'
    " line 12 in play"
)

healthy = report(
    skipped=(
        Skipped("CLS018", SPEC, DIRECT, "no GPU is visible"),
        Skipped("", SPEC, "sb3-subproc", "stable-baselines3 is not installed"),
    )
)

sick = report(
    *(
        finding(
            message=f"close() leaves 1 descriptor open: {LOG['7']}",
            location=CLOSE,
            manager=manager,
            start_method=method,
            evidence={"held": LOG, "collected": LOG, "taken_at": ACQUISITIONS},
        )
        for manager, method in PLACES[:3]
    ),
    finding(
        "CLS004",
        "close-hangs",
        message="close() did not return within 10 s.",
        location=Location(FILE, 91, "close"),
        manager=ASYNC,
        start_method="spawn",
        blame=INTERACTION,
        confidence=MEDIUM,
        evidence={"stacks": STACK, "seconds": 10.0},
        remedy="give join() a timeout, and stop the loop first:",
        commands=("self._stop.set()\nself._thread.join(timeout=5)",),
    ),
    finding(
        "PRC002",
        "zombies-after-manager-close",
        WARNING,
        "2 zombies are left after close().",
        manager=ASYNC,
        start_method="fork",
        blame=MANAGER,
        evidence={"zombies": {"411": "python", "412": "python"}},
        remedy="upgrade the framework.",
        commands=("pip install -U gymnasium",),
    ),
    finding(
        "MAK002",
        "constructor-takes-resources",
        NOTE,
        "the constructor takes 3 descriptors and 12 MB.",
        remedy="take them at the first reset().",
    ),
    finding(
        "CLS003",
        "second-close-raises",
        WARNING,
        "a second close() raises AttributeError.",
        status=IGNORED,
        status_reason="closed once only",
    ),
    verdict=SICK,
    skipped=(
        *(
            Skipped(f"LEK00{number}", SPEC, DIRECT, "memray is not installed there")
            for number in range(1, 9)
        ),
        Skipped("CLS001", SPEC, ASYNC, "close() did not return", "spawn"),
        Skipped("", SPEC, ASYNC, "this Python has no forkserver", "forkserver"),
    ),
    traces=(
        *(one for _, one in healthy.traces),
        trace(manager=ASYNC, method="spawn", outcome=TIMED_OUT, seconds=10.0, verb="close"),
        trace(manager=ASYNC, method="fork", control=True),
    ),
)

warned = report(
    finding(
        "CLS003",
        "second-close-raises",
        WARNING,
        "a second close() raises AttributeError.",
        blame=UNKNOWN,
        status=BASELINED,
    ),
    finding(
        "CLS013",
        "freed-only-by-collector",
        WARNING,
        "a reference cycle keeps 12 MB until the garbage collector runs.",
    ),
    verdict=SICK,
)

inconclusive = report(
    verdict=INCONCLUSIVE,
    passed=(),
    subjects=(SubjectReport(SPEC, seconds=60.0),),
    traces=(trace("survey", outcome=TIMED_OUT, seconds=60.0, verb="survey"),),
    skipped=tuple(
        Skipped(code, SPEC, DIRECT, "the scenario life was not played")
        for code in ("CLS001", "CLS006")
    ),
)

interrupted = report(
    interrupted=True,
    verdict=INCONCLUSIVE,
    traces=(trace(), trace("reuse", outcome=INTERRUPTED, seconds=2.0, verb="reset")),
)

BLOCKS = (7, 7, 7, 14, 28, 56, 112)
SEES = {"objects": 1, "heap": 32}


def meter(
    name: str,
    kind: str = "flat",
    rates: tuple[float, ...] = (),
    rate: float = 0.0,
    **operations: float,
) -> MeterGrowth:
    """A meter over as many blocks as there are rates; a leak of its own where operations have a
    part in it.
    """
    deltas = tuple(
        round(each * cycles) for each, cycles in zip(rates or (0,) * 4, BLOCKS, strict=False)
    )
    return MeterGrowth(name, kind, rate, deltas, operations, leaks=bool(operations))


def leak_check(*meters: MeterGrowth, **fields: Any) -> GrowthReport:
    """A leak check without a manager."""
    blocks = BLOCKS[: len(meters[0].deltas)] if meters else ()
    known = {"sees": SEES, "tier": "exact", "leaks": tuple(_leaks(meters))}
    return GrowthReport(DIRECT, None, blocks, meters, **{**known, **fields})


def _leaks(meters: Iterable[MeterGrowth]) -> Iterator[LeakReport]:
    for meter in meters:
        if meter.leaks:
            size = next(iter(meter.per_operation.values())) if meter.meter == "heap" else None
            yield LeakReport(meter.meter, meter.rate, meter.per_operation, size)


def leak_checked(*parts: GrowthReport | Finding, **fields: Any) -> Report:
    """A report on the forklift after leak checks, with findings."""
    leak_checks = tuple(part for part in parts if isinstance(part, GrowthReport))
    findings = (part for part in parts if isinstance(part, Finding))
    return report(
        *findings,
        subjects=(replace(SUBJECT, managers=PLACES[:1], growth=leak_checks),),
        traces=(trace(), trace("leak")),
        **fields,
    )


def store(name: str, **fields: Any) -> StorageReport:
    """A storage that was filled with a thousand transitions."""
    known = {
        "class_name": "ListStorage",
        "capacity": 1000,
        "parts": {"observation": 64_000},
        "measured": 65_536.0,
        "kind": "flat",
    }
    turns = (StorageTurn(1000, {"heap": -64, "objects": 4}),)
    measures = {
        "points": (0, 22_000_000, 44_000_000, 65_000_000, 65_000_000),
        "turns": turns,
        "read": 500,
        "collected": {"heap": 0, "tracked": 0},
    }
    return StorageReport(name, 4000, **{**known, **measures, **fields})


QUIET = tuple(
    meter(name)
    for name in (
        "objects",
        "tracked",
        "heap",
        "descriptors",
        "threads",
        "processes",
        "files",
        "segments",
        "data",
    )
)
STEADY = (0,) * len(BLOCKS)
GYM = "/usr/lib/gymnasium"
RECORD = {
    "count": 202,
    "bytes": 58176,
    "per_cycle": 2.0,
    "allocator": "MALLOC",
    "frames": [
        {"file": "<unknown>", "line": 0, "function": "operator new(unsigned long)"},
        {"file": "Box2D/Box2D_wrap.cpp", "line": 11970, "function": "_wrap_new_b2PolygonShape"},
        {"file": f"{GYM}/Box2D.py", "line": 1890, "function": "__init__"},
        {"file": FILE, "line": 52, "function": "reset"},
        {"file": f"{GYM}/core.py", "line": 348, "function": "reset"},
    ],
    "user": 3,
}

flat = leak_checked(leak_check(*QUIET))

native = leak_checked(
    leak_check(
        meter("objects", rates=STEADY),
        meter("heap", "leak", (1680, 1632, 1632, 1640, 1632, 1632, 1632), 1632.0, reset=1632.0),
        meter("data", "leak", (0, 0, 0, 9e4, 9e4, 9e4, 9e4), 9e4),
        allocations=Allocations.decode(
            {
                "cycles": 101,
                "operation": "reset",
                "native": True,
                "mode": "aggregated",
                "records": [RECORD],
                "file": "/tmp/kept/fork.bin",
            }
        ),
    ),
    finding(
        "LEK003",
        "native-memory-grows",
        message="every reset() keeps 1.6 KB of native memory",
        evidence={"records": [RECORD], "meter": "heap"},
    ),
    verdict=SICK,
)

kept = leak_checked(
    leak_check(
        meter("objects", "leak", (3.0,) * 7, 3.0, create=1.0, step=0.1),
        meter("heap", "filling", (90, 80, 70, 60, 50, 40, 30), 30.0),
        meter("descriptors", "leak", (1.0,) * 7, 1.0, create=1.0),
        allocations=Allocations(
            missing="memray is not usable in /usr/python (No module named 'memray')"
        ),
        suspects=Suspects(
            types=(GrownType("warehouse.sim.Handle", 14),),
            holders=(
                GrownHolder("warehouse.sim.Handle", "warehouse.sim.REGISTRY[3].callbacks[0]"),
            ),
            caches=(GrownCache("warehouse.sim.lookup (lru_cache)", 64, None, 14, False),),
        ),
    ),
    verdict=SICK,
)

filling = leak_checked(
    leak_check(meter("objects", "filling", (9, 8, 5, 3, 1, 0.5, 0.25), 0.25)),
    leak_check(meter("heap", "open", (300, 0, 900, 40), 250.0), quick=True),
    replace(leak_check(*QUIET, quick=True, side="worker 1"), manager=ASYNC, start_method="fork"),
)

degraded = leak_checked(
    leak_check(
        *QUIET[:2],
        tier="degraded",
        reasons=("heap cannot be read: this libc has no mallinfo2",),
        sees={"objects": 1},
    ),
    leak_check(*(replace(one, kind="open", deltas=one.deltas[:2]) for one in QUIET[:1])),
    leak_check(ended="block:7x1x20 raised RuntimeError: enough at env.py:9 in reset"),
)

_RISEN = {
    "turns": tuple(StorageTurn(1000, {"heap": 8_000_000, "objects": 4}) for _ in range(3)),
    "kind": "grows",
}
_SLICES = SampledSlices(compared=32, transitions=256, wrong=0, torn=0, failed="")

storages = report(
    subjects=(
        replace(
            SUBJECT,
            managers=PLACES[:1],
            storages=(
                store("torchrl-list", dropped=EmptiedStorage(collected={"heap": 61_000_000})),
                store(
                    "torchrl-memmap",
                    **_RISEN,
                    slices=_SLICES,
                    dropped=EmptiedStorage(collected={"heap": 0}),
                ),
                store(
                    "sb3",
                    reduced="filled with 1,000 of 4,000: more takes too much memory",
                    collected={"heap": 2048, "tracked": 1234},
                    wrong=3,
                ),
                store("torchrl-tensor", turns=(), kind=""),
                StorageReport(
                    "ding", 4000, missing="DI-engine is not installed in this interpreter"
                ),
            ),
        ),
    ),
    traces=(trace(), trace("storage")),
)

GROWTH = {"flat": flat, "native": native, "kept": kept, "filling": filling, "degraded": degraded}

ALL = {
    "healthy": healthy,
    "sick": sick,
    "warned": warned,
    "inconclusive": inconclusive,
    "interrupted": interrupted,
    "storages": storages,
    **GROWTH,
}
