"""Changes of state that belongs to the whole process, for the rules on side effects."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from envdoctor.frameworks import PACKAGES
from envdoctor.model.facts import ChangedByImport, ChangedByImports
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location
from envdoctor.model.records import EffectRecord, InstanceRecord
from envdoctor.model.trace import Life
from envdoctor.rules.engine.view import View

#: The points of a life, and what was called before each.
PHASES = {
    "made": "the constructor",
    "reset": "reset()",
    "stepped": "step()",
    "rendered": "render()",
    "held": "close()",
}

#: The follow-up of rules that look at the import and at the first life: the line is looked for.
SEARCH = "effects"
IMPORTED, IMPORT = "imported", "importing it"
BOTH = "playing on"  # steps among which an episode ended, and was followed by a reset
METHODS = {
    "made": "__init__",
    "reset": "reset",
    "stepped": "step",
    "rendered": "render",
    "held": "close",
}
_ORDER = ("before", *PHASES)


@dataclass(frozen=True)
class Effect:
    """One thing that changed. `point` is the reading that showed it first, `phase` what came before
    it, as the subject of a sentence; `library` is the one whose import did it, empty for the
    subject's own code; `old` and `new` are None where it is not there.
    """

    key: str
    old: str | None
    new: str | None
    point: str
    phase: str
    library: str = ""
    place: Location | None = None

    @property
    def by(self) -> str:
        """The author of the effect: `reset()`, `importing pygame`."""
        return f"importing {self.library}" if self.library else self.phase

    @property
    def own(self) -> bool:
        """True if the subject's own code did it: then the line is worth a search."""
        return not self.library

    @property
    def evidence(self) -> dict[str, object]:
        """The evidence of a finding on this effect."""
        return {"old": self.old, "new": self.new, "phase": self.by, "own_code": self.own}


def effects(view: View, sensor: str) -> list[Effect]:
    """Return the changes of the import and the first life, in order, each thing once. Those of a
    framework are left out.
    """
    result: dict[tuple[str, str | None], Effect] = {}
    for effect in _raw(view, sensor):
        result.setdefault((effect.key, effect.new), effect)
    return list(result.values())


def _raw(view: View, sensor: str) -> Iterator[Effect]:
    # The first line of each wins.
    lines = {
        event.key: Location.at(event.frame) if event.frame else None
        for event in _searched(view, sensor)[::-1]
    }
    for point, earlier, later in spans(view):
        then, now = earlier.get(sensor), later.get(sensor)
        if not isinstance(then, Mapping) or not isinstance(now, Mapping):
            continue
        for key in dict.fromkeys((*then, *now)):
            if then.get(key) != now.get(key):
                yield from _explained(
                    view,
                    sensor,
                    Effect(
                        key,
                        then.get(key),
                        now.get(key),
                        point,
                        phase_of(view, point),
                        "",
                        lines.get(key),
                    ),
                )


def seeded(view: View, effect: Effect) -> bool:
    """Return True if the second life has the same state after the same call, though it began with
    another one.
    """
    life = view.trace("life")
    if effect.point == IMPORTED or life is None or len(life.lifecycles) < 2:
        return False
    first, second = (_states(lifecycle, effect.key) for lifecycle in life.lifecycles[:2])
    earlier = [
        point
        for point in first
        if point in second and _ORDER.index(point) < _ORDER.index(effect.point)
    ]
    return (
        bool(earlier)
        and first[earlier[-1]] != second[earlier[-1]]
        and first[effect.point] == second.get(effect.point)
    )


def _states(life: Life, key: str) -> dict[str, str]:
    """The states of one generator in a life, by point."""
    read = {point: life.by_key("random", point).get(key) for point in _ORDER}
    return {point: state for point, state in read.items() if state is not None}


def seeding_reset(view: View, generators: Collection[str]) -> Effect | None:
    """The first effect of a reset() that seeds all of some generators of the process; nothing where
    it does not seed each of them.
    """
    own = [
        effect
        for effect in effects(view, "random")
        if effect.point == "reset" and effect.own and effect.key in generators
    ]
    known = {effect.key for effect in own if seeded(view, effect)}
    return own[0] if own and known == {*generators} else None


def unread_around_import(view: View, sensors: Collection[str]) -> str:
    """The reason why a rule that looks at the import cannot pass, or nothing: the readings around
    it lack a sensor.
    """
    for point, *readings in spans(view):
        for sensor in sensors if point == IMPORTED else ():
            if not all(isinstance(reading.get(sensor), Mapping) for reading in readings):
                return f"the sensor {sensor} was not read around the import"
    return ""


def spans(view: View) -> Iterator[tuple[str, Mapping[str, object], Mapping[str, object]]]:
    """(point, reading before, reading then) of the import and of the first life."""
    survey, life = view.trace("survey"), view.trace("life")
    for lifecycle in survey.lifecycles[:1] if survey else ():
        if IMPORTED in lifecycle.readings:
            yield IMPORTED, lifecycle.at("before"), lifecycle.at(IMPORTED)
    for lifecycle in life.lifecycles[:1] if life else ():
        yield from _phases(lifecycle)


def _phases(life: Life) -> Iterator[tuple[str, Mapping[str, object], Mapping[str, object]]]:
    earlier = life.at("before")
    for point in PHASES:
        if point in life.readings:
            yield point, earlier, life.readings[point]
            earlier = life.readings[point]


def phase_of(view: View, point: str) -> str:
    """Return the call before a point of the first life: `reset()`. Nothing is read after a call
    that raised, so it may have been that.
    """
    life = view.trace("life")
    failed = next(
        (
            name
            for name in ("reset", "step", "render")
            if life and point == "held" and life.verbs(name, "raised")
        ),
        "",
    )
    if failed:
        return f"{failed}() or {PHASES[point]}"
    steps = life.verbs("step") if life and point == "stepped" else []
    if (
        life
        and len(steps) > 1
        and any(
            steps[0].t < event.t < steps[1].t
            for event in life.records(InstanceRecord, what="reset")
        )
    ):
        return BOTH
    return IMPORT if point == IMPORTED else PHASES[point]


def _explained(view: View, sensor: str, effect: Effect) -> Iterator[Effect]:
    """The effect with the library that had it, when its import left the thing as it was found;
    nothing for a framework.
    """
    for charge in imported(view, sensor):
        if charge.key == effect.key and charge.new == effect.new and not charge.users:
            if charge.by not in PACKAGES:
                yield replace(effect, library=charge.by, place=charge.place)
            return
    yield effect


def imported(view: View, sensor: str) -> list[ChangedByImport]:
    """Return the changes of one sensor by imports of libraries."""
    traces = [trace for trace in (view.trace("survey"), view.trace("life")) if trace]
    return [
        charge
        for trace in traces
        for charge in (trace.fact(ChangedByImports) or ChangedByImports()).changes
        if charge.sensor == sensor
    ]


def searched(view: View, sensor: str) -> list[Location]:
    """The lines that were found when it was looked for them, in order."""
    return [
        place
        for place in (
            Location.at(event.frame) if event.frame else None for event in _searched(view, sensor)
        )
        if place
    ]


def _searched(view: View, sensor: str) -> list[EffectRecord]:
    trace = view.trace("effects")
    return list(trace.records(EffectRecord, sensor=sensor)) if trace else []


def where(view: View, effect: Effect) -> Location | None:
    """The line that did it; else where the method stands that did, or the class."""
    return effect.place or view.locate(METHODS.get(effect.point, ""))


def sentence(effect: Effect) -> str:
    """` (arm.py:12)`, where the line is known; else nothing."""
    return f" ({effect.place.file.rsplit('/', 1)[-1]}:{effect.place.line})" if effect.place else ""
