"""A session's experience with calls that do not come back: how long the next ones are waited
for.
"""

from __future__ import annotations

from dataclasses import field

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import CALLERS, DIRECT, Scenario, verb_name
from envdoctor.model.trace import OUT_OF_MEMORY, TIMED_OUT, Trace
from envdoctor.run.supervise.own_frames import call_in

AGAIN = 3.0  # idle seconds after which a call hangs that hung before in the same place
QUIET = 1.0  # the same, where it hung without a manager
SHORT = 1.0  # seconds of work after which a call hangs that never came back before
SLOWER = 4  # times as long as the slowest call that came back
#: Of the ceiling of memory, for what follows a scenario that met it.
SHARE = 0.125
LEAST_MEMORY = 1 << 30  # bytes

#: Calls whose first one may compile, load or download.
FIRST = ("survey", "call", "make", "reset", "step")
#: Calls whose times are known one by one.
TIMED = ("make", "reset", "reseed", "repeat", "vary", "step", "render", "picture", "close")

#: Stands for any verb that is not named.
ANY = ""


@dataclass(frozen=True)
class Expectation:
    """The limit for a verb that is known to hang: `quiet` seconds in which nothing runs, or `short`
    seconds of work (None: until its deadline).
    """

    quiet: float
    short: float | None = None


@dataclass
class Patience:
    """The experience with one subject."""

    hung: dict[object, set[str]] = field(default_factory=dict)  # by place: verbs
    kept: dict[object, set[str]] = field(default_factory=dict)  # by place: from running, too busy
    slowest: dict[str, float] = field(default_factory=dict)  # seconds of one call that came back
    imports: float = 0.0  # seconds that the survey took
    memory: float = 1.0  # of the ceiling
    at_its_ceiling: str = ""  # the verb that met it

    def learn(self, trace: Trace) -> None:
        """A scenario is over."""
        for event in trace.records(VerbRecord, state="ended"):
            name = verb_name(event.verb)
            if name == "survey":
                self.imports = max(self.imports, event.seconds)
            if name in TIMED and trace.scenario.manager == DIRECT:
                seconds = event.seconds / max(1, int(event.steps or 1))
                self.slowest[name] = max(self.slowest.get(name, 0.0), seconds)
        verb = verb_name(trace.outcome.verb)
        if trace.outcome.kind == TIMED_OUT and not trace.scenario.fault:
            hung = {verb, call_in(trace.outcome.stacks) or verb}
            self.hung.setdefault(_place(trace.scenario), set()).update(hung)
        if trace.outcome.starved:
            self.kept.setdefault(_place(trace.scenario), set()).add(verb)
        if trace.outcome.kind == OUT_OF_MEMORY and not trace.scenario.control:
            self.memory, self.at_its_ceiling = SHARE, verb

    def expectations(self, scenario: Scenario) -> dict[str, Expectation]:
        """Return the expectations of a scenario's verbs, by name; most of them have none."""
        result = {
            verb: Expectation(max(AGAIN, self._at_most(verb)))
            for verb in self.hung.get(_place(scenario), ())
        }
        if scenario.control:
            return result
        alone = self.hung.get((DIRECT, None, False), set())
        managed = scenario.manager != DIRECT
        for call in alone:
            # It calls more than what hangs.
            for verb in {call, *CALLERS.get(call, {}).get(managed, ())}:
                least = self._at_most(call if verb == call and not managed else "")
                result[verb] = Expectation(max(QUIET, least), max(SHORT, least))
        return result

    def unknown(self, scenario: Scenario) -> set[str]:
        """The verbs of a scenario that never came back before: without a manager, which is first
        asked.
        """
        if scenario.manager != DIRECT or scenario.control:
            return set()
        return set(FIRST).difference(self.slowest)

    def least(self, scenario: Scenario) -> dict[str, float]:
        """Seconds that the verbs of a scenario are waited for at least, as they took without a
        manager; ANY is for those that call several things, and for imports.
        """
        if scenario.control:
            return {}
        result = {ANY: self._at_most("") + SLOWER * self.imports}
        if scenario.manager == DIRECT:
            result.update((verb, self._at_most(verb)) for verb in self.slowest)
        return result

    def starved(self, scenario: Scenario) -> set[str]:
        """The verbs of a scenario that a busy machine kept from running: in its place, or alone."""
        alone = set() if scenario.control else self.kept.get((DIRECT, None, False), set())
        managed = scenario.manager != DIRECT
        callers = {verb for call in alone for verb in CALLERS.get(call, {}).get(managed, ())}
        return self.kept.get(_place(scenario), set()) | alone | callers

    def _at_most(self, verb: str) -> float:
        """Seconds that one call may take, as those that came back did; any call for ""."""
        known = [self.slowest.get(verb, 0.0)] if verb else self.slowest.values()
        return SLOWER * sum(known)


def _place(scenario: Scenario) -> object:
    return (*scenario.place, scenario.control)
