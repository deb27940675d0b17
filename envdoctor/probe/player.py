"""Plays one scenario: verb after verb, each journalled, with readings at the points of every
life.
"""

from __future__ import annotations

import contextlib
import os
from os import _exit, getpid
from typing import Callable, ContextManager, Dict, List, Mapping, Optional

from envdoctor.model.play_request import PlayRequest
from envdoctor.model.scenario import DIRECT, Verb
from envdoctor.probe import adapters, given_actions, heartbeat, preloading, process_state, refusals
from envdoctor.probe.comparison import comparing, side_by_side
from envdoctor.probe.comparison.shared_state import Sharing
from envdoctor.probe.errors import error_value
from envdoctor.probe.growth import containers, forced
from envdoctor.probe.growth.reachable import reachable_bytes
from envdoctor.probe.growth.settle import leave_out_what_is_there, settle
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.readings import ALTERED
from envdoctor.probe.scenario_state import ScenarioState
from envdoctor.probe.sensors import Sensors
from envdoctor.probe.subject import load
from envdoctor.probe.subject.missing import missing_of
from envdoctor.probe.subject.roots import roots_of
from envdoctor.probe.surviving import message_of
from envdoctor.probe.system import connections, container_calls, room, screens, workers
from envdoctor.probe.system.deadline import Stopwatch
from envdoctor.probe.tracing import instrument, named_memory, unawaited, unraisable
from envdoctor.probe.tracing.acquisitions import users_place
from envdoctor.probe.tracing.importing import Imports
from envdoctor.probe.tracing.loop_reports import LoopReports
from envdoctor.probe.tracing.open_clients import OpenClients
from envdoctor.probe.tracing.unwaited import UnwaitedChildren
from envdoctor.probe.verbs import cycles, episodes, inspection, lifecycle

#: What those readings are called.
POINTS = {"make": "made", "reset": "reset", "step": "stepped", "render": "rendered"}

STARTS = ("make", "reset", "close")  # after which it is read what runs, where it is reopened
RESETS = ("reset", "reseed", "repeat", "vary")
LISTENED = ("reset", "step")  # where an environment must not collect garbage

MUCH = 4 << 20  # bytes of memory that came with an instance, from which on it is asked whose

#: Make no sense without an instance.
INSTANCE_VERBS = (
    "reset",
    "reseed",
    "repeat",
    "vary",
    "count",
    "deny",
    "step",
    "episode",
    "beginnings",
    "mirror",
    "render",
    "picture",
    "close",
    "relaunch",
    "copy",
    "watch",
    "leave",
    "carry",
    "fail",
)


#: What fills replay storages.
OF_REPLAY_BUFFERS = ("forecast", "stock", "fill", "past", "look", "empty")


def _store(state: ScenarioState, verb: Verb) -> Optional[Mapping[str, object]]:
    from envdoctor.probe.verbs import replay as storing  # few ask for it

    keys: Optional[Mapping[str, object]] = storing.VERBS[verb.name](state, verb)
    return keys


#: What each verb does.
VERBS: Dict[str, Callable[[ScenarioState, Verb], Optional[Mapping[str, object]]]] = {
    **lifecycle.VERBS,
    **inspection.VERBS,
    **cycles.VERBS,
    **episodes.VERBS,
    **dict.fromkeys(OF_REPLAY_BUFFERS, _store),
}


class Player:
    """Plays the verbs of one scenario."""

    def __init__(self, state: ScenarioState) -> None:
        self.state = state
        self.scenario = state.scenario
        self.journal = state.journal
        self.readings = state.readings
        self.pid = getpid()

    def play(self) -> List[str]:
        """Play every verb. Returns what made the process dirty, empty when nothing did."""
        if self.scenario.traits.enters:
            with process_state.importing():
                load.enter(self.state.subject)
                self._follow_containers()
                entered = adapters.enter(self.scenario.enters)
            self._note_imports()
            # Each reading would walk through all of PyTorch, or of a table of prices.
            if (entered or self.scenario.traits.growth) and not instrument.alive():
                settle()
                leave_out_what_is_there()
            given_actions.prepare(self.state.subject, bool(self.scenario.control))
        workers.prepare(self.scenario.start_method, self._preloaded())
        unraisable.listen(self.journal, self.state.ownership)
        with self._watching_imports(), self._watching_coroutines(), self._watching_children():
            raised = self._play_verbs()
        for stop in self.state.stop_watching:
            stop()
        containers.leave()
        unraisable.stop()
        comparing.tell(self.scenario, self.journal)
        side_by_side.tell(self.scenario, self.journal)
        if self.state.sharing is not None:
            side_by_side.tell_shared(self.state.sharing, self.journal)
        self._tell_process_state()
        # SDL takes one more real-time signal each time: nothing that a next scenario, drawn as
        # well, would have to fear.
        dirty = self.readings.dirty(() if self.state.screenless else ALTERED) + (
            ["an error"] if raised and not self.scenario.fault else []
        )
        if (
            self.scenario.traits.plain
            and self.scenario.manager == DIRECT
            and not dirty
            and not instrument.alive()
        ):
            leave_out_what_is_there()
        return dirty

    def _tell_process_state(self) -> None:
        """Write down what this process keeps of the scenario, and spare the next one all of it that
        may make an instance fail.
        """
        with room.made():
            altered = process_state.altered()
        if altered:
            self.journal.write("fact", key="process-state", value={"altered": altered})
        if not self.state.screenless:
            for change in altered:
                if not process_state.is_mild(change):
                    self.readings.note_dirty(change)

    def _note_imports(self) -> None:
        """Write down what is imported now, for processes that are forked from a template."""
        file = self.state.imports
        if file and not os.path.exists(file):
            preloading.write(file, roots_of(self.state.subject))

    def _follow_containers(self) -> None:
        """Follow what the subject asks of a container engine, here and in processes it forks."""
        if not self.scenario.control:
            container_calls.follow(
                self.readings.sensors.context.home,
                lambda event: self.journal.write(**event),
                # Only now is the subject's package known.
                Ownership(roots_of(self.state.subject)),
                users_place,
            )

    def _play_verbs(self) -> bool:
        """Every verb; whether one raised."""
        raised = False
        for at, verb in enumerate(self.scenario.verbs):
            if verb.name in INSTANCE_VERBS and not self._can(verb):
                continue
            if self._is_tried(verb):
                continue
            raised = not self._play(at, verb) or raised
        return raised

    def _is_tried(self, verb: Verb) -> bool:
        """Return whether a verb belongs to a life that would try something, and there is nothing
        left.
        """
        sharing = self.state.sharing
        return sharing is not None and sharing.is_idle and verb.name != "apart"

    def _watching_imports(self) -> ContextManager[object]:
        """In the plain life, where what a constructor imports may do things to the process."""
        if not self.scenario.traits.plain or self.scenario.manager != DIRECT:
            return contextlib.nullcontext()
        return Imports(self.readings.effects, lambda: roots_of(self.state.subject), self.journal)

    def _watching_coroutines(self) -> ContextManager[object]:
        """In the plain life, where each call is made as a program makes it."""
        if not self.scenario.traits.plain or self.scenario.manager != DIRECT:
            return contextlib.nullcontext()
        is_users = self.state.ownership.is_users
        reports = self.state.loop_reports = LoopReports(self._left, self._failed, is_users)
        self.state.stop_watching.append(reports.stop)
        self.state.open_clients = OpenClients()
        return unawaited.listening(
            lambda value: self.journal.write("fact", key="unawaited", value=value), is_users
        )

    def _watching_children(self) -> ContextManager[object]:
        """In the plain life, whose leftovers are judged."""
        if not self.scenario.traits.plain:
            return contextlib.nullcontext()
        self.state.unwaited = UnwaitedChildren()
        return self.state.unwaited.listening()

    def _left(self, task: Dict[str, object]) -> None:
        task["life"] = self.readings.life
        self.journal.write("fact", key="task-left", value=task)

    def _failed(self, name: str, error: BaseException) -> None:
        value = error_value(error, self.state.ownership)
        self.journal.write("unraisable", what="task", where=name, error=value)

    def _preloaded(self) -> List[str]:
        """Return what the fork server imports ahead, where many workers only show how they end."""
        return (
            list(getattr(adapters.modules()[self.scenario.manager], "PRELOADED", ()))
            if self.scenario.fault
            else []
        )

    def _play(self, at: int, verb: Verb) -> bool:
        """One verb; True when it did not raise."""
        if verb.name == "make" and not self.state.hosts:
            self.readings.begin()
            if self.state.open_clients is not None:
                self.state.open_clients.begin()
        self.journal.write("verb", at=at, verb=str(verb), state="began", **self._resets(verb))
        if self.state.loop_reports is not None:
            self.state.loop_reports.listen()
        watch = Stopwatch()
        try:
            keys = self._call(verb)
            state = "ended"
        # SystemExit and KeyboardInterrupt raised by an environment are errors of its own.
        except BaseException as error:
            missing = missing_of(error) if verb.name == "make" else {}
            value = dict(error_value(error, self.state.ownership), **missing)
            keys, state = {"error": value, **self._how_far()}, "raised"
            self.tell_workers()
        self._end_twin()
        refusals.tell(lambda value: self.journal.write("fact", key="refusal", value=value))
        refusals.tell_end_unread(
            lambda end: self.journal.write("fact", key="end-unread", value=end)
        )
        given_actions.tell(lambda key, value: self.journal.write("fact", key=key, value=value))
        self.journal.write(
            "verb", at=at, verb=str(verb), state=state, seconds=watch.seconds(), **keys
        )
        self._read_after(verb, state == "ended")
        return state == "ended"

    def _resets(self, verb: Verb) -> Mapping[str, int]:
        """The number of resets of an instance, where it is reset now and counts them."""
        resets = getattr(self.state.host(verb), "resets", None) if verb.name in RESETS else None
        return {} if resets is None else {"resets": resets}

    def _how_far(self) -> Mapping[str, object]:
        """In which episode and step a whole episode failed, both counted from one."""
        progress, self.state.progress = self.state.progress, None
        return {"episode": progress.episode, "step": progress.step} if progress else {}

    def _end_twin(self) -> None:
        """End a child that the environment forked and forgot to end: it would play the rest a
        second time.
        """
        if getpid() != self.pid:
            _exit(0)

    def _call(self, verb: Verb) -> Mapping[str, object]:
        """Do it. In the plain life, collections that reset() and step() ask for are journalled as
        well.
        """
        function = VERBS[verb.name]
        if self.state.sharing is not None:
            return self._share(self.state.sharing, function, verb)
        if (
            verb.name not in LISTENED
            or not self.scenario.traits.plain
            or self.scenario.manager != DIRECT
        ):
            return function(self.state, verb) or {}
        with forced.listening(self.state.ownership) as collections:
            keys = function(self.state, verb) or {}
        return {**keys, "collections": collections.described()} if collections.places else keys

    def _share(
        self, sharing: Sharing, function: Callable[..., Optional[Mapping[str, object]]], verb: Verb
    ) -> Mapping[str, object]:
        """Do it, where it is followed what two instances share."""
        if verb.instance is None:
            if verb.name == "drop":
                sharing.end()
            return function(self.state, verb) or {}
        raised = True
        sharing.before(self.state.hosts, verb.instance)
        try:
            keys = function(self.state, verb) or {}
            raised = False
        finally:
            sharing.after(self.state.hosts, verb.instance, raised)
        return keys

    def _read_after(self, verb: Verb, ended: bool) -> None:
        if self.scenario.traits.reopens and verb.name in STARTS and ended:
            value = {"verb": verb.name, "running": self.readings.running()}
            self.journal.write("fact", key="running", value=value)
        if verb.name == "close" and self.scenario.fault:
            workers.wait_until_still()
            self.readings.take("held")
        elif verb.name == "close":
            self._tell_unwaited(verb)
            self.tell_workers()
            # What a closed manager of workers still holds is its own affair until dropped.
            if self.scenario.traits.watched and self.scenario.start_method is None:
                self.readings.held()
                self._tell_reachable_bytes(verb)
            elif self.scenario.control and self.scenario.start_method:
                self.journal.write("fact", key="pinned", value=self.readings.pinned())
        elif verb.name in POINTS:
            if (
                verb.name == "step"
                and ended
                and self.scenario.start_method
                and (self.scenario.traits.plain or self.scenario.traits.scales)
            ):
                workers.tell_memory(self.journal)
            if ended and self.scenario.traits.detailed and self._shows(verb):
                self.readings.take(POINTS[verb.name])
            else:
                self.readings.note_memory()
            if verb.name == "step" and ended and self.scenario.traits.plain:
                self._tell_connections()

    def _tell_reachable_bytes(self, verb: Verb) -> None:
        """Report the bytes of a closed instance's objects, where much memory came with it."""
        alone = self.scenario.traits.plain and self.scenario.manager == DIRECT
        if alone and self.readings.heap_has_risen(MUCH):
            value = {
                "life": self.readings.life,
                "bytes": reachable_bytes(self.state.host(verb).subject()),
            }
            self.journal.write("fact", key="reachable-bytes", value=value)

    def _tell_connections(self) -> None:
        """To which services it is connected while an instance lives."""
        if self.scenario.manager == DIRECT and not self.scenario.control:
            services = connections.to_others(self.readings.sensors.context.guard)
            if services:
                value = [service._asdict() for service in services]
                self.journal.write("fact", key="connections", value=value)

    def _tell_unwaited(self, verb: Verb) -> None:
        """Before anybody asks workers how they ended, which takes zombies away."""
        unwaited = self.state.host(verb).unwaited()
        if unwaited is not None:
            self.journal.write("fact", key="zombies", value=unwaited)

    def _can(self, verb: Verb) -> bool:
        """Return whether there is an instance, and something to call. (A local variable of `play`
        would keep the instance alive.)
        """
        host = self.state.host(verb)
        return host is not None and host.offers(verb.name)

    def _shows(self, verb: Verb) -> bool:
        """A render of what is not rendered is not a part of a life."""
        return verb.name != "render" or bool(
            getattr(self.state.host(verb).subject(), "render_mode", None)
        )

    def tell_workers(self) -> None:
        """To ask how workers ended takes zombies away, which are counted where a fault was put
        in.
        """
        if self.scenario.manager != DIRECT and not self.scenario.fault:
            workers.tell_exits(self.journal)


def play(request: PlayRequest, sensors: Sensors) -> None:
    """Play the scenario of one request; its end is journalled with what it left dirty."""
    journal = Journal(request.journal)
    heartbeat.begin(journal.path)
    journal.write("scenario", state="began")
    watch = Stopwatch()
    try:
        dirty = _play(request, journal, sensors)
    # An error of our own code: the environment replaced open(), or an alarm of its own rings.
    except BaseException as error:
        journal.write(
            "scenario", state="failed", why="%s: %s" % (type(error).__name__, message_of(error))
        )
        raise
    journal.write("scenario", state="ended", dirty=dirty, seconds=watch.seconds())


def _play(request: PlayRequest, journal: Journal, sensors: Sensors) -> List[str]:
    named_memory.note(journal)
    screens.do_without(request.subject.kwargs)
    state = ScenarioState(
        request.scenario,
        request.subject,
        request.seed,
        journal,
        request.spaces or "",
        request.step_budget,
        sensors,
        request.imports or "",
    )
    return Player(state).play()
