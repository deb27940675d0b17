"""The leak check with a simulated probe: what is played, when it ends, and what is found.

The simulation knows what each operation takes, and which container keeps it: what the leak check
finds has to be exactly that, however many things grow at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envdoctor.analysis.growth.leaks import Leak, leaks_in
from envdoctor.analysis.growth.reports import NO_ROOM, summarise
from envdoctor.analysis.growth.side_reading import sides_of
from envdoctor.analysis.growth.sides import INSTANCE, LIFECYCLE
from envdoctor.analysis.growth.verdicts import FILLING, FLAT, LEAK, OPEN
from envdoctor.model.meters import meter_of
from envdoctor.model.scenario import Scenario, parse_script
from envdoctor.model.trace import FINISHED, SIGNALLED, Outcome, Trace
from envdoctor.plan.costs import Costs, costs_of
from envdoctor.plan.leak_causes import worst_operation
from envdoctor.plan.leak_check import LeakCheck, check_leaks
from envdoctor.plan.leak_session import QUICK, Effort
from envdoctor.plan.managed_leak_check import check_leaks_managed
from envdoctor.rules.engine.examples import ended_afterwards, fact, life_trace, trace, verb

ENDLESS = 500  # scenarios, far more than the longest check asks for
METERS = ("objects", "tracked", "heap", "python", "descriptors", "threads", "processes", "files")


@dataclass(frozen=True)
class Source:
    """Something that grows: how many elements each operation (create, reset, step) adds, what one
    keeps of each meter, the container that it is put in, and whether it outlives its instance.
    """

    calls: tuple[float, float, float]
    keeps: dict[str, int]
    holder: str = ""
    lasting: bool = True
    states: bool = False  # only where states are new
    bound: int | None = None


#: The keys of the facts that verbs journal.
FACTS = {"calibrate": "sensitivity", "memray": "allocations", "warm": "compilations"}


@dataclass
class FakeProbe:
    """Plays what the leak check asks for. `seconds` are those of a create, a reset and a step;
    `dies` and `raises` are beginnings of verbs; after `makes` blocks, no instance can be made.
    """

    sources: tuple[Source, ...] = ()
    seconds: tuple[float, float, float] = (0.0005, 0.0001, 0.00001)
    dies: str = ""
    raises: str = ""
    makes: int | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    caches: tuple[dict[str, Any], ...] = ()
    played: list[Scenario] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)
    made: dict[int, float] = field(default_factory=dict)
    cut: int = 0
    spent: bool = False
    open: bool = False

    def __call__(self, scenario: Scenario) -> Trace:
        self.played.append(scenario)
        assert len(self.played) < ENDLESS, "it asks for one block after the other"
        self.cut, self.spent, self.open = 0, False, scenario.script.startswith("open")
        events, outcome, took = [], FINISHED, 0.0
        for word in parse_script(scenario.script):
            text = str(word)
            if self.dies and text.startswith(self.dies):
                outcome = SIGNALLED
                events.append(verb(text, "began"))
                break
            if self.raises and text.startswith(self.raises):
                error = {"type": "RuntimeError", "message": "enough", "frames": [], "user": None}
                events.append(verb(text, "raised", error=error))
                break
            before = self._cost(word.name, word.argument)
            took += before
            events += self._events(word.name, word.argument, text, before)
        end = Outcome(outcome, took, verb=text, signal="SIGSEGV" if outcome != FINISHED else "")
        self.traces.append(Trace(scenario, end, tuple(events)))
        return self.traces[-1]

    def _cost(self, name: str, argument: str) -> float:
        if name not in ("warm", "block", "rest", "suspects", "memray") or not argument:
            return 0.0
        times, resets, steps = [*map(int, argument.split("x")), 1, 20][:3]
        create, reset, step = self.seconds
        return times * ((0 if self.open else create) + resets * (reset + steps * step))

    def _events(self, name: str, argument: str, text: str, took: float) -> Iterator[dict[str, Any]]:
        keys: dict[str, Any] = {}
        if name == "warm":
            times = int(argument.split("x", maxsplit=1)[0])
            names = ("create_seconds", "reset_seconds", "step_seconds")
            keys = {"cycles": times, "cycle_seconds": took / times}
            keys |= dict(zip(names, self.seconds, strict=True))
        elif name == "block" and self._cannot_make():
            keys = {"block": {**self._block("0x0x0", took), "create_raised": 7}}
        elif name == "block" or (name == "rest" and self.cut):
            keys = {} if self.spent and name == "block" else {"block": self._block(argument, took)}
        elif name == "suspects":
            yield dict(fact("suspects", self._census(int(argument.split("x", maxsplit=1)[0]))))
        elif name == "cut":
            left = len(self._held()) - self.cut
            chosen = left if argument == "0" else min(left, int(argument))
            self.cut, self.spent = self.cut + chosen, not chosen
            keys = {"cut": self.cut} if chosen else {}
        if name in FACTS and name in self.facts:
            key = FACTS[name]
            yield dict(fact(key, self.facts[name]))
        yield dict(verb(text, "ended", seconds=took, **keys))

    def _cannot_make(self) -> bool:
        """Return whether the constructor raises in this block and in all that follow."""
        if self.makes is None:
            return False
        self.makes = max(-1, self.makes - 1)
        return self.makes < 0

    def _held(self) -> list[Source]:
        return [each for each in self._growing() if each.holder and each.bound is None]

    def _growing(self) -> list[Source]:
        new = self.played[-1].script.startswith("open:seeds")
        return [
            each
            for each in self.sources
            if (each.lasting or self.open) and (new or not each.states)
        ]

    def _added(self, source: Source, creates: int, resets: int, steps: int) -> int:
        """Elements added over so many calls, whole ones; a bounded container is full some time."""
        per_create, per_reset, per_step = source.calls
        key = id(source) + (1 if self.open else 0)
        total = self.made.get(key, 0.0)
        new = total + (0 if self.open else per_create * creates)
        new += per_reset * resets + per_step * steps
        if source.bound is not None:
            new = min(new, source.bound)
        self.made[key] = new
        return math.floor(new + 1e-9) - math.floor(total + 1e-9)

    def _block(self, argument: str, took: float) -> dict[str, Any]:
        creates, resets, steps = (int(word) for word in argument.split("x")[:3])
        done = (creates, creates * resets, creates * resets * steps)
        rises, grew = dict.fromkeys(METERS, 0), []
        held = self._held()
        for source in self._growing():
            added = self._added(source, *done)
            cut = source in held[: self.cut]
            if source in held:
                grew.append(added)
            for meter, each in source.keeps.items():
                rises[meter] += 0 if cut else added * each
        return {
            "creates": 0 if self.open else done[0],
            "resets": done[1],
            "steps": done[2],
            "renders": 0,
            "seconds": took,
            "before": dict.fromkeys(METERS, 100),
            "after": {meter: 100 + rise for meter, rise in rises.items()},
            **({"grew": grew, "sizes": [0] * len(grew)} if grew else {}),
        }

    def _census(self, cycles: int) -> dict[str, Any]:
        holders = [
            {
                "type": "list",
                "chain": each.holder,
                "grew": cycles,
                "unbounded": True,
                "element": "x",
            }
            for each in self._held()
        ]
        return {"cycles": cycles, "types": [], "holders": holders, "caches": list(self.caches)}

    def scripts(self, name: str) -> list[str]:
        return [scenario.script for scenario in self.played if scenario.name == name]

    def names(self) -> list[str]:
        return list(dict.fromkeys(scenario.name for scenario in self.played))

    def leaks(self) -> list[Leak]:
        return list(leaks_in(sides_of(self.traces)))


def objects(create: float = 0, reset: float = 0, step: float = 0, **more: Any) -> Source:
    keeps = {"objects": 1, "tracked": 1, "python": 64, "heap": 0}
    return Source((create, reset, step), keeps, **more)


def malloc(create: float = 0, reset: float = 0, step: float = 0, size: int = 1632) -> Source:
    return Source((create, reset, step), {"heap": size})


def found(probe: FakeProbe) -> set[tuple[str, str, str, str]]:
    """(meter, side, holder, operations) of each leak."""
    return {
        (
            leak.meter,
            leak.side,
            leak.holder.chain if leak.holder else "",
            " ".join(sorted(leak.shares)),
        )
        for leak in probe.leaks()
    }


def test_a_healthy_environment_is_left_after_the_least_of_both_searches() -> None:
    probe = FakeProbe()
    check_leaks(probe, Effort())
    assert probe.names() == ["leak-warm", "leak", "leak-open", "leak-new-states"]
    assert probe.scripts("leak") == ["block:7x1x20 block:7x1x20 block:7x1x20 block:14x1x20"]
    assert probe.scripts("leak-open") == [
        "open warm:3x1x20 block:7x1x20 block:7x1x20 block:7x1x20 block:14x1x20 block:28x1x20 shut"
    ]
    assert probe.leaks() == []


@pytest.mark.parametrize("explain", [True, False], ids=["leak", "check"])
@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ((objects(reset=1),), {("objects", "", "", "reset")}),
        ((objects(step=1, holder="m.A"),), {("objects", "", "m.A", "step")}),
        ((malloc(reset=1),), {("heap", "", "", "reset")}),
        (
            (objects(step=1, holder="self.trail", lasting=False),),
            {("objects", INSTANCE, "self.trail", "step")},
        ),
        # What outlives an instance grows in an open one as well, and is told once.
        (
            (
                objects(step=1, holder="m.A"),
                objects(step=1, holder="self.trail", lasting=False),
                malloc(step=1, size=112),
            ),
            {
                ("objects", "", "m.A", "step"),
                ("objects", INSTANCE, "self.trail", "step"),
                ("heap", "", "", "step"),
            },
        ),
        # A temporary file at each reset hides no list.
        (
            (
                Source((0, 1, 0), {"files": 1}),
                objects(step=1, holder="self.history", lasting=False),
            ),
            {("files", "", "", "reset"), ("objects", INSTANCE, "self.history", "step")},
        ),
        # Three containers in one operation, and what no container keeps in another.
        (
            (
                objects(step=1, holder="m.A"),
                objects(reset=3, holder="m.B"),
                objects(create=1, holder="m.C"),
                objects(reset=2),
            ),
            {
                ("objects", "", "m.A", "step"),
                ("objects", "", "m.B", "reset"),
                ("objects", "", "m.C", "create"),
                ("objects", "", "", "reset"),
            },
        ),
        # A process a create: it is followed less far, and hides nothing.
        (
            (
                Source((1, 0, 0), {"processes": 1}),
                objects(step=1, holder="m.A"),
                malloc(step=1, size=112),
            ),
            {
                ("processes", "", "", "create"),
                ("objects", "", "m.A", "step"),
                ("heap", "", "", "step"),
            },
        ),
        # One more descriptor at each reset while the instance is open, and all are closed with it.
        (
            (Source((0, 1, 0), {"descriptors": 1}, lasting=False),),
            {("descriptors", INSTANCE, "", "reset")},
        ),
        # The same number at each create and each reset are two leaks.
        (
            (Source((1, 1, 0), {"descriptors": 1}),),
            {("descriptors", "", "", "create"), ("descriptors", "", "", "reset")},
        ),
    ],
)
def test_every_source_is_found_in_company(
    sources: tuple[Source, ...], expected: set[tuple[str, str, str, str]], explain: bool
) -> None:
    probe = FakeProbe(sources)
    check_leaks(probe, Effort() if explain else QUICK)
    assert found(probe) == expected
    of_memory = any(any(not meter_of(kept).thing for kept in source.keeps) for source in sources)
    assert ("leak-memray" in probe.names()) == (explain and of_memory)


CALLS = st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 2)).filter(
    lambda calls: sum(call > 0 for call in calls) == 1
)
SIZES = st.integers(2, 20).map(lambda size: 16 * size)


@settings(deadline=None)
@given(st.lists(st.tuples(CALLS, SIZES, st.booleans()), min_size=1, max_size=3), st.booleans())
def test_amounts_are_exact_whatever_grows_together(
    containers: list[tuple[tuple[int, int, int], int, bool]], native: bool
) -> None:
    """Bytes per call of each container, and of what native code keeps besides."""
    sources = [
        Source(calls, {"objects": 1, "tracked": 1, "python": size}, f"m.{at}", lasting)
        for at, (calls, size, lasting) in enumerate(containers)
        if lasting or not calls[0]
    ]
    sources += [malloc(step=1, size=112)] if native else []
    probe = FakeProbe(tuple(sources))
    check_leaks(probe, Effort())
    known = {leak.holder.chain: leak for leak in probe.leaks() if leak.holder}
    for source in sources:
        if source.holder:
            leak = known[source.holder]
            (per_call,) = (call for call in source.calls if call)
            assert leak.bytes == pytest.approx(per_call * source.keeps["python"], rel=0.01)
            assert leak.side == (LIFECYCLE if source.lasting else INSTANCE)
    rest = [leak for leak in probe.leaks() if not leak.holder]
    assert [(leak.meter, round(leak.bytes or 0)) for leak in rest] == (
        [("heap", 112)] if native else []
    )


def test_an_open_instance_is_followed_far_before_it_is_accused() -> None:
    probe = FakeProbe((objects(step=1, holder="self.seen", lasting=False, bound=6000),))
    check_leaks(probe, Effort())
    assert probe.leaks() == []
    first, longer = probe.scripts("leak-open")
    more = "block:56x1x20 block:112x1x20 block:224x1x20 block:448x1x20 shut"
    assert longer == first.replace("block", "suspects:7x1x20 block", 1).replace("shut", more)


@pytest.mark.parametrize(
    ("cleared", "kind"), [(False, FILLING), (True, LEAK)], ids=["a deque", "an lru_cache"]
)
def test_an_instance_is_accused_only_of_what_has_no_bound(cleared: bool, kind: str) -> None:
    """A cache that was emptied before every reading explains nothing of what grows all the same."""
    cache = {"what": "self.x", "size": 140, "maxsize": 9000, "grew": 140, "cleared": cleared}
    probe = FakeProbe((objects(step=1, lasting=False),), caches=(cache,))
    check_leaks(probe, Effort())
    (opened,) = (side for side in sides_of(probe.traces) if side.name == INSTANCE)
    assert opened.grows("objects").kind == kind


@pytest.mark.parametrize(("count", "library"), [(20, "jax"), (1, "jax"), (0, "")])
def test_search_knows_which_library_compiles_at_each_call(count: int, library: str) -> None:
    line = {"file": "/home/me/ball.py", "line": 26, "function": "Ball.step", "count": count}
    compiled = {"library": "jax", "lines": [line], "resets": 1, "steps": 20}
    probe = FakeProbe((objects(step=1),), facts={"warm": compiled})
    check_leaks(probe, Effort())
    (census,) = (dict(each.options) for each in probe.played if each.name == "leak-suspects")
    assert census.get("compiles", "") == library


def test_slow_steps_are_fewer_steps() -> None:
    """Fifty milliseconds a step: one of them in each cycle shows as much as twenty."""
    life = trace(
        verb("make", seconds=0.0),
        verb("reset", seconds=0.001),
        verb("step:20", seconds=1.0, steps=20),
        verb("close", seconds=0.0),
    )
    assert costs_of([life]) == Costs(0.0, 0.001, 0.05, 0.0)
    probe = FakeProbe(
        (objects(step=1, holder="self.trail", lasting=False),), seconds=(0.0, 0.001, 0.05)
    )
    check_leaks(probe, QUICK, earlier=[life])
    assert found(probe) == {("objects", INSTANCE, "self.trail", "step")}
    assert sum(one.outcome.seconds for one in probe.traces) < 1.5 * QUICK.seconds


def test_slow_resets_decide_what_few_cycles_can_decide() -> None:
    """Five seconds a reset: a descriptor a cycle is proven by two short blocks; of the heap nothing
    can be said.
    """
    probe = FakeProbe((Source((1, 0, 0), {"descriptors": 1, "heap": 96}),), seconds=(0.1, 5.0, 0.2))
    check_leaks(probe, Effort(seconds=60), earlier=[_slow_life()])
    assert {leak.meter for leak in probe.leaks()} == {"descriptors"}
    (whole, *_) = sides_of(probe.traces)
    assert whole.grows("heap").kind == OPEN


def test_short_episodes_with_slow_resets_are_not_mistaken_for_quick_steps() -> None:
    """Of a kernel that reset() starts anew: the plain life had a reset for every three steps."""
    probe = FakeProbe((), (0.01, 0.7, 0.01))
    check = LeakCheck(probe, QUICK, costs=Costs(0.01, 0.7, 0.24))
    check.run()
    assert check.steps == 1


def test_slow_resets_have_cycles_so_short_that_an_object_is_proven_in_the_time() -> None:
    probe = FakeProbe((objects(reset=1),), seconds=(0.0, 1.0, 0.05))
    check_leaks(probe, Effort(seconds=60))
    assert {leak.meter for leak in probe.leaks()} == {"objects"}
    assert sum(one.outcome.seconds for one in probe.traces) < 1.15 * 60


def _slow_life() -> Trace:
    return trace(
        verb("make", seconds=0.1),
        verb("reset", seconds=5.0),
        verb("step:20", seconds=4.0, steps=20),
        verb("close", seconds=0.0),
    )


def test_nothing_is_played_without_end() -> None:
    probe = FakeProbe(seconds=(1.0, 100.0, 10.0))
    check_leaks(probe, QUICK, earlier=[_slow_life()])
    assert sum(one.outcome.seconds for one in probe.traces) < 2000


@pytest.mark.parametrize("seconds", [(0.0005, 0.0001, 0.00001), (0.01, 0.0, 0.0)])
@pytest.mark.parametrize("makes", [0, 1, 5])
def test_blocks_in_which_no_instance_can_be_made_end_the_search(
    makes: int, seconds: tuple[float, float, float]
) -> None:
    """Quick ones, which are asked for together, and slow ones, one by one."""
    probe = FakeProbe((objects(create=1),), seconds=seconds, makes=makes)
    check_leaks(probe, Effort(seconds=600.0))
    asked = sum(len(script.split()) for script in probe.scripts("leak"))
    assert asked <= makes + 5  # those of the first request, and one that tells no more
    side = next((side for side in sides_of(probe.traces) if side.name == LIFECYCLE), None)
    assert side is not None
    assert len(side.blocks) == makes


def test_a_probe_that_hands_over_no_block_ends_the_search() -> None:
    class Mute(FakeProbe):
        def _events(
            self, name: str, argument: str, text: str, took: float
        ) -> Iterator[dict[str, Any]]:
            for event in super()._events(name, argument, text, took):
                yield {key: value for key, value in event.items() if key != "block"}

    probe = Mute((objects(create=1),), seconds=(0.01, 0.0, 0.0))
    check_leaks(probe, Effort(seconds=600.0))
    assert probe.scripts("leak") == ["block:7x1x20"]
    assert probe.leaks() == []


def test_the_end_of_one_search_does_not_end_the_other() -> None:
    probe = FakeProbe((objects(step=1, holder="self.trail", lasting=False),), dies="block:14x1x20")
    check_leaks(probe, Effort())
    whole, opened = summarise(probe.traces, quick=False)
    assert (whole.ended, opened.ended) == ("SIGSEGV ended the process in block",) * 2 or (
        "SIGSEGV" in whole.ended and "SIGSEGV" in opened.ended
    )
    assert probe.names()[:3] == ["leak-warm", "leak", "leak-open"]


def test_cache_that_fills_in_an_instance_is_not_accused() -> None:
    probe = FakeProbe((objects(reset=1, lasting=False, bound=50),))
    check_leaks(probe, Effort())
    assert probe.leaks() == []


def test_slow_check_asks_block_by_block() -> None:
    probe = FakeProbe(seconds=(0.01, 0.0, 0.0))
    check_leaks(probe, Effort())
    assert probe.scripts("leak") == ["block:7x1x20"] * 3 + ["block:14x1x20"]


def test_cycles_render_where_a_render_mode_is_set() -> None:
    probe = FakeProbe((objects(reset=1),))
    check_leaks(probe, QUICK, renders=True)
    assert probe.scripts("leak")[0].split()[0] == "block:7x1x20x1"
    assert probe.scripts("leak-warm") == ["calibrate warm:3x1x20x1"]
    assert "block:3x1x0x5" in probe.scripts("leak-causes")[0]


def test_a_leak_is_followed_to_the_horizon_and_explained() -> None:
    probe = FakeProbe((objects(reset=3),))
    check_leaks(probe, Effort(save="/keep"))
    assert probe.scripts("leak")[-1] == "block:112x1x20"
    assert probe.scripts("leak-memray")[0] == "memray:101"
    played = next(one for one in probe.played if one.name == "leak-memray")
    assert dict(played.options) == {
        "native": False,
        "aggregated": True,
        "rate": 1.0,
        "operation": "reset",
        "save": "/keep",
    }


def test_native_stacks_are_recorded_where_the_heap_grows_without_a_container() -> None:
    probe = FakeProbe((malloc(reset=1),))
    check_leaks(probe, Effort(), earlier=[trace(outcome=SIGNALLED)])
    played = next(one for one in probe.played if one.name == "leak-memray")
    assert (dict(played.options)["native"], dict(played.options)["aggregated"]) == (True, False)


def test_the_line_is_looked_for_where_most_is_lost() -> None:
    probe = FakeProbe((objects(create=1), objects(step=2)))
    check_leaks(probe, Effort())
    assert worst_operation(probe.leaks()) == "step"


def test_thorough_goes_further() -> None:
    probe = FakeProbe()
    check_leaks(probe, Effort(thorough=True))
    assert probe.scripts("leak")[-1] == "block:56x1x20"
    leaking = FakeProbe((objects(create=1),))
    check_leaks(leaking, Effort(thorough=True))
    assert leaking.scripts("leak")[-1] == "block:224x1x20"


@pytest.mark.parametrize("cap", [100, 34, 15])
def test_the_cap_of_the_user_is_kept(cap: int) -> None:
    probe = FakeProbe((objects(create=1),))
    check_leaks(probe, Effort(cap=cap))
    lifecycle = next(side for side in sides_of(probe.traces) if side.name == LIFECYCLE)
    assert 0 < lifecycle.cycles <= cap


def test_an_open_instance_that_found_no_room_is_reported() -> None:
    probe = FakeProbe()
    check_leaks(probe, Effort(cap=10))
    whole, opened = summarise(probe.traces, quick=False)
    assert (whole.ended, opened.side, opened.blocks, opened.ended) == ("", INSTANCE, (), NO_ROOM)
    stocked = trace(fact("forecast", {"bytes": 1}), name="storage")
    assert len(summarise([*probe.traces, stocked], quick=False)) == 1
    assert len(summarise(probe.traces, quick=True)) == 1


def test_an_error_outside_the_cycles_is_reported() -> None:
    probe = FakeProbe((objects(create=1),), raises="warm")
    check_leaks(probe, Effort())
    whole, _ = summarise(probe.traces, quick=False)
    assert "raised RuntimeError: enough" in whole.ended


def test_cache_that_fills_up_gets_two_more_blocks() -> None:
    probe = FakeProbe((objects(create=1, bound=128),))
    check_leaks(probe, Effort())
    assert probe.scripts("leak")[-2:] == ["block:28x1x20", "block:28x1x20"]
    (whole, *_) = sides_of(probe.traces)
    assert whole.grows("objects").kind == FLAT


def test_a_cache_that_was_emptied_begins_the_search_anew() -> None:
    cache = {"what": "f", "size": 1, "maxsize": 2, "grew": 1, "cleared": True}
    probe = FakeProbe((objects(create=1, bound=250),), caches=(cache,))
    check_leaks(probe, Effort())
    (whole, *_) = sides_of(probe.traces)
    assert whole.blocks[0].cycles == 7
    assert whole.cycles < 231


def test_a_rare_leak_gets_larger_designs() -> None:
    probe = FakeProbe((objects(create=0.05),))
    check_leaks(probe, Effort())
    (leak,) = probe.leaks()
    assert leak.shares["create"] == pytest.approx(0.05, abs=0.01)


def test_report_has_the_leak() -> None:
    controls = {"tier": "exact", "reasons": [], "sees": {"objects": 1, "heap": 32}, "missing": {}}
    probe = FakeProbe((malloc(reset=1),), facts={"calibrate": controls, "memray": {"missing": "x"}})
    check_leaks(probe, Effort())
    whole, opened = summarise(probe.traces, quick=False)
    assert (whole.manager, whole.start_method, whole.cycles, whole.tier) == (
        "direct",
        None,
        231,
        "exact",
    )
    assert whole.sees == {"objects": 1, "heap": 32}
    heap = next(meter for meter in whole.meters if meter.meter == "heap")
    assert (heap.kind, heap.rate, dict(heap.per_operation)) == (LEAK, 1632.0, {"reset": 1632.0})
    assert [(leak.meter, dict(leak.shares)) for leak in whole.leaks] == [("heap", {"reset": 1632})]
    assert opened.leaks == ()  # it outlives the instance, and is told once


def test_under_a_manager_the_control_is_played_where_something_grows() -> None:
    probe = FakeProbe((objects(create=1),))
    check_leaks_managed(probe, Effort(), [("gymnasium-async", "fork")])
    assert probe.scripts("leak-workers")[0].startswith("make reset step:20 block:7x1x20")
    controls = [one.control for one in probe.played if one.name == "leak-workers"]
    assert controls == [False, True]
    assert {one.control for one in probe.played if one.name == "leak"} == {False, True}
    assert "leak-causes" not in probe.names()
    quiet = FakeProbe()
    check_leaks_managed(quiet, Effort(), [("gymnasium-async", "fork")])
    assert {one.control for one in quiet.played if one.name == "leak"} == {False}


def test_managers_share_the_time_that_is_left() -> None:
    probe = FakeProbe((objects(create=1),), seconds=(0.5, 0.0, 0.0))
    places = [("gymnasium-async", method) for method in ("fork", "spawn")]
    earlier = [trace(name="leak", seconds=40.0)]
    check_leaks_managed(probe, Effort(seconds=100), places, earlier=earlier)
    for place in places:
        mine = [
            one
            for one in probe.traces
            if (one.scenario.place, one.scenario.name) == (place, "leak")
            and not one.scenario.control
        ]
        assert 0 < sum(one.outcome.seconds for one in mine) <= 30 * 0.6


@pytest.mark.parametrize(("seconds", "is_followed"), [(0.001, True), (0.1, False)])
def test_quick_cycles_are_followed_after_the_time_is_over(
    seconds: float, is_followed: bool
) -> None:
    """A busy machine took the time before."""
    check = LeakCheck(
        FakeProbe((objects(create=1),), seconds=(seconds, 0.0, 0.0)),
        Effort(seconds=10.0, long_lived=False, explain=False),
        spent=9.9,
    )
    check.run()
    side = check.side(LIFECYCLE)
    assert (side is not None and side.cycles == 231) is is_followed


def test_each_side_of_a_manager_has_its_own_verdict() -> None:
    blocks = [
        {
            "creates": 0,
            "resets": cycles,
            "steps": 20 * cycles,
            "renders": 0,
            "seconds": 1.0,
            "before": {"objects": 5},
            "after": {"objects": 5},
            "workers": [
                {
                    "pid": pid,
                    "before": {"objects": 0},
                    "after": {"objects": cycles if pid == 9 else 0},
                }
                for pid in (8, 9)
            ],
        }
        for cycles in (7, 7, 7, 14, 28)
    ]
    events = [verb(f"block:1x{block['resets']}x20", block=block) for block in blocks]
    reports = summarise(
        [trace(*events, name="leak-workers", manager="gymnasium-async", start_method="fork")],
        quick=False,
    )
    assert [(report.side, report.meters[0].kind, report.cycles) for report in reports] == [
        ("parent", FLAT, 63),
        ("worker 1", FLAT, 63),
        ("worker 2", LEAK, 63),
    ]


def test_an_interruption_ends_it() -> None:
    check = LeakCheck(lambda scenario: None, Effort())
    check.run()
    assert check.traces == []
    assert summarise([], quick=False) == ()


@pytest.mark.parametrize(
    ("earlier", "options"),
    [
        ([life_trace()], {}),
        ([ended_afterwards(life_trace(), 11.0, "processes", "7")], {"grace": 22.0}),
        ([ended_afterwards(life_trace(), 20.0, "processes")], {}),  # it went on
    ],
)
def test_readings_wait_as_the_plain_life_did(earlier: list[Trace], options: dict[str, Any]) -> None:
    asked: list[Scenario] = []

    def play(scenario: Scenario) -> None:
        asked.append(scenario)

    check_leaks(play, QUICK, earlier=earlier)
    assert [dict(scenario.options) for scenario in asked] == [options] * len(asked) != []
