"""What comparisons of trajectories show, and how it is said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from envdoctor.model.events import Event
from envdoctor.model.remedy import OwnRandom
from envdoctor.model.scenario import EXECUTED
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.view import View

AGAIN = "in one instance seeded twice"

Comparison = Mapping[str, Any]


def not_compared(view: View, fact: str, played: Iterable[Trace]) -> str:
    """Why what a rule compares says nothing, or nothing."""
    if view.survey.get("seedable") is False:
        return "it cannot be seeded"
    if fact in ("elsewhere", "replayed") and in_process(view):
        return "one process gives different results already"
    told = compared(view, fact, played)
    if not told:
        return "fewer than two trajectories to compare"
    reasons = [inconclusive(comparison) for comparison in told]
    return next((reason for reason in reasons if reason), "") if all(reasons) else ""


def compared(view: View, fact: str, played: Iterable[Trace]) -> list[Comparison]:
    """The comparisons of a place; those of a manager's instances were made without the manager,
    later.
    """
    if fact == "replayed":
        return replayed(view)
    own = [comparison for trace in played for comparison in trace.facts(fact)]
    return own + (elsewhere(view) if fact == "elsewhere" else [])


def replayed(view: View) -> list[Comparison]:
    """What this manager's instances returned, beside one that was asked the same without a
    manager.
    """
    return _of_place(view, _all_replayed(view))


def right_without_shared_memory(view: View) -> bool:
    """Whether this manager's instances return something else than alone, but not where
    observations come through the pipe.
    """
    piped = _of_place(view, _all_replayed(view, "replay-of-piped"))
    return (
        any(map(differs, replayed(view)))
        and bool(piped)
        and not any(differs(told) or told.get("skipped") for told in piped)
    )


def _of_place(view: View, told: Iterable[Comparison]) -> list[Comparison]:
    return [
        one
        for one in told
        if (one["manager"], one["start_method"]) == (view.manager, view.start_method)
    ]


def _all_replayed(view: View, scenario: str = "replay") -> list[Comparison]:
    played = view.direct.trace(scenario)
    return played.facts("replayed") if played else []


def elsewhere(view: View) -> list[Comparison]:
    """Comparisons with other processes: a second probe's, or else those with workers that
    managers started as programs.
    """
    played = view.direct.trace("elsewhere")
    if played is not None and played.facts("elsewhere"):
        return played.facts("elsewhere")
    return [told for told in _all_replayed(view) if told["start_method"] in EXECUTED]


def differs(comparison: Comparison | None) -> bool:
    """Whether there is a difference."""
    return bool(comparison and comparison.get("difference"))


def inconclusive(comparison: Comparison) -> str:
    """Why nothing can be said although no difference was seen, or nothing."""
    if comparison.get("skipped"):
        return str(comparison["skipped"])
    unknown = [] if differs(comparison) else comparison.get("unknown") or []
    return f"not all can be compared: {unknown[0]}" if unknown else ""


def in_process(view: View) -> list[tuple[Comparison, str]]:
    """The comparisons within one process in which something differs, and between what: two
    instances with one seed, and one instance that was seeded again.
    """
    found = []
    for scenario, fact, between in (
        ("life", "same-seed", "in two instances"),
        ("reuse", "reseeded", AGAIN),
    ):
        played = view.direct.trace(scenario)
        comparison = played.fact(fact) if played else None
        if comparison is not None and differs(comparison):
            found.append((comparison, between))
    return found


def at_first_reset(comparison: Comparison) -> bool:
    """Whether the very first observation differs."""
    difference = comparison["difference"]
    return bool(difference["call"] == "reset" and difference["step"] == 0)


def moment(comparison: Comparison) -> str:
    """`at step 3`, `at the first reset()`, `at the reset() after step 10`."""
    difference = comparison["difference"]
    if difference["call"] == "step":
        return f"at step {difference['step']}"
    return (
        "at the first reset()"
        if difference["step"] == 0
        else f"at the reset() after step {difference['step']}"
    )


def what_differs(comparison: Comparison, one: str = "once", other: str = "and then") -> str:
    """`observation[2] is 0.1 once and then 0.2`."""
    difference = comparison["difference"]
    place = (
        f"[{', '.join(str(number) for number in difference['place'])}]"
        if difference.get("place")
        else ""
    )
    first, second = difference["values"]
    if difference["what"] == "contents":
        return f"{difference['key']} is not the same (too large to say where)"
    whose = "" if difference["what"] == "value" else f"the {difference['what']} of "
    return f"{whose}{difference['key']}{place} is {first} {one} {other} {second}"


def culprits(view: View, call: str) -> list[str]:
    """Random generators that `call` ("reset" or "step") draws from and that the seed does not
    reach: their states after two resets with the same seed are not the same.
    """
    played = view.direct.trace("reuse")
    states = _states(played.of("instance", what="reset")) if played else {}
    if not {1, 2, 3} <= states.keys():
        return []
    # The third one was seeded like the first.
    first, second, again = (states[number] for number in (1, 2, 3))
    before, after = (
        (again["before"], again["after"]) if call == "reset" else (first["after"], second["before"])
    )
    return [
        source
        for source in sorted(again["after"])
        if before.get(source) != after.get(source)
        and first["after"].get(source) != again["after"][source]
    ]


def _states(resets: Iterable[Event]) -> dict[int, Mapping[str, Mapping[str, str]]]:
    return {event["resets"]: event["random"] for event in resets if event.get("random")}


def public_name(source: str) -> str:
    """What a person calls a source of randomness."""
    return "self.np_random" if source == "self._np_random" else source


def drawing(call: str, sources: Iterable[str]) -> str:
    """`; reset() draws from numpy.random, which the seed does not reach`, or nothing."""
    names = ", ".join(public_name(source) for source in sources)
    return f"; {call}() draws from {names}, which the seed does not reach" if names else ""


def stays(view: View, sources: Iterable[str], between: str) -> bool:
    """Whether what differs is left of the episode before: fresh instances agree, and no
    generator is at fault.
    """
    played = view.direct.trace("life")
    same = played.fact("same-seed") if played else None
    return between == AGAIN and same is not None and not differs(same) and not sources


Cure = tuple[str, OwnRandom | None]


def cure_of_rests(view: View) -> Cure:
    """What to change where a fresh instance and a used one do not agree."""
    return (
        (
            f"let {view.class_name}.reset() set back all that an episode leaves: a physics world"
            " with its contacts and caches, counters, lists. Build anew what cannot be set back."
        ),
        None,
    )


def cure(view: View, sources: Iterable[str]) -> Cure:
    """What to change for the sources of randomness that are at fault."""
    name, given = view.class_name, view.api.generator
    seeding = f"{name}.reset()" if given or view.api.seeds_in_reset else f"{name}.seed()"
    for source in sources:
        if source in ("random", "numpy.random"):
            own = f", {given}, which super().reset(seed=seed) seeds" if given else ""
            return (
                (
                    f"draw in {name} from the instance's own generator{own}, in place of {source},"
                    f" and seed it in {seeding}."
                ),
                OwnRandom(source),
            )
        if source == "torch":
            return (
                (
                    f"give {name} a torch.Generator of its own, seed it in {seeding}, and pass it"
                    " to what draws."
                ),
                None,
            )
        if source == "self._np_random":
            return (
                (
                    f"pass the seed on in the first line of {name}.reset():"
                    " super().reset(seed=seed) seeds self.np_random."
                ),
                OwnRandom(source),
            )
        if source.startswith("self.") and view.api.seeding:
            return view.api.seeding.format(name=name, source=source), None
        if source.startswith("self."):
            return f"make {source} anew in {seeding} where a seed is given.", OwnRandom(source)
    return (
        (
            f"look in {name} for what the seed does not reach: time, os.urandom(), uuid, an"
            " unseeded generator of a library, a set that is iterated, state that reset() does not"
            " set back. Sort sets before use."
        ),
        None,
    )


def nondeterministic(view: View) -> str:
    """A clause for an environment that says so itself."""
    return (
        " (its specification says nondeterministic=True)"
        if view.survey.get("nondeterministic")
        else ""
    )
