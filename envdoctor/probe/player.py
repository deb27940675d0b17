"""Plays one scenario: verb after verb, each journalled, with readings at the points of every life."""

from __future__ import annotations

import contextlib
import gc
import sys
import time
from dataclasses import replace
from typing import Any, Callable, ContextManager, Dict, List, Mapping, Optional

from envdoctor.model.scenario import BY_MAKE_VEC_ENV, DIRECT, RENDERED, Scenario, Verb
from envdoctor.model.subject import Subject
from envdoctor.probe import (
    comparing,
    cures,
    describe,
    effects,
    forced,
    instrument,
    load,
    managers,
    named_memory,
    own_sources,
    repeating,
    screens,
    side_by_side,
    unheard,
    workers,
)
from envdoctor.probe.errors import error_value
from envdoctor.probe.importing import Imports
from envdoctor.probe.instrument import Factory
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.readings import ALTERED, IMPATIENT, Readings
from envdoctor.probe.sensors import Sensors
from envdoctor.probe.settle import leave_out_what_is_there, settle

PLAIN = "life"

#: Where a life is read between its verbs, too: only the plain life needs to know who took what.
DETAILED = ("life", "takings")

#: What those readings are called.
POINTS = {"make": "made", "reset": "reset", "step": "stepped", "render": "rendered"}

#: Where what close leaves is judged.
JUDGED = ("life", "rendered", "without-shared-memory", BY_MAKE_VEC_ENV)

#: Where a life is read when it is closed and when it is dropped. Elsewhere nobody asks, and it is read before and after only,
#: which tells whether the process is clean.
WATCHED = frozenset(DETAILED + JUDGED)

#: What begins before the subject is imported.
UNENTERED = ("survey", "effects")

LISTENED = ("reset", "step")  # where an environment must not collect garbage

#: Make no sense without an instance.
INSTANCE_VERBS = ("reset", "reseed", "step", "mirror", "render", "close", "copy", "watch", "leave", "carry", "fail")


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
        # SDL's timer thread stays once and for all: to wait for it would take longer than all that is drawn.
        self.readings = Readings(journal, sensors, judged_life(scenario), 0.0 if scenario.name in RENDERED else IMPATIENT)
        self.described = False
        self.screenless = False
        self.hosts: List[Any] = []
        self.seeded: List[bool] = []
        self.handles: Any = None
        self.stop_watching: List[Callable[[], None]] = []
        self.survivors_before = set(instrument.alive())
        self.ownership = Ownership(instrument.roots_of(subject))

    def play(self) -> List[str]:
        """Play every verb. Returns what made the process dirty, empty when nothing did."""
        if self.scenario.name not in UNENTERED:
            load.enter(self.subject)
            if managers.enter(self.scenario.manager) and not instrument.alive():  # each reading would walk through all of PyTorch
                settle()
                leave_out_what_is_there()
        workers.prepare(self.scenario.start_method, self._preloaded())
        unheard.listen(self.journal, self.ownership)
        with self._watching_imports():
            raised = self._play_verbs()
        for stop in self.stop_watching:
            stop()
        unheard.stop()
        comparing.tell(self.scenario, self.journal)
        side_by_side.tell(self.scenario, self.journal)
        # SDL takes one more real-time signal each time: nothing that a next scenario, drawn as well, would have to fear.
        dirty = self.readings.dirty(() if self.screenless else ALTERED) + (["an error"] if raised and not self.scenario.fault else [])
        if self.scenario.name == PLAIN and self.scenario.manager == DIRECT and not dirty and not instrument.alive():
            leave_out_what_is_there()
        return dirty

    def _play_verbs(self) -> bool:
        """Every verb; whether one raised."""
        raised = False
        for at, verb in enumerate(self.scenario.verbs):
            if verb.name in INSTANCE_VERBS and not self._can(verb):
                continue
            raised = not self._play(at, verb) or raised
        return raised

    def _watching_imports(self) -> ContextManager[object]:
        """In the plain life, where what a constructor imports may do things to the process."""
        if (self.scenario.name, self.scenario.manager) != (PLAIN, DIRECT):
            return contextlib.nullcontext()
        return Imports(self.readings.effects, lambda: instrument.roots_of(self.subject), self.journal)

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
            told = self._call(verb)
            state = "ended"
        except BaseException as error:  # SystemExit and KeyboardInterrupt raised by an environment are errors of its own
            told, state = {"error": error_value(error, self.ownership)}, "raised"
            self._tell_workers()
        self.journal.write("verb", at=at, verb=str(verb), state=state, seconds=time.monotonic() - began, **told)
        self._read_after(verb, state == "ended")
        return state == "ended"

    def _call(self, verb: Verb) -> Mapping[str, Any]:
        """Do it. In the plain life, collections that reset() and step() ask for are told as well."""
        method: Callable[[Verb], Optional[Mapping[str, Any]]] = getattr(self, "_" + verb.name)
        if verb.name not in LISTENED or self.scenario.name != PLAIN or self.scenario.manager != DIRECT:
            return method(verb) or {}
        with forced.listening(self.ownership) as heard:
            told = method(verb) or {}
        return {**told, "collections": heard.told()} if heard.found else told

    def _read_after(self, verb: Verb, ended: bool) -> None:
        if verb.name == "close" and self.scenario.fault:
            workers.wait_until_still()
            self.readings.take("held")
        elif verb.name == "close":
            self._tell_workers()
            # What a closed manager of workers still holds is its own affair until dropped.
            if self.scenario.name in WATCHED and self.scenario.start_method is None:
                self.readings.held()
            elif self.scenario.control and self.scenario.start_method:
                self.journal.write("fact", key="pinned", value=self.readings.pinned())
        elif verb.name in POINTS:
            if verb.name == "step" and ended and self.scenario.start_method and self.scenario.name == PLAIN:
                workers.tell_memory(self.journal)
            if ended and self.scenario.name in DETAILED and self._shows(verb):
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

    def _shows(self, verb: Verb) -> bool:
        """A render of what is not rendered is no point in a life."""
        return verb.name != "render" or bool(getattr(self._host(verb).subject(), "render_mode", None))

    def _tell_workers(self) -> None:
        """To ask how workers ended takes zombies away, which are counted where a fault was put in."""
        if self.scenario.manager != DIRECT and not self.scenario.fault:
            workers.tell_exits(self.journal)

    # One method a verb. Each returns further keys for the journal, or nothing.

    def _survey(self, verb: Verb) -> None:
        describe.survey(self.subject, self.journal, self.readings)

    def _make(self, verb: Verb) -> None:
        manager = managers.modules()[self.scenario.manager]
        options: Dict[str, Any] = dict(self.scenario.options, seed=self.seed)
        factories = self._factories(options.pop("cure", ""))
        self.hosts.append(manager.launch(factories, self.scenario.start_method, options))
        self.seeded.append(False)
        comparing.record(self.hosts[-1], self.scenario, self.journal, self.readings.life)
        side_by_side.record(self.hosts[-1], self.scenario, self.journal, self.readings.life, len(self.hosts) - 1)
        if self.scenario.manager == DIRECT:
            self._describe(self.hosts[-1].subject())
            if self.screenless:
                screens.hurry(instrument.innermost(self.hosts[-1].subject()))
        elif not self.scenario.fault:
            workers.tell(self.journal)

    def _factories(self, cure: str) -> List[Callable[[], Any]]:
        """One for each instance. With a fault, one of them fails."""
        count = 1 if self.scenario.manager == DIRECT else self.scenario.workers
        fault, control = self.scenario.fault, self.scenario.control
        if fault is None:
            return [cures.factory(cure, self._subject(), self.journal.path, control, self.spaces)] * count
        # Without the subject's own spaces: they may be more than a manager can host, which is another matter than faults.
        made: List[Callable[[], Any]] = [Factory(self.subject, self.journal.path, control)] * count
        made[fault.worker] = Factory(self.subject, self.journal.path, control, "", fault.kind, self.scenario.start_method is not None)
        return made

    def _subject(self) -> Subject:
        """What is built: without a manager, the scenario's options are arguments of its constructor."""
        if self.scenario.manager != DIRECT or not self.scenario.options:
            return self.subject
        return replace(self.subject, kwargs={**self.subject.kwargs, **dict(self.scenario.options)})

    def _describe(self, environment: Any) -> None:
        if self.scenario.name in DETAILED:
            if not self.described:
                describe.describe(environment, self.journal, self.spaces)
                own_sources.tell(environment, self.subject, self.journal)
                self.described = True
            describe.census(environment, self.journal, self.readings.life)

    def _reset(self, verb: Verb) -> None:
        index = len(self.hosts) - 1 if verb.instance is None else verb.instance
        seed = None if self.seeded[index] else self.seed
        self.seeded[index] = True
        self.hosts[index].reset(seed)
        if self.handles is not None:
            with contextlib.suppress(Exception):  # no error of ours is one of reset()
                self.handles.look(self.hosts[index].subject())

    def _reseed(self, verb: Verb) -> None:
        self._host(verb).reset(self.seed)

    def _step(self, verb: Verb) -> Mapping[str, Any]:
        return self._repeat(self._host(verb).step, verb)

    def _mirror(self, verb: Verb) -> Mapping[str, Any]:
        return self._repeat(self._host(verb).mirror, verb)

    def _repeat(self, step: Callable[[], None], verb: Verb) -> Mapping[str, Any]:
        steps, deadline = 0, time.monotonic() + self.budget
        for _ in range(int(verb.argument or 1)):
            step()
            steps += 1
            if time.monotonic() > deadline:  # a slow environment gets fewer, honest steps
                break
        return {"steps": steps}

    def _render(self, verb: Verb) -> None:
        self._host(verb).render()

    def _close(self, verb: Verb) -> None:
        if self.handles is not None:
            with contextlib.suppress(Exception):
                self.journal.write("fact", key="handles", value=self.handles.told())
            self.handles = None
        comparing.save(self._host(verb))
        self._host(verb).close()

    def _drop(self, verb: Verb) -> None:
        """Give up the last reference. What goes by itself, and what only the collector brings back, are told apart, so it is
        switched off in between. With a number, only that instance is given up.
        """
        if verb.instance is not None:
            if self._host(verb) is not None:
                self._drop_one(verb.instance)
            return
        collecting = gc.isenabled()
        gc.disable()
        try:
            comparing.save(*filter(None, self.hosts))
            self.hosts.clear()
            self.seeded.clear()
            dropped = self._survivors()
            before = self.readings.memory_in_use()
            if self.scenario.name in WATCHED:
                self.readings.take("dropped")
        finally:
            if collecting:
                gc.enable()
        self.readings.collected()
        collected = self._survivors()
        if dropped:
            self.journal.write("fact", key="survivors", value=describe.survivors(
                self.readings.life, dropped, collected, before - self.readings.memory_in_use()))
        self.survivors_before.update(collected)
        self.readings.life += 1

    def _drop_one(self, index: int) -> None:
        comparing.save(self.hosts[index])
        self.hosts[index] = None
        gc.collect()

    def _copy(self, verb: Verb) -> None:
        self.journal.write("fact", key="copied", value=side_by_side.use_a_copy(self._host(verb), self.seed))

    def _survivors(self) -> List[int]:
        return [serial for serial in instrument.alive() if serial not in self.survivors_before]

    def _windowless(self, verb: Verb) -> None:
        self.stop_watching.append(screens.leave(dict(self.scenario.options).get("render_mode")))
        self.screenless = True

    def _watch(self, verb: Verb) -> None:
        from envdoctor.probe import handles, watching

        with contextlib.suppress(Exception):
            self.handles = handles.Handles(self._host(verb).subject())
        self.stop_watching.append(watching.watch_class(self._host(verb).subject(), self.journal, self.ownership.is_users))

    def _leave(self, verb: Verb) -> None:
        """As in a script that never closes: the main module holds the instance when Python exits. Nothing of ours may: what is
        called then finds its own modules taken apart, and would complain in the environment's name.
        """
        sys.modules["__main__"].env = self._host(verb).subject()  # type: ignore[attr-defined]
        instrument.forget()
        self.hosts.clear()
        self.seeded.clear()
        self.readings.note_dirty("an instance that was left alive")

    def _takings(self, verb: Verb) -> None:
        from envdoctor.probe import takings

        takings.watch(lambda event: self.journal.write(**event), self.ownership.is_users)
        self.readings.note_dirty("the audit hook")

    def _effects(self, verb: Verb) -> None:
        ownership = Ownership(instrument.roots_before_import(self.subject))
        wanted = dict(self.scenario.options).get("sensors") or effects.SENSORS
        search = effects.Search(lambda: self.readings.effects(wanted), ownership.is_users, self._tell_effect)
        self.stop_watching.append(search.stop)
        search.start()
        load.enter(self.subject)

    def _tell_effect(self, change: Dict[str, Any], frame: Dict[str, Any]) -> None:
        self.journal.write("effect", frame=frame, **change)

    def _check(self, verb: Verb) -> None:
        from envdoctor.probe import checkers

        checkers.check(Factory(self.subject, self.journal.path), self.journal, self.ownership)

    def _pickle(self, verb: Verb) -> None:
        from envdoctor.probe import pickling

        pickling.check(self.subject, self.journal, self.ownership)

    def _carry(self, verb: Verb) -> None:
        from envdoctor.probe import travelling

        travelling.carry(self._host(verb), self.subject, self.journal, self.ownership)

    def _fail(self, verb: Verb) -> None:
        from envdoctor.probe import raising

        self.readings.note_dirty("an error that nobody may have received")
        self.journal.write("fact", key="fate", value=raising.fate(lambda: self._host(verb).fail(verb.argument), self.ownership))

    def _replay(self, verb: Verb) -> None:
        from envdoctor.probe import replaying

        replaying.replay(self.scenario, self.subject, self.journal, self.spaces, self.ownership, self.budget)

    def _calibrate(self, verb: Verb) -> None:
        repeating.calibrate(self)

    def _warm(self, verb: Verb) -> Mapping[str, Any]:
        return repeating.warm(self, verb.argument)

    def _block(self, verb: Verb) -> Mapping[str, Any]:
        return repeating.block(self, verb.argument)

    def _suspects(self, verb: Verb) -> None:
        repeating.suspects(self, verb.argument)

    def _uncollected(self, verb: Verb) -> None:
        self.stop_watching.append(forced.refuse())

    def _garbage(self, verb: Verb) -> None:
        repeating.garbage(self, verb.argument)

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


