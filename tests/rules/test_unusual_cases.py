"""Cases of single rules that their examples do not have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.analysis.growth.sides import LIFECYCLE, Holder
from envdoctor.model.events import Event
from envdoctor.model.facts.survey import WrapperClass
from envdoctor.model.finding import Location
from envdoctor.model.records import VerbRecord
from envdoctor.model.training import OWN_VECTORIZER, Site, Training
from envdoctor.model.training_instances import Instances
from envdoctor.rules.close import cls011_close_leaves_shared_memory as cls011
from envdoctor.rules.close.cls005_close_slow import close_slow
from envdoctor.rules.close.cls017_error_at_exit import cure
from envdoctor.rules.construction.mak001_constructor_fails import constructor_fails
from envdoctor.rules.construction.mak004_one_instance_per_process import one_instance_per_process
from envdoctor.rules.contract.api001_forwarded import forwarded
from envdoctor.rules.contract.api012_collects_garbage_by_hand import share
from envdoctor.rules.contract.api013_call_refused import call_refused
from envdoctor.rules.contract.api014_fails_when_repeated import fails_when_repeated
from envdoctor.rules.coroutines.asy001_coroutine_never_awaited import coroutine_never_awaited
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import (
    direct_view,
    fact,
    growing,
    instance,
    played_block,
    raised,
    sensor_life,
    trace,
    vector_view,
    verb,
)
from envdoctor.rules.engine.examples import direct_view as view_of
from envdoctor.rules.engine.registry import Rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.caught_errors import caught_each_time
from envdoctor.rules.evidence.exit_errors import FINALIZER, Complaint
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.leak import lek011_grows_until_collected as lek011
from envdoctor.rules.leak.lek003_native_memory_grows import _is_freed_at_close
from envdoctor.rules.leak.lek005_descriptors_grow import _of_segments
from envdoctor.rules.leak.lek011_grows_until_collected import grows_until_collected
from envdoctor.rules.processes import prc002_zombies_after_manager_close as prc002
from envdoctor.rules.training.trn001_instance_not_closed import instance_not_closed
from envdoctor.rules.workers.vec001_worker_does_not_start import worker_does_not_start


def test_coroutine_of_a_nested_class_is_named_by_its_last_part() -> None:
    place = {"file": "env.py", "line": 9, "function": "close"}
    unawaited = {"name": "Lab.Arm.close", "place": place, "by_its_api": True}
    view = direct_view(trace(fact("unawaited", unawaited), verb("close")))
    (finding,) = coroutine_never_awaited.judge(view)
    assert finding.remedy.text.startswith("make close() an ordinary method")


def test_line_of_a_wrapper_is_not_named_where_the_layer_is_not_proved() -> None:
    waiting = lek011._waiting("objects", objects=60, heap=2_000_000)
    line = Location("maze.py", 5)
    for is_ambiguous, place in ((False, line), (True, None)):
        view = lek011._with_origin(waiting, ambiguous=is_ambiguous)
        around = (WrapperClass("Record", line),)
        view = replace(view, survey=replace(view.survey, wrappers=around))
        (finding,) = lek011.grows_until_collected.judge(view)
        assert finding.location == (place or view.locate("step"))


def test_import_that_names_nothing_is_an_installation_to_repair() -> None:
    error = raised("builtins.ImportError", "initialization failed")
    (finding,) = constructor_fails.judge(direct_view(trace(verb("make", "raised", error=error))))
    assert finding.remedy.text.startswith("install what the environment needs")


def test_child_that_a_manager_gave_up_is_not_the_environments() -> None:
    events = prc002._ended(prc002._UNWAITED)
    assert prc002._unwaited(direct_view(events)) == {"9": "simulator"}
    assert prc002._unwaited(vector_view(events)) == {}


def test_line_that_takes_a_segment_is_not_blamed_for_a_semaphore() -> None:
    frame = {"file": "arm.py", "line": 7, "function": "Arm.__init__"}
    line = {"event": "acquisition", "t": 0.0, "pid": 1, "what": "segment", "verb": "make"}
    taking = trace({**line, "target": "/dev/shm/x", "frame": frame}, name="acquisitions")
    for left, is_known in ((cls011.FRAME, True), (cls011.QUEUE, False)):
        life = sensor_life("shared-memory", before={}, made=left, held=left, collected=left)
        (finding,) = cls011.close_leaves_shared_memory.judge(direct_view(life, taking))
        assert (finding.remedy.aim is not None) == is_known
        assert ("arm.py:7" in finding.remedy.text) == is_known
        assert bool(finding.evidence["taken_at"]) == is_known


def refusal(call: str, error: str) -> Event:
    values = {"call": call, "instead": "seed()", "error": error, "method": "seed"}
    return fact("refusal", values)


def test_method_that_refuses_two_seeds_is_reported_once() -> None:
    events = [refusal("seed(0)", "TypeError: x"), refusal("seed(1)", "TypeError: x")]
    other = [refusal("seed(2)", "TypeError: x"), refusal("seed(3)", "ValueError: y")]
    view = direct_view(trace(*events, verb("reset")), trace(*other, name="life-again"))
    messages = [finding.message for finding in call_refused.judge(view)]
    assert [message.partition(" ")[0] for message in messages] == ["seed(0)", "seed(3)"]


def test_space_that_is_made_anew_names_its_class_and_not_its_module() -> None:
    remade = {"space": "action_space", "class": "lab.arms.Arm"}
    run = trace(verb("make"), fact("remade-space", remade), name="close-twice")
    (finding,) = forwarded.judge(direct_view(trace(verb("make"), verb("reset", at=1)), run))
    assert "each access to action_space of Arm makes a new space" in finding.message
    assert "Arm.__init__()" in finding.remedy.text


@pytest.mark.parametrize(
    ("releases", "heap", "frees"),
    [
        (["self.renderer.clear()"], 0, True),
        (["self.renderer.clear()"], 1632, False),  # something is left of whole lives
        ([], 0, False),
    ],
)
def test_close_frees_where_it_makes_a_call_and_whole_lives_leave_nothing(
    releases: list[str], heap: int, frees: bool
) -> None:
    view = view_of(*growing(objects=0, heap=heap), releases=releases)
    assert _is_freed_at_close(view) is frees


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("close-raised", "close() raises OSError in workers, so the rest was not seen"),
        ("closed", ""),
    ],
)
def test_duration_of_a_raising_close_is_not_judged(end: str, reason: str) -> None:
    error = {"error": raised("builtins.OSError", "gone")} if end == "close-raised" else {}
    events = (
        instance("closing", pid=7, parent=False, t=1.0),
        instance(end, pid=7, parent=False, t=1.1, **error),
    )
    view = vector_view(trace(*events, verb("close", seconds=0.2)))
    assert (list(close_slow.judge(view)), close_slow.unjudged(view)) == ([], reason)


@pytest.mark.parametrize(
    ("name", "kind", "is_half_made"),
    [
        ("Sick.__del__", "Sick", True),
        ("Base.__del__", "Sick", True),
        ("Viewer.__del__", "Viewer", True),
        ("Sick.__init__.<locals>.Viewer.__del__", "Viewer", True),
        ("Viewer.__del__", "NoneType", False),
        ("Viewer.__del__", "Display", False),
        ("", "NoneType", False),
    ],
)
def test_only_what_is_finalized_lacks_an_attribute_of_its_own(
    name: str, kind: str, is_half_made: bool
) -> None:
    error = f"AttributeError: '{kind}' object has no attribute 'contexts'"
    text, aim = cure(direct_view(), Complaint(FINALIZER, name, error, ()))
    assert (aim is not None) is is_half_made
    assert (f"give {kind} the attribute" in text) is is_half_made


IN_USE = raised("builtins.RuntimeError", "port 25005 is in use", "/home/me/unity.py", 22)
ELSEWHERE = raised("builtins.RuntimeError", "port 25005 is in use", "/home/me/unity.py", 30)
LIFE = trace(verb("make"), verb("reset", at=1), verb("close", at=3), verb("make", at=5))
TWO = trace(verb("make"), verb("make", "raised", at=1, error=IN_USE), name="two-at-once")


@pytest.mark.parametrize(
    ("start_method", "error", "parent", "is_shown"),
    [
        ("spawn", IN_USE, False, False),
        ("forkserver", IN_USE, False, False),
        ("fork", IN_USE, False, True),  # it has the modules of its parent
        ("spawn", ELSEWHERE, False, True),
        ("spawn", IN_USE, True, True),  # an instance beside the workers'
    ],
)
def test_no_manager_is_shown_whose_workers_fail_at_the_same_line(
    start_method: str, error: Any, parent: bool, is_shown: bool
) -> None:
    failed = instance("make-raised", pid=7, parent=parent, error=error)
    launch = trace(failed, manager="gymnasium-async", start_method=start_method)
    view = replace(direct_view(LIFE, TWO), other_places=(launch,))
    (finding,) = one_instance_per_process.judge(view)
    assert bool(finding.remedy.commands) is is_shown
    assert ("gymnasium-async, " in finding.remedy.text) is not is_shown


@pytest.mark.parametrize(("error", "explained"), [(IN_USE, True), (ELSEWHERE, False)])
def test_workers_that_fail_as_a_second_instance_does_are_explained_by_it(
    error: Any, explained: bool
) -> None:
    alone = trace(
        *(verb("make"), verb("reset", at=1), verb("close", at=3)),
        verb("make", "raised", at=5, error=IN_USE),
    )
    launch = trace(
        instance("make-raised", pid=7, parent=False, error=error),
        verb("make", "raised", error=error),
        manager="gymnasium-async",
        start_method="fork",
    )
    view = vector_view(launch, start_method="fork")
    (finding,) = worker_does_not_start.judge(replace(view, other_places=(alone,)))
    assert ("MAK004" in finding.explained_alone) is explained


MADE = Location("/parallel.py", 10, "worker")
EVALUATION = Site(
    *(1, OWN_VECTORIZER, "parallel.EnvList", Location("/train.py", 36, "run_eval")),
    made=2,
    workers=2,
    pids=(2, 3),
)
TRAINING = replace(
    EVALUATION, location=Location("/train.py", 45, "train"), made=1, workers=1, pids=(4,)
)
CLOSED = replace(TRAINING, closed=1)


def _remedy(*sites: Site) -> str:
    """The cure of two workers with instances that were freed without a close()."""
    left = [Instances(pid, 1, "arm.Arm", MADE, gone=1, lost=1) for pid in (2, 3)]
    training = Training((), 1, 0, 9.0, instances=(*left,), sites=sites)
    (finding,) = instance_not_closed.judge(watched_view(training))
    return finding.remedy.text


def test_line_that_makes_the_vectorizers_is_named() -> None:
    assert "EnvList made at train.py:36 in run_eval()" in _remedy(EVALUATION, CLOSED)
    assert "EnvList made at train.py:36 in run_eval()" in _remedy(TRAINING, EVALUATION)


@pytest.mark.parametrize(
    "sites",
    [(), (replace(EVALUATION, closed=1), CLOSED), (replace(EVALUATION, pids=(3, 4)),)],
    ids=["none", "one is closed", "other workers"],
)
def test_no_line_is_named_where_it_is_not_certain(sites: tuple[Site, ...]) -> None:
    assert _remedy(*sites).startswith("call close() of each Arm")


CYCLES = (7, 7, 7, 14, 28, 56, 112)
SEGMENTS = (1, 2, 1, 3, 5, 12, 22)  # every fifth instance has one
VIEWER = Holder("arm.VIEWER", "list", "SharedMemory", handle="segments")
#: As fitted from the blocks of 28 and 56 cycles; the pace of segments from those of 28 to 112.
LEAK = Leak("descriptors", LIFECYCLE, "cycle", 34 / 84, 231, {"create": 34 / 84}, VIEWER)


def segments_of(descriptors_each: int) -> View:
    return direct_view(
        *(
            played_block(cycles, {"descriptors": descriptors_each * segments, "segments": segments})
            for cycles, segments in zip(CYCLES, SEGMENTS, strict=True)
        )
    )


@pytest.mark.parametrize(
    ("leak", "descriptors_each", "explained"),
    [
        (LEAK, 2, (Cause.SHARED_MEMORY_GROWS,)),
        (LEAK, 3, ()),
        (replace(LEAK, holder=None), 2, ()),
        (replace(LEAK, holder=replace(VIEWER, handle="processes")), 2, ()),
    ],
)
def test_two_descriptors_of_each_segment_are_explained(
    leak: Leak, descriptors_each: int, explained: tuple[Cause, ...]
) -> None:
    assert _of_segments(segments_of(descriptors_each), leak) == explained


METERS = {"before": {"objects": 1}, "after": {"objects": 1}}


@pytest.mark.parametrize("rule", [fails_when_repeated, grows_until_collected])
@pytest.mark.parametrize(
    ("steps", "raised", "reason"),
    [
        (1, 0, "steps are slow: only 70 were repeated, in 70 episodes"),
        (20, 0, ""),
        (1, 7, ""),  # a step that fails was seen to fail
        (0, 0, ""),  # it has none
    ],
)
def test_slow_steps_leave_much_unseen(rule: Rule, steps: int, raised: int, reason: str) -> None:
    block = {"creates": 7, "resets": 7, "steps": 7 * steps, "step_raised": raised, **METERS}
    blocks = [verb(f"block:7x1x{steps}", block=block) for _ in range(10)]
    assert rule.unjudged(direct_view(trace(*blocks, name="leak"))) == reason


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1.0, " (50 % of their time)"),
        (2.0, " (100 % of their time)"),
        (3.0, " (100 % of their time)"),
    ],
)
def test_share_of_the_time_is_at_most_all_of_it(seconds: float, words: str) -> None:
    calls = trace(verb("reset", seconds=0.5), verb("step:3", at=1, seconds=1.5))
    assert share(seconds, list(calls.records(VerbRecord))) == words
    assert share(seconds, []) == ""


def caught(name: str, line: int) -> dict[str, object]:
    place = {"file": "/home/me/enclave.py", "line": line, "function": "execute"}
    keys = {"message": "", "calls": 4, "within": "step", "left": ["processes"]}
    return {"type": name, "frame": place, "caught": place, **keys}


@pytest.mark.parametrize(
    ("errors", "cause"),
    [
        ([caught("TimeoutError", 65)], "TimeoutError"),
        ([caught("CancelledError", 49), caught("TimeoutError", 65)], "TimeoutError"),
        ([caught("CancelledError", 49)], None),
        ([caught("OSError", 49), caught("TimeoutError", 65)], None),
    ],
    ids=["a limit", "what a limit of asyncio cancels", "a task that is cancelled", "two errors"],
)
def test_error_alone_is_the_cause(errors: list[dict[str, object]], cause: str | None) -> None:
    caught = trace(fact("caught-errors", {"resets": 16, "errors": errors}), name="caught")
    view = replace(direct_view(), optional_traces=(caught,))
    error = caught_each_time(view, "processes")
    assert (error.type if error is not None else None) == cause
