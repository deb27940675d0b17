"""Reports to render: one of each kind that a user may meet."""

from __future__ import annotations

from typing import Any

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
from envdoctor.model.report import HEALTHY, INCONCLUSIVE, SICK, Report, SubjectReport
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
        Scenario(name, "make reset step:20 close drop", manager, method, control=fields.pop("control", False)),
        Outcome(outcome, seconds, **fields),
    )


def report(
    *findings: Finding, verdict: str = HEALTHY, traces: tuple[Trace, ...] | None = None, **fields: Any
) -> Report:
    """A report on the forklift; played once in each place unless told otherwise."""
    played = tuple(trace(manager=manager, method=method) for manager, method in PLACES) if traces is None else traces
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
        findings=findings, traces=tuple((SPEC, one) for one in played), verdict=verdict, **{**known, **fields}
    )


LOG = {"7": "/home/ana/projects/warehouse-simulation/runs/2024-11-20/episode.log"}
TAKEN = [{"target": LOG["7"], "file": FILE, "line": 52, "function": "reset", "text": "self._log = open(path)"}]
STACK = f'Thread 0x1 (most recent call first):\n  File "{FILE}", line 91 in close\n  File "runner.py", line 12 in play'

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
            evidence={"held": LOG, "collected": LOG, "taken_at": TAKEN},
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
        *(Skipped(f"LEK00{number}", SPEC, DIRECT, "memray is not installed there") for number in range(1, 9)),
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
        "CLS013", "freed-only-by-collector", WARNING, "a reference cycle keeps 12 MB until the garbage collector runs."
    ),
    verdict=SICK,
)

inconclusive = report(
    verdict=INCONCLUSIVE,
    passed=(),
    subjects=(SubjectReport(SPEC, seconds=60.0),),
    traces=(trace("survey", outcome=TIMED_OUT, seconds=60.0, verb="survey"),),
    skipped=tuple(Skipped(code, SPEC, DIRECT, "the scenario life was not played") for code in ("CLS001", "CLS006")),
)

interrupted = report(
    interrupted=True,
    verdict=INCONCLUSIVE,
    traces=(trace(), trace("reuse", outcome=INTERRUPTED, seconds=2.0, verb="reset")),
)

ALL = {"healthy": healthy, "sick": sick, "warned": warned, "inconclusive": inconclusive, "interrupted": interrupted}
