"""Growth, beyond the rules' examples: whose it is under a manager, what another rule tells
better, what cannot be judged.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from envdoctor.model.facts import Known
from envdoctor.model.finding import ENVIRONMENT, INTERACTION, MANAGER
from envdoctor.model.scenario import SERVICE_COUNT, Scenario
from envdoctor.model.trace import FINISHED, Outcome, Trace
from envdoctor.rules.engine.examples import (
    CYCLES,
    block,
    designs,
    explained,
    fact,
    growing,
    held_in,
    kept_at,
    life_trace,
    played_block,
    record,
    sensor_life,
    trace,
    verb,
)
from envdoctor.rules.engine.judging import Judgement, judge
from envdoctor.rules.engine.registry import all_rules

FOUND = Known(is_found=True, env_class="sick.Sick")
ASYNC = ("gymnasium-async", "fork")
RESETS = (7, 7, 7, 14, 28)


def judged(*traces: Trace) -> Judgement:
    wanted = [rule for rule in all_rules().values() if rule.code.startswith(("LEK", "CLS"))]
    return judge("Sick-v0", FOUND, traces, wanted)


def told(*traces: Trace) -> list[tuple[str, str, str]]:
    """(code, blame, message) of the findings on growth."""
    return [
        (one.code, one.blame, one.message)
        for one in judged(*traces).findings
        if one.code.startswith("LEK")
    ]


def codes(*traces: Trace) -> list[str]:
    return [finding.code for finding in judged(*traces).findings]


def under(
    manager: tuple[str, str | None], traces: tuple[Trace, ...], control: bool = False
) -> tuple[Trace, ...]:
    """Return these traces as played under a manager."""
    return tuple(
        Trace(
            Scenario(one.scenario.name, one.scenario.script, *manager, control=control),
            one.outcome,
            one.events,
        )
        for one in traces
    )


def workers(parent: Mapping[str, float], each: Mapping[str, float], control: bool = False) -> Trace:
    """Resets of one manager that stays open; meters rise by so much at each, in the parent and
    in each of two workers.
    """
    events = [verb("make"), verb("reset")]
    for resets in RESETS:
        (event,) = played_block(
            1, {meter: int(rate * resets) for meter, rate in parent.items()}, resets=resets
        ).verbs("block")
        readings = {meter: int(rate * resets) for meter, rate in each.items()}
        told = [
            {"pid": pid, "before": dict.fromkeys(readings, 0), "after": readings}
            for pid in (11, 12)
        ]
        events.append(verb(f"block:1x{resets}x20", block={**event.wire["block"], "workers": told}))
    scenario = Scenario(
        "leak-workers", "make reset block:1x7x20 close drop", *ASYNC, control=control
    )
    return Trace(scenario, Outcome(FINISHED), tuple(events))


def test_growth_in_every_worker_is_reported_once() -> None:
    ((code, _, message),) = told(*growing(objects=0), workers({"objects": 0}, {"objects": 3}))
    assert code == "LEK001"
    assert message.startswith("every reset in a worker keeps 3 Python objects")


def test_growth_in_instances_that_stay_open_needs_no_pair() -> None:
    """Alone, each instance is closed after one episode: that it does not grow there absolves
    nobody.
    """
    clean = workers({"objects": 0}, {"objects": 0}, control=True)
    (finding,) = judged(
        *growing(objects=0), workers({"objects": 0}, {"objects": 3}), clean
    ).findings
    assert (finding.blame, finding.remedy.text.partition(". ")[2]) == (
        ENVIRONMENT,
        "It grows while instances stay open, so reset() has to do it, too.",
    )


def test_growth_that_is_seen_without_a_manager_is_the_environments() -> None:
    found = told(*growing(objects=3), workers({"objects": 0}, {"objects": 3}))
    assert [(code, blame) for code, blame, _ in found] == [("LEK001", ENVIRONMENT)] * 2


def test_growth_of_the_control_is_subtracted() -> None:
    traces = [
        *growing(objects=0),
        workers({"objects": 2}, {"objects": 0}),
        workers({"objects": 2}, {"objects": 0}, control=True),
    ]
    ((_, blame, message),) = told(*traces)
    assert blame == MANAGER
    assert message.startswith("every reset of the manager keeps 2 Python objects")


def test_growth_beyond_the_control_is_of_both_together() -> None:
    traces = [
        *growing(objects=0),
        *under(ASYNC, growing(objects=7)),
        *under(ASYNC, growing(objects=4), control=True),
    ]
    own, managers = told(*traces)
    assert (own[1], managers[1]) == (INTERACTION, MANAGER)
    assert own[2].startswith("every launch of the manager keeps 3 Python objects")
    assert managers[2].startswith("every launch of the manager keeps 4 Python objects")


def test_a_leftover_of_every_life_is_reported_by_the_rule_on_leftovers() -> None:
    life = sensor_life(
        "descriptors", before={}, held={"7": "/home/me/log"}, collected={"7": "/home/me/log"}
    )
    each_instance = designs("descriptors", create=1)
    assert codes(life, *growing(descriptors=1), *each_instance) == ["CLS006"]
    # One for each reset: close() could not give that back.
    each_reset = designs("descriptors", reset=1)
    assert codes(life, *growing(descriptors=1), *each_reset) == ["CLS006", "LEK005"]
    # What close() leaves is what resets left: nothing of it is of the instance.
    both = designs("descriptors", create=0.25, reset=1)
    assert codes(life, *growing(descriptors=1.25), *both) == ["CLS006", "LEK005", "LEK005"]
    # Close() leaves one, and there are more.
    assert codes(life, *growing(descriptors=3)) == ["CLS006", "LEK005"]
    assert codes(*growing(descriptors=1)) == ["LEK005"]


def test_threads_explain_the_objects_that_belong_to_them() -> None:
    grown = growing(threads=1, objects=39, tracked=20, heap=2700, data=8_000_000)
    assert codes(*grown) == ["LEK006"]  # no census tells how much of it is theirs
    known = {"cycles": 7, "types": [], "holders": [], "caches": [], "threads": 7 * 18}
    per_thread = {"threads": (1, 0, 0), "objects": (39, 0, 0), "tracked": (20, 0, 0)}
    assert codes(*grown, explained(known, per_thread)) == ["LEK006"]
    stranger = {**per_thread, "objects": (39, 0, 1), "tracked": (20, 0, 1)}
    more = growing(threads=1, objects=59, tracked=40, heap=2700, data=8_000_000)
    assert codes(*more, explained(known, stranger)) == ["LEK001", "LEK006"]


def test_thread_of_a_reset_explains_the_instance_that_it_keeps() -> None:
    """The constructor leaves no thread, but what it made stays with the thread of reset()."""
    grown = growing(threads=1, objects=76, tracked=43)
    known = {"cycles": 7, "types": [], "holders": [], "caches": [], "threads": 7 * 43}
    each = {"threads": (0, 1, 0), "objects": (23, 53, 0), "tracked": (7, 36, 0)}
    assert codes(*grown, explained(known, each)) == ["LEK006"]
    half = {**known, "threads": 7 * 20}
    assert codes(*grown, explained(half, each))[:1] == ["LEK001"]


def test_a_container_of_threads_is_reported_by_the_rule_on_threads() -> None:
    grown = growing(threads=1, objects=39, tracked=20, heap=2700)
    held = held_in(
        "sick.POOL",
        "threading.Thread",
        (1, 0, 0),
        {"objects": 39, "tracked": 20},
        others={"threads": (1, 0, 0)},
        rest={"objects": 0, "tracked": 0, "threads": 1},
        handle="threads",
    )
    judgement = judged(*grown, held)
    assert [finding.code for finding in judgement.findings] == ["LEK006"]
    assert "kept in sick.POOL" in judgement.findings[0].message
    reasons = {one.code: one.reason for one in judgement.skipped}
    assert reasons["LEK001"] == "explained by LEK006"


def test_two_containers_are_two_findings() -> None:
    """And a baseline that knows one of them does not know the other."""
    one = held_in("sick.A", "tuple", (0, 0, 1), {"objects": 2}, rest={"objects": 0})
    other = held_in("sick.B", "tuple", (0, 0, 1), {"objects": 2}, rest={"objects": 0})
    prints = {
        finding.fingerprint
        for held in (one, other)
        for finding in judged(*growing(objects=40), held).findings
    }
    assert len(prints) == 2


def test_growth_per_reset_is_reported_beside_what_close_leaves() -> None:
    """close() that gives back the last one leaves all those before it."""
    life = sensor_life(
        "descriptors", before={}, held={"7": "/home/me/log"}, collected={"7": "/home/me/log"}
    )
    per_reset = explained(
        {"cycles": 7, "types": [], "holders": [], "caches": []}, {"descriptors": (0, 1, 0)}
    )
    assert codes(life, *growing(descriptors=1), per_reset) == ["CLS006", "LEK005"]
    per_create = explained(
        {"cycles": 7, "types": [], "holders": [], "caches": []}, {"descriptors": (1, 0, 0)}
    )
    judgement = judged(life, *growing(descriptors=1), per_create)
    assert [finding.code for finding in judgement.findings] == ["CLS006"]
    assert "LEK005" not in {one.code for one in judgement.passed}


def test_instances_that_stay_are_reported_with_their_holder() -> None:
    survivors = {
        "life": 0,
        "closed": True,
        "dropped": 1,
        "collected": 1,
        "bytes": 0,
        "chains": ["sick.OPEN[1]"],
    }
    life = trace(
        *sensor_life("descriptors", before={}, dropped={}).of("reading"),
        verb("drop"),
        fact("survivors", survivors),
    )
    grown = growing(objects=23)
    for element, expected in (("sick.Sick", ["CLS012"]), ("sick.Frame", ["CLS012", "LEK001"])):
        held = held_in(
            "sick.OPEN",
            element,
            (1, 0, 0),
            {"objects": 23},
            rest={"objects": 0},
            instance=element == "sick.Sick",
        )
        assert codes(life, *grown, held) == expected


def test_a_meter_that_does_not_work_here_is_said() -> None:
    calibrated = trace(
        fact(
            "sensitivity",
            {
                "tier": "degraded",
                "reasons": [],
                "missing": {"heap": "this C library has no mallinfo2"},
            },
        ),
        name="leak-warm",
    )
    skipped = judged(calibrated, *growing(objects=0)).skipped
    assert {one.code: one.reason for one in skipped}[
        "LEK003"
    ] == "the meter heap was not read: this C library has no mallinfo2"


def test_under_a_manager_nothing_is_said_where_nothing_was_followed() -> None:
    life = trace(verb("make"), manager=ASYNC[0], start_method=ASYNC[1])
    judgement = judged(*growing(objects=0), life)
    assert not [
        one
        for one in (*judgement.skipped, *judgement.passed)
        if one.code.startswith("LEK") and one.manager != "direct"
    ]


def test_a_leak_check_that_came_to_no_cycle_says_so() -> None:
    skipped = judged(*(block(0, objects=0) for _ in CYCLES)).skipped
    assert {one.code: one.reason for one in skipped}["LEK001"].startswith(
        "whole lifecycles were not followed"
    )


def test_unchanged_value_is_not_reported_as_changed() -> None:
    told = {
        rises: {
            one.code: one.reason
            for one in judged(*(block(7, descriptors=rise) for rise in rises)).skipped
        }["LEK005"]
        for rises in ((0, 0, 0), (1, 0, 3))
    }
    assert told[0, 0, 0].endswith("too few to tell, the number of descriptors did not change")
    assert told[1, 0, 3].endswith("the number of descriptors changed at no steady pace")


def log_left(kept: Mapping[str, float], rest: int, instance: bool) -> Judgement:
    """Each instance opens a log, and a list of the class keeps the instance, or another object;
    `rest` descriptors a cycle stay where the list is cut back.
    """
    held = held_in(
        "sick.Sick.fleet",
        "sick.Sick",
        (1, 0, 0),
        {"objects": 10, **kept},
        others={"descriptors": (rest, 0, 0)} if rest else None,
        rest={"objects": 0, "descriptors": rest},
        instance=instance,
    )
    survivors = {"life": 0, "closed": True, "dropped": 1, "collected": 1, "bytes": 0}
    verbs = [verb(name) for name in ("make", "reset", "step", "close", "drop")]
    chains = {"chains": ["sick.Sick.fleet[1]"]}
    readings = life_trace(before={}, dropped={}, collected={}).of("reading")
    life = trace(*verbs, *readings, fact("survivors", {**survivors, **chains}))
    number = rest + kept.get("descriptors", 0)
    return judged(life, *growing(objects=10, descriptors=number), held)


def test_descriptors_of_instances_that_are_kept_go_with_them() -> None:
    judgement = log_left({"descriptors": 1}, rest=0, instance=True)
    assert [finding.code for finding in judgement.findings] == ["CLS012"]
    reasons = {one.code: one.reason for one in judgement.skipped}
    assert reasons["LEK005"] == reasons["LEK001"] == "explained by CLS012"


def test_descriptors_beside_instances_that_are_kept_are_reported() -> None:
    judgement = log_left({"descriptors": 1}, rest=2, instance=True)
    assert [finding.code for finding in judgement.findings] == ["CLS012", "LEK005"]
    (message,) = (one.message for one in judgement.findings if one.code == "LEK005")
    assert message.startswith("every new instance leaves 2 descriptors")
    assert "kept in" not in message


def test_descriptors_that_a_container_keeps_open_are_reported() -> None:
    """A list of the module with an open file in each element: LEK005 passed, since cutting it back
    closed them all.
    """
    judgement = log_left({"descriptors": 1}, rest=0, instance=False)
    found = {finding.code: finding.message for finding in judgement.findings}
    assert found["LEK005"].startswith("every new instance leaves 1 descriptor")
    assert "kept in sick.Sick.fleet" in found["LEK005"]
    assert "LEK001" in found


def test_small_objects_of_python_are_no_part_of_what_malloc_gave() -> None:
    """Memory that step() acquires by ctypes is not seen by memray, and floats that a list keeps are
    not malloc's.
    """
    seen = kept_at(record("/home/me/sick.py", 31, "step", 99, 24))
    assert codes(*growing(objects=0, heap=4160), *designs("heap", step=208), seen) == ["LEK003"]
    large = kept_at(record("/home/me/sick.py", 31, "step", 99, 4160))
    assert codes(*growing(objects=0, heap=4160), *designs("heap", step=208), large) == ["LEK002"]


def test_records_of_processes_are_no_leak_where_instances_were_let_go_of() -> None:
    """Records that the standard library keeps of a process appear once the list of instances is cut
    back, and the census was before.
    """
    grown = growing(processes=1, objects=95, tracked=49)
    keeps = {"objects": 88, "tracked": 44}
    rest = {"objects": 7, "tracked": 5, "processes": 1}
    found = {}
    for instance in (True, False):
        held = held_in(
            "sick.FLEET",
            "sick.Sick",
            (1, 0, 0),
            keeps,
            others={"processes": (1, 0, 0), "objects": (7, 0, 0), "tracked": (5, 0, 0)},
            rest=rest,
            instance=instance,
        )
        found[instance] = codes(*grown, held)
    assert found[True] == ["LEK001", "LEK007"]
    assert found[False] == ["LEK001", "LEK001", "LEK007"]


def opened(cleared: bool, **calls: tuple[float, float, float]) -> list[Trace]:
    """An open instance of which objects grow by 7 a reset, followed without a look at its
    containers, then a look that finds a cache with a bound; `calls` is what grows after that.
    """
    blocks = [played_block(cycles, {"objects": 7 * cycles}, "leak-open") for cycles in RESETS]
    events = [event for one in blocks for event in one.events]
    cache = {"what": "sim.url", "size": 70, "maxsize": 128, "grew": 7, "cleared": cleared}
    found = {"cycles": 7, "types": [], "holders": [], "caches": [cache]}
    causes = explained(found, calls)
    return [
        *(block(cycles, objects=0, heap=0) for cycles in CYCLES),
        trace(*events, name="leak-open", script="open block:7x1x20 shut"),
        trace(*causes.events, name="leak-open-causes", script="suspects:7x1x20"),
    ]


def test_cache_that_was_emptied_after_the_blocks_explains_them() -> None:
    traces = opened(cleared=True, objects=(0.0, 0.0, 0.0))
    assert not judged(*traces).findings


def test_growth_that_goes_on_without_the_cache_is_a_leak() -> None:
    traces = opened(cleared=True, objects=(0.0, 7.0, 0.0))
    (finding,) = judged(*traces).findings
    assert (finding.code, finding.evidence["side"]) == ("LEK001", "one instance")


def counted(*facts: str, command: str = "curl -s 127.0.0.1/count") -> Judgement:
    """A healthy leak check in which a service was counted, where there is a command."""
    options = ((SERVICE_COUNT, command),) if command else ()
    rises = {"service": 0} if command else {"objects": 0}
    blocks = [played_block(cycles, rises) for cycles in CYCLES]
    lives, resets = (
        trace(
            *(event for one in blocks for event in one.events),
            name=name,
            script="block:7x1x20",
            options=options,
        )
        for name in ("leak", "leak-open")
    )
    failed = [
        trace(
            fact("service-count", {"failed": text}), name="leak", script="block:7", options=options
        )
        for text in facts
    ]
    return judged(lives, *failed, resets)


def reason_for(code: str, judgement: Judgement) -> str:
    return next((one.reason for one in judgement.skipped if one.code == code), "")


def test_service_is_judged_only_where_a_command_counts_it() -> None:
    judgement = counted(command="")
    codes = {one.code for one in (*judgement.findings, *judgement.passed, *judgement.skipped)}
    assert "LEK005" in codes
    assert "LEK015" not in codes


def test_service_whose_command_failed_is_not_judged() -> None:
    reason = "the command ended with exit code 7: cannot connect"
    assert "LEK015" in {one.code for one in counted().passed}
    assert reason_for("LEK015", counted(reason)) == reason


def test_child_memory_that_a_cache_may_hold_is_not_judged() -> None:
    rises = [{"child-memory": (32 << 10) * cycles} for cycles in CYCLES]
    blocks = [
        played_block(cycles, rise, name)
        for name in ("leak", "leak-open")
        for cycles, rise in zip(CYCLES, rises, strict=True)
    ]
    assert reason_for("LEK014", judged(*blocks)) == (
        "in 231 whole lifecycles, the memory of child processes grew by 7.2 MiB: a cache may hold"
        " less than 12.0 MiB"
    )


@pytest.mark.parametrize("raised", [0, 1])
def test_growth_in_resets_that_raise_says_so(raised: int) -> None:
    """What reset() took before it raised, it may let go of behind that line."""
    blocks = growing(objects=4)
    for done in (event["block"] for run in blocks for event in run.events if "block" in event):
        done["reset_raised"] = raised * done["resets"]
    ((_, _, message),) = told(*blocks, *designs("objects", reset=4))
    assert message.startswith("every reset() keeps 4 Python objects")
    assert message.endswith("; each of them raises") == bool(raised)
