"""Watch one scenario until it is over, and say how it ended."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import field, replace

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import WorkerExitRecord, records_of
from envdoctor.model.scenario import verb_name
from envdoctor.model.trace import (
    EXITED,
    FINISHED,
    INTERRUPTED,
    LOST,
    OUT_OF_MEMORY,
    SIGNALLED,
    TIMED_OUT,
    Outcome,
)
from envdoctor.model.units import size
from envdoctor.run.supervise import output, stacks
from envdoctor.run.supervise.idle_detection import (
    ENOUGH,
    LOOK_EVERY,
    MOST_AGAIN,
    CallClock,
    Idleness,
)
from envdoctor.run.supervise.journal_reader import JournalReader
from envdoctor.run.supervise.limits import Limits
from envdoctor.run.supervise.machine import machine
from envdoctor.run.supervise.own_frames import is_own_work
from envdoctor.run.supervise.patience import ANY, Expectation
from envdoctor.run.supervise.probe_process import ProbeProcess

MUCH = 0.2  # of the ceiling: what takes less by its deadline may be slow for another reason
HALF, LATE = 0.5, 0.75  # of the time of a call
GOOD_PART = 0.25  # of what a call took: in each half of its time, and half of it at the end


class MemoryOfCall:
    """Bytes that were held, as they were weighed during the present call. On a busy machine, or one
    with much memory, a call may pass its deadline before it meets the ceiling that it runs towards.
    """

    def __init__(self, ceiling: int) -> None:
        self._ceiling = ceiling
        self._since = -1.0
        self._weighed: list[tuple[float, int]] = []

    def add(self, since: float, moment: float, held: int) -> None:
        """They were weighed at a moment, in the call that began at `since` (time.monotonic())."""
        if since != self._since:
            self._since, self._weighed = since, []
        self._weighed.append((moment, held))

    def is_much(self, held: int) -> bool:
        """Return True if a good part of the ceiling is held."""
        return held >= MUCH * self._ceiling

    @property
    def rises(self) -> bool:
        """True if the call holds much, took a good part of it in each half of its time, and takes
        more to the end: one that took it at once, and then hangs, does not.
        """
        if not self._weighed or not self.is_much(self._weighed[-1][1]):
            return False
        first, last = self._weighed[0][1], self._weighed[-1][1]
        middle, late = self._held_after(HALF), self._held_after(LATE)
        part = GOOD_PART * (last - first)
        return min(middle - first, last - middle) > part and last - late > part / 2

    def _held_after(self, share: float) -> int:
        """Bytes that were held after a share of the time of the call."""
        began, ended = self._weighed[0][0], self._weighed[-1][0]
        until = began + share * (ended - began)
        return [held for moment, held in self._weighed if moment <= until][-1]


# Seconds between two looks at the journal: short while it grows, longer when quiet.
FIRST_PAUSE, LAST_PAUSE = 0.002, 0.02
SLOWER = 1.1  # a pause is a tenth of the silence before it: what ends is noticed soon
WEIGH_EVERY = 0.25  # seconds between two looks at memory and outputs
WEIGH_OFTEN = 0.05  # where half of the memory is taken: the rest may be gone in a moment
WEIGH_COST = 10  # and at least so many times what the last look took: many processes, fewer looks
STDERR_LINES, STDERR_BYTES = 40, 16 * 1024
LOOK_AFTER = 0.5  # seconds of a call: what is quick need not be looked into
PROVEN = 1.0  # idle seconds after which the kernel is asked what everything waits for
PAUSED = 1.0  # idle seconds after which an import waits, and does not work
MOST_OF_FIRST = 3.0  # times the deadline that a first call gets, as long as it works
LAUNCHING = 4.0  # seconds for workers that import before they are heard of
OWN_WORK = "envdoctor's own search took too long"
MAX_OUTPUT = 64 * 1024 * 1024  # bytes of stdout or stderr; a file that passes it is emptied


@dataclass(frozen=True)
class WaitingLimits:
    """The limits of waiting for a scenario. With `idle_limit`, a verb is taken for hung when
    nothing has run for so many seconds; `known` are the verbs that have been waited for in vain,
    and `starved` those that a busy machine kept from running before. `executed` workers are
    programs of their own, which import first. `ceiling` says what is special about the ceiling of
    memory. `unknown` are verbs that never came back before, and `least` the seconds that a verb is
    waited for at least, since it took a good part of them before, or ANY other verb.
    """

    idle_limit: float | None = None
    known: Mapping[str, Expectation] = field(default_factory=dict)
    starved: Collection[str] = ()
    executed: bool = False
    ceiling: str = ""
    unknown: Collection[str] = ()
    least: Mapping[str, float] = field(default_factory=dict)


class ProcessWatch:
    """Follows a journal and a probe process at the same time. Make it before the request is sent:
    the clock starts here.
    """

    def __init__(
        self,
        probe: ProbeProcess,
        journal: JournalReader,
        limits: Limits,
        is_stopped: Callable[[], bool],
        waiting: WaitingLimits | None = None,
        fresh: bool = False,
    ) -> None:
        self._probe = probe
        self._journal = journal
        self._limits = limits
        self._waiting = waiting or WaitingLimits()
        self._idleness = Idleness()
        self._clock = CallClock(limits.cores)
        self._is_stopped = is_stopped
        self._is_starved = self._computes = False
        self._is_growing = False  # whether the journal was longer when it was read last
        self._began = self._look_at = time.monotonic()
        self._weigh_at = self._began + WEIGH_EVERY
        self._memory = MemoryOfCall(limits.memory)
        self._oom_kills = machine.oom_kills()
        self._stderr = 0 if fresh else output.size(probe.home / "stderr")
        self._said = ""  # on stderr, before it was emptied
        self._stacks = 0 if fresh else output.size(probe.home / "stacks")

    def until_over(self) -> Outcome:
        """Wait for the end of the scenario, whichever it is. The processes are left as they are."""
        pause = FIRST_PAUSE
        while True:
            self._is_growing = self._journal.read()
            outcome = self._look()
            if outcome is not None:
                return self.complete(outcome)
            pause = FIRST_PAUSE if self._is_growing else min(pause * SLOWER, LAST_PAUSE)
            self._probe.wait(pause)

    def complete(self, outcome: Outcome) -> Outcome:
        """An outcome with what is known about every outcome: how long, in which verb, and the
        probe's last words.
        """
        home = self._probe.home
        outcome = replace(
            outcome,
            seconds=time.monotonic() - self._began,
            # A worker may have crashed in one that finished.
            stacks=outcome.stacks or output.since(home / "stacks", self._stacks),
        )
        stderr = self._last_words()
        if outcome.kind == FINISHED:
            return replace(outcome, stderr=stderr)
        return replace(outcome, verb=self._journal.verb, at=self._journal.at, stderr=stderr)

    def _look(self) -> Outcome | None:
        if self._journal.ended:
            return Outcome(FINISHED)
        if self._journal.failed:
            return Outcome(
                LOST,
                reason=(
                    "envdoctor itself could not go on in the process of the environment:"
                    f" {self._journal.failed}"
                ),
            )
        if not self._probe.alive:
            return self._death()
        if not self._is_growing and not self._journal.is_there:
            return Outcome(
                LOST,
                reason=(
                    "its journal is gone; the environment may have removed everything around its"
                    " temporary directory"
                ),
            )
        if self._is_stopped():
            return Outcome(INTERRUPTED)
        overdue = self._overdue()
        if overdue and not self._came_back():
            if self._is_starved:
                return Outcome(LOST, reason=overdue, starved=True)
            return self._hung(overdue)
        return self._weigh()

    def _hung(self, overdue: str) -> Outcome:
        """A call that is not waited for any longer: for the time, or the memory, that it takes."""
        held = machine.proportional(self._probe.pids) if self._memory.rises else 0
        waits = machine.blocked(self._probe.pids)
        self._tell_dead_workers()
        # A worker, for which the manager waits.
        crashed = output.since(self._probe.home / "stacks", self._stacks)
        now = stacks.collect(self._probe, self._limits)
        if is_own_work(now):
            return Outcome(LOST, reason=OWN_WORK, own=True)
        where = crashed + now
        if self._memory.is_much(held):
            text = f"it held {size(held)}, and the {self._ceiling}"
            reason = f"{overdue} and took more and more memory: {text}"
            return Outcome(OUT_OF_MEMORY, reason=reason, stacks=where)
        return Outcome(
            TIMED_OUT, reason=overdue, stacks=where, waits=waits, computed=self._computes
        )

    def _came_back(self) -> bool:
        """Return True if a call came back since the journal was read, or ended the process:
        readings of that moment may belong to the next one. A reset() that sleeps for 5 s followed
        another one, and its end was beyond the 10 s of the first.
        """
        known = (self._journal.since, self._journal.ended)
        self._journal.read()
        self._probe.wait(0)
        return (self._journal.since, self._journal.ended) != known or not self._probe.alive

    def _overdue(self) -> str:
        """Return the reason why the present verb is not waited for any longer, or nothing."""
        self._is_starved = False  # an earlier call may have been, and then come back
        now, since, allowed = time.monotonic(), self._journal.since, self._allowed()
        if now < self._look_at or now - since <= min(LOOK_AFTER, allowed):
            return ""
        self._look_at = now + LOOK_EVERY
        pids = self._probe.pids
        had, still = self._clock.seconds(now, since, pids), self._idleness.seconds(pids)
        self._computes = self._clock.computes()
        what = verb_name(self._journal.verb) or "the probe"
        again = what in self._waiting.starved and now - since > allowed
        limit = "--timeout"
        if had > allowed and self._works_first(what, had, still, pids):
            allowed *= MOST_OF_FIRST
            limit = "a multiple of --timeout, since it was the first one, and worked"
        if (had > allowed or again) and not self._imports(had, still):
            needs = allowed if had > allowed else ENOUGH * allowed
            self._is_starved = self._clock.had_less(now - since, needs) and still < PAUSED
            if self._is_starved:
                return (
                    f"the machine was too busy: in {now - since:.0f} s {what} had less than the"
                    f" {allowed:g} s of --timeout to itself"
                )
            if had > allowed:
                return f"{what} took more than {allowed:g} s ({limit})"
        if not self._journal.verb:
            return ""
        if self._is_quiet(what, still):
            return f"nothing ran for some seconds in {what}, {now - since:.0f} s after it began"
        short = self._short(what)
        silent = now - max(since, self._journal.heard)
        if short is not None and self._clock.without_waiting(silent, MOST_AGAIN) > short:
            self._is_starved = self._clock.had_less(silent, short)
            return f"{what} took more than {short:.0f} s, and it did not come back before"
        if still >= PROVEN and self._waits_longer(pids, now + allowed - had):
            return f"{what} waits, and nothing can wake it within {allowed:g} s (--timeout)"
        return ""

    def _imports(self, had: float, still: float) -> bool:
        """Return True if it is an import that works: of the environment's module, or in workers."""
        verb = verb_name(self._journal.verb)
        importing = verb == "survey" or (self._waiting.executed and verb in ("make", "reset"))
        return importing and had <= self._limits.imports and still < PAUSED

    def _works_first(self, verb: str, had: float, still: float, pids: list[int]) -> bool:
        """Return whether it is a call that was never made before, and works: a first reset()
        compiles, loads or downloads.
        """
        first = verb in self._waiting.unknown and still < PAUSED
        return first and self._clock.works(had, pids)

    def _is_quiet(self, verb: str, still: float) -> bool:
        """Return True if nothing has run for long enough in a verb that is expected to hang."""
        if self._waiting.idle_limit is not None:
            return still >= self._waiting.idle_limit
        known = self._waiting.known.get(verb)
        return known is not None and still >= known.quiet

    def _short(self, verb: str) -> float | None:
        """Seconds of work for a verb that is expected to hang, since anything was heard of it."""
        known = self._waiting.known.get(verb)
        if known is None or known.short is None or self._waiting.idle_limit is not None:
            return None
        heard = self._journal.workers or self._journal.in_call
        starting = self._waiting.executed and not heard
        return known.short + (max(LAUNCHING, self._limits.launch) if starting else 0.0)

    def _waits_longer(self, pids: list[int], deadline: float) -> bool:
        """Return True if nothing below the probe can run before a moment."""
        moment = machine.wakes_at(pids, self._probe.pid, self._journal.since)
        return moment is not None and moment > deadline and self._idleness.lasts(pids)

    def _tell_dead_workers(self) -> None:
        """Journal what a probe that hangs cannot tell: how the children ended that it has not
        waited for.
        """
        codes = {pid: machine.exit_code(pid) for pid in self._probe.others()}
        reported = {
            record.pid_of_worker for record in records_of(WorkerExitRecord, self._journal.events)
        }
        self._journal.add(
            [
                {
                    "event": "worker-exit",
                    "t": time.monotonic(),
                    "pid": self._probe.pid,
                    "pid_of_worker": pid,
                    "code": code,
                    "name": machine.describe(pid),
                }
                for pid, code in codes.items()
                if code is not None and pid not in reported
            ]
        )

    def _allowed(self) -> float:
        """Seconds that the present stage may take."""
        limits = self._limits
        verb, least = verb_name(self._journal.verb), self._waiting.least
        if not verb:
            allowed = max(limits.timeout, limits.pause) + limits.launch
        else:
            more = {"drop": limits.drop, "make": limits.launch}
            allowed = limits.timeout + more.get(verb, 0.0)
        return max(allowed, least.get(verb, least.get(ANY, 0.0)))

    def _weigh(self) -> Outcome | None:
        now = time.monotonic()
        if now < self._weigh_at:
            return None
        self._trim_outputs()
        pids = self._probe.pids
        # Forked workers share most of their memory: only the slow count, made when the quick one
        # alarms, is fair to them.
        held = machine.resident(pids)
        if held > self._limits.memory:
            held = machine.proportional(pids)
        self._memory.add(self._journal.since, now, held)
        pause = WEIGH_OFTEN if held > self._limits.memory / 2 else WEIGH_EVERY
        self._weigh_at = time.monotonic() + max(pause, WEIGH_COST * (time.monotonic() - now))
        return (
            Outcome(OUT_OF_MEMORY, reason=self._too_much(held, pids))
            if held > self._limits.memory
            else None
        )

    def _too_much(self, held: int, pids: list[int]) -> str:
        """Say which ceiling was met, by how much, and by which process."""
        text = f"it held {size(held)}, and the {self._ceiling}"
        if len(pids) == 1:
            return text
        most = max(pids, key=lambda pid: machine.proportional([pid]))
        name = "itself" if most == self._probe.pid else f"process {most} ({machine.describe(most)})"
        started = (
            "one process that it started"
            if len(pids) == 2
            else f"{len(pids) - 1} processes that it started"
        )
        return f"with {started} {text}; most of it, {size(machine.proportional([most]))}, in {name}"

    @property
    def _ceiling(self) -> str:
        return f"ceiling is {size(self._limits.memory)} (--memory-limit){self._waiting.ceiling}"

    def _trim_outputs(self) -> None:
        """Empty the outputs of a chatty environment before they fill the disk; what it said
        last may still be wanted.
        """
        for path in (self._probe.home / "stdout", self._probe.home / "stderr"):
            if output.size(path) > MAX_OUTPUT:
                self._said = self._last_words() if path.name == "stderr" else self._said
                output.truncate(path)

    def _last_words(self) -> str:
        words = output.tail(self._probe.home / "stderr", self._stderr, STDERR_LINES, STDERR_BYTES)
        lines = f"{self._said}\n{words}".splitlines()
        return "\n".join(lines[-STDERR_LINES:])[-STDERR_BYTES:].strip("\n")

    def _death(self) -> Outcome:
        probe = self._probe
        if probe.failure:
            return Outcome(LOST, reason=f"cannot start {probe.python}: {probe.failure}")
        code = os.waitstatus_to_exitcode(probe.status) if probe.status is not None else None
        if code in (None, -signal.SIGKILL) and machine.oom_kills() > self._oom_kills:
            return Outcome(OUT_OF_MEMORY, reason="the kernel killed it because memory ran out")
        if code is None:
            return Outcome(
                LOST,
                reason=(
                    "the process that guards the probe was killed; the environment may have killed"
                    " its parent"
                ),
            )
        return (
            Outcome(SIGNALLED, signal=signal_name(-code))
            if code < 0
            else Outcome(EXITED, exit_code=code)
        )


def signal_name(number: int) -> str:
    """`SIGSEGV`; for a signal without a name `signal 40`."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
