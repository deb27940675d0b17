"""The part of an object that could not go to another process, and the line that sends it."""

from __future__ import annotations

import ctypes
import pickle
from collections.abc import Iterator
from multiprocessing.reduction import ForkingPickler
from types import FrameType

import pytest

from envdoctor.probe.live.unpickled import sent

FAILURES = (AttributeError, TypeError, ValueError, pickle.PicklingError)


class Lab:
    def __reduce__(self) -> str:
        raise TypeError("cannot pickle 'native.Lab' object")


class Refusing:
    def __reduce__(self) -> str:
        raise TypeError("no default __reduce__")


class Simulator:
    def __init__(self, native: object) -> None:
        self.level, self.native = "maze", native


class Arm:
    def __init__(self, native: object) -> None:
        self.past = [[0.0] * 8]
        self.simulators = {"main": Simulator(native)}
        self.owner = self


def _entries(error: BaseException) -> Iterator[tuple[FrameType, int]]:
    traceback = error.__traceback__
    while traceback is not None:
        yield traceback.tb_frame, traceback.tb_lineno
        traceback = traceback.tb_next


def _sent(obj: object, pickler: object = ForkingPickler) -> tuple[str, list[str]]:
    with pytest.raises(FAILURES) as raised:
        pickler.dumps(obj)  # type: ignore[attr-defined]
    part, lines = sent(raised.value, _entries(raised.value), lambda file: file == __file__)
    return part, [frame.f_code.co_name for frame, _ in lines]


def test_attribute_of_a_list_of_environments_is_named() -> None:
    assert _sent((0, [(Arm(Lab()), 1), (Arm(Lab()), 2)])) == ("Simulator.native", ["_sent"])


@pytest.mark.parametrize(
    "native",
    [
        ctypes.pointer(ctypes.c_int(3)),
        ctypes.c_void_p(3),
        ctypes.c_char_p(b"x"),
        ctypes.CFUNCTYPE(None)(lambda: None),
    ],
)
def test_attribute_that_points_is_named(native: object) -> None:
    healthy = Simulator(ctypes.c_int(3))
    assert _sent([healthy, Arm(native)]) == ("Simulator.native", ["_sent"])


def test_object_whose_class_is_not_found_is_named() -> None:
    class Local:
        pass

    array = (ctypes.c_ubyte * 4)()
    assert _sent([Simulator(3), Arm(array)]) == ("Simulator.native", ["_sent"])
    assert _sent([Simulator(3), Simulator(Local())]) == ("Simulator.native", ["_sent"])


class Proxy:
    """Its attributes are made when they are asked for, which fails."""

    __slots__ = ()

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return Proxy, ()


def test_no_code_of_what_is_sent_runs() -> None:
    assert _sent([Proxy(), Arm(Lab())]) == ("Simulator.native", ["_sent"])


def test_line_is_named_where_the_exception_names_no_class() -> None:
    assert _sent([Arm(Refusing())]) == ("", ["_sent"])


def test_object_that_stays_in_its_process_is_left_out() -> None:
    assert _sent(Arm(Lab()), pickle) == ("", [])


def _inner() -> object:
    def within() -> None:
        pass

    return within


@pytest.mark.parametrize(
    ("sent_object", "part"),
    [
        (({}, Simulator({"reward": lambda: 1.0})), "Simulator.native['reward']"),
        ((Simulator(len), Simulator({3: _inner()})), "Simulator.native"),
        ((Simulator(_entries), Arm(_inner())), "Simulator.native"),
    ],
)
def test_function_within_a_function_is_named_with_its_key(sent_object: object, part: str) -> None:
    assert _sent(sent_object) == (part, ["_sent"])
