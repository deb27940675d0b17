"""A finding gives way to another one only where that one's cure would take the whole of it."""

from __future__ import annotations

import pytest

from envdoctor.model.facts import Known
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import (
    compared,
    designs,
    direct_view,
    fact,
    growing,
    life_trace,
    played_block,
    raised,
    random_resets,
    sensor_life,
    trace,
    verb,
)
from envdoctor.rules.engine.judging import Judgement, judge
from envdoctor.rules.engine.registry import all_rules

SURVEY = Known(is_found=True, env_class="sick.Arm")
MIB = 2**20
THREAD = {"7": "python thread 'physics' (target arm.Arm.loop)"}
VERBS = tuple(verb(name) for name in ("make", "reset", "step", "close", "drop"))


def judged(*traces: Trace) -> Judgement:
    return judge("sick.py:Arm", SURVEY, traces, all_rules().values())


def codes(*traces: Trace) -> list[str]:
    return [finding.code for finding in judged(*traces).findings]


def closed_instance(memory: int) -> Trace:
    """A life whose instance waits for the collector, with so many bytes."""
    survivors = {"life": 0, "closed": True, "dropped": 1, "collected": 0, "bytes": memory}
    readings = life_trace(before={}, dropped={}, collected={}).of("reading")
    return trace(*VERBS, *readings, fact("survivors", survivors))


def waiting(memory: int, name: str = "leak") -> list[Trace]:
    """Blocks at whose end so many bytes a cycle wait for the collector."""
    return [
        played_block(
            cycles, {"objects": 0, "heap": 0}, name=name, uncollected={"heap": memory * cycles}
        )
        for cycles in (7, 7, 7, 14)
    ]


def _reset_again(*later: str) -> list[Trace]:
    """What a checker says of a second reset() that raises, and what became of later ones."""
    error = raised("RuntimeError", "no browser", "arm.py", 24, "reset")
    said = {"checker": "gymnasium", "part": "check_reset_seed_determinism", "kind": "raised"}
    resets = (
        event
        for at, state in enumerate(("ended", *later), start=1)
        for event in (
            verb("reset", "began", at=at, resets=min(at - 1, 1)),
            verb("reset", state, at=at, error=error if state == "raised" else None),
        )
    )
    block = {"creates": 0, "resets": 7, "reset_raised": 6, "steps": 140}
    meters = {"before": {"objects": 1}, "after": {"objects": 1}}
    cycle = {"event": "raised", "t": 0.0, "pid": 1, "operation": "reset", "error": error}
    return [
        trace(*VERBS),
        trace(fact("check", {**said, "message": "", "error": error}), name="check", script="check"),
        trace(*resets, name="reuse"),
        trace(cycle, verb("block:7x1x20", block={**block, **meters}), name="leak"),
    ]


def test_checker_does_not_repeat_what_each_later_reset_raises() -> None:
    assert codes(*_reset_again("raised", "raised")) == ["API014"]


def test_checker_is_heard_where_a_later_reset_comes_back() -> None:
    assert {"API001", "API014"} <= set(codes(*_reset_again("raised", "ended")))


def test_garbage_of_closed_instances_is_reported_by_the_rule_on_instances() -> None:
    assert codes(closed_instance(2 * MIB), *waiting(2 * MIB)) == ["CLS013"]


def test_garbage_beyond_closed_instances_is_reported() -> None:
    assert codes(closed_instance(2 * MIB), *waiting(4 * MIB)) == ["CLS013", "LEK011"]
    assert codes(closed_instance(1000), *waiting(2 * MIB)) == ["CLS013", "LEK011"]


def test_garbage_while_an_instance_stays_open_is_not_that_of_closed_ones() -> None:
    """Frames that know each other wait for the collector with a closed instance, and without it."""
    frames = waiting(2 * MIB, name="leak-open")
    assert codes(closed_instance(4 * MIB), *waiting(4 * MIB)) == ["CLS013"]
    assert codes(closed_instance(4 * MIB), *waiting(4 * MIB), *frames) == ["CLS013", "LEK011"]


def test_garbage_of_instances_that_are_kept_alive_is_not_judged() -> None:
    kept = closed_instance(0)
    stays = {"life": 0, "closed": True, "dropped": 1, "collected": 1, "bytes": 0}
    events = [event for event in kept.events if event.get("key") != "survivors"]
    judgement = judged(trace(*events, fact("survivors", stays)), *waiting(0))
    assert [finding.code for finding in judgement.findings] == ["CLS012"]
    assert not {"CLS013", "LEK011"} & {one.code for one in judgement.passed}


def held_by(*chains: str) -> Judgement:
    """A life that leaves a thread, and an instance at the end of these chains."""
    left = sensor_life("threads", before={}, held=THREAD, collected=THREAD).of("reading")
    stays = {"life": 0, "closed": True, "dropped": 1, "collected": 1, "chains": list(chains)}
    return judged(trace(*VERBS, *left, fact("survivors", {**stays, "bytes": 0})))


def test_an_instance_that_only_a_thread_holds_goes_with_the_thread() -> None:
    by_thread = held_by("<thread 'physics'>._target.__self__")
    assert [finding.code for finding in by_thread.findings] == ["CLS007"]
    by_both = held_by("<thread 'physics'>._target.__self__", "arm.FLEET[0]")
    assert [finding.code for finding in by_both.findings] == ["CLS007", "CLS012"]


@pytest.mark.parametrize("name", ["MainThread", "physics-2", "phys"])
def test_an_instance_that_another_thread_holds_is_reported(name: str) -> None:
    found = held_by(f"<thread '{name}'>.env").findings
    assert [finding.code for finding in found] == ["CLS007", "CLS012"]


def connection_in_a_cycle(held: dict[str, str], waiting_each: int) -> Judgement:
    """A life of which a connection of sqlite3 waits for the collector, and `held` is what close()
    left; so many descriptors wait after each cycle.
    """
    late = {key: text for key, text in held.items() if key == "7"}
    life = sensor_life("descriptors", before={}, held=held, dropped=late, collected={})
    blocks = [
        played_block(
            cycles,
            {"descriptors": 0, "objects": 0, "heap": 0},
            uncollected={"descriptors": waiting_each * cycles, "heap": 100_000 * cycles},
        )
        for cycles in (7, 7, 7, 14)
    ]
    return judged(trace(*VERBS, *life.of("reading")), *blocks)


def test_a_descriptor_that_waits_for_the_collector_is_closed_by_the_remedy_for_close() -> None:
    held = {"7": "/tmp/crane.db", "8": "/tmp/crane.log"}
    judgement = connection_in_a_cycle(held, 1)
    told = [finding.code for finding in judgement.findings]
    assert "CLS006" in told
    assert "LEK011" not in told
    more = [finding.code for finding in connection_in_a_cycle(held, 2).findings]
    assert {"CLS006", "LEK011"} <= set(more)


def test_steps_are_not_judged_where_first_observations_differ() -> None:
    differing = compared("same-seed")
    judgement = judged(trace(*VERBS, *differing.events))
    assert [finding.code for finding in judgement.findings] == ["DET001"]
    assert "DET002" not in {one.code for one in judgement.passed}


def test_a_generator_gives_way_only_to_the_rule_that_names_it() -> None:
    """`step()` draws from the global generator, while another reason makes first observations
    differ: the cure of that one leaves the generator as it is.
    """
    from envdoctor.rules.side_effects.sfx004_global_random_state import _named_by

    by_step = direct_view(random_resets("random", "aa", "bb", "cc"))
    assert _named_by(by_step, "random") == (Cause.STEP_NOT_SEEDED,)
    assert _named_by(by_step, "numpy.random") == ()


def test_growth_of_an_open_instance_is_less_what_outlives_it() -> None:
    """1 KiB of each reset() outlives the instance; another KiB is given back by close()."""
    opened = [
        trace(*one.events, name="leak-open", script=one.scenario.script)
        for one in growing(heap=2048)
    ]
    view = direct_view(*growing(heap=1024), *designs("heap", reset=1024), *_joined(opened))
    found = {leak.side: leak for leak in view.leaks}
    assert found[""].shares == {"reset": 1024}
    assert round(found["one instance"].rate) == 1024


def _joined(traces: list[Trace]) -> list[Trace]:
    """One trace with the events of all: an open instance is played in one scenario."""
    events = [event for each in traces for event in each.events]
    looked = fact("suspects", {"cycles": 7, "types": [], "holders": [], "caches": []})
    return [trace(*events, looked, name="leak-open", script=traces[0].scenario.script)]


def processes_left(resets: int, cycles: tuple[int, ...], left: int = 1) -> Judgement:
    """A life that leaves a process, and cycles of so many resets that leave `left` processes each;
    there was no time to tell the operations apart.
    """
    held = {"7": "simulator"}
    life = sensor_life("processes", before={}, held=held, dropped=held, collected=held)
    blocks = [
        played_block(number, {"processes": left * number}, resets=resets) for number in cycles
    ]
    return judged(trace(*VERBS, *life.of("reading")), *blocks)


@pytest.mark.parametrize("resets", [1, 2, 3])
def test_process_of_each_instance_is_explained_however_many_resets_fit_into_a_cycle(
    resets: int,
) -> None:
    judgement = processes_left(resets, (7, 7, 7, 14))
    assert "CLS008" in {finding.code for finding in judgement.findings}
    reasons = {skipped.code: skipped.reason for skipped in judgement.skipped}
    assert reasons["LEK007"] == "explained by CLS008"


@pytest.mark.parametrize("resets", [1, 2, 3])
def test_more_processes_in_a_cycle_than_a_life_leaves_are_a_leak_of_their_own(resets: int) -> None:
    judgement = processes_left(resets, (7, 7, 7, 14), left=resets + 1)
    assert {"CLS008", "LEK007"} <= {finding.code for finding in judgement.findings}


def threads_left(*blocks: Trace) -> Judgement:
    """A life that leaves a thread, and blocks of cycles."""
    life = sensor_life("threads", before={}, held=THREAD, dropped=THREAD, collected=THREAD)
    return judged(trace(*VERBS, *life.of("reading")), *blocks)


def in_whole_episodes(threads: int) -> Trace:
    """Blocks of lifecycles with a whole episode, each of which leaves so many threads."""
    blocks = [
        played_block(cycles, {"threads": threads * cycles}, steps=500) for cycles in (7, 7, 7, 14)
    ]
    verbs = [event for block in blocks for event in block.of("verb")]
    return trace(*verbs, name="leak-episodes", script=" ".join(event["verb"] for event in verbs))


def test_thread_of_each_instance_is_explained_where_only_whole_episodes_were_followed() -> None:
    undecided = played_block(3, {"threads": 3})
    judgement = threads_left(undecided, in_whole_episodes(1))
    assert "CLS007" in {finding.code for finding in judgement.findings}
    reasons = {skipped.code: skipped.reason for skipped in judgement.skipped}
    assert reasons["LEK006"] == "explained by CLS007"


def test_thread_that_only_whole_episodes_leave_is_a_leak_of_its_own() -> None:
    flat = [played_block(cycles, {"threads": 0}) for cycles in (7, 7, 7, 14)]
    judgement = threads_left(*flat, in_whole_episodes(1))
    assert {"CLS007", "LEK006"} <= {finding.code for finding in judgement.findings}


def side_by_side(done: str) -> Trace:
    """Two instances of one process, of which one returns something else once this was done to the
    other.
    """
    differs = compared("side-by-side", call="step", step=1).events[0]["value"]["difference"]
    same = {"calls": 9, "unknown": [], "difference": None}
    compared_with_alone = {"alone": same, "instances": [same, {**same, "difference": differs}]}
    script = ("make", "make", "reset@0", "reset@1", done, "step:3@1")
    return trace(
        *(verb(name, at=at, steps=3 if "step" in name else 0) for at, name in enumerate(script)),
        fact("side-by-side", compared_with_alone),
        name="two-at-once",
        script=" ".join(script),
    )


def in_one_process(done: str, start_method: str | None = None) -> Judgement:
    """Judge two instances in one process, and a manager whose instances return something else than
    alone.
    """
    manager = "gymnasium-async" if start_method else "gymnasium-sync"
    place = {"manager": manager, "start_method": start_method, "slot": 1}
    life = trace(*VERBS, manager=manager, start_method=start_method)
    return judged(side_by_side(done), life, compared("replayed", name="replay", **place))


def test_instances_that_interfere_alone_explain_what_they_return_together() -> None:
    judgement = in_one_process("step:3@0")
    codes_told = {finding.code for finding in judgement.findings}
    assert codes_told & {"MAK005", "VEC004"} == {"MAK005"}
    assert [each.reason for each in judgement.skipped if each.code == "VEC004"] == [
        "explained by MAK005"
    ]


@pytest.mark.parametrize(("done", "start_method"), [("close@0", None), ("step:3@0", "fork")])
def test_vector_difference_is_reported_where_instances_cannot_interfere(
    done: str, start_method: str | None
) -> None:
    """No manager closes an instance while another one plays, and workers have their own memory."""
    codes_told = {finding.code for finding in in_one_process(done, start_method).findings}
    assert {"MAK005", "VEC004"} <= codes_told
