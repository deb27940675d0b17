"""Results of comparing trajectories, and their wording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from envdoctor.model.environment_aims import OwnRandom, SeedAll, SeedMade, SetBack
from envdoctor.model.facts import (
    CallDifference,
    Comparison,
    Difference,
    Mirrored,
    OtherProcess,
    Paired,
    Repeated,
    Replayed,
    Reseeded,
    SameSeed,
)
from envdoctor.model.records import InstanceRecord, RandomStates
from envdoctor.model.scenario import EXECUTED
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.leftover import aim_of_setting_back, how_to_set_back

AGAIN, IN_TWO = "in one instance seeded twice", "in two instances"
MORE_SEEDS, WHOLE_AGAIN = "more-seeds", "episode-again"

#: The kinds of comparison that rules name, by their keys.
KINDS: Mapping[str, type[Comparison]] = {
    kind.KEY: kind for kind in (SameSeed, Repeated, OtherProcess, Mirrored, Replayed)
}


def not_compared(view: View, fact: str, traces: Iterable[Trace]) -> str:
    """Return the reason why a comparison shows nothing, or nothing."""
    if view.survey.seedable is False:
        return "it cannot be seeded"
    if fact in (OtherProcess.KEY, Replayed.KEY) and in_process(view):
        return "one process gives different results already"
    comparisons = compared(view, fact, traces)
    if not comparisons:
        return "fewer than two trajectories to compare"
    reasons = [inconclusive(comparison) for comparison in comparisons]
    return next((reason for reason in reasons if reason), "") if all(reasons) else ""


def compared(view: View, fact: str, traces: Iterable[Trace]) -> list[Comparison]:
    """The comparisons of a place; those of a manager's instances were made without the manager,
    later.
    """
    if fact == Replayed.KEY:
        return [*replayed(view)]
    own = [comparison for trace in traces for comparison in trace.facts(KINDS[fact])]
    return own + (in_other_process(view) if fact == OtherProcess.KEY else [])


def replayed(view: View) -> list[Replayed]:
    """Return comparisons of this manager's instances with one that played the same calls without a
    manager.
    """
    return _of_place(view, _all_replayed(view))


def right_without_shared_memory(view: View) -> bool:
    """Return True if this manager's instances differ from one that is alone, but not where
    observations come through the pipe.
    """
    piped = _of_place(view, _all_replayed(view, "replay-of-piped"))
    return (
        any(replayed.differs for replayed in replayed(view))
        and bool(piped)
        and not any(replayed.differs or replayed.skipped for replayed in piped)
    )


def nothing_arrives(view: View) -> bool:
    """Return whether no observation of this manager's instances ever changes, and those of an
    instance that is asked the same without a manager do.
    """
    life = view.trace("life")
    mirrored = life.fact(Mirrored) if life else None
    still = mirrored is not None and mirrored.moves is False
    return still and any(answer.moves and answer.differs for answer in replayed(view))


def _of_place(view: View, texts: Iterable[Replayed]) -> list[Replayed]:
    place = (view.manager, view.start_method)
    return [replayed for replayed in texts if (replayed.manager, replayed.start_method) == place]


def _all_replayed(view: View, scenario: str = "replay") -> tuple[Replayed, ...]:
    trace = view.direct.trace(scenario)
    return trace.facts(Replayed) if trace else ()


def in_other_process(view: View) -> list[Comparison]:
    """Comparisons with other processes: a second probe's, or else those with workers that
    managers started as programs.
    """
    trace = view.direct.trace("other-process")
    if trace is not None and trace.facts(OtherProcess):
        return [*trace.facts(OtherProcess)]
    return [replayed for replayed in _all_replayed(view) if replayed.start_method in EXECUTED]


def inconclusive(comparison: Comparison) -> str:
    """Return the reason why no difference does not mean equal, or nothing."""
    if isinstance(comparison, Replayed) and comparison.skipped:
        return comparison.skipped
    if comparison.differs or not comparison.unknown:
        return ""
    return f"not all can be compared: {comparison.unknown[0]}"


def in_process(view: View) -> list[tuple[Comparison, str]]:
    """The comparisons within one process in which something differs, and between what: two
    instances with one seed, and one instance that was seeded again, also after a whole episode.
    Where these agree, longer lives with more seeds count, if they were called for.
    """
    result: list[tuple[Comparison, str]] = []
    kinds: tuple[tuple[str, type[Comparison], str], ...] = (
        ("life", SameSeed, IN_TWO),
        ("reuse", Reseeded, AGAIN),
        (WHOLE_AGAIN, Reseeded, AGAIN),
    )
    for scenario, kind, between in kinds:
        trace = view.direct.trace(scenario)
        comparison = trace.fact(kind) if trace else None
        if comparison is not None and comparison.differs:
            result.append((comparison, between))
    longer = by_chance(view)
    return [(longer, IN_TWO)] if longer and not result else result


def seed_decides(view: View) -> bool:
    """Return whether instances agree in all that was compared with one seed."""
    run = view.direct.trace("life")
    same = run.fact(SameSeed) if run else None
    is_compared = same is not None and not (same.differs or same.unknown)
    return is_compared and not in_process(view)


def whole_episode(view: View, comparison: Comparison) -> dict[str, int]:
    """The steps of the episode that one instance played twice, as evidence, where it shows a
    difference; nothing of other comparisons.
    """
    run = view.direct.trace(WHOLE_AGAIN)
    if run is None or run.fact(Reseeded) != comparison:
        return {}
    return {"episode": next((each.steps for each in run.verbs("step", "ended")), 0)}


def fresh_ones_differ(view: View) -> bool:
    """Return whether two fresh instances with one seed differ, or may by chance. What an episode
    leaves makes a used one differ alone.
    """
    return any(between != AGAIN or unseeded_evidence(view) for _, between in in_process(view))


def paired(view: View, scenario: str) -> Paired | None:
    """The results of two instances that were asked more than the plain life asks."""
    trace = view.direct.trace(scenario)
    return trace.fact(Paired) if trace else None


def at_first_reset(comparison: Comparison) -> bool:
    """Return True if the very first observation after a seed differs."""
    seeded = comparison.first.step == 0 or isinstance(comparison, Paired)
    return comparison.first.call == "reset" and seeded


def moment(difference: CallDifference) -> str:
    """`at step 3`, `at the first reset()`, `at the reset() after step 10`."""
    if difference.call == "step":
        return f"at step {difference.step}"
    if difference.step == 0:
        return "at the first reset()"
    return f"at the reset() after step {difference.step}"


def what_differs(difference: Difference, text: str = "once", other: str = "and then") -> str:
    """`observation[2] is 0.1 once and then 0.2`."""
    place = f"[{', '.join(map(str, difference.place))}]" if difference.place else ""
    first, second = difference.values
    if difference.what == "contents":
        return f"{difference.key} is not the same (too large to say where)"
    whose = "" if difference.what == "value" else f"the {difference.what} of "
    return f"{whose}{difference.key}{place} is {first} {text} {other} {second}"


def culprits(view: View, call: str) -> list[str]:
    """Random generators that `call` ("reset" or "step") draws from and that the seed does not
    reach: their states after two resets with the same seed are not the same.
    """
    trace = view.direct.trace("reuse")
    states = _states(trace.records(InstanceRecord, what="reset")) if trace else {}
    if not {1, 2, 3} <= states.keys():
        return []
    # The third one was seeded like the first.
    first, second, again = (states[number] for number in (1, 2, 3))
    before, after = (again.before, again.after) if call == "reset" else (first.after, second.before)
    return [
        source
        for source in sorted(again.after)
        if before.get(source) != after.get(source)
        and first.after.get(source) != again.after[source]
        and not (source == NP_RANDOM and _agree_when_fresh(view, source))
    ]


def unseeded_evidence(view: View) -> dict[str, list[str]]:
    """The generators that reset() or step() draws from and that the seed does not reach, as
    evidence: what differs may be chance, and longer lives are called for.
    """
    names = list(dict.fromkeys([*culprits(view, "reset"), *culprits(view, "step")]))
    return {"unseeded": names} if names else {}


def by_chance(view: View) -> Paired | None:
    """The longer lives with more seeds, where these differ: what others agreed in was chance."""
    longer = paired(view, MORE_SEEDS)
    return longer if longer is not None and longer.differs else None


def _agree_when_fresh(view: View, source: str) -> bool:
    """Return whether a generator is the same in two fresh instances with one seed. Gymnasium's own
    begins with chance, so the seed reaches it. Case: Foraging-8x8-2p-1f-v3, whose reset() draws
    more numbers where players of the last episode are.
    """
    trace = view.direct.trace("life")
    resets = trace.records(InstanceRecord, what="reset") if trace else ()
    states = [
        reset.random.after.get(source) for reset in resets if reset.resets == 1 and reset.random
    ]
    return len(states) > 1 and None not in states and len(set(states)) == 1


def _states(resets: Iterable[InstanceRecord]) -> dict[int, RandomStates]:
    return {reset.resets: reset.random for reset in resets if reset.random}


def public_name(source: str) -> str:
    """Return the public name of a source of randomness."""
    return "self.np_random" if source == "self._np_random" else source


def drawing(call: str, sources: Iterable[str]) -> str:
    """`; reset() draws from numpy.random, which the seed does not reach`, or nothing."""
    names = ", ".join(public_name(source) for source in sources)
    return f"; {call}() draws from {names}, which the seed does not reach" if names else ""


def stays(view: View, sources: Iterable[str], between: str) -> bool:
    """Return True if the difference is left from the episode before: fresh instances agree, and no
    generator is at fault.
    """
    trace = view.direct.trace("life")
    same = trace.fact(SameSeed) if trace else None
    return between == AGAIN and same is not None and not same.differs and not sources


Cure = tuple[str, OwnRandom | SeedAll | SeedMade | SetBack | None]

NP_RANDOM = "self._np_random"
_FOR_TORCH = (
    "give {name} a torch.Generator of its own, seed it in {seeding}, and pass it to what draws."
)
_FOR_NP_RANDOM = (
    "pass the seed on in the first line of {name}.reset(): super().reset(seed=seed) seeds"
    " self.np_random."
)
_FOR_UNKNOWN = (
    "look in {name} for what the seed does not reach: time, os.urandom(), uuid, an unseeded"
    " generator of a library, a set that is iterated, state that reset() does not set back. Sort"
    " sets before use."
)


def cure_of_rests(view: View) -> Cure:
    """Return the remedy where a fresh instance and a used one do not agree."""
    return (
        how_to_set_back(view)
        or (
            f"let {view.class_name}.reset() set back all that an episode leaves: a physics world"
            " with its contacts and caches, counters, lists. Build anew what cannot be set back. A"
            " generator of the simulator's own needs the seed that reset() is given."
        ),
        aim_of_setting_back(view),
    )


def seeding_method(view: View) -> str:
    """The method that is given the seed."""
    return "reset" if view.api.generator or view.api.seeds_in_reset else "seed"


def cure(view: View, sources: Iterable[str]) -> Cure:
    """Return what to change for the sources of randomness that are at fault: a sentence for each
    kind.
    """
    known, name = list(sources), view.class_name
    takes = seeding_method(view)
    own = [source for source in known if source.startswith("self.") and source != NP_RANDOM]
    common = [source for source in known if not source.startswith("self.") and source != "torch"]
    sentences = [
        *_for_shared(common, view, f"{name}.{takes}()"),
        *(
            _FOR_TORCH.format(name=name, seeding=f"{name}.{takes}()")
            for each in known
            if each == "torch"
        ),
        *(_FOR_NP_RANDOM.format(name=name) for each in known if each == NP_RANDOM),
        *_for_own(own, view, f"{name}.{takes}()"),
    ]
    if not sentences:
        return _FOR_UNKNOWN.format(name=name), SeedMade() if view.api.generator else None
    first, *more = sentences
    return " ".join([first, *(sentence[0].upper() + sentence[1:] for sentence in more)]), _aim(
        known, view
    )


def _for_shared(shared: list[str], view: View, seeding: str) -> Iterator[str]:
    """To draw from a generator of its own in place of those of the process."""
    generator = view.api.generator
    own = f", {generator}, which super().reset(seed=seed) seeds" if generator else ""
    if shared:
        yield (
            f"draw in {view.class_name} from the instance's own generator{own}, in place of"
            f" {' and '.join(shared)}, and seed it in {seeding}."
        )


def _for_own(own: list[str], view: View, seeding: str) -> Iterator[str]:
    """To seed the generators that it has."""
    if own and view.api.seeding:
        yield view.api.seeding.format(name=view.class_name, source=" and ".join(own))
    elif own:
        yield f"make {' and '.join(own)} anew in {seeding} where a seed is given."


def _aim(sources: list[str], view: View) -> OwnRandom | SeedAll | None:
    """Return what an edit aims at: all generators of its own, or else the first source."""
    first = sources[0]
    own = first.startswith("self.") and first != NP_RANDOM
    if first == "torch" or (own and view.api.seeding):
        return None
    if len(sources) > 1 and all(s.startswith("self.") and s != NP_RANDOM for s in sources):
        return SeedAll(tuple(sources))
    return OwnRandom(first)


def nondeterministic(view: View) -> str:
    """A clause for an environment that says so itself."""
    return " (its specification says nondeterministic=True)" if view.survey.nondeterministic else ""
