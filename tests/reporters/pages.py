"""Reports whose pages have every part: all kinds of drawings, texts of an attacker, the size of
a large run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from envdoctor.model.facts import (
    AllocationRecord,
    Allocations,
    GrownCache,
    GrownHolder,
    GrownType,
    Suspects,
)
from envdoctor.model.finding import Location, Passed, Skipped
from envdoctor.model.report import SICK, FaultReport, Report, SubjectReport, WorkerCost
from envdoctor.model.scenario import DIRECT
from envdoctor.model.trace import Trace
from tests.reporters.reports import (
    ALL,
    ASYNC,
    PLACES,
    SPEC,
    SUBJECT,
    finding,
    native,
    report,
    sick,
    trace,
)
from tests.reporters.test_terminal import hostile

COSTS = (
    WorkerCost(ASYNC, "fork", 2, 0.01, 5 << 20, 13 << 20, 4010, 2),
    WorkerCost(ASYNC, "spawn", 2, 2.3, 150 << 20, 180 << 20, 126, 2),
)
FAULTS = (
    FaultReport(ASYNC, "fork", "gymnasium 1.4.0", "kill", 0, "hang", "step"),
    FaultReport(ASYNC, "spawn", "gymnasium 1.4.0", "reset", 1, "itself", "reset"),
)


def event(at: float, kind: str, pid: int = 10, **fields: Any) -> dict[str, Any]:
    return {"event": kind, "t": at, "pid": pid, **fields}


def verb(at: float, name: str, state: str) -> dict[str, Any]:
    return event(at, "verb", verb=name, state=state)


def instance(at: float, what: str, **fields: Any) -> dict[str, Any]:
    return event(at, "instance", 11, what=what, serial=1, **fields)


def lived(method: str = "spawn") -> Trace:
    """A life under a manager with one worker, which is killed, and whose child outlives it."""
    child = {"21": "renderer --port 1"}
    events = (
        verb(0.0, "make", "began"),
        instance(1.0, "making"),
        instance(1.1, "made", type="warehouse.envs.forklift.Forklift", watched=True),
        event(1.2, "workers", pids=[11]),
        verb(1.3, "make", "ended"),
        event(1.4, "reading", point="made", life=0, sensors={"processes": {}}),
        instance(1.5, "reset"),
        event(1.6, "reading", point="reset", life=0, sensors={"processes": child}),
        verb(1.7, "close", "began"),
        instance(1.8, "closing"),
        verb(1.9, "close", "ended"),
        event(2.0, "worker-exit", pid_of_worker=11, code=-9),
    )
    return replace(
        trace(manager=ASYNC, method=method), events=events, aftermath={"processes": child}
    )


rich = replace(
    sick,
    subjects=(replace(SUBJECT, worker_costs=COSTS, faults=FAULTS),),
    traces=(*sick.traces, (SPEC, lived())),
)
several = replace(
    rich,
    subjects=(*rich.subjects, SubjectReport("other:Env", managers=PLACES[:1])),
    passed=(*rich.passed, Passed("CLS001", "other:Env", DIRECT)),
)

EVERY = {**ALL, "rich": rich, "several": several}


def everywhere(text: str) -> Report:
    """A report in which an environment has put a text wherever it can."""
    frame = {"file": text, "line": text, "function": text}
    evidence = {
        text: {text: [text, {text: text}]},
        "error": {"type": text, "message": text, "frames": [frame]},
        "taken_at": [{"file": text, "line": 1, "text": text, "target": text}],
        "held_by": [text],
    }
    odd = finding(
        text,
        text,
        message=text,
        remedy=text,
        commands=(text,),
        manager=text,
        start_method=text,
        evidence=evidence,
        location=Location(text, 1, text),
        blame=text,
        confidence=text,
    )
    record = AllocationRecord(202, 58176, 2.0, text, (Location(text, 1, text),), 0)
    told = Allocations(101, text, records=(record,), file=text)
    suspects = Suspects(
        types=(GrownType(text, 1),),
        holders=(GrownHolder(text, text),),
        caches=(GrownCache(text, 1, None, 1, False),),
    )
    leak_check = replace(
        native.subjects[0].growth[0],
        allocations=told,
        suspects=suspects,
        ended=text,
        reasons=(text,),
    )
    subject = replace(
        rich.subjects[0],
        growth=(leak_check,),
        env_class=text,
        lacks=(text,),
        python=text,
        frameworks={text: text},
        source=Location(text, 1),
    )
    life = lived()
    life = replace(
        life, aftermath={"processes": {"21": text}}, events=(*life.events, verb(3.0, text, "began"))
    )
    own = hostile(text)
    return replace(
        own,
        subjects=(subject,),
        findings=(*own.findings, odd),
        traces=(*own.traces, (SPEC, life)),
        command=(text,),
        platform={"system": text},
    )


SCRIPTS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'-->]]></style></title></svg><script>",
    "javascript:alert(1)",
    "&lt;script&gt;",
    "\x00\ud800",
    "</code></pre><iframe src=//x>",
    "{{7*7}}",
    "a" * 100_000,
    "\n" * 3_000,
    "</script><!--",
    "<style>*{display:none}</style>",
)


def large() -> Report:
    """A run of 40 environments with 200 findings in 1,000 scenarios."""
    specs = [f"warehouse:Forklift-v{number}" for number in range(40)]
    codes = ("CLS001", "CLS006", "CLS007", "PRC001", "LEK003")
    stacks = "\n".join(f'  File "x.py", line {at} in f' for at in range(200))
    evidence = {"held": {str(number): f"pipe:[{number}]" for number in range(50)}, "stacks": stacks}
    findings = (
        finding(code, subject=spec, message=f"it leaves {code}", evidence=evidence)
        for spec in specs
        for code in codes
    )
    passed = tuple(
        Passed(f"CLS{number:03}", spec, *place)
        for spec in specs
        for place in PLACES
        for number in range(8, 60)
    )
    skipped = (Skipped("DET001", specs[0], DIRECT, "fewer than two trajectories to compare"),)
    growth = native.subjects[0].growth
    subjects = tuple(
        replace(SUBJECT, spec=spec, worker_costs=COSTS, faults=FAULTS, growth=growth)
        for spec in specs
    )
    played = tuple((spec, lived()) for spec in specs for _ in range(25))
    return replace(
        report(*findings, verdict=SICK, passed=passed, skipped=skipped, subjects=subjects),
        traces=played,
    )
