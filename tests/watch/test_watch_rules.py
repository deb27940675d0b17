"""Judgements of the rules on trainings, and cases that they leave unjudged: values only."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.analysis.training_growth import GROWS, VECTORIZER, TrainingGrowth
from envdoctor.model.finding import ENVIRONMENT, ERROR, NOTE, UNKNOWN, WARNING, Location
from envdoctor.model.training import Site, Still, Training, TrainingProcess
from envdoctor.model.training_calls import LongCall
from envdoctor.model.training_ends import Termination
from envdoctor.model.training_growth import LOOKS, TRAINER_SIDE, Reading, Series, TrainingHolder
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.reporters._training import training
from envdoctor.rules.engine.registry import all_rules
from envdoctor.rules.evidence.training import ATTACHED, watched_view
from envdoctor.rules.evidence.training_deaths import deaths, endings
from envdoctor.rules.evidence.training_growth import Grown, GrowthPlace
from envdoctor.rules.evidence.training_sites import SiteLine
from envdoctor.rules.training.trn010_resources_grow import _cause
from envdoctor.watch.standing import standing

ARM = Instances(2, 1, "arm.Arm", step=Calls(41, 40))


def unjudged(code: str, training: Training) -> str:
    """Return the reason that a rule does not judge a training, or ""."""
    return all_rules()[code].unjudged(watched_view(training))


def test_a_worker_that_becomes_another_python_is_one_worker_and_not_dead() -> None:
    processes = (TrainingProcess(1), TrainingProcess(2, 1, ended=1.0), TrainingProcess(2, 1))
    seen = Training(("python",), 1, 0, 9.0, processes, (ARM,))
    assert list(deaths(seen)) == []
    shown = standing(seen, int, None)
    assert (shown.workers, shown.running, shown.remarks) == (1, 1, ())


@pytest.mark.parametrize(("still", "reason"), [((1, 2), ""), ((2,), ATTACHED), ((), ATTACHED)])
def test_hangs_are_judged_from_outside_only_where_nothing_ran(
    still: tuple[int, ...], reason: str
) -> None:
    processes = (TrainingProcess(1), TrainingProcess(2, 1), TrainingProcess(3, 1, ended=1.0))
    kept = tuple(Still(pid, 58.0) for pid in still)
    seen = Training((), 1, processes=processes, attached=True, still=kept)
    assert unjudged("TRN005", seen) == reason


def test_left_behind_processes_are_judged_only_after_the_end() -> None:
    assert unjudged("TRN006", Training((), instances=(ARM,))) == ""
    assert unjudged("TRN006", Training(())).startswith("no environment was made")
    assert "not over" in unjudged("TRN006", Training((), instances=(ARM,), over=False))
    assert unjudged("TRN006", Training((), over=False, attached=True)) == ATTACHED


@pytest.mark.parametrize(("usual", "severity"), [(0.0, ERROR), (25.0, NOTE)])
def test_call_that_stands_still_is_a_finding(usual: float, severity: str) -> None:
    call = LongCall(2, 1, "step", 41.0, 40.0, usual=usual)
    seen = Training((), 1, instances=(ARM,), long_calls=(call,))
    (found,) = all_rules()["TRN005"].judge(watched_view(seen))
    assert found.severity == severity
    assert found.message.endswith("nothing in its process ran for 40 s")


@pytest.mark.parametrize(("code", "ended", "number"), [(-2, 8.0, 0), (-2, 2.0, 1), (1, 8.0, 1)])
def test_worker_of_an_interrupted_training_did_not_die(
    code: int, ended: float, number: int
) -> None:
    processes = (TrainingProcess(1, code=code, ended=9.0), TrainingProcess(2, 1, ended=ended))
    stopped = replace(ARM, raised=1, step=Calls(41, 41))
    assert len(list(deaths(Training((), 1, code, 9.0, processes, (stopped,))))) == number


@pytest.mark.parametrize(("woken", "number"), [(True, 0), (False, 1)])
def test_worker_that_ctrl_c_woke_did_not_die_long_before_its_trainer(
    woken: bool, number: int
) -> None:
    worker = TrainingProcess(2, 1, code=1, ended=4.0, woken=woken)
    processes = (TrainingProcess(1, code=-2, ended=9.0), worker)
    stopped = replace(ARM, raised=1, step=Calls(41, 41))
    assert len(list(deaths(Training((), 1, -2, 9.0, processes, (stopped,))))) == number


CALLED = Calls(640, 640)
WORKERS = Instances(2, 1, "arm.Arm", None, "gymnasium-async", reset=CALLED, step=CALLED)
HISTORY = TrainingHolder("main() env.history", "list", 400, 800, 400, 4000, "object")
RECORD = replace(HISTORY, element="float")  # a number of each episode
ERRORS = replace(RECORD, grew=4000, side=TRAINER_SIDE)  # a number of each step, for a curve
TRAINS = replace(WORKERS, pid=1)


def growing(
    pid: int = 2,
    number: int = 64,
    held: tuple[TrainingHolder, ...] = (),
    attached: bool = False,
    looks: int = 0,
    steps: int = 100,
    own: tuple[Instances, ...] = (WORKERS,),
    **rates: int,
) -> Training:
    """A training with one process that was read ten resets and some steps apart: meters by what
    they rise for each reset.
    """
    readings = tuple(
        Reading(
            float(at),
            1,
            0 if attached else 10 * at,
            0 if attached else steps * at,
            1,
            **{meter: 100_000 + 10 * at * rate for meter, rate in rates.items()},
        )
        for at in range(number)
    )
    series = Series(pid, readings, held, looks=looks)
    processes = (TrainingProcess(1), TrainingProcess(2, 1))
    born = () if attached else own
    return Training((), 1, 0, 9.0, processes, born, series=(series,), attached=attached)


@pytest.mark.parametrize(
    ("code", "seen", "severity", "blame"),
    [
        ("TRN008", growing(blocks=8), WARNING, ENVIRONMENT),
        ("TRN008", growing(1, blocks=8), NOTE, UNKNOWN),
        ("TRN008", growing(malloc=1600, steps=10_000), NOTE, ENVIRONMENT),
        ("TRN009", growing(held=(HISTORY,)), WARNING, ENVIRONMENT),
        ("TRN009", growing(1, held=(replace(HISTORY, side=TRAINER_SIDE),)), NOTE, UNKNOWN),
        ("TRN009", growing(held=(replace(HISTORY, bound=5000),)), NOTE, ENVIRONMENT),
        ("TRN009", growing(held=(replace(HISTORY, grew=16, steps=4_000_000),)), NOTE, ENVIRONMENT),
        ("TRN009", growing(held=(RECORD,)), NOTE, ENVIRONMENT),
        ("TRN009", growing(held=(replace(RECORD, grew=401),)), WARNING, ENVIRONMENT),
        ("TRN009", growing(1, held=(ERRORS,), own=(TRAINS,)), NOTE, UNKNOWN),
        ("TRN009", growing(1, held=(replace(ERRORS, grew=4001),), own=(TRAINS,)), WARNING, UNKNOWN),
        ("TRN009", growing(held=(ERRORS,)), WARNING, ENVIRONMENT),  # of a worker's environment
        ("TRN010", growing(descriptors=1), WARNING, ENVIRONMENT),
        ("TRN010", growing(1, descriptors=1), NOTE, UNKNOWN),
    ],
)
def test_severity_and_blame_of_growth_follow_its_size_and_holder(
    code: str, seen: Training, severity: str, blame: str
) -> None:
    (found,) = all_rules()[code].judge(watched_view(seen))
    assert (found.severity, found.blame) == (severity, blame)


@pytest.mark.parametrize(
    ("bound", "remedy"),
    [
        (None, "give main() env.history a bound, or take out what is not needed any more."),
        (
            100_000,
            (
                "see that 100,000 elements fit into memory: main() env.history still fills. Lower its"
                " limit, or keep less in each element, where they do not."
            ),
        ),
    ],
)
def test_a_container_with_a_bound_is_not_given_one(bound: int | None, remedy: str) -> None:
    held = replace(HISTORY, bound=bound)
    (found,) = all_rules()["TRN009"].judge(watched_view(growing(held=(held,))))
    assert found.remedy.text == remedy


@pytest.mark.parametrize(
    ("bound", "remedy"),
    [
        (None, "nothing, or give main() env.history a bound: a million of its numbers take some"),
        (30_000, "nothing: 30,000 numbers take some 1.1 MiB."),
    ],
)
def test_numbers_with_a_bound_ask_for_nothing(bound: int | None, remedy: str) -> None:
    seen = growing(held=(replace(RECORD, bound=bound),))
    (found,) = all_rules()["TRN009"].judge(watched_view(seen))
    assert found.severity == NOTE
    assert found.remedy.text.startswith(remedy)


@pytest.mark.parametrize(
    ("held", "malloc", "explained"),
    [
        ((replace(HISTORY, element="float"),), 16_000, ()),  # numbers do not take so much
        ((replace(HISTORY, element="float"),), 1600, ("TRN009",)),
        ((HISTORY,), 16_000, ("TRN009",)),  # an object may hold anything
        ((), 1600, ()),
    ],
)
def test_a_container_explains_what_it_can_hold(
    held: tuple[TrainingHolder, ...], malloc: int, explained: tuple[str, ...]
) -> None:
    (found,) = all_rules()["TRN008"].judge(
        watched_view(growing(held=held, malloc=malloc, steps=1000))
    )
    assert found.explained_by == explained


def test_growth_that_was_not_followed_is_not_judged() -> None:
    short = growing(number=31, blocks=8, descriptors=1)
    few = "31 readings in 30 s, at least 32 are needed; about 31 s would give them"
    assert {unjudged(code, short) for code in ("TRN008", "TRN009", "TRN010")} == {few}
    none = "0 readings in 9.0 s, at least 32 are needed"
    assert unjudged("TRN008", replace(short, series=())) == none
    assert unjudged("TRN009", growing(blocks=8)).startswith("0 looks at the containers in 63 s")
    assert unjudged("TRN009", growing(blocks=8, looks=LOOKS)) == ""
    cut = growing(blocks=8, looks=LOOKS)
    cut = replace(cut, series=(replace(cut.series[0], unfound=2),))
    assert unjudged("TRN009", cut).startswith("2 containers got longer, and the time did not")


def test_shortage_in_several_processes_is_reported_for_the_worst() -> None:
    seen = growing(number=31, blocks=8)
    worst = replace(growing(3, number=8, blocks=8).series[0], pid=3)
    seen = replace(seen, series=(*seen.series, worst))
    reason = "8 readings in 7.0 s, at least 32 are needed; about 28 s would give them"
    assert unjudged("TRN008", seen) == unjudged("TRN009", seen) == reason
    text = " ".join(str(one) for one in training(seen))
    assert "Growth in 2 processes is not known: 8 to 31 readings in 7.0 s" in text


def test_trainer_that_is_seen_from_outside_is_judged_by_its_resources() -> None:
    seen = growing(blocks=8, looks=LOOKS)
    outside = replace(growing(1, descriptors=1).series[0], pid=1)
    seen = replace(seen, series=(*seen.series, outside))
    assert unjudged("TRN008", seen) == unjudged("TRN009", seen) == ""
    (found,) = all_rules()["TRN010"].judge(watched_view(seen))
    assert found.severity == NOTE
    assert "no environment is called in it" in found.remedy.text
    alone = replace(seen, series=(outside,))
    assert unjudged("TRN008", alone) == "0 readings in 9.0 s, at least 32 are needed"


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        (Calls(1, 1), ""),  # it looked once, and its pool plays
        (Calls(7000, 7000), "the meters do not work in this interpreter"),
    ],
)
def test_trainer_that_played_once_is_judged_by_its_resources(calls: Calls, reason: str) -> None:
    seen = growing(blocks=8, looks=LOOKS)
    beside = replace(growing(1, descriptors=1).series[0], pid=1)
    own = replace(WORKERS, pid=1, by="", reset=calls, step=calls)
    seen = replace(seen, instances=(*seen.instances, own), series=(*seen.series, beside))
    assert unjudged("TRN009", seen) == reason


@pytest.mark.parametrize(
    ("began", "anew"), [((0.0, 2.0, 4.0, 6.0, 8.0), True), ((0.0,) * 5, False)]
)
def test_resources_end_with_processes_that_are_started_anew(
    began: tuple[float, ...], anew: bool
) -> None:
    trainer = replace(growing(1, descriptors=0).series[0], pid=1)
    short = growing(number=2, descriptors=0).series[0]
    pids = range(2, 2 + len(began))
    seen = Training(
        (),
        1,
        seconds=9.0,
        processes=(
            TrainingProcess(1),
            *(
                TrainingProcess(pid, 1, began=at, ended=at + 1.0)
                for pid, at in zip(pids, began, strict=True)
            ),
        ),
        instances=tuple(replace(WORKERS, pid=pid) for pid in pids),
        series=(trainer, replace(short, pid=pids[-1])),
    )
    assert unjudged("TRN010", seen).startswith("" if anew else "2 readings in 1.0 s")
    assert bool(unjudged("TRN010", seen)) is not anew
    assert unjudged("TRN010", replace(seen, series=seen.series[1:])).startswith("2 readings")


def test_a_container_that_is_full_in_the_end_is_not_judged() -> None:
    full = growing(held=(HISTORY,), blocks=0, looks=LOOKS)
    assert list(all_rules()["TRN009"].judge(watched_view(full))) == []
    reason = (
        "main() env.history got longer, to 800 elements, and may be full: memory no longer grows"
    )
    assert unjudged("TRN009", full) == reason
    assert standing(replace(full, command=("python",)), int, None).remarks == ()


@pytest.mark.parametrize(
    ("closed", "alive", "remedy"),
    [
        (60, 60, "let go of each AsyncVectorEnv once it is closed"),
        (4, 60, "call close() of each AsyncVectorEnv when it is not needed any more"),
        (60, 1, "call close() of each AsyncVectorEnv when it is not needed any more"),
    ],
    ids=["kept closed", "not closed", "gone"],
)
def test_vectorizers_behind_growing_descriptors_are_named(
    closed: int, alive: int, remedy: str
) -> None:
    made = Location("/train.py", 9, "collect")
    site = Site(
        1,
        "vectorizer",
        "a.AsyncVectorEnv",
        made,
        made=60,
        gone=60 - alive,
        closed=closed,
        alive=alive,
    )
    where = GrowthPlace(
        growing(1, descriptors=6).series[0], (), True, vectorizers=(SiteLine((site,)),)
    )
    pipes = (("pipes", 360),)
    grown = TrainingGrowth("descriptors", GROWS, VECTORIZER, rise=360, parts=pipes)
    cause = _cause(growing(1), Grown(where, grown))
    assert cause.remedy.startswith(remedy)
    assert cause.location == made
    assert cause.words.startswith(": 360 more pipes; of 60 AsyncVectorEnv made at train.py:9")


@pytest.mark.parametrize(("kind", "number"), [("RuntimeError", 1), ("KeyboardInterrupt", 0)])
def test_thread_is_not_ended_by_a_call_that_ctrl_c_ended(kind: str, number: int) -> None:
    error, lost = Raised(kind, method="step"), Raised("RuntimeError", "lost")
    arm = Instances(1, 1, "arm.Arm", raised=1, error=error, reset=Calls(1, 1), step=Calls(9, 8))
    process = TrainingProcess(1, code=0, ended=9.0, thread_raised=lost)
    watched = Training((), 1, 0, 9.0, (process,), (arm,))
    assert [ending.is_thread for ending in endings(watched)] == [True] * number


@pytest.mark.parametrize(("pool", "cure"), [(True, "Finalize"), (False, "process.join(")])
def test_pool_is_finished_and_process_waited_for(pool: bool, cure: str) -> None:
    request = Termination(15, 1, Location("/train.py", 19, "main"), pool)
    worker = TrainingProcess(2, 1, code=-15, ended=8.0, asked=request)
    processes = (TrainingProcess(1, code=0, ended=9.0), worker)
    arm = Instances(2, 1, "arm.Arm", Location("/train.py", 7), reset=CALLED, step=CALLED)
    (found,) = all_rules()["TRN001"].judge(watched_view(Training((), 1, 0, 9.0, processes, (arm,))))
    assert cure in found.remedy.text
    assert (found.remedy.aim is None) == pool
