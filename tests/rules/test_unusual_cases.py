"""Cases of single rules that their examples do not have."""

from __future__ import annotations

from dataclasses import replace

from envdoctor.model.facts.survey import WrapperClass
from envdoctor.model.finding import Location
from envdoctor.rules.close import cls011_close_leaves_shared_memory as cls011
from envdoctor.rules.construction.mak001_constructor_fails import constructor_fails
from envdoctor.rules.coroutines.asy001_coroutine_never_awaited import coroutine_never_awaited
from envdoctor.rules.engine.examples import (
    direct_view,
    fact,
    raised,
    sensor_life,
    trace,
    vector_view,
    verb,
)
from envdoctor.rules.leak import lek011_grows_until_collected as lek011
from envdoctor.rules.processes import prc002_zombies_after_manager_close as prc002


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
