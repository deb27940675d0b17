"""Plays scenarios of one subject, and keeps what is seen; says how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envdoctor.model.facts import Sources
from envdoctor.model.finding import Skipped
from envdoctor.model.scenario import DIRECT, Scenario
from envdoctor.model.subject import SOURCE, Subject
from envdoctor.model.trace import INTERRUPTED, Trace
from envdoctor.model.units import duration
from envdoctor.plan import episodes, hangs, slow_calls
from envdoctor.plan import scenarios as planning
from envdoctor.plan.leak_check import LEAK_CHECK
from envdoctor.request.command_lines import command_of
from envdoctor.run.supervise.limits import SHARE_OF_MEMORY
from envdoctor.run.supervise.machine import machine
from envdoctor.run.supervise.session import Session
from envdoctor.verdict.diagnosis import ObservationRecorder, RunEvidence

if TYPE_CHECKING:
    from envdoctor.analysis.undefined_names import UndefinedNames

Progress = Callable[[str], None]

#: Verbs that make many calls, each with a deadline of its own: the doctor's own limit is half of
#: one, after which no call is begun.
REPEATED = (
    "step",
    "mirror",
    "warm",
    "block",
    "rest",
    "suspects",
    "garbage",
    "memray",
    "replay",
    "threaded",
    "layers",
    "origin",
)
CALLS_OF_A_CHECKER = 20


def longest(scenario: Scenario, timeout: float) -> float:
    """Seconds that a scenario may take at most, if each of its calls takes all the time it has."""
    calls = {**dict.fromkeys(REPEATED, 1.5), "check": CALLS_OF_A_CHECKER}
    return timeout * sum(calls.get(verb.name, 1.0) for verb in scenario.verbs)


@dataclass
class SessionBudget:
    """Seconds for all scenarios of a subject, from now on; 0 for as many as they take."""

    seconds: float = 0.0
    began: float = field(default_factory=time.monotonic)

    @property
    def is_over(self) -> bool:
        """True if no further scenario may begin."""
        return self.seconds > 0 and time.monotonic() - self.began > self.seconds

    def share(self, seconds: float, part: float) -> float:
        """So many seconds, but no more than that part of the budget."""
        return min(seconds, self.seconds * part) if self.seconds else seconds


def place_of(scenario: Scenario) -> str:
    """`[gymnasium-async, spawn]`."""
    parts = (*scenario.place, "control" if scenario.control else None)
    return f"[{', '.join(part for part in parts if part)}]"


@dataclass
class Play:
    """Plays scenarios of one subject in a session and keeps their traces. Stops when the user
    does, and begins none when the `budget` is over.
    """

    session: Session
    subject: Subject
    seed: int
    spaces: Path
    progress: Progress
    recorder: ObservationRecorder = field(default_factory=ObservationRecorder)
    traces: list[Trace] = field(default_factory=list)
    undefined_names: UndefinedNames | None = None
    budget: SessionBudget = field(default_factory=SessionBudget)
    expected: int = 0  # scenarios, as far as the plan is known
    left_out: dict[str, str] = field(default_factory=dict)  # why, by the name of the scenario
    skipped: list[Skipped] = field(default_factory=list)  # places that were left out
    remedies: Mapping[str, Any] = field(default_factory=dict)  # what became of those tried
    on_trace: Callable[[Play], None] | None = None  # called after each scenario

    def check_names(self, files: Sources) -> None:
        """Have the subject's own text read while the probe plays on."""
        # Later than the first probe: it has to be parsed, too.
        from envdoctor.analysis.undefined_names import UndefinedNames

        self.undefined_names = UndefinedNames(files)

    def __call__(self, scenario: Scenario) -> Trace | None:
        """The trace, or None when the run was interrupted before."""
        trace = self._trace_of(scenario)
        return trace and self._keep(trace)

    def life(self, life: Scenario, together: Scenario | None) -> Trace | None:
        """Play a plain life, and a whole episode `together` with it where there is such a
        scenario: the life alone where that did not come to its end.
        """
        if together is None:
            return self(life)
        trace = self._trace_of(together)
        if trace is None:
            return None
        if not trace.verbs("episode"):  # so far it is the plain life
            return self._keep(replace(trace, scenario=life))
        self._keep(trace)
        return trace if episodes.has_both(trace) else self(life)

    def _keep(self, trace: Trace) -> Trace:
        self.traces[:] = episodes.separated([*self.traces, trace])
        self.recorder.trace(self.subject, trace)
        if self.on_trace:
            self.on_trace(self)
        return trace

    def _trace_of(self, scenario: Scenario) -> Trace | None:
        """The trace of a scenario that is not kept yet; None where it was left out."""
        if self.interrupted:
            return None
        short = hangs.adapted(scenario, self.traces)
        if short is not scenario:
            self._leave_out(scenario, hangs.reason(self.traces))
        if short is None or not self._fits(short):
            return None
        scenario = slow_calls.shortened(short, self.traces)
        self.progress(
            f"{self.subject.text} {place_of(scenario)} {scenario.name} ({self._how_far(scenario)})"
        )
        if planning.wants_fresh(scenario, self.traces):
            self.session.renew()
        return self.session.play(self.subject, scenario, self.seed, self.spaces)

    def _fits(self, scenario: Scenario) -> bool:
        """Return True if there is time for a scenario; those without time are named. A control
        always has time: without it, a manager's effects would be errors of the environment. Where
        no budget was given, slow first calls bound it.
        """
        slow = "" if self.budget.seconds else slow_calls.reason(scenario, self.traces)
        if slow:
            self._leave_out(scenario, slow)
            return False
        if not self.budget.is_over or scenario.traits.surveys or scenario.control:
            return True
        self._leave_out(scenario, f"the budget of {duration(self.budget.seconds)} ended")
        return False

    def _leave_out(self, scenario: Scenario, reason: str) -> None:
        """Name what is not played, or not all of it: a place where it is its plain life."""
        if scenario.manager == DIRECT:
            name = LEAK_CHECK if scenario.traits.growth else scenario.name
            self.left_out.setdefault(name, reason)
        elif scenario.traits.plain:
            self.skipped.append(
                Skipped("", self.subject.text, scenario.manager, reason, scenario.start_method)
            )

    def expect(self, number: int) -> None:
        """So many more scenarios are planned."""
        self.expected = max(self.expected, len(self.traces)) + number

    def _how_far(self, scenario: Scenario) -> str:
        """`3 of 24, at most 2 min 30 s`; `3, at most 45 s` while the plan is not known."""
        number = len(self.traces) + 1
        count = f"{number} of {self.expected}" if number <= self.expected else f"{number}"
        limit = longest(scenario, self.session.limits.timeout)
        return f"{count}, at most {duration(limit)}"

    def evidence(self, **more: Any) -> RunEvidence:
        """Return the observations so far, once the subject's own text was read."""
        read = self.undefined_names.knowledge() if self.undefined_names else {}
        return self._evidence_with(read, **more)

    def evidence_so_far(self) -> RunEvidence:
        """Return the observations so far without waiting for that."""
        names = self.undefined_names
        unread = {"unjudged": {SOURCE: "the source is still being read"}}
        return self._evidence_with(names.knowledge() if names and names.is_over else unread)

    def _evidence_with(self, source: Mapping[str, Any], **more: Any) -> RunEvidence:
        # What the doctor cannot see.
        read = {
            "sensors": machine.missing(),
            "left-out": dict(self.left_out),
            "command": command_of(self.subject, self.session.python),
            **source,
            **self.remedies,
        }
        return RunEvidence(self.subject, tuple(self.traces), self.machine, read, **more)

    @property
    def memory(self) -> int:
        """Bytes of memory that a run may use here."""
        return self.session.limits.room

    @property
    def available(self) -> int:
        """Bytes of memory that are free here."""
        return int(self.memory / SHARE_OF_MEMORY)

    @property
    def machine(self) -> dict[str, int]:
        """The resources that a run may use here."""
        cores = self.session.limits.cores
        return {"cores": cores, "memory": self.memory, "available": self.available}

    @property
    def interrupted(self) -> bool:
        """True if the user ended the run."""
        return bool(self.traces) and self.traces[-1].outcome.kind == INTERRUPTED
