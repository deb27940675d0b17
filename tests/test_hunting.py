"""The hunt, with a scripted probe: what is played, when it ends, and what the report says of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest

from envdoctor.growth import NO_ROOM, summarise
from envdoctor.hunting import QUICK, Effort, Hunt, first_block, hunt, hunt_managed, seconds_of_a_life, worst_operation
from envdoctor.model.scenario import Scenario, parse_script
from envdoctor.model.trace import FINISHED, SIGNALLED, Outcome, Trace
from envdoctor.rules.samples import fact, trace, verb
from envdoctor.stats import FILLING, FLAT, LEAK, OPEN, blocks_of, judge, verdicts_while_open

Grow = Callable[[int, int, int], dict[str, int]]


@dataclass
class FakeProbe:
    """Plays what the hunt asks for: `grow(creates, resets, steps)` says by how much each meter rises, `cost` is the seconds of a
    cycle.
    """

    grow: Grow
    cost: float = 0.001
    facts: dict[str, Any] = field(default_factory=dict)
    fails: str = ""
    dies: str = ""
    while_open: Grow = field(default=lambda *_: {"objects": 0, "heap": 0})
    played: list[Scenario] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)

    def __call__(self, scenario: Scenario) -> Trace:
        self.played.append(scenario)
        words, events = parse_script(scenario.script), []
        outcome = Outcome(FINISHED, sum(self._seconds(word.argument) for word in words))
        for word in words:
            events.append(verb(str(word), "began"))
            if self.dies and str(word).startswith(self.dies):
                outcome = Outcome(SIGNALLED, 1.0, verb=str(word), signal="SIGSEGV")
                break
            events += self._events(word.name, word.argument)
            if events[-1]["state"] == "raised":
                break
        self.traces.append(Trace(scenario, outcome, tuple(events)))
        return self.traces[-1]

    def _seconds(self, argument: str) -> float:
        return self.cost * int(re.split("x", argument or "1")[0])

    def _events(self, name: str, argument: str) -> Iterable[dict[str, Any]]:
        keys: dict[str, Any] = {}
        if self.fails and f"{name}:{argument}".startswith(self.fails):
            error = {"type": "RuntimeError", "message": "enough", "frames": [{"file": "env.py", "line": 9, "function": "reset"}], "user": 0}
            yield dict(verb(f"{name}:{argument}", "raised", error=error))
            return
        if name == "warm":
            keys = {"cycles": 3, "cycle_seconds": self.cost}
        if name == "block":
            creates, resets, steps = (int(word) for word in argument.split("x")[:3])
            opened = self.played[-1].script.startswith("open ")
            rises = (self.while_open if opened else self.grow)(creates, creates * resets, creates * resets * steps)
            keys = {"block": {
                "creates": 0 if opened else creates, "resets": creates * resets, "steps": creates * resets * steps, "renders": 0,
                "seconds": self.cost * creates, "before": dict.fromkeys(rises, 100), "after": {key: 100 + rise for key, rise in rises.items()},
            }}  # fmt: skip
        for key, value in self.facts.items():
            if key == {"calibrate": "sensitivity", "suspects": "suspects", "memray": "allocations"}.get(name):
                yield dict(fact(key, value))
        yield dict(verb(f"{name}:{argument}", "ended", **keys))

    def scripts(self, name: str) -> list[str]:
        return [scenario.script for scenario in self.played if scenario.name == name]

    def names(self) -> list[str]:
        return list(dict.fromkeys(scenario.name for scenario in self.played))


def healthy(creates: int, resets: int, steps: int) -> dict[str, int]:
    return {"objects": 0, "heap": 0, "descriptors": 0}


def leaks(**rates: tuple[int, int, int]) -> Grow:
    def grow(*counts: int) -> dict[str, int]:
        return {meter: sum(rate * count for rate, count in zip(per, counts, strict=True)) for meter, per in rates.items()}

    return grow


def test_a_healthy_environment_is_left_after_four_blocks() -> None:
    probe = FakeProbe(healthy)
    hunt(probe, Effort())
    assert probe.names() == ["leak-warm", "leak", "leak-open"]
    assert probe.scripts("leak") == ["block:7x1x20 block:7x1x20 block:7x1x20 block:14x1x20"]
    assert probe.scripts("leak-open") == ["open warm:3x1x20 block:7x1x20 block:7x1x20 block:7x1x20 block:14x1x20 block:28x1x20 shut"]


def test_what_only_an_instance_collects_is_followed_and_explained() -> None:
    probe = FakeProbe(healthy, while_open=leaks(objects=(0, 0, 1)), facts={"suspects": {"cycles": 7}})
    hunt(probe, Effort())
    assert probe.names() == ["leak-warm", "leak", "leak-open", "leak-open-design", "leak-memray"]
    first, longer = probe.scripts("leak-open")
    more = "block:56x1x20 block:112x1x20 block:224x1x20 block:448x1x20 shut"
    assert longer == first.replace("block", "suspects:7x1x20 block", 1).replace("shut", more)
    assert probe.scripts("leak-memray") == ["open memray:101 shut"]
    assert dict(probe.played[-1].options)["operation"] == "step"
    (whole, opened) = summarise(probe.traces, quick=False)
    assert (whole.side, opened.side, opened.cycles) == ("", "one instance", 903)
    assert {meter.meter: (meter.kind, meter.rate) for meter in opened.meters} == {"objects": (LEAK, 20.0)}


@pytest.mark.parametrize(
    ("fact", "kind"),
    [
        ({"caches": [{"what": "self.recent (deque)", "size": 140, "maxsize": 9000, "grew": 140, "cleared": False}]}, FILLING),
        ({"caches": [{"what": "self.look_up (lru_cache)", "size": 140, "maxsize": 9000, "grew": 140, "cleared": True}]}, LEAK),
        ({"holders": [{"type": "list", "chain": "self.history", "grew": 140}], "caches": [{"maxsize": 9, "cleared": False}]}, LEAK),
        (None, OPEN),  # there was no time to look
    ],
)
def test_an_instance_is_accused_only_of_what_has_no_bound(fact: dict[str, Any] | None, kind: str) -> None:
    probe = FakeProbe(healthy, while_open=leaks(objects=(0, 0, 1)), facts={"suspects": fact} if fact else {})
    hunt(probe, Effort())
    assert verdicts_while_open(probe.traces)["objects"].kind == kind


def test_the_end_of_an_open_instance_is_told_beside_it() -> None:
    probe = FakeProbe(healthy, dies="block:28x1x20")
    hunt(probe, Effort())
    whole, opened = summarise(probe.traces, quick=False)
    assert (whole.ended, opened.ended) == ("", "block:28x1x20 ended the process: SIGSEGV")


def test_what_fills_in_an_instance_is_not_explained() -> None:
    left = iter([60, 32, 20, 18, 12] + [0] * 30)
    probe = FakeProbe(healthy, while_open=lambda *_: {"objects": next(left)})
    hunt(probe, Effort())
    assert probe.names()[-1] == "leak-open"
    assert len(probe.scripts("leak-open")) == 2


def test_episodes_are_timed_where_whole_lives_take_too_long() -> None:
    probe = FakeProbe(healthy, cost=0.5)
    hunt(probe, Effort())
    assert probe.names() == ["leak-warm", "leak", "leak-open-warm"]
    assert probe.scripts("leak-open-warm") == ["open warm:3x1x20 shut"]


def test_a_cap_is_kept_there_too() -> None:
    probe = FakeProbe(healthy)
    hunt(probe, Effort(cap=40))
    assert probe.scripts("leak-open") == []
    whole, opened = summarise(probe.traces, quick=False)
    assert (whole.ended, opened.side, opened.blocks, opened.ended) == ("", "one instance", (), NO_ROOM)
    stocked = trace(fact("forecast", {"bytes": 1}), name="storage")
    assert len(summarise([*probe.traces, stocked], quick=False)) == len(summarise(probe.traces, quick=True)) == 1


def test_what_is_not_quick_is_asked_for_block_by_block() -> None:
    probe = FakeProbe(healthy, cost=0.01)
    hunt(probe, Effort())
    assert probe.scripts("leak") == ["block:7x1x20", "block:7x1x20", "block:7x1x20", "block:14x1x20"]


@pytest.mark.parametrize("cap", [1, 15, 20, 28, 34])
def test_a_small_cap_makes_small_blocks_and_is_kept(cap: int) -> None:
    probe = FakeProbe(healthy)
    hunt(probe, Effort(cap=cap))
    assert sum(block.cycles for block in blocks_of(probe.traces)) <= cap
    assert probe.scripts("leak")[0] == ("block:3x1x20" if cap >= 15 else "block:1x1x20")


def test_a_leak_shows_within_few_cycles() -> None:
    probe = FakeProbe(leaks(objects=(1, 0, 0)))
    hunt(probe, Effort(cap=28, explain=False))
    assert judge("objects", blocks_of(probe.traces)).kind == LEAK


def test_it_renders_where_it_was_made_with_a_render_mode() -> None:
    probe = FakeProbe(leaks(objects=(0, 1, 0)))
    hunt(probe, QUICK, renders=True)
    assert probe.scripts("leak")[0].split()[0] == "block:7x1x20x1"
    assert probe.scripts("leak-warm") == ["calibrate warm:3x1x20x1"]
    assert probe.scripts("leak-design")[-1] == "block:7x1x0x5"


def test_a_leak_is_followed_to_the_horizon_and_explained() -> None:
    probe = FakeProbe(leaks(objects=(0, 3, 0), heap=(0, 0, 0)))
    hunt(probe, Effort(save="/keep"))
    assert probe.names() == ["leak-warm", "leak", "leak-suspects", "leak-design", "leak-memray"]
    assert probe.scripts("leak")[-1] == "block:112x1x20"
    assert len(probe.scripts("leak-design")) == 7
    assert probe.scripts("leak-memray") == ["memray:101"]
    assert dict(probe.played[-1].options) == {"native": False, "aggregated": True, "rate": 1.0, "operation": "reset", "save": "/keep"}


def test_a_quick_hunt_plays_no_memray() -> None:
    probe = FakeProbe(leaks(objects=(1, 0, 0)))
    hunt(probe, QUICK)
    assert probe.names()[-1] == "leak-design"


def test_native_stacks_are_taken_where_only_the_heap_grows() -> None:
    probe = FakeProbe(leaks(objects=(0, 0, 0), heap=(0, 1632, 0)))
    hunt(probe, Effort(), earlier=[trace(outcome=SIGNALLED)])
    assert dict(probe.played[-1].options) == {"native": True, "aggregated": False, "rate": 1.0, "operation": "reset"}


def test_a_step_leak_is_looked_for_in_steps() -> None:
    probe = FakeProbe(leaks(objects=(1, 0, 2)))
    hunt(probe, Effort())
    assert worst_operation(probe.traces, {"objects": judge("objects", blocks_of(probe.traces))}) == "step"


def test_thorough_goes_further() -> None:
    probe = FakeProbe(healthy)
    hunt(probe, Effort(thorough=True))
    assert probe.scripts("leak")[-1] == "block:56x1x20"
    leaking = FakeProbe(leaks(objects=(1, 0, 0)))
    hunt(leaking, Effort(thorough=True))
    assert leaking.scripts("leak")[-1] == "block:224x1x20"


def test_the_cap_of_the_user_is_kept() -> None:
    probe = FakeProbe(leaks(objects=(1, 0, 0)))
    hunt(probe, Effort(cap=100))
    assert sum(block.cycles for block in blocks_of(probe.traces)) == 100


@pytest.mark.parametrize(("cost", "first", "most"), [(0.3, 7, 117), (1.5, 3, 25), (6.0, 1, 6)])
def test_slow_environments_get_fewer_cycles(cost: float, first: int, most: int) -> None:
    probe = FakeProbe(leaks(objects=(1, 0, 0)), cost=cost)
    hunt(probe, Effort(seconds=60, explain=True))
    played = blocks_of(probe.traces)
    assert played[0].cycles == first
    assert sum(block.cycles for block in played) <= most
    assert sum(trace.outcome.seconds for trace in probe.traces if trace.scenario.name == "leak") <= 60


def test_the_first_block_shrinks_with_the_time() -> None:
    assert [first_block(fitting) for fitting in (1000, 35, 34, 15, 14, 0)] == [7, 7, 3, 3, 1, 1]


def test_a_quick_hunt_is_left_out_where_it_would_tell_nothing() -> None:
    life = trace(verb("make", seconds=2.0), verb("reset", seconds=0.1), verb("close", seconds=0.1), verb("drop", seconds=9.0))
    assert seconds_of_a_life([life]) == pytest.approx(2.2)
    probe = FakeProbe(healthy)
    hunt(probe, QUICK, earlier=[life])
    assert probe.played == []
    hunt(probe, Effort(), earlier=[life])
    assert probe.played


@pytest.mark.parametrize("word", ["calibrate", "warm", "block"])
def test_an_error_ends_it_and_is_told(word: str) -> None:
    probe = FakeProbe(leaks(objects=(1, 0, 0)), fails=word)
    hunt(probe, Effort())
    assert probe.names()[-1] == {"calibrate": "leak-warm", "warm": "leak-warm", "block": "leak"}[word]
    (report,) = summarise(probe.traces, quick=False)
    assert "raised RuntimeError: enough at env.py:9 in reset" in report.ended


def test_a_death_ends_it_and_is_told() -> None:
    probe = FakeProbe(healthy, dies="block:14")
    hunt(probe, Effort())
    (report,) = summarise(probe.traces, quick=False)
    assert report.ended == "block:14x1x20 ended the process: SIGSEGV"
    assert report.cycles == 21


def test_what_fills_up_gets_two_more_blocks() -> None:
    left = [128]

    def fill(creates: int, resets: int, steps: int) -> dict[str, int]:
        taken = min(left[0], creates)
        left[0] -= taken
        return {"objects": taken}

    probe = FakeProbe(fill)
    hunt(probe, Effort())
    assert probe.scripts("leak")[-2:] == ["block:28x1x20", "block:28x1x20"]
    assert judge("objects", blocks_of(probe.traces)).kind == FLAT


def test_a_cache_that_was_emptied_begins_the_hunt_anew() -> None:
    probe = FakeProbe(lambda creates, resets, steps: {"objects": creates if not probe.scripts("leak-suspects") else 0})
    probe.facts = {"suspects": {"types": [], "holders": [], "caches": [{"what": "f", "size": 1, "maxsize": 2, "grew": 1, "cleared": True}]}}
    hunt(probe, Effort())
    assert [block.cycles for block in blocks_of(probe.traces)] == [7, 7, 7, 14]
    assert judge("objects", blocks_of(probe.traces)).kind == FLAT
    assert not probe.scripts("leak-design")


def test_a_rare_leak_gets_larger_designs() -> None:
    made = [0]

    def sparse(creates: int, resets: int, steps: int) -> dict[str, int]:
        before, made[0] = made[0], made[0] + creates
        return {"objects": made[0] // 20 - before // 20}

    probe = FakeProbe(sparse)
    hunt(probe, Effort())
    assert int(re.findall(r"\d+", probe.scripts("leak-design")[0])[0]) >= 7 * 15
    (report,) = summarise(probe.traces, quick=True)
    assert report.meters[0].kind == LEAK
    assert report.meters[0].per_operation["create"] == pytest.approx(0.05, abs=0.01)


def test_what_it_tells_of_a_leak() -> None:
    probe = FakeProbe(leaks(objects=(0, 0, 0), heap=(0, 1632, 0)))
    probe.facts = {
        "sensitivity": {"tier": "exact", "reasons": [], "sees": {"objects": 1, "heap": 32}, "missing": {}},
        "suspects": {"types": [{"type": "a.B", "grew": 7}], "holders": [], "caches": []},
        "allocations": {"missing": "no memray"},
    }
    hunt(probe, Effort())
    (report,) = summarise(probe.traces, quick=False)
    assert (report.manager, report.start_method, report.cycles, report.tier) == ("direct", None, 231, "exact")
    assert report.sees == {"objects": 1, "heap": 32}
    assert report.suspects["types"] == [{"type": "a.B", "grew": 7}]
    assert report.allocations == {"missing": "no memray"}
    heap = next(meter for meter in report.meters if meter.meter == "heap")
    assert (heap.kind, heap.rate, dict(heap.per_operation)) == (LEAK, 1632.0, {"reset": 1632.0})
    assert heap.deltas[-1] == 112 * 1632


def test_under_a_manager_the_control_is_played_where_something_grows() -> None:
    probe = FakeProbe(leaks(objects=(1, 0, 0)))
    hunt_managed(probe, Effort(), [("gymnasium-async", "fork")])
    assert probe.scripts("leak-workers")[0].startswith("make reset step:20 block:7x1x20")
    assert [scenario.control for scenario in probe.played if scenario.name == "leak-workers"] == [False, True]
    assert {scenario.control for scenario in probe.played if scenario.name == "leak"} == {False, True}
    assert "leak-design" not in probe.names()
    quiet = FakeProbe(healthy)
    hunt_managed(quiet, Effort(), [("gymnasium-async", "fork")])
    assert {scenario.control for scenario in quiet.played if scenario.name == "leak"} == {False}


def test_managers_share_the_time_that_is_left() -> None:
    probe = FakeProbe(leaks(objects=(1, 0, 0)), cost=0.5)
    places = [("gymnasium-async", method) for method in ("fork", "spawn")]
    hunt_managed(probe, Effort(seconds=100), places, earlier=[trace(name="leak", seconds=40.0)])
    for place in places:
        mine = [one for one in probe.traces if one.scenario.place == place and one.scenario.name == "leak" and not one.scenario.control]
        assert 0 < sum(one.outcome.seconds for one in mine) <= 30 * 0.6


def test_each_side_of_a_manager_has_its_own_verdict() -> None:
    blocks = [
        {
            "creates": 0, "resets": cycles, "steps": 20 * cycles, "renders": 0, "seconds": 1.0,
            "before": {"objects": 5}, "after": {"objects": 5},
            "workers": [{"pid": pid, "before": {"objects": 0}, "after": {"objects": cycles if pid == 9 else 0}} for pid in (8, 9)],
        }
        for cycles in (7, 7, 7, 14, 28)
    ]  # fmt: skip
    events = [verb(f"block:1x{block['resets']}x20", block=block) for block in blocks]
    reports = summarise([trace(*events, name="leak-workers", manager="gymnasium-async", start_method="fork")], quick=False)
    assert [(report.side, report.meters[0].kind, report.cycles) for report in reports] == [
        ("parent", FLAT, 63), ("worker 1", FLAT, 63), ("worker 2", LEAK, 63),
    ]  # fmt: skip


def test_an_interruption_ends_it() -> None:
    hunted = Hunt(lambda scenario: None, Effort())
    hunted.run()
    assert hunted.traces == []
    assert summarise([], quick=False) == ()
