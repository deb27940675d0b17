"""The input of a rule: one subject under one manager and start method, and the same subject in
other places for comparison.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property

from envdoctor.analysis.growth.leaks import Leak, leaks_in
from envdoctor.analysis.growth.side_reading import sides_of
from envdoctor.analysis.growth.sides import Side
from envdoctor.frameworks import (
    DEFAULT,
    DEFAULT_REGISTRY,
    Profile,
    Vectorizer,
    profile_of,
    profile_of_api,
    vectorizer_of,
)
from envdoctor.frameworks.hidden_instances import abandoned, cut_off, forgotten
from envdoctor.frameworks.profile import Registry
from envdoctor.model.facts import Known, SurveyedManager, WrapperClass
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location
from envdoctor.model.scenario import DIRECT
from envdoctor.model.trace import Life, Trace

#: The points of a life after its close.
AFTERWARDS = ("held", "dropped", "collected")


@dataclass(frozen=True)
class View:
    """The traces of one place (manager, start method), in the order they were played.

    `subject` is the SPEC as typed. `survey` is what is known of the subject everywhere. `control`
    is the same place played on the null environment, None until it was needed. `direct` is the
    subject without a manager (the view itself when the place is direct). `optional_traces` is what
    few people do with an environment, or how few launch this manager: what goes wrong there is
    judged by itself; `optional_alone` are those without a manager. `faults` are the plays of a null
    environment that was made to fail in this place; they are not a control.
    """

    subject: str
    manager: str
    start_method: str | None
    traces: tuple[Trace, ...]
    survey: Known = field(default_factory=Known)
    control: View | None = None
    other_places: tuple[Trace, ...] = ()
    optional_traces: tuple[Trace, ...] = ()
    faults: tuple[Trace, ...] = ()
    optional_alone: tuple[Trace, ...] = ()

    @property
    def is_direct(self) -> bool:
        """True without a manager."""
        return self.manager == DIRECT

    @property
    def framework(self) -> Profile:
        """The profile of the manager's framework."""
        return profile_of(self.manager)

    @property
    def vectorizer(self) -> Vectorizer:
        """The manager's description."""
        return vectorizer_of(self.manager)

    @property
    def api(self) -> Profile:
        """The framework whose environment API the subject follows: Gymnasium's where that is not
        known.
        """
        return profile_of_api(self.survey.api) or DEFAULT

    @property
    def refused(self) -> str:
        """The reason why the subject cannot be played at all, or nothing."""
        return self.survey.refused

    @property
    def command(self) -> str:
        """The SPEC and the user's options, as a command line that is shown repeats them. Of a run
        that was saved without them, the SPEC alone.
        """
        return self.survey.command or shlex.quote(self.subject)

    @property
    def registry(self) -> Registry:
        """The registry in which the subject's id stands."""
        return self.api.registry or DEFAULT_REGISTRY

    @cached_property
    def direct(self) -> View:
        """The view of the subject without a manager."""
        if self.is_direct:
            return self
        traces = tuple(trace for trace in self.other_places if trace.scenario.manager == DIRECT)
        alone = self.optional_alone
        return View(self.subject, DIRECT, None, traces, self.survey, optional_traces=alone)

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        """The growth of this place, by side, less that of the control."""
        return sides_of(self.traces, self.control.traces if self.control else ())

    @cached_property
    def leaks(self) -> tuple[Leak, ...]:
        """The leaks of this place."""
        return leaks_in(self.sides)

    def trace(self, name: str) -> Trace | None:
        """The last trace of the scenario `name` in this place, or None."""
        traces = self.all(name)
        return traces[-1] if traces else None

    def all(self, name: str) -> tuple[Trace, ...]:
        """Every trace of the scenario `name` in this place, in the order of play."""
        if name not in self._served:
            served = tuple(trace for trace in self.traces if trace.scenario.serves_as(name))
            self._served[name] = served
        return self._served[name]

    @cached_property
    def _served(self) -> dict[str, tuple[Trace, ...]]:
        """The traces of each scenario that was asked for so far: rules ask often."""
        return {}

    def optional(self, name: str) -> tuple[Trace, ...]:
        """Every trace of the optional scenario `name`, or of the rare launch of that name."""
        return tuple(trace for trace in self.optional_traces if trace.scenario.name == name)

    def everywhere(self, name: str) -> tuple[Trace, ...]:
        """Every trace of the scenario `name`, in all places."""
        return tuple(trace for trace in self.other_places if trace.scenario.name == name)

    def last_life(self, name: str = "life") -> Life | None:
        """The last complete life of a scenario: by then what is acquired once (imports, pools,
        first use of a display) are in `before`. A life is complete when it was read after close;
        None if no life is, and where each constructor failed: nothing was there to close. Arcade's
        window has native threads when AsteroidsEnv's constructor raises. One that failed does not
        count: a second life that finds its port still taken must not hide what the first one left.
        """
        trace = self.trace(name)
        if trace is None:
            return None
        complete = [
            life
            for life in trace.lifecycles
            if "held" in life.readings or "dropped" in life.readings
        ]
        lived = [life for life in complete if "made" in life.readings]
        if not lived and trace.verbs("make", "raised"):
            return None
        candidates = lived or complete
        return candidates[-1] if candidates else None

    def left(self, sensor: str, point: str, name: str = "life") -> dict[str, str]:
        """Return what the last life left in `sensor` at `point`, less the leftovers of the control,
        kind by kind; and less those of instances that the manager never closed.
        """
        life = self.last_life(name)
        if life is None:
            return {}
        left = life.left(sensor, point)
        theirs = self.control.left(sensor, point, name) if self.control else {}
        rest = subtract(left, theirs.values())
        return (
            rest
            if self.is_direct or point not in AFTERWARDS or name != "life"
            else self.without_forgotten(sensor, rest)
        )

    def without_forgotten(
        self, sensor: str, left: Mapping[str, str], launches: int = 1
    ) -> dict[str, str]:
        """`left` without what a constructor takes, for each instance that the manager built to read
        the spaces and never closed: no close() of the environment could have given that back. By
        kind, and by number where names tell nothing. `launches` are those that may have left
        something there.
        """
        left = self._without_abandoned(sensor, left)
        alone, trace = self.direct.last_life(), self.trace("life")
        number = (self.survey.managers.get(self.manager) or SurveyedManager()).hidden or 0
        if not left or not number or alone is None or trace is None:
            return dict(left)
        each = len(forgotten(trace, number)) // max(1, len(trace.verbs("make", "ended")))
        theirs = list(alone.left(sensor, "made").values()) * each * launches
        rest = subtract(left, theirs)
        unknown = len(theirs) - (len(left) - len(rest))
        return dict(list(rest.items())[unknown:])

    def _without_abandoned(self, sensor: str, left: Mapping[str, str]) -> Mapping[str, str]:
        """`left` without what an instance has while it lives, for each one that a manager ended
        with its worker instead of closing it, as it does with null environments, or before its
        close() had returned, as some are known to do.
        """
        alone, trace = self.direct.last_life(), self.trace("life")
        theirs = self.control.trace("life") if self.control else None
        if alone is None or trace is None or theirs is None:
            return left
        number = abandoned(trace) if abandoned(theirs) else 0
        number += cut_off(trace) if self.vectorizer.ends_workers_in_close else 0
        return subtract(left, list(alone.left(sensor, "stepped").values()) * number)

    def wrapper_at(self, place: Location | None) -> WrapperClass | None:
        """The wrapper around the environment whose code has this line, if one's has."""
        around = self.survey.wrappers if place else ()
        return next((wrapper for wrapper in around if place and wrapper.has(place)), None)

    def of_wrapper(self, wrapper: WrapperClass) -> View:
        """Return the view with a wrapper's class in place of the environment's: it is named, and
        its methods are to be mended.
        """
        return replace(
            self,
            survey=replace(
                self.survey,
                env_class=wrapper.name,
                source=wrapper.source,
                methods=wrapper.methods,
                wrappers=(),
            ),
        )

    def locate(self, method: str) -> Location | None:
        """Return where the subject's class defines `method`; the class itself when it does not;
        None when unknown.
        """
        return self.survey.methods.get(method) or self.survey.source

    @property
    def class_name(self) -> str:
        """The subject's class as a person would write it: `MyEnv`, or `the environment` when
        unknown.
        """
        return (self.survey.env_class or "the environment").rsplit(".", 1)[-1]


def subtract(left: Mapping[str, str], theirs: Iterable[str]) -> dict[str, str]:
    """`left` without as many items of each kind as `theirs` has.

    Numbers differ between two runs (`pipe:[123]`, `/tmp/x/9`), so kinds are compared, not texts.
    """
    budget = Counter(kind_of(text) for text in theirs)
    rest = {}
    for key, text in left.items():
        if budget[kind_of(text)] > 0:
            budget[kind_of(text)] -= 1
        else:
            rest[key] = text
    return rest


def kind_of(text: str) -> str:
    """`pipe:[123]` and `pipe:[456]` are of one kind, as are `/tmp/ab.log` and `/tmp/xy.log`:
    names are drawn at random, and so are the ids of containers.
    """
    folder, slash, name = text.rpartition("/")
    if slash and " " not in text:
        text = f"{folder}/*.{name.rpartition('.')[2]}" if "." in name else f"{folder}/*"
    return re.sub(r"\b[0-9a-f]{12,}\b|\d+", "#", text)
