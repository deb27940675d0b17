"""Growth in a process of a training: recorded shapes of readings, and their verdicts."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from envdoctor.analysis.shortages import Shortage, sentence
from envdoctor.analysis.training_growth import FLAT, GROWS, OPEN, SHORTEST, growth, growths, held
from envdoctor.model.finding import Location
from envdoctor.model.report import SICK, Report, SubjectReport
from envdoctor.model.training import VECTORIZER, Silent, Site, Standstill, Training, TrainingProcess
from envdoctor.model.training_calls import LongCall
from envdoctor.model.training_events import announced
from envdoctor.model.training_growth import ChildSeries, Filling, Reading, Series, TrainingHolder
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.model.waits import PIPE, READS, Wait
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


def test_steady_growth_has_its_exact_rate() -> None:
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
def test_filling_or_emptied_series_does_not_grow(shape: str) -> None:
    assert growth(read(SHAPES[shape]), "blocks").verdict == FLAT


def paced(number: int, resets: float, steps: float, **fields) -> list[Reading]:
    """Readings a second apart, so many resets and steps: what rises does by 9,000 blocks each."""
    return [
        Reading(1.0 + at, 1, int(at * resets), int(at * steps), 1, blocks=9000 * at, tracked=9 * at)
        for at in range(number)
    ]


#: By what there is too little of: readings, and the unit, what was had and what is needed.
SHORT = {
    "readings": (paced(31, 30, 600), Shortage("reading", 31, 32, 31.0, 1.0, SHORTEST)),
    "readings after a slow start": (
        [replace(one, steps=max(0, one.steps - 17_000)) for one in paced(40, 0, 600)],
        Shortage("settled", 9, 24, 40.0, 1.0, SHORTEST),
    ),
    "seconds": (
        [replace(one, t=one.t / 40) for one in paced(64, 30, 600)],
        Shortage("span", 1, 2, 1.6, 0.025, SHORTEST),
    ),
    "calls in each stretch": (
        [replace(one, steps=min(one.steps, 300)) for one in paced(64, 0, 10)],
        Shortage("stretch", 3, 7, 64.0, 1.0),
    ),
    "resets": (paced(64, 2, 60), Shortage("reset", 84, 200, 64.0, 1.0)),
    "steps": (paced(64, 0, 3), Shortage("step", 126, 200, 64.0, 1.0)),
    "episodes": (paced(64, 0.02, 600), Shortage("episode", 1, 2, 64.0, 1.0)),
    "full runs of the collector": (paced(64, 30, 600), Shortage("run", 0, 3, 64.0, 1.0)),
}


@pytest.mark.parametrize("missing", SHORT)
def test_missing_readings_are_named_with_their_figures(missing: str) -> None:
    readings, expected = SHORT[missing]
    found = growth(readings, "blocks")
    assert (found.verdict, found.shortage) == (OPEN, expected)
    assert found.reason == sentence([expected])
    assert found.may_grow is (missing == "full runs of the collector")


def test_garbage_that_a_look_freed_waits_again() -> None:
    looked = [
        replace(reading, tracked=reading.tracked - (300 if at > 40 else 0))
        for at, reading in enumerate(paced(64, 30, 600))
    ]
    assert growth(looked, "blocks").shortage == Shortage("run", 0, 3, 64.0, 1.0)
    collected = [replace(reading, full=at // 10) for at, reading in enumerate(looked)]
    assert growth(collected, "blocks").verdict == GROWS


@pytest.mark.parametrize(
    ("meter", "unit", "needed"), [("blocks", "block", 1000), ("malloc", "byte", 1 << 18)]
)
def test_a_rise_that_is_too_little_is_named(meter: str, unit: str, needed: int) -> None:
    found = growth(read([3 * at for at in range(64)], meter), meter)
    assert found.shortage == Shortage(unit, 126, needed, 63.0)


@pytest.mark.parametrize(
    ("shortages", "text"),
    [
        (
            [Shortage("reading", 7, 32, 10.0)],
            "7 readings in 10 s, at least 32 are needed; about 46 s would give them",
        ),
        (
            [Shortage("reading", 20, 32, 1.5, 0.5, 3.0)],
            "20 readings in 1.5 s, at least 32 are needed; about 4.0 s would give them",
        ),
        (
            [Shortage("reading", 1, 32, 0.7, 0.7)],
            "1 reading in 0.7 s, at least 32 are needed",
        ),
        (
            [Shortage("reading", 0, 32, 5.2)],
            "0 readings in 5.2 s, at least 32 are needed",
        ),
        (
            [Shortage("settled", 12, 24, 40.0, 20.0)],
            "12 readings after the warm-up in 40 s, at least 24 are needed; about 60 s would give them",
        ),
        (
            [Shortage("stretch", 1, 7, 64.0)],
            "1 stretch with calls in 64 s, at least 7 are needed",
        ),
        (
            [Shortage("reset", 90, 200, 5.2, 0.2)],
            "90 resets followed in 5.2 s, at least 200 are needed; about 12 s would give them",
        ),
        (
            [Shortage("reset", 90, 200, 10.0), Shortage("reset", 20, 200, 10.0)],
            "20 to 90 resets followed in 10 s, at least 200 are needed; about 100 s would give them",
        ),
        (
            [Shortage("span", 1, 2, 1.7, 0.4)],
            "1 second of readings in 1.7 s, at least 2 are needed; about 3.0 s would give them",
        ),
        (
            [Shortage("second", 10, 20, 16.0)],
            "10 seconds followed in 16 s, at least 20 are needed; about 32 s would give them",
        ),
        (
            [Shortage("instance", 1, 20, 3.0)],
            "1 new instance followed in 3.0 s, at least 20 are needed; about 60 s would give them",
        ),
        (
            [Shortage("episode", 1, 2, 62.0)],
            (
                "1 reset followed in 62 s, at least 2 are needed (or 100,000 steps) to tell growth from"
                " what an episode keeps; about 2 min 4 s would give them"
            ),
        ),
        (
            [Shortage("run", 1, 3, 10.0)],
            (
                "1 full run of the collector in 10 s, at least 3 are needed to tell growth from garbage"
                " that waits for it"
            ),
        ),
        (
            [Shortage("byte", 100 << 10, 1 << 18, 5.2)],
            (
                "100.0 KiB more in 5.2 s, at least 256.0 KiB are needed to tell growth from a buffer"
                " that fills"
            ),
        ),
        (
            [Shortage("block", 126, 1000, 63.0)],
            (
                "126 blocks more in 63 s, at least 1,000 are needed to tell growth from a buffer that"
                " fills"
            ),
        ),
        (
            [Shortage("look", 1, 2, 7.0)],
            "1 look at the containers in 7.0 s, at least 2 are needed where memory grows",
        ),
    ],
)
def test_a_shortage_is_said_with_its_unit(shortages: list[Shortage], text: str) -> None:
    assert sentence(shortages) == text


def test_memory_kept_for_one_episode_is_not_growth() -> None:
    """A history that reset() empties: it grows with the steps until then."""
    never = [replace(one, tracked=0) for one in paced(64, 0, 600)]
    assert growth(never, "blocks").shortage == Shortage("episode", 0, 2, 64.0, 1.0)
    emptied = [replace(one, resets=at // 2, blocks=9000 * (at % 2)) for at, one in enumerate(never)]
    assert growth(emptied, "blocks").verdict == FLAT
    twice = [replace(one, resets=at // 20) for at, one in enumerate(never)]
    assert growth(twice, "blocks").verdict == GROWS
    hides = [replace(one, blocks=at * 300 + 9000 * (at % 20)) for at, one in enumerate(twice)]
    assert growth(hides, "blocks").shortage == Shortage("episode", 2, 24, 64.0, 1.0)
    long = [replace(one, steps=one.steps * 4) for one in never]
    assert growth(long, "blocks").verdict == GROWS
    opened = [replace(one, blocks=None, descriptors=at) for at, one in enumerate(never)]
    assert growth(opened, "descriptors").verdict == GROWS


@pytest.mark.parametrize(
    ("meter", "each", "verdict"),
    [
        ("malloc", 1000, OPEN),
        ("malloc", 0, OPEN),
        ("descriptors", 1, OPEN),
        ("descriptors", 0, FLAT),
    ],
)
def test_growth_with_few_resets_does_not_pass(meter: str, each: int, verdict: str) -> None:
    """Six resets, and stretches without one: what each keeps is not seen in every stretch."""
    readings = [
        Reading(float(at), 1, at // 10, 60 * at, 1, **{meter: 9000 + each * (at // 10)})
        for at in range(64)
    ]
    found = growth(readings, meter)
    assert found.verdict == verdict
    assert (found.shortage == Shortage("episode", 4, 24, 63.0)) is (verdict == OPEN)


def test_the_first_quarter_of_the_calls_is_warm_up_however_often_it_was_read() -> None:
    """A container that fills in the first quarter of a training, from which half of the readings
    are.
    """
    at = [*(first / 2 for first in range(64)), *range(32, 128)]
    readings = [
        Reading(t, 1, int(30 * t), int(600 * t), 1, blocks=int(900 * min(t, 30.0))) for t in at
    ]
    assert growth(readings, "blocks").verdict == FLAT
    shares = [(at, growth(readings[:at], "blocks").verdict) for at in range(1, len(readings))]
    assert {verdict for at, verdict in shares if at > 80} == {FLAT}


def test_a_container_that_is_full_in_the_end_is_not_reported() -> None:
    longer = (TrainingHolder("main() memory", "list", 400, 800, 40, 400, "object"),)
    grows = Series(2, tuple(read(noisy(120, 0))), longer)
    full = replace(grows, readings=tuple(read([min(at, 30) * 900 for at in range(64)])))
    assert held(grows) == longer
    assert held(full) == ()
    assert held(replace(grows, readings=())) == longer


def test_memory_that_the_collector_may_free_is_not_growth() -> None:
    waiting = [
        Reading(one.t, 1, one.resets, one.steps, 1, one.blocks, tracked=at * 9)
        for at, one in enumerate(read(noisy(120, 0)))
    ]
    assert growth(waiting, "blocks").shortage == Shortage("run", 0, 3, 63.0)
    collected = [
        Reading(one.t, 1, one.resets, one.steps, 1, one.blocks, tracked=at * 9, full=at // 8)
        for at, one in enumerate(read(noisy(120, 0)))
    ]
    assert growth(collected, "blocks").verdict == GROWS


def test_the_calls_that_growth_follows_are_reported() -> None:
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


def test_last_arena_of_a_heap_is_not_a_buffer() -> None:
    arenas = [Touched(float(at), {"a": (66 << 20, (65 << 20) + at)}) for at in range(2)]
    assert arenas[1].filling_since(arenas[0]) is None


def test_a_container_is_read_from_the_journal() -> None:
    event = {"pid": 4, "t": 1.0, "what": "holder", "chain": "sim.PAST", "type": "list"}
    told = announced({**event, "grew": 5, "length": 9, "most": None, "side": "nonsense"})
    assert told.holder == TrainingHolder("sim.PAST", "list", 5, 9)
    assert announced({"pid": 4, "t": 1.0, "what": "looked"}).holder is None


RAISED = Raised("RuntimeError", "no renderer", Location("/a.py", 3, "f"))


def test_a_training_obeys_the_schema_of_the_document() -> None:
    held = TrainingHolder("sim.PAST", "list", 5, 9, 2, 20, "dict", 100, "trainer", "sim")
    training = Training(
        ("python", "train.py"),
        1,
        -11,
        2.5,
        (
            TrainingProcess(1, 0, "python train.py", code=-11, ended=2.5),
            TrainingProcess(2, 1, raised=RAISED),
        ),
        (Instances(2, 1, "arm.Arm", Location("/a.py", 3, "f"), "sync"),),
        (LongCall(2, 1, "step", 6.0, 5.5),),
        (TrainingProcess(9, command="sleep"),),
        (Silent(8, "python -I", "-I"),),
        ("gym: KeyError",),
        (Series(1, tuple(read(noisy(120, 0))), (held,), Filling(9, 3, 1.0), 2, 0.5),),
        children=(ChildSeries(7, 2, "simulator", tuple(read(noisy(120, 0), "written"))),),
        standstill=Standstill(9.0, (Wait(1, "python", "read", PIPE, READS, (2,), True),)),
        sites=(Site(1, VECTORIZER, "vector.AsyncVectorEnv", Location("/a.py", 3, "f"), made=2),),
    )
    assert Training.from_dict(json.loads(json.dumps(training.as_dict()))) == training
    subject = SubjectReport("train.py", training=training)
    document = json.loads(render(Report((subject,), (), (), (), (), SICK)))
    knows = json.loads(schema())
    Draft202012Validator(knows).validate(document)
    shown = document["subjects"][0]["training"]
    assert set(shown) == set(knows["$defs"]["training"]["properties"])
    assert shown["growth"][0]["meters"][0]["verdict"] == GROWS


def test_standing_counts_instances_and_remarks_on_long_calls() -> None:
    arm = Instances(2, 1, "arm.Arm", None, "sync", step=Calls(41, 40), reset=Calls(4, 4))
    grown = Series(2, tuple(read(noisy(120, 0))), (TrainingHolder("sim.PAST", "list", 5, 9),))
    call = LongCall(2, 1, "step", 41.0, 40.0)
    ended = TrainingProcess(3, 1, code=-9, ended=5.0)
    own = (arm, Instances(3, 1, "arm.Arm", closed=1))
    seen = Training(
        ("python",), 1, 0, 10.0, (TrainingProcess(1), TrainingProcess(2, 1), ended), own, (call,)
    )
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
