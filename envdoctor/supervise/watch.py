"""Watch one scenario until it is over, and say how it ended."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Collection
from dataclasses import replace

from envdoctor.capacity import size
from envdoctor.model.scenario import verb_name
from envdoctor.model.trace import EXITED, FINISHED, INTERRUPTED, LOST, OUT_OF_MEMORY, SIGNALLED, TIMED_OUT, Outcome
from envdoctor.supervise import output, stacks
from envdoctor.supervise.journal import Journal
from envdoctor.supervise.leash import Leash
from envdoctor.supervise.limits import Limits
from envdoctor.supervise.machine import machine
from envdoctor.supervise.stillness import Stillness

FIRST_PAUSE, LAST_PAUSE = 0.0005, 0.02  # seconds between two looks at the journal: short while it grows, longer when quiet
SLOWER = 1.1  # a pause is a tenth of the silence before it: what ends is noticed soon
WEIGH_EVERY = 0.25  # seconds between two looks at memory and outputs
WEIGH_OFTEN = 0.05  # where half of the memory is taken: the rest may be gone in a moment
WEIGH_COST = 10  # and at least so many times what the last look took: many processes, fewer looks
STDERR_LINES, STDERR_BYTES = 40, 16 * 1024
AGAIN = 3.0  # seconds without a move after which a verb hangs that hung before: ten scenarios would wait for it in vain
MAX_OUTPUT = 64 * 1024 * 1024  # bytes of stdout or stderr; a file that passes it is emptied


class Watch:
    """Follows a journal and a leash at the same time. Make it before the request is sent: the clock starts here. With
    `stillness`, a verb is also taken for hung when nothing has run for so many seconds; one of those in `hung`, which have been waited
    for in vain, in any case.
    """

    def __init__(
        self,
        leash: Leash,
        journal: Journal,
        limits: Limits,
        is_stopped: Callable[[], bool],
        stillness: float | None = None,
        fresh: bool = False,
        hung: Collection[str] = (),
    ) -> None:
        self._leash = leash
        self._journal = journal
        self._limits = limits
        self._stillness = Stillness(stillness or AGAIN)
        self._hung = None if stillness else hung
        self._is_stopped = is_stopped
        self._began = time.monotonic()
        self._weigh_at = self._began + WEIGH_EVERY
        self._oom_kills = machine.oom_kills()
        self._stderr = 0 if fresh else output.size(leash.home / "stderr")
        self._said = ""  # on stderr, before it was emptied
        self._stacks = 0 if fresh else output.size(leash.home / "stacks")

    def until_over(self) -> Outcome:
        """Wait for the end of the scenario, whichever it is. The processes are left as they are."""
        pause = FIRST_PAUSE
        while True:
            heard = self._journal.read()
            outcome = self._look()
            if outcome is not None:
                return self.complete(outcome)
            pause = FIRST_PAUSE if heard else min(pause * SLOWER, LAST_PAUSE)
            self._leash.wait(pause)

    def complete(self, outcome: Outcome) -> Outcome:
        """An outcome with what is known about every outcome: how long, in which verb, and the probe's last words."""
        home = self._leash.home
        outcome = replace(
            outcome,
            seconds=time.monotonic() - self._began,
            stacks=outcome.stacks or output.since(home / "stacks", self._stacks),  # a worker may have crashed in one that finished
        )
        stderr = self._last_words()
        if outcome.kind == FINISHED:
            return replace(outcome, stderr=stderr)
        return replace(outcome, verb=self._journal.verb, at=self._journal.at, stderr=stderr)

    def _look(self) -> Outcome | None:
        if self._journal.ended:
            return Outcome(FINISHED)
        if self._journal.failed:
            return Outcome(LOST, reason=f"envdoctor itself could not go on in the process of the environment: {self._journal.failed}")
        if not self._leash.alive:
            return self._death()
        if not self._journal.is_there:
            return Outcome(LOST, reason="its journal is gone; the environment may have removed everything around its temporary directory")
        if self._is_stopped():
            return Outcome(INTERRUPTED)
        if time.monotonic() - self._journal.since > self._allowed() or self._is_still():
            self._tell_dead_workers()
            crashed = output.since(self._leash.home / "stacks", self._stacks)  # a worker, for which the manager waits
            return Outcome(TIMED_OUT, reason=self._too_long(), stacks=crashed + stacks.collect(self._leash, self._limits.stacks))
        return self._weigh()

    def _too_long(self) -> str:
        """Which ceiling was met, and by what."""
        passed, what = time.monotonic() - self._journal.since, verb_name(self._journal.verb) or "the probe"
        if passed > self._allowed():
            return f"{what} took more than {self._allowed():g} s (--timeout)"
        return f"nothing ran for some seconds in {what}, {passed:.0f} s after it began"

    def _tell_dead_workers(self) -> None:
        """Journal what a probe that hangs cannot tell: how the children ended that it has not waited for."""
        codes = {pid: machine.exit_code(pid) for pid in self._leash.others()}
        told = {event["pid_of_worker"] for event in self._journal.events if event["event"] == "worker-exit"}
        self._journal.events += [
            {"event": "worker-exit", "t": time.monotonic(), "pid": self._leash.pid, "pid_of_worker": pid, "code": code}
            for pid, code in codes.items()
            if code is not None and pid not in told
        ]

    def _is_still(self) -> bool:
        verb = verb_name(self._journal.verb)
        waited_for = bool(verb) if self._hung is None else verb in self._hung
        return waited_for and self._stillness.reached(self._leash.pids)

    def _allowed(self) -> float:
        """Seconds that the present stage may take."""
        limits = self._limits
        if not self._journal.verb:
            return max(limits.timeout, limits.pause) + limits.launch
        more = {"drop": limits.drop, "make": limits.launch}
        return limits.timeout + more.get(verb_name(self._journal.verb), 0.0)

    def _weigh(self) -> Outcome | None:
        now = time.monotonic()
        if now < self._weigh_at:
            return None
        self._trim_outputs()
        pids = self._leash.pids
        # Forked workers share most of their memory: only the slow count, made when the quick one alarms, is fair to them.
        held = machine.resident(pids)
        if held > self._limits.memory:
            held = machine.proportional(pids)
        pause = WEIGH_OFTEN if held > self._limits.memory / 2 else WEIGH_EVERY
        self._weigh_at = time.monotonic() + max(pause, WEIGH_COST * (time.monotonic() - now))
        return Outcome(OUT_OF_MEMORY, reason=self._too_much(held, pids)) if held > self._limits.memory else None

    def _too_much(self, held: int, pids: list[int]) -> str:
        """Which ceiling was met, by how much, and by what."""
        told = f"it held {size(held)}, and the ceiling is {size(self._limits.memory)} (--memory-limit)"
        if len(pids) == 1:
            return told
        most = max(pids, key=lambda pid: machine.proportional([pid]))
        name = "itself" if most == self._leash.pid else f"process {most} ({machine.describe(most)})"
        started = "one process that it started" if len(pids) == 2 else f"{len(pids) - 1} processes that it started"
        return f"with {started} {told}; most of it, {size(machine.proportional([most]))}, in {name}"

    def _trim_outputs(self) -> None:
        """Empty the outputs of a chatty environment before they fill the disk; what it said last may still be wanted."""
        for path in (self._leash.home / "stdout", self._leash.home / "stderr"):
            if output.size(path) > MAX_OUTPUT:
                self._said = self._last_words() if path.name == "stderr" else self._said
                output.truncate(path)

    def _last_words(self) -> str:
        words = output.tail(self._leash.home / "stderr", self._stderr, STDERR_LINES, STDERR_BYTES)
        lines = f"{self._said}\n{words}".splitlines()
        return "\n".join(lines[-STDERR_LINES:])[-STDERR_BYTES:].strip("\n")

    def _death(self) -> Outcome:
        leash = self._leash
        if leash.failure:
            return Outcome(LOST, reason=f"cannot start {leash.python}: {leash.failure}")
        code = os.waitstatus_to_exitcode(leash.status) if leash.status is not None else None
        if code in (None, -signal.SIGKILL) and machine.oom_kills() > self._oom_kills:
            return Outcome(OUT_OF_MEMORY, reason="the kernel killed it because memory ran out")
        if code is None:
            return Outcome(LOST, reason="the process that guards the probe was killed; the environment may have killed its parent")
        return Outcome(SIGNALLED, signal=signal_name(-code)) if code < 0 else Outcome(EXITED, exit_code=code)


def signal_name(number: int) -> str:
    """`SIGSEGV`; for a signal without a name `signal 40`."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
