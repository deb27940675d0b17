"""What grows in a process of a training: recorded shapes of readings, and their verdicts."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from envdoctor.analysis.training_growth import FLAT, GROWS, OPEN, growth, growths
from envdoctor.model.finding import Location
from envdoctor.model.report import SICK, Report, SubjectReport
from envdoctor.model.training import (
    Calls,
    Instances,
    LongCall,
    Process,
    Silent,
    Training,
    announced,
)
from envdoctor.model.training_growth import (
    GARBAGE,
    TOO_LITTLE,
    TOO_SHORT,
    Filling,
    Holder,
    Reading,
    Series,
)
from envdoctor.reporters.json_v1 import render, schema
from envdoctor.watch.outside import Touched
from envdoctor.watch.standing import standing

RESETS, STEPS = 30, 600  # between two readings


def read(values: list[int], meter: str = "blocks", **fields) -> list[Reading]:
    """Readings of one meter, at equal distances."""
    return [
        Reading(float(at), 1, at * RESETS, at * STEPS, 1, **{meter: value}, **fields)
        for at, value in enumerate(values)
    ]


def noisy(slope: float, spread: int, number: int = 64) -> list[int]:
    """Values that rise, with transient garbage on top."""
    chance = random.Random(7)
    return [100_000 + int(slope * at) + chance.randrange(spread + 1) for at in range(number)]


def test_what_keeps_its_rate_grows_and_the_rate_is_exact() -> None:
    found = growth(read(noisy(120, 0)), "blocks")
    assert (found.verdict, found.per, found.rate) == (GROWS, "reset", 4.0)


def test_garbage_on_top_hides_nothing_and_is_nothing() -> None:
    assert growth(read(noisy(300, 1000)), "blocks").verdict == GROWS
    assert growth(read(noisy(0, 5000)), "blocks").verdict == FLAT


SHAPES = {
    "a cache that is full after a third": [min(at, 21) * 50 for at in range(64)],
    "a cache whose growth fades": [int(5000 * (1 - 0.9**at)) for at in range(64)],
    "a buffer of a rollout": [at % 16 * 400 for at in range(64)],
    "what was freed in the end": [at * 10 if at < 60 else 0 for at in range(64)],
    "one step": [0 if at < 40 else 9000 for at in range(64)],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_what_fills_or_is_emptied_does_not_grow(shape: str) -> None:
    assert growth(read(SHAPES[shape]), "blocks").verdict == FLAT


def test_too_little_is_not_known() -> None:
    found = growth(read(noisy(120, 0, 31)), "blocks")
    assert (found.verdict, found.reason) == (OPEN, TOO_SHORT)


def test_what_is_kept_of_the_last_hundred_episodes_is_not_accused() -> None:
    few = [Reading(float(at), 1, at, at * 30, 1, blocks=40 * at) for at in range(64)]
    assert growth(few, "blocks").reason == TOO_SHORT
    assert growth(read([3 * at for at in range(64)]), "blocks").reason == TOO_LITTLE


def test_where_no_call_is_made_nothing_is_known() -> None:
    still = [Reading(float(at), 1, 5, 9, 1, blocks=at) for at in range(64)]
    assert growth(still, "blocks").reason == TOO_SHORT


def test_what_the_collector_may_free_is_not_accused() -> None:
    waiting = [
        Reading(one.t, 1, one.resets, one.steps, 1, one.blocks, tracked=at * 9)
        for at, one in enumerate(read(noisy(120, 0)))
    ]
    assert growth(waiting, "blocks").reason == GARBAGE
    collected = [
        Reading(one.t, 1, one.resets, one.steps, 1, one.blocks, tracked=at * 9, full=at // 8)
        for at, one in enumerate(read(noisy(120, 0)))
    ]
    assert growth(collected, "blocks").verdict == GROWS


def test_the_calls_that_it_follows_are_told() -> None:
    chance = random.Random(3)
    steps, readings = 0, []
    for at in range(64):
        steps += chance.randrange(100, 900)
        readings.append(Reading(float(at), 1, 9 * at, steps, 1, descriptors=steps))
    found = growth(readings, "descriptors")
    assert (found.verdict, found.per, found.rate) == (GROWS, "step", 1.0)


def test_only_what_was_read_is_judged() -> None:
    assert [one.meter for one in growths(read([5] * 64, "threads"))] == ["threads"]


def test_a_buffer_that_is_touched_bit_by_bit_is_forecast() -> None:
    before = Touched(10.0, {"a": (4000, 1000), "b": (9000, 9000), "c": (5000, 10)})
    now = Touched(20.0, {"a": (4000, 2000), "b": (9000, 9000), "c": (6000, 90)})
    found = now.filling_since(before)
    assert found == Filling(4000, 2000, 100.0)
    assert found is not None
    assert found.seconds == 20.0
    assert before.filling_since(Touched(0.0, {})) is None


def test_a_container_is_read_from_the_journal() -> None:
    event = {"pid": 4, "t": 1.0, "what": "holder", "chain": "sim.PAST", "type": "list"}
    told = announced({**event, "grew": 5, "length": 9, "most": None, "side": "nonsense"})
    assert told.holder == Holder("sim.PAST", "list", 5, 9)
    assert announced({"pid": 4, "t": 1.0, "what": "looked"}).holder is None


def test_a_training_obeys_the_schema_of_the_document() -> None:
    held = Holder("sim.PAST", "list", 5, 9, 2, 20, "dict", 100, "trainer", "sim")
    training = Training(
        ("python", "train.py"),
        1,
        -11,
        2.5,
        (Process(1, 0, "python train.py", code=-11, ended=2.5), Process(2, 1)),
        (Instances(2, 1, "arm.Arm", Location("/a.py", 3, "f"), "sync"),),
        (LongCall(2, 1, "step", 6.0, 5.5),),
        (Process(9, command="sleep"),),
        (Silent(8, "python -I", "-I"),),
        ("gym: KeyError",),
        (Series(1, tuple(read(noisy(120, 0))), (held,), Filling(9, 3, 1.0), 2, 0.5),),
    )
    assert Training.from_dict(json.loads(json.dumps(training.as_dict()))) == training
    subject = SubjectReport("train.py", training=training)
    document = json.loads(render(Report((subject,), (), (), (), (), SICK)))
    knows = json.loads(schema())
    Draft202012Validator(knows).validate(document)
    shown = document["subjects"][0]["training"]
    assert set(shown) == set(knows["$defs"]["training"]["properties"])
    assert shown["growth"][0]["meters"][0]["verdict"] == GROWS


def test_how_a_training_stands() -> None:
    arm = Instances(2, 1, "arm.Arm", None, "sync", step=Calls(41, 40), reset=Calls(4, 4))
    grown = Series(2, tuple(read(noisy(120, 0))), (Holder("sim.PAST", "list", 5, 9),))
    call = LongCall(2, 1, "step", 41.0, 40.0)
    ended = Process(3, 1, code=-9, ended=5.0)
    own = (arm, Instances(3, 1, "arm.Arm", closed=1))
    seen = Training(("python",), 1, 0, 10.0, (Process(1), Process(2, 1), ended), own, (call,))
    first = standing(replace(seen, series=(grown,)), lambda pid: pid, None)
    assert (first.made, first.open, first.resets, first.pace) == (2, 1, 4, 4.0)
    assert [(row.pid, row.now, row.rss) for row in first.rows] == [
        (2, "step() 41 s", 2),
        (3, "ended with -9", 3),
    ]
    assert first.rows[0].grows == "blocks 4.0 for each reset"
    assert first.remarks == (
        "pid 2 has been in step() of Arm for 41 s: nothing ran for 40 s",
        "pid 3 was killed by SIGKILL, after 0 steps",
        "pid 2: sim.PAST gets longer: 9 elements",
    )
    later = replace(arm, step=Calls(61, 60))
    assert standing(replace(seen, instances=(later,), seconds=15.0), int, first).pace == 4.0
