"""Plays one scenario: verb after verb, each journalled, with readings at the points of every life."""

from __future__ import annotations

import contextlib
import gc
import time
from typing import Any, Callable, Dict, List, Mapping, Optional

from envdoctor.model.scenario import DIRECT, Scenario, Verb
from envdoctor.model.subject import Subject
from envdoctor.probe import describe, instrument, load, managers, named_memory, repeating, workers
from envdoctor.probe.errors import error_value
from envdoctor.probe.instrument import Factory
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.readings import Readings
from envdoctor.probe.sensors import Sensors
from envdoctor.probe.settle import leave_out_what_is_there

PLAIN = "life"

#: Where a life is read between its verbs, too: only the plain life needs to know who took what.
DETAILED = ("life", "takings")

#: What those readings are called.
POINTS = {"make": "made", "reset": "reset", "step": "stepped"}

#: Where what close leaves is judged.
JUDGED = ("life", "without-shared-memory")

#: Where a life is read when it is closed and when it is dropped. Elsewhere nobody asks, and it is read before and after only,
#: which tells whether the process is clean.
WATCHED = frozenset(DETAILED + JUDGED)

INSTANCE_VERBS = ("reset", "step", "render", "close", "watch")  # make no sense without an instance


def judged_life(scenario: Scenario) -> Optional[int]:
    """The number of the life whose leftovers the rules judge: the last one, where they judge any."""
    return sum(verb.name == "drop" for verb in scenario.verbs) - 1 if scenario.name in JUDGED else None


class Player:
    """The state of one scenario: its hosts, its current life, and what was asked for."""

    def __init__(
        self, scenario: Scenario, subject: Subject, seed: int, journal: Journal, spaces: str, budget: float, sensors: Sensors
    ) -> None:
        self.scenario = scenario
        self.subject = subject
        self.seed = seed
        self.journal = journal
        self.spaces = spaces
        self.budget = budget
        self.save_memray = ""
        self.readings = Readings(journal, sensors, judged_life(scenario))
        self.described = False
        self.hosts: List[Any] = []
        self.seeded: List[bool] = []
        self.stop_watching: List[Callable[[], None]] = []
        self.survivors_before = set(instrument.alive())
        self.ownership = Ownership(instrument.roots_of(subject))

    def play(self) -> List[str]:
        """Play every verb. Returns what made the process dirty, empty when nothing did."""
        if self.scenario.name != "survey":
            load.enter(self.subject)
            self._enter_manager()
        workers.prepare(self.scenario.start_method, self._preloaded())
        raised = False
        for at, verb in enumerate(self.scenario.verbs):
            if verb.name in INSTANCE_VERBS and not self._can(verb):
                continue
            raised = not self._play(at, verb) or raised
        for stop in self.stop_watching:
            stop()
        dirty = self.readings.dirty() + (["an error"] if raised and not self.scenario.fault else [])
        if self.scenario.name == PLAIN and self.scenario.manager == DIRECT and not dirty and not instrument.alive():
            leave_out_what_is_there()
        return dirty

    def _enter_manager(self) -> None:
        enter = getattr(managers.modules()[self.scenario.manager], "enter", None)
        if enter is not None:
            with contextlib.suppress(Exception):  # it fails again, and is told, where it is launched
                enter()

    def _preloaded(self) -> List[str]:
        """What the fork server imports for all its workers, where many are started only to see how they end."""
        return list(getattr(managers.modules()[self.scenario.manager], "PRELOADED", ())) if self.scenario.fault else []

    def _play(self, at: int, verb: Verb) -> bool:
        """One verb; True when it did not raise."""
        if verb.name == "make" and not self.hosts:
            self.readings.begin()
        self.journal.write("verb", at=at, verb=str(verb), state="began")
        began = time.monotonic()
        try:
            told: Mapping[str, Any] = getattr(self, "_" + verb.name)(verb) or {}
            state = "ended"
        except BaseException as error:  # SystemExit and KeyboardInterrupt raised by an environment are errors of its own
            told, state = {"error": error_value(error, self.ownership)}, "raised"
            self._tell_workers()
        self.journal.write("verb", at=at, verb=str(verb), state=state, seconds=time.monotonic() - began, **told)
        self._read_after(verb, state == "ended")
        return state == "ended"

    def _read_after(self, verb: Verb, ended: bool) -> None:
        if verb.name == "close" and self.scenario.fault:
            workers.wait_until_still()
            self.readings.take("held")
        elif verb.name == "close":
            self._tell_workers()
            # What a closed manager of workers still holds is its own affair until dropped.
            if self.scenario.name in WATCHED and self.scenario.start_method is None:
                self.readings.held()
        elif verb.name in POINTS:
            if ended and self.scenario.name in DETAILED:
                self.readings.take(POINTS[verb.name])
            else:
                self.readings.note_memory()

    def _host(self, verb: Verb) -> Any:
        """The instance that a verb means: the one it names, else the last one."""
        index = len(self.hosts) - 1 if verb.instance is None else verb.instance
        return self.hosts[index] if 0 <= index < len(self.hosts) else None

    def _can(self, verb: Verb) -> bool:
        """Whether there is an instance, and something to call. (A local variable of `play` would keep the instance alive.)"""
        host = self._host(verb)
        return host is not None and host.offers(verb.name)

    def _tell_workers(self) -> None:
        """To ask how workers ended takes zombies away, which are counted where a fault was put in."""
        if self.scenario.manager != DIRECT and not self.scenario.fault:
            workers.tell_exits(self.journal)

    # One method a verb. Each returns further keys for the journal, or nothing.

    def _survey(self, verb: Verb) -> None:
        describe.survey(self.subject, self.journal)

    def _make(self, verb: Verb) -> None:
        manager = managers.modules()[self.scenario.manager]
        options: Dict[str, Any] = dict(self.scenario.options, seed=self.seed)
        self.hosts.append(manager.launch(self._factories(), self.scenario.start_method, options))
        self.seeded.append(False)
        if self.scenario.manager == DIRECT:
            self._describe(self.hosts[-1].subject())
        elif not self.scenario.fault:
            workers.tell(self.journal)

    def _factories(self) -> List[Factory]:
        count = 1 if self.scenario.manager == DIRECT else self.scenario.workers
        fault = self.scenario.fault
        # The subject's own spaces may be more than a manager can host, which is another matter than faults.
        spaces = "" if fault else self.spaces
        factories = [Factory(self.subject, self.journal.path, self.scenario.control, spaces)] * count
        if fault:
            in_workers = self.scenario.start_method is not None
            factories[fault.worker] = Factory(self.subject, self.journal.path, self.scenario.control, spaces, fault.kind, in_workers)
        return factories

    def _describe(self, environment: Any) -> None:
        if self.scenario.name in DETAILED:
            if not self.described:
                describe.describe(environment, self.journal, self.spaces)
                self.described = True
            describe.census(environment, self.journal, self.readings.life)

    def _reset(self, verb: Verb) -> None:
        index = len(self.hosts) - 1 if verb.instance is None else verb.instance
        seed = None if self.seeded[index] else self.seed
        self.seeded[index] = True
        self.hosts[index].reset(seed)

    def _step(self, verb: Verb) -> Mapping[str, Any]:
        host, steps = self._host(verb), 0
        deadline = time.monotonic() + self.budget
        for _ in range(int(verb.argument or 1)):
            host.step()
            steps += 1
            if time.monotonic() > deadline:  # a slow environment gets fewer, honest steps
                break
        return {"steps": steps}

    def _render(self, verb: Verb) -> None:
        self._host(verb).render()

    def _close(self, verb: Verb) -> None:
        self._host(verb).close()

    def _drop(self, verb: Verb) -> None:
        """Give up the last reference. What goes by itself, and what only the collector brings back, are told apart, so it is
        switched off in between.
        """
        collecting = gc.isenabled()
        gc.disable()
        try:
            self.hosts.clear()
            self.seeded.clear()
            dropped = self._survivors()
            before = self.readings.memory_in_use()
            if self.scenario.name in WATCHED:
                self.readings.take("dropped")
        finally:
            if collecting:
                gc.enable()
        if self.scenario.fault:
            workers.reap()
        self.readings.collected()
        collected = self._survivors()
        if dropped:
            self.journal.write("fact", key="survivors", value=describe.survivors(
                self.readings.life, dropped, collected, before - self.readings.memory_in_use()))
        self.survivors_before.update(collected)
        self.readings.life += 1

    def _survivors(self) -> List[int]:
        return [serial for serial in instrument.alive() if serial not in self.survivors_before]

    def _watch(self, verb: Verb) -> None:
        from envdoctor.probe import watching

        self.stop_watching.append(watching.watch_closes(self._host(verb).subject(), self.journal))

    def _takings(self, verb: Verb) -> None:
        from envdoctor.probe import takings

        takings.watch(lambda event: self.journal.write(**event), self.ownership.is_users)
        self.readings.note_dirty("the audit hook")

    def _check(self, verb: Verb) -> None:
        from envdoctor.probe import checkers

        checkers.check(Factory(self.subject, self.journal.path), self.journal, self.ownership)

    def _pickle(self, verb: Verb) -> None:
        from envdoctor.probe import pickling

        pickling.check(self.subject, self.journal, self.ownership)

    def _calibrate(self, verb: Verb) -> None:
        repeating.calibrate(self)

    def _warm(self, verb: Verb) -> Mapping[str, Any]:
        return repeating.warm(self, verb.argument)

    def _block(self, verb: Verb) -> Mapping[str, Any]:
        return repeating.block(self, verb.argument)

    def _suspects(self, verb: Verb) -> None:
        repeating.suspects(self, verb.argument)

    def _memray(self, verb: Verb) -> None:
        repeating.memray(self, verb.argument)


def play(request: Mapping[str, Any], sensors: Sensors) -> None:
    """Play the scenario of one request; its end is journalled with what it left dirty."""
    journal = Journal(request["journal"])
    journal.write("scenario", state="began")
    scenario, subject = Scenario.from_dict(request["scenario"]), Subject.from_dict(request["subject"])
    named_memory.note(journal, claim=scenario.name in WATCHED)
    player = Player(scenario, subject, int(request["seed"]), journal, request.get("spaces") or "", float(request["step_budget"]), sensors)
    player.save_memray = request.get("save_memray") or ""
    dirty = player.play()
    journal.write("scenario", state="ended", dirty=dirty)


