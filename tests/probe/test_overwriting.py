"""What is done and seen beside instances: arrays that they returned are overwritten, and what their
__del__() calls is followed.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from envdoctor.probe.comparison.side_by_side import INFO, OBSERVATION, FinalizerCalls, Overwriting


def overwritten(observation: Any, info: Any = None, what: str = OBSERVATION) -> None:
    agent = Overwriting(what)
    agent.next("step", observation, info)
    agent.before()


def test_each_array_of_numbers_gets_another_value() -> None:
    parts = [np.array([0.5, 2.0]), np.zeros(2, np.int8), np.array([True, False])]
    overwritten({"a": parts[0], "b": (parts[1], [parts[2]])})
    assert [part.tolist() for part in parts] == [[0.0, 0.0], [1, 1], [False, True]]


def test_array_is_overwritten_only_before_the_next_call_and_once() -> None:
    array = np.ones(2)
    agent = Overwriting(OBSERVATION)
    agent.next("reset", array, {})
    assert array.all()
    agent.before()
    array[...] = 1
    agent.before()
    assert array.all()


def test_only_what_was_asked_for_is_overwritten() -> None:
    observation, mask = np.ones(2), np.ones(2)
    overwritten(observation, {"mask": mask}, INFO)
    assert observation.all()
    assert not mask.any()


def test_read_only_arrays_and_other_values_are_not_overwritten() -> None:
    array, names = np.ones(2), np.array(["a"])
    array.flags.writeable = False
    overwritten({"array": array, "names": names, "text": "a", "none": None})
    assert array.all()
    assert names.tolist() == ["a"]


class Mesh:
    def __del__(self) -> None:
        self.free()

    def free(self) -> None:
        len("")  # of Python itself
        json.dumps(1)


def test_the_line_of_a_finalizer_that_calls_a_library() -> None:
    calls = FinalizerCalls(lambda file: file == __file__)
    mesh = Mesh()
    with calls.followed():
        json.dumps(2)  # by no finalizer
        mesh.free()
        del mesh
    first = calls.first or {}
    line = Mesh.free.__code__.co_firstlineno + 2
    assert (first["called"], first["file"], first["line"]) == ("dumps", __file__, line)
    assert str(first["function"]).endswith("__del__")
    assert sys.getprofile() is None


def test_finalizers_of_libraries_are_not_named() -> None:
    calls = FinalizerCalls(lambda _file: False)
    with calls.followed():
        Mesh()
    assert calls.first is None
