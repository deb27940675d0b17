"""Attribution of growth to operations, with designs of known answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envdoctor.analysis.growth.attribution import Design, PerOperation, attribute
from envdoctor.analysis.growth.reports import summarise
from envdoctor.analysis.growth.sides import Pass
from envdoctor.model.records import PlayedBlock
from envdoctor.rules.engine import examples

#: Creates, resets and steps of the designs that are played.
DESIGNS = ((7, 7, 0), (7, 7, 0), (7, 7, 70), (7, 7, 210), (7, 21, 0), (7, 21, 210), (14, 14, 0))


def designs(
    create: float, reset: float, step: float, noise: tuple[int, ...] = (0,) * 7
) -> list[Design]:
    return [
        Design(
            creates, resets, steps, round(creates * create + resets * reset + steps * step) + off
        )
        for (creates, resets, steps), off in zip(DESIGNS, noise, strict=True)
    ]


whole = st.integers(0, 5000)


@given(whole, whole, whole)
def test_exact_counts_give_exact_rates(create: int, reset: int, step: int) -> None:
    assert attribute(designs(create, reset, step)) == PerOperation(create, reset, step)


def test_noise_of_one_object_is_rounded_away() -> None:
    found = attribute(designs(1, 0, 0, (1, 0, 0, 0, -1, 0, 0)))
    assert found is not None
    assert found.create == pytest.approx(1, abs=0.2)
    assert (found.reset, found.step) == (pytest.approx(0, abs=0.1), pytest.approx(0, abs=0.01))


def test_a_rare_leak_has_an_operation_too() -> None:
    rows = [(creates * 25, resets * 25, steps * 25) for creates, resets, steps in DESIGNS]
    assert attribute([Design(*row, row[0] // 25) for row in rows]) == PerOperation(
        create=pytest.approx(0.04)
    )


@given(phase=st.integers(0, 24))
def test_a_rare_leak_has_only_one_operation(phase: int) -> None:
    made, found = phase, []
    for creates, resets, steps in DESIGNS:
        before, made = made, made + creates * 25
        found.append(Design(creates * 25, resets * 25, steps * 25, made // 26 - before // 26))
    told = attribute(found)
    assert told == PerOperation(create=pytest.approx(1 / 26, abs=0.003))


def test_native_bytes_are_found_behind_the_noise() -> None:
    found = attribute(designs(9, 1627, 0, (32, -32, 16, 0, -16, 32, 0)))
    assert found is not None
    assert (found.reset, found.step) == (pytest.approx(1627, abs=10), pytest.approx(0, abs=1))
    assert found.create < 20


def test_no_operation_shrinks_anything() -> None:
    """CarRacing: 1389 objects a cycle, with tracks of different lengths."""
    found = attribute(designs(1436, -4.5, -1))
    assert found is not None
    assert (found.reset, found.step) == (0, 0)
    assert found.create == pytest.approx(1389, abs=40)


def test_rendering_is_distinguished_only_where_it_varies() -> None:
    rows = [(7, 7, 0, 0), (7, 7, 70, 0), (7, 21, 0, 0), (14, 14, 0, 14), (7, 7, 0, 7)]
    assert attribute([Design(c, r, s, 4 * v, v) for c, r, s, v in rows]) == PerOperation(render=4.0)


#: Folders that stay once an action asked to keep them: none in whole lives without a step.
KEPT = [
    *(Design(7, 7, 0, 0), Design(7, 7, 0, 0), Design(7, 21, 70, 21), Design(7, 84, 210, 84)),
    *(Design(7, 21, 0, 0), Design(7, 84, 210, 84), Design(14, 14, 0, 0)),
]


def test_no_operation_is_named_for_things_that_depend_on_the_actions() -> None:
    blocks = tuple(
        PlayedBlock(
            {"files": 0},
            {"files": each.delta},
            wire={"creates": each.creates, "resets": each.resets, "steps": each.steps},
        )
        for each in KEPT
    )
    assert Pass(0, blocks).per_operation("files") is None
    assert attribute(KEPT) is not None  # as near as many bytes come
    assert attribute(KEPT, misfit=0.0) is None


@pytest.mark.parametrize("deltas", [(0, 0, 3, 3), (0, 0, 2, 3), (0, 0, 3, 2)])
def test_growth_that_resets_alone_do_not_leave_is_of_step(deltas: tuple[int, ...]) -> None:
    blocks = [Design(0, 3, steps, delta) for steps, delta in zip((0, 0, 3, 6), deltas, strict=True)]
    per_operation = attribute(blocks, misfit=0.0)
    assert per_operation is not None
    assert (per_operation.reset, per_operation.create) == (0, 0)
    assert per_operation.step > 0


def test_growth_after_a_minimum_age_is_not_attributed() -> None:
    assert attribute([Design(*row, row[0] if row[2] else 0) for row in DESIGNS]) is None


def test_designs_that_do_not_distinguish_operations_give_nothing() -> None:
    assert attribute([]) is None
    assert attribute([Design(7, 7, 140, 7), Design(14, 14, 280, 14)]) is None


@pytest.mark.parametrize("at", range(7))
def test_single_jump_in_one_design_is_not_attributed(at: int) -> None:
    """48 bytes of a lock in each reset(), and a list of 64 that leaves the interpreter's heap."""
    once = tuple(640 if place == at else 0 for place in range(7))
    found = attribute(designs(0, 48, 0, once), event=256)
    assert found == PerOperation(reset=48)


def test_noise_of_native_memory_stays_noise() -> None:
    found = attribute(designs(0, 48, 0, (0, 16, 0, 0, 48, -48, 0)), event=256)
    assert found is not None
    assert found.create * 7 < 256
    assert found.reset == pytest.approx(48, abs=4)


#: What seven designs rose by in bytes of malloc's, in which a cycle leaves threads, and each step
#: 208 bytes; tables of the interpreter grew in some of them.
BESIDE_THREADS = (
    ((7, 7, 0), 21456),
    ((7, 7, 0), 18816),
    ((7, 7, 70), 33568),
    ((7, 21, 210), 101248),
    ((7, 21, 0), 62976),
    ((7, 21, 210), 102576),
    ((14, 14, 0), 37856),
)


def test_from_below_single_jump_is_not_attributed() -> None:
    measured = [Design(*calls, delta) for calls, delta in BESIDE_THREADS]
    plain, below = attribute(measured), attribute(measured, 256, from_below=True)
    assert plain is not None
    assert below is not None
    assert plain.step < 208 * 0.95
    assert below.step == pytest.approx(208, rel=0.02)
    assert (below.create, below.reset) == (0, pytest.approx(2688, rel=0.01))


@given(whole, whole, whole, st.lists(st.integers(0, 6000), min_size=2, max_size=2))
def test_from_below_no_design_is_exceeded(
    create: int, reset: int, step: int, once: list[int]
) -> None:
    measured = designs(create, reset, step, (once[0], 0, 0, once[1], 0, 0, 0))
    found = attribute(measured, 256, from_below=True)
    if found is not None and found != attribute(measured, 256):  # which is where nothing fits
        for one in measured:
            taken = one.creates * found.create + one.resets * found.reset + one.steps * found.step
            rounded = 0.5 * (one.creates + one.resets + one.steps)
            assert taken <= one.delta + rounded


def test_from_below_where_nothing_fits_least_squares_remain() -> None:
    fallen = designs(2000, 0, 208, (0, 0, -14000, 0, 0, 0, 0))
    assert attribute(fallen, 256, from_below=True) == attribute(fallen, 256)


@pytest.mark.parametrize("meter", ["threads", "processes"])
def test_pass_in_which_threads_or_processes_grow_is_unsteady(meter: str) -> None:
    def block(rise: int, name: str = meter) -> PlayedBlock:
        return PlayedBlock(before={name: 1}, after={name: 1 + rise})

    assert Pass(0, (block(0), block(2))).is_unsteady
    assert not Pass(0, (block(0), block(0))).is_unsteady
    assert not Pass(0, (block(2, "objects"),)).is_unsteady


@pytest.mark.parametrize(("meter", "count"), [("heap", 0), ("objects", 1)])
def test_single_new_objects_lead_to_what_grows_where_objects_grow(meter: str, count: int) -> None:
    """Box2D's fixtureDef keeps native memory: a body that LunarLander makes anew does not."""
    blocks = examples.growing(**{"objects": 0, meter: 1600})
    census = examples.designs(meter, reset=4, types={"sick.Leg": 1}, chain="held from self.legs[0]")
    (report,) = summarise([*blocks, *census], quick=True)
    assert report.suspects is not None
    assert len(report.suspects.holders) == len(report.suspects.types) == count
