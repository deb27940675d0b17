"""Instances that are used side by side, each compared with one that was alone."""

from __future__ import annotations

import contextlib
import copy
import gc
import sys
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Tuple

from envdoctor.model.scenario import DIRECT, Scenario
from envdoctor.model.traits import BOTH, COPY, DRAWN, OVERWRITTEN, PROOF
from envdoctor.model.trajectory import Call
from envdoctor.probe import environment_api
from envdoctor.probe.actions import Actions
from envdoctor.probe.comparison.aliasing import Taker
from envdoctor.probe.comparison.frozen import freeze
from envdoctor.probe.comparison.promised_copies import kept, unmade
from envdoctor.probe.comparison.shared_state import Sharing, Try
from envdoctor.probe.comparison.trajectory import Recorder, compare, load, where
from envdoctor.probe.errors import error_value
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.surviving import message_of
from envdoctor.probe.wrappers import innermost

if TYPE_CHECKING:
    from numpy import ndarray

    from envdoctor.probe.comparison.trajectory import DrivenInstance

DEPTH = 6  # containers within containers
NUMBERS = "biufc"  # kinds of elements that have another value to be overwritten with

OBSERVATION, INFO = "observation", "info"


class Overwriting(Taker):
    """Overwrites the arrays of the last observation, or of the last info, before the next call."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._last: object = None

    def next(self, _call: str, observation: object, info: object) -> None:
        """A call returned these."""
        self._last = observation if self._what == OBSERVATION else info

    def before(self) -> None:
        """The next call is about to be made: its action is drawn."""
        last, self._last = self._last, None
        for array in _arrays(last):
            if array.dtype.kind == "b":
                array[...] = ~array
            else:
                array[...] = 0 if array.any() else 1


def _arrays(value: Any, depth: int = 0) -> Iterator[ndarray]:
    """The arrays of numbers in a value that can be written to."""
    kind = type(value)
    if kind.__module__ == "numpy" and kind.__name__ == "ndarray":
        if value.flags.writeable and value.dtype.kind in NUMBERS:
            yield value
    elif depth < DEPTH:
        for part in _parts(value):
            yield from _arrays(part, depth + 1)


def _parts(value: Any) -> Tuple[object, ...]:
    if isinstance(value, dict):
        return tuple(value.values())
    return tuple(value) if type(value) in (list, tuple) else ()


class FinalizerCalls:
    """The first __del__() of the user's that runs within, and the `first` line in it, or in what it
    calls, that calls code of another file: {function, called, file, line}; None where none does.
    """

    def __init__(self, is_users: Callable[[str], bool]) -> None:
        self.first: Optional[Dict[str, object]] = None
        self._is_users = is_users

    @contextlib.contextmanager
    def followed(self) -> Iterator[None]:
        """Look at the calls that are made within."""
        before = sys.getprofile()
        sys.setprofile(self._see)
        try:
            yield
        finally:
            sys.setprofile(before)

    def _see(self, frame: FrameType, event: str, called: object) -> None:
        if self.first is not None or event not in ("call", "c_call"):
            return
        caller = frame.f_back if event == "call" else frame
        module = getattr(called, "__module__", None) if event == "c_call" else ""
        if caller is None or module in (None, "builtins"):
            return
        same_file = event == "call" and frame.f_code.co_filename == caller.f_code.co_filename
        finalizer = None if same_file else _finalizer(caller)
        if finalizer is not None and self._is_users(caller.f_code.co_filename):
            name = getattr(finalizer, "co_qualname", finalizer.co_name)  # Python 3.11
            file, line = caller.f_code.co_filename, caller.f_lineno
            callee = getattr(called, "__name__", "") or frame.f_code.co_name
            self.first = {"function": name, "called": callee, "file": file, "line": line}


def _finalizer(frame: Optional[FrameType]) -> Optional[CodeType]:
    """The __del__() that a frame belongs to, or None."""
    while frame is not None and frame.f_code.co_name != "__del__":
        frame = frame.f_back
    return frame.f_code if frame is not None else None


COPY_STEPS = 3
COPIED = 1  # the number of the copy's recording, in a scenario with one instance


def record(
    host: DrivenInstance, scenario: Scenario, journal: Journal, life: int, index: int
) -> None:
    """Let a new host's instance be recorded. `index` counts the instances of one life."""
    if scenario.traits.beside:
        host.recorder = Recorder(_file(scenario, journal, life, index))
    if scenario.traits.beside == OVERWRITTEN and life:
        host.returned_arrays = Overwriting(OBSERVATION if life == 1 else INFO)


def tell(scenario: Scenario, journal: Journal) -> None:
    """Journal the side-by-side fact: {alone: comparison of two that were alone, instances:
    [comparison of each of the others with the first of those]}; nothing where there is nothing to
    compare.
    """
    if scenario.traits.beside not in (BOTH, PROOF, COPY, OVERWRITTEN, DRAWN):
        return
    drawn = scenario.traits.beside == DRAWN
    # The proof has lives of its own around the two, and images that were asked for.
    if scenario.traits.beside == PROOF or (drawn and scenario.option("render_mode", None) is None):
        alone = [load(_file(scenario, journal, life, 0)) for life in (0, 2)]
        beside = [load(_file(scenario, journal, 1, index)) for index in (0, 1)]
    elif scenario.traits.beside == OVERWRITTEN:
        # The plain life, and the one of this scenario in which nothing is overwritten.
        alone = [
            load(_file(scenario, journal, 0, 0)),
            load(where(journal.path, "life", DIRECT, "", "0")),
        ]
        beside = [load(_file(scenario, journal, life, 0)) for life in (1, 2)]
    else:
        life_name = "rendered" if drawn else "life"
        alone = [load(where(journal.path, life_name, DIRECT, "", str(life))) for life in (0, 1)]
        beside = [
            load(_file(scenario, journal, 0, index))
            for index in ((0,) if scenario.traits.beside == COPY else (0, 1))
        ]
    if all(alone) and any(beside):
        fact = {
            "alone": _compared(alone[0], alone[1]),
            "instances": [_compared(calls, alone[0]) for calls in beside],
        }
        journal.write("fact", key="side-by-side", value=fact)


def tell_shared(sharing: Sharing, journal: Journal) -> None:
    """Journal the shared-state fact: with which places the two were as alone when each had its own,
    and which libraries both call.
    """
    value = {"places": sharing.proven(), "libraries": sharing.calls.both()}
    journal.write("fact", key="shared-state", value=value)


def is_cured(each: Try, scenario: Scenario, journal: Journal) -> bool:
    """Return whether two instances came through a try, and returned what one returns alone, as far
    as they did not when they shared everything.
    """
    alone = load(_file(scenario, journal, 0, 0))
    before = [compare(calls, alone) for calls in _pair(scenario, journal, 1)]
    now = [compare(calls, alone) for calls in _pair(scenario, journal, each.life)]
    return not each.failed and all(
        current.difference is None and current.calls >= (earlier.calls if earlier.difference else 0)
        for current, earlier in zip(now, before)
    )


def _pair(scenario: Scenario, journal: Journal, life: int) -> List[List[Call]]:
    return [load(_file(scenario, journal, life, index)) for index in (0, 1)]


def _compared(calls: List[Call], reference: List[Call]) -> Dict[str, object]:
    return compare(calls, reference).as_dict()


def _file(scenario: Scenario, journal: Journal, life: int, index: int) -> str:
    return where(journal.path, scenario.name, DIRECT, "", "%d.%d" % (life, index))


def use_a_copy(host: DrivenInstance, seed: int, ownership: Ownership) -> Dict[str, object]:
    """Deep-copy an instance, step the copy, let go of it. {"failed": reason}, where it cannot
    be copied or its copy not stepped; {"error"} as well, where it recursed without an end, and
    {"kept", "place"}, where an argument that EzPickle keeps cannot be pickled; {"unmade", "maker",
    "place"}, where what an object is made from anew does not take its arguments.
    """
    failed: Optional[str] = None
    why: Dict[str, object] = {}
    try:
        actions = Actions(seed + 1)
        actions.see(host.actions.user_actions and host.actions.user_actions.observation)
        _step_copy(copy.deepcopy(host.subject()), actions, host.info)
    except Exception as error:
        failed = "%s: %s" % (type(error).__name__, message_of(error))
        if isinstance(error, RecursionError):
            why = {"error": error_value(error, ownership)}
        else:
            why = kept(innermost(host.subject()), ownership) or unmade(error, ownership)
    gc.collect()
    return dict(why, failed=failed)


def continue_a_copy(
    host: DrivenInstance, scenario: Scenario, journal: Journal, ownership: Ownership
) -> Optional[Dict[str, object]]:
    """Deep-copy an instance, give the copy the next actions of the original, and compare what it
    returns with what the plain life returned to them: a comparison, or {"error": what its step()
    raised}. None where it cannot be copied, or where its episode is over.
    """
    if host.ended or host.recorder is None or host.actions.user_actions is not None:
        return None
    host.recorder.save()
    begins = len(load(host.recorder.path))
    life = load(where(journal.path, "life", DIRECT, "", "0"))[begins:]
    try:
        twin, actions = copy.deepcopy(host.subject()), copy.deepcopy(host.actions)
    except Exception:
        return None
    recorder = Recorder(_file(scenario, journal, 0, COPIED))
    error = _continue(twin, actions, host.info, recorder, ownership) if life else None
    recorder.save()
    del twin
    gc.collect()
    return dict(_compared(load(recorder.path), life), error=error)


def _continue(
    twin: object, actions: Actions, info: object, recorder: Recorder, ownership: Ownership
) -> Optional[Dict[str, object]]:
    """Step a copy and record it. Return what a step raised."""
    for _ in range(COPY_STEPS):
        action = actions.draw(info)
        asked = freeze(action)
        try:
            observation, reward, terminated, truncated, info = environment_api.transition(
                twin, action
            )
        except Exception as error:
            return error_value(error, ownership)
        recorder.add(
            "step",
            observation=observation,
            info=info,
            asked=asked,
            reward=reward,
            terminated=terminated,
            truncated=truncated,
        )
        if terminated or truncated:
            break
    return None


def _step_copy(twin: object, actions: Actions, info: object) -> None:
    actions.look_at(environment_api.action_space(twin))
    for _ in range(COPY_STEPS):
        ended, info = environment_api.step(twin, actions, info)
        if ended:
            break
