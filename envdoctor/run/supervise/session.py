"""A session: one target interpreter, and the probes that play scenarios in it one after another."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Self

from envdoctor.frameworks import profile_of
from envdoctor.model.actions import ActionSource
from envdoctor.model.play_request import PlayRequest
from envdoctor.model.scenario import EXECUTED, Scenario
from envdoctor.model.subject import Subject
from envdoctor.model.trace import (
    EXITED,
    FINISHED,
    INTERRUPTED,
    LOST,
    SIGNALLED,
    TIMED_OUT,
    Outcome,
    Trace,
)
from envdoctor.model.units import size
from envdoctor.model.variables import variables
from envdoctor.request.argument_sets import for_probe
from envdoctor.run.supervise import guard
from envdoctor.run.supervise.bundle import write_bundle
from envdoctor.run.supervise.engine_containers import remove_containers
from envdoctor.run.supervise.journal_reader import JournalReader, decode, how_far
from envdoctor.run.supervise.launcher import CONFIRMS, DIES_FORKED, Launcher
from envdoctor.run.supervise.leftovers import SharedMemory, files_in, wait_for_others
from envdoctor.run.supervise.limits import Limits
from envdoctor.run.supervise.monitor import ProcessWatch, WaitingLimits
from envdoctor.run.supervise.output import LastOutput
from envdoctor.run.supervise.own_frames import is_in_given_function, without_own
from envdoctor.run.supervise.patience import LEAST_MEMORY, Patience
from envdoctor.run.supervise.probe_process import ProbeProcess

# Of the time that a verb may take; `step` stops early there, so that slow is not taken for hung.
STEP_SHARE = 0.5
FULL = "the disk of the temporary directory is full"
TOO_BUSY = "the machine was too busy for what the probe left to end"

Aftermath = Mapping[str, Mapping[str, str]]


class Session:
    """Plays scenarios in `python`, which may be a path or a command; a context manager.

    A probe is started when none is alive and kept as long as its scenarios leave it clean.
    `directory` is the run's own, below `parent` (the system's temporary directory by default), for
    journals and for what the caller wants the probe to read; close() removes it. `bundle` is what
    `python` runs; the real probe by default. `orphan` is the directory of the run, which its
    cleanup watchdog removes should this process be killed; `directory` by default, which has none.
    `first` is a probe that was started already. `launcher` starts the others; one without templates
    by default.
    """

    def __init__(
        self,
        python: str,
        limits: Limits | None = None,
        bundle: Path | None = None,
        parent: Path | None = None,
        orphan: Path | None = None,
        first: ProbeProcess | None = None,
        launcher: Launcher | None = None,
    ) -> None:
        self.limits = limits or Limits()
        # A short path: the sockets that multiprocessing puts below TMPDIR may have 107 characters.
        self.directory = Path(tempfile.mkdtemp(prefix="s" if parent else "envdoctor-", dir=parent))
        self._bundle = bundle or write_bundle(self.directory)
        self._launcher = launcher or Launcher(
            python, self._bundle, orphan or self.directory, self.directory
        )
        self.python = self._launcher.python
        self._memory = SharedMemory()
        self._probe = first
        self._next: ProbeProcess | None = None
        self._patience = Patience()
        self._number = 0
        self._forked = self._kept = False  # the last probe that played
        self._deaths: set[tuple[str, str]] = set()  # those that a fork is not to blame for
        self._stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the probe and all its descendants, and remove what they made. May be called twice."""
        self._end()
        self._forget_next()
        guard.remove(str(self.directory))

    def request_stop(self) -> None:
        """End the scenario that is being played, and every later one, as interrupted. For
        signal handlers and threads.
        """
        self._stopped = True

    def expect_parting(self, place: str) -> None:
        """Start the next probe now: the present one will hardly outlive the scenarios that
        come. `place` is the user's directory.
        """
        if self._launcher.forks:
            return
        with suppress(OSError):  # the call that needs the next one tries again, and reports
            self._next = self._next or self._launcher.start(
                self.directory / f"n{self._number}", place
            )

    def renew(self) -> None:
        """Let the next scenario have a probe of its own, in which nothing was imported before."""
        self._end()
        self._forget_next()

    def play(
        self, subject: Subject, scenario: Scenario, seed: int, spaces: Path | None = None
    ) -> Trace:
        """Play one scenario; however it ends, that is a trace. Ctrl-C, too, is an outcome
        (interrupted).
        """
        request = PlayRequest(
            scenario,
            for_probe(subject),
            "",
            seed,
            self.limits.timeout * STEP_SHARE,
            str(spaces) if spaces else None,
            str(self._launcher.imports(scenario) or "") or None,
        )
        try:
            # A probe that a scenario harmed unseen (it closed all descriptors) dies at the next
            # request: once more, then.
            trace = self._trace_of(request)
            if self._forked and _is_death(trace) and _death(trace) not in self._deaths:
                trace = self._confirmed(trace, request, self._kept)
            trace = with_hanging_function(trace, subject.action)
            shown = without_own(trace.outcome.stacks)
            return replace(trace, outcome=replace(trace.outcome, stacks=shown))
        except KeyboardInterrupt:
            self.request_stop()
            return self._unplayed(scenario, INTERRUPTED)
        except OSError as error:
            return self._unplayed(scenario, LOST, f"the scenario could not be played: {error}")
        except Exception as error:  # ours: it costs this scenario, and no other
            if variables(os.environ).debug:
                raise
            what = f"{type(error).__name__}: {error}"
            return self._unplayed(scenario, LOST, f"envdoctor itself could not go on: {what}")

    def _trace_of(self, request: PlayRequest) -> Trace:
        return (
            self._attempt(request)
            or self._attempt(request)
            or self._unplayed(request.scenario, LOST)
        )

    def _confirmed(self, died: Trace, request: PlayRequest, kept: bool) -> Trace:
        """Play the scenario in a new process, where a forked probe died in it. Where that lives,
        and a fork without a history dies again, the fork is to blame, and no other probe is forked.
        Case: procgen, whose libraries a forked process cannot free.
        """
        self._launcher.forbidden = CONFIRMS
        new = self._trace_of(request)
        self._launcher.forbidden = ""
        if _is_death(new):
            self._deaths |= {_death(died), _death(new)}
            return new
        if new.outcome.kind != FINISHED:
            return new
        if kept:
            self.renew()
            if not _is_death(self._trace_of(request)):  # what was played before is to blame
                self.renew()  # no trace says what this probe has played
                self._deaths.add(_death(died))
                return died
        self._launcher.forbidden = DIES_FORKED
        return new

    def _unplayed(
        self, scenario: Scenario, kind: str, reason: str = "the probe does not answer"
    ) -> Trace:
        self._end()
        return Trace(scenario, Outcome(kind, reason=reason if kind == LOST else ""))

    def _attempt(self, request: PlayRequest) -> Trace | None:
        """One trace; None when a probe kept from an earlier scenario turned out to be dead."""
        scenario = request.scenario
        if self._stopped:
            return self._unplayed(scenario, INTERRUPTED)
        self._number += 1
        self._restore()
        probe, kept = self._take(scenario)
        self._forked, self._kept = probe.forked, kept
        there = files_in(probe.home / "tmp")
        with closing(JournalReader(self.directory / f"{self._number}.jsonl")) as journal:
            if not journal.has_room:  # what a kept probe wrote goes with it
                self._end()
                return None if kept else self._unplayed(scenario, LOST, FULL)
            limits, waiting = self._how_to_wait(scenario)
            watch = ProcessWatch(probe, journal, limits, lambda: self._stopped, waiting, not kept)
            line = request._replace(journal=str(journal.path)).encoded()
            outcome = self._converse(probe, watch, line)
            if outcome.kind != FINISHED:
                journal.add(how_far(journal.path, outcome))
            if kept and not probe.alive and not journal.events:
                self._end()
                return None
            aftermath = self._part(probe, journal, outcome, scenario, there)
            # The signal for its stacks may have woken what hung: what it says after that is not
            # evidence.
            if outcome.kind != TIMED_OUT:
                journal.read()
            if aftermath is None:
                outcome, aftermath = Outcome(LOST, reason=TOO_BUSY, starved=True), {}
            trace = Trace.read(scenario, outcome, journal.read_events(), aftermath)
            self._patience.learn(trace)
            return trace

    def _how_to_wait(self, scenario: Scenario) -> tuple[Limits, WaitingLimits]:
        """Return the limits of a scenario, shortened by earlier calls of the subject."""
        limits, known = self.limits, self._patience
        memory, ceiling = limits.memory, ""
        if known.memory < 1.0 and memory > LEAST_MEMORY:
            memory = max(LEAST_MEMORY, int(memory * known.memory))
            verb = known.at_its_ceiling or "the probe"
            ceiling = f"; it is lower here, since {verb} met one of {size(limits.memory)} before"
        limits = replace(limits, launch=profile_of(scenario.enters).import_seconds, memory=memory)
        return limits, WaitingLimits(
            scenario.idle_limit,
            known.expectations(scenario),
            known.starved(scenario),
            scenario.start_method in EXECUTED,
            ceiling,
            known.unknown(scenario),
            known.least(scenario),
        )

    def _restore(self) -> None:
        """Have the directory and the bundle again: an environment may have removed everything
        around its temporary directory.
        """
        self.directory.mkdir(parents=True, exist_ok=True)
        if not self._bundle.exists():
            write_bundle(self._bundle.parent)

    def _converse(self, probe: ProbeProcess, watch: ProcessWatch, line: str) -> Outcome:
        try:
            with suppress(OSError):  # it is not read: the watch says why
                probe.send(line.encode(), self.limits.pause)
            return watch.until_over()
        except KeyboardInterrupt:
            self.request_stop()
            return watch.complete(Outcome(INTERRUPTED))

    def _take(self, scenario: Scenario) -> tuple[ProbeProcess, bool]:
        """A living probe that hashes as asked for, and whether it was kept from an earlier
        scenario.
        """
        hash_seed = scenario.hash_seed
        if self._probe is not None:
            self._probe.wait(0)
            if self._probe.alive and self._probe.hash_seed == hash_seed:
                return self._probe, True
            self._end()
        if self._next is not None and self._next.hash_seed == hash_seed:
            self._probe, self._next = self._next, None
        else:
            home = self.directory / f"p{self._number}"
            self._probe = self._launcher.launch(home, scenario, lambda: self._stopped)
        return self._probe, False

    def _part(
        self,
        probe: ProbeProcess,
        journal: JournalReader,
        outcome: Outcome,
        scenario: Scenario,
        there: Mapping[str, str],
    ) -> Aftermath | None:
        """Keep a clean probe; part from any other, and say what it left.

        One that we have to end had no chance to tidy up: nothing is said of it. None where the
        machine was too busy to know.
        """
        self._memory.learn((), journal.events)
        if outcome.kind == FINISHED and not journal.dirty:
            return {}
        self._memory.learn(probe.everything(), ())
        if scenario.spends_its_probe or (outcome.kind != FINISHED and probe.alive):
            self._end()
            return {}
        words = LastOutput(probe.home)
        farewell = self.limits.farewell + profile_of(scenario.enters).farewell_seconds
        ended = words.after(probe.status) if probe.release(farewell) else {}
        if scenario.leaves_alive:  # what an instance that lives has running is not a leftover
            self._end()
            return {"exit": ended}
        processes = wait_for_others(probe, self.limits)
        if processes is None:
            self._end()
            return None
        left = files_in(probe.home / "tmp")
        return {
            "processes": processes,
            "files": {path: text for path, text in left.items() if path not in there},
            "memory": self._end(),
            "exit": ended,
        }

    def _learn_last_words(self) -> None:
        """Read events that a probe wrote after the last reading: it was ended in the middle of
        something.
        """
        with suppress(OSError), (self.directory / f"{self._number}.jsonl").open("rb") as journal:
            self._memory.learn((), filter(None, map(decode, journal)))

    def _forget_next(self) -> None:
        probe, self._next = self._next, None
        if probe is not None:
            probe.end()

    def _end(self) -> dict[str, str]:
        """End the probe, if there is one, and remove the shared memory that its processes left;
        what that was.
        """
        probe, self._probe = self._probe, None
        if probe is None:
            return {}
        self._memory.learn(probe.freeze(), ())
        self._memory.write(probe.orphan)
        probe.end()
        self._learn_last_words()
        remove_containers(probe.home)
        # Not only at the end of all: fifteen times what it leaves may be more than the disk holds.
        guard.remove(str(probe.home))
        return self._memory.remove()


def _is_death(trace: Trace) -> bool:
    return trace.outcome.kind in (SIGNALLED, EXITED)


def _death(trace: Trace) -> tuple[str, str]:
    """The verb in which a probe died, and how."""
    return trace.outcome.verb, trace.outcome.signal or trace.outcome.kind


def with_hanging_function(trace: Trace, source: ActionSource | None) -> Trace:
    """Return the trace, with the fact that the subject cannot be played where the time was up in
    the user's function of actions: no call of the environment hangs there.
    """
    outcome = trace.outcome
    if source is None or outcome.kind != TIMED_OUT or not is_in_given_function(outcome.stacks):
        return trace
    reason = f"{source.option}: it does not return"
    fact = {"event": "fact", "t": 0.0, "pid": 0, "key": "refused", "value": reason}
    return replace(trace, events=(*trace.events, fact))
