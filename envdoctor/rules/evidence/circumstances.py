"""In which circumstances a call hangs: what all calls that hang have in common, and the same calls
did not have that came back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from envdoctor.frameworks import vectorizer_of
from envdoctor.model.errors import ErrorValue
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import InstanceRecord, VerbRecord
from envdoctor.model.scenario import BEGINNINGS, EPISODE, TWO_RENDERED, parse_script, verb_name
from envdoctor.model.trace import EXITED, FINISHED, SIGNALLED, TIMED_OUT, Trace
from envdoctor.model.traits import BOTH, OPEN_CAUSES, OPEN_INSTANCE, OPEN_WARM_UP
from envdoctor.model.units import ordinal
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.broken_calls import BREAKABLE

BESIDE = "while another instance lives in the same process"
EARLY = "before the end of an episode"
AGAIN = "once it was reset before"

MOST_SEEDED = 3  # resets that hang, and are named by their seeds
#: Verbs that make one call, whose circumstances are known.
SIMPLE = ("make", "reset", "reseed", "step", "episode", "close", "drop", "render")
CALLS = {"reseed": "reset", "episode": "step"}


@dataclass(frozen=True)
class InstanceCall:
    """A call of an instance, and whether it came back. `beside`: another instance lived; `again`:
    a reset that is not the first of its instance; `early`: one before the end of an episode.
    """

    name: str
    came_back: bool
    beside: bool = False
    again: bool = False
    early: bool = False


@dataclass
class _Instance:
    resets: int = 0
    steps: int = 0  # of the present episode


def circumstance(view: View, name: str) -> str:
    """BESIDE, EARLY or AGAIN where that is what a call (`reset`) hangs of; nothing where it does
    not tell the calls apart.
    """
    length = _shortest_episode(view.direct)
    result = [
        call
        for trace in view.traces
        if not (trace.scenario.control or trace.scenario.fault or trace.scenario.traits.reopens)
        for call in calls(trace, length)
        if call.name == name
    ]
    hung = [call for call in result if not call.came_back]
    back = [call for call in result if call.came_back]
    if not hung or not back:
        return ""
    alone = {(call.again, call.early) for call in back if not call.beside}
    if all(call.beside and (call.again, call.early) in alone for call in hung):
        return BESIDE
    if all(call.early for call in hung) and not any(call.early for call in back):
        # Where none came back at an end, it may be the second one that hangs.
        return EARLY if any(call.again for call in back) else AGAIN
    if all(call.again for call in hung) and not any(call.again for call in back):
        return AGAIN
    return ""


def raised_again(view: View) -> ErrorValue | None:
    """The error of each reset() of an instance but its first: two raised it, and all that were
    played raised, but for those after a close. Nothing where a first one raises.
    """
    first, later = set[str](), list[VerbRecord]()
    for trace in view.direct.traces:
        if trace.scenario.control or trace.scenario.fault or trace.scenario.traits.reopens:
            continue
        before = {each.at: each.resets for each in _events(trace) if each.state == "began"}
        for event in _events(trace):
            name, resets = verb_name(event.verb), before.get(event.at)
            if CALLS.get(name, name) == "reset" and event.state != "began" and resets is not None:
                if resets:
                    later.append(event)
                else:
                    first.add(event.state)
    known = first == {"ended"} and len(later) > 1
    return later[-1].error if known and {each.state for each in later} == {"raised"} else None


def nth_reset(view: View) -> int:
    """The number of the reset of an instance that hangs, where each earlier one came back, and that
    one never did; 0 where that is not known of two instances. The second one is AGAIN.
    """
    hung: list[int] = []
    back: set[int] = set()
    opened: list[range] = []  # which one it may be in an instance that stays open
    for trace in view.traces:
        if trace.scenario.control or trace.scenario.fault:
            continue
        reset = _resets_of_cycles(trace)
        back.add(reset)
        if reset and trace.outcome.kind == TIMED_OUT:
            opened.append(range(reset + 1, reset + 1 + _cycles_of(trace.outcome.verb)))
        ended = {event.at for event in _events(trace) if event.state == "ended"}
        for event in _events(trace):
            if event.state == "began" and event.resets is not None:
                stopped = event.at not in ended and trace.outcome.kind == TIMED_OUT
                if stopped or event.at in ended:
                    if stopped:
                        hung.append(event.resets + 1)
                    else:
                        back.add(event.resets + 1)
    number = max(hung, default=0)
    alike = all(item == number for item in hung) and all(number in item for item in opened)
    known = alike and len(hung) + len(opened) > 1 and max(back) == number - 1
    return number if known and number > 2 else 0


@dataclass(frozen=True, order=True)
class Seeded:
    """A reset() of an instance, by the last seed that one was given, and how many resets ago."""

    seed: int
    resets: int = 0

    @property
    def words(self) -> str:
        """`the one with seed 3`, `the 2nd one after reset(seed=3)`."""
        if not self.resets:
            return f"the one with seed {self.seed}"
        nth = f"{ordinal(self.resets)} " if self.resets > 1 else ""
        return f"the {nth}one after reset(seed={self.seed})"

    @property
    def calls(self) -> str:
        """The calls of a new instance until it hangs."""
        return " and ".join([f"reset(seed={self.seed})", *["reset()"] * self.resets])


def seeds_that_hang(hung: Sequence[Trace], traces: Iterable[Trace]) -> tuple[Seeded, ...]:
    """The resets that hang, where others came back, and none that was seeded like these; nothing
    where the seed of one is not known, or there are many. One of many beginnings has no seed of its
    own: it counts only where nothing else hung.
    """
    hung = [trace for trace in hung if verb_name(trace.outcome.verb) != BEGINNINGS] or hung
    hang: set[Seeded | None] = set()
    back: set[Seeded | None] = set()
    for trace in traces:
        if trace.scenario.control or trace.scenario.fault:
            continue
        pending: dict[tuple[int, int], Seeded | None] = {}
        for event in trace.records(InstanceRecord):
            if event.key in pending:
                back.add(pending.pop(event.key))
            if event.what == "resetting":
                seed = event.seed
                pending[event.key] = Seeded(seed, event.resets) if seed is not None else None
        if trace in hung:
            hang.update(pending.values() or [None])
    seeds = tuple(sorted(each for each in hang if each is not None))
    is_known = len(seeds) == len(hang) <= MOST_SEEDED
    return seeds if is_known and back and not back & hang else ()


def _cycles_of(verb: str) -> int:
    """The number of cycles that a verb plays: 7 for `block:7x1x20`."""
    first = verb.partition(":")[2].partition("x")[0]
    return int(first) if first.isdigit() else 0


def _resets_of_cycles(trace: Trace) -> int:
    """The least number of resets of an instance that stays open, in the cycles that came back."""
    if trace.scenario.traits.growth not in (OPEN_INSTANCE, OPEN_WARM_UP, OPEN_CAUSES):
        return 0
    return sum(event.cycles for event in _events(trace) if event.state == "ended")


def _shortest_episode(direct: View) -> int:
    """The steps of the shortest episode that was followed to its end; 0 where none was."""
    ends = [
        end.step
        for trace in direct.all(EPISODE)
        for event in trace.verbs("episode", "ended")
        for end in event.episodes
    ]
    return min(ends, default=0)


def calls(trace: Trace, length: int) -> Iterator[InstanceCall]:
    """The calls of a scenario whose verbs each make one, in order. After `length` steps an episode
    ends, and the next step resets first.
    """
    instances: dict[int, _Instance] = {}
    made = 0
    ended = {event.at: event.state == "ended" for event in _events(trace) if event.state != "began"}
    for event in (event for event in _events(trace) if event.state == "began"):
        verb, came_back = parse_script(event.verb)[0], ended.get(event.at, False)
        hung = event.at not in ended and trace.outcome.kind == TIMED_OUT
        if verb.name not in SIMPLE or not (came_back or hung):
            return
        name = CALLS.get(verb.name, verb.name)
        if verb.name == "make":
            yield InstanceCall(name, came_back, bool(instances))
            instances[made] = _Instance()
            made += 1
            continue
        number = max(instances, default=0) if verb.instance is None else verb.instance
        instance, beside = instances.setdefault(number, _Instance()), len(instances) > 1
        if name == "reset":
            early = instance.steps > 0 and not 0 < length <= instance.steps
            yield InstanceCall(name, came_back, beside, instance.resets > 0, early)
            instance.resets, instance.steps = instance.resets + 1, 0
        elif verb.name == "step":
            yield InstanceCall(name, came_back, beside)
            steps = instance.steps + int(verb.argument or 1)
            if came_back and 0 < length < steps:
                yield InstanceCall("reset", True, beside, True)
                steps = (steps - 1) % length + 1
            instance.steps = steps
        elif name == "step":
            yield InstanceCall(name, came_back, beside)
            instance.steps = length
        else:
            yield InstanceCall(name, came_back, beside)
        if name == "close":
            instances.pop(number, None)


def _events(trace: Trace) -> Iterator[VerbRecord]:
    return trace.records(VerbRecord)


def hung_beside_another(view: View) -> Trace | None:
    """The trace in which a call hung without a manager, and it hangs only while another instance
    lives in the process: in every manager, too, that has all of its instances there.
    """
    for trace in view.direct.traces:
        name = verb_name(trace.outcome.verb)
        if (
            trace.outcome.kind == TIMED_OUT
            and trace.scenario.traits.beside == BOTH
            and circumstance(view.direct, CALLS.get(name, name)) == BESIDE
            and not any(map(_played_several_here, (*view.traces, *view.other_places)))
        ):
            return trace
    return None


def died_after_close(view: View) -> Trace | None:
    """The first trace without a manager in which the process died in the constructor of an instance
    that was made once another one was closed in it; nothing where it died in the first constructor
    of a process, too, or an instance was made after a close.
    """
    result, closed = None, set[int]()
    for trace in (*view.direct.traces, *view.direct.optional_traces):
        makes = [each for each in trace.records(VerbRecord) if verb_name(each.verb) == "make"]
        for make in makes:
            is_later = make.pid in closed or _closes_before(trace, make)
            if is_later and make.state == "ended":
                return None
            if make.at == trace.outcome.at and trace.outcome.kind in (SIGNALLED, EXITED):
                if not is_later:
                    return None
                result = result or trace
        closed |= {each.pid for each in trace.records(InstanceRecord, what="closed")}
    return result


def _closes_before(trace: Trace, make: VerbRecord) -> bool:
    return any(each.at < make.at for each in trace.verbs("close", "ended"))


def makes_after_close(trace: Trace) -> bool:
    """Return whether the process of a scenario, or the one that it was forked from, had closed an
    instance when it began to make the last one.
    """
    events = list(trace.records(InstanceRecord))
    closed = next((at for at, each in enumerate(events) if each.what == "closed"), None)
    made = [at for at, each in enumerate(events) if each.what == "making"]
    finished = [at for at, each in enumerate(events) if each.what == "made"]
    is_last = bool(made) and (not finished or made[-1] > finished[-1])
    return closed is not None and bool(events[closed].parent) and is_last and made[-1] > closed


def died_beside_another(view: View) -> Trace | None:
    """The trace without a manager in which a call of one of two instances ended the process once
    the other one was used there (render(): once it was rendered), and the same call comes back in
    an instance that is alone. Of step() and close(), no process with one instance died: one of
    render() may still have what an abandoned instance drew with (roboschool).
    """
    alone = view.direct.trace("life")
    died = [trace for trace in view.direct.traces if trace.outcome.kind in (SIGNALLED, EXITED)]
    if alone is None or alone.outcome.kind != FINISHED:
        return None
    of_two = [trace for trace in died if has_two(view, trace)]
    for trace in of_two:
        call, _, number = trace.outcome.verb.partition("@")
        name = verb_name(call)
        used = f"{name}@" if name == "render" else ""
        beside = any(
            each.verb.startswith(used) and each.verb.partition("@")[2] not in ("", number)
            for each in trace.records(VerbRecord, state="ended")
        )
        is_certain = name == "render" or of_two == died
        if number and beside and is_certain and name in BREAKABLE and alone.verbs(name, "ended"):
            return trace
    return None


def has_two(view: View, trace: Trace) -> bool:
    """Return whether two instances live in the process of a scenario."""
    drawn = any(each is trace for each in view.direct.all(TWO_RENDERED))
    return drawn or trace.scenario.traits.beside == BOTH


def is_in_process(trace: Trace) -> bool:
    """Return whether a scenario has several instances in the process of a manager."""
    return vectorizer_of(trace.scenario.manager).in_process and trace.scenario.workers > 1


def _played_several_here(trace: Trace) -> bool:
    return (
        trace.scenario.traits.plain
        and not trace.scenario.control
        and is_in_process(trace)
        and trace.outcome.kind == FINISHED
        and bool(trace.verbs("step", "ended"))
    )
