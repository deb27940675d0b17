"""The verbs that fill a replay storage from the subject: forecast, stock, fill, past, look,
empty.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional

from envdoctor.model.scenario import Verb
from envdoctor.probe import environment_api
from envdoctor.probe.growth import meters
from envdoctor.probe.growth.settle import leave_out_what_is_there, settle
from envdoctor.probe.replay import files as leavings
from envdoctor.probe.replay import sizes, storages
from envdoctor.probe.replay.buffer import Nothing, Stock
from envdoctor.probe.replay.collection import Walk
from envdoctor.probe.scenario_state import ScenarioState
from envdoctor.probe.system.deadline import Deadline
from envdoctor.probe.tracing.instrument import BareFactory

if TYPE_CHECKING:
    from types import ModuleType


TRIED = 64  # transitions that are stored to learn what one costs
SMALL, TRIED_BYTES = 20, 32 << 20  # slots for them, and what their observations may take

SCRATCH = "scratch"  # the folder that storages are given to put files into
SHARED = "/dev/shm"  # noqa: S108  asked how much is free there
NONE = "none"  # the storage that keeps nothing: what the environment does alone


def forecast(state: ScenarioState, _verb: Verb) -> None:
    """Journal the forecast fact: what one transition takes and costs, before anything is
    allocated.
    """
    name = _name(state)
    module = storages.modules()[name]
    reason = storages.missing(name)
    _leave_out_what_is_there()
    if reason:
        state.journal.write("fact", key="forecast", value={"storage": name, "missing": reason})
        return
    value: Dict[str, object] = {
        "storage": name,
        "class": module.CLASS,
        "place": module.PLACE,
        "copies": module.COPIES,
        "missing": "",
    }
    environment = _factory(state).build()
    try:
        walk = Walk(environment, state.seed)
        raw = _first(walk)
        value.update(
            sizes=raw._asdict(),
            parts=module.parts(raw),
            rooms=_rooms(state.readings.sensors.context.tmp),
        )
        value.update(_tried(module, walk, state.budget))
    finally:
        _close(environment)
    state.journal.write("fact", key="forecast", value=value)


def _leave_out_what_is_there() -> None:
    """Each reading would walk through all of PyTorch. No instance lives now."""
    settle()
    leave_out_what_is_there()


def _first(walk: Walk) -> sizes.Sizes:
    """The sizes, as the space says after the first reset and step."""
    transition = walk.next(lambda observation: observation)
    return sizes.sizes(walk.environment, transition.observation, transition.action)


def _few(environment: object) -> int:
    """Slots of a storage that is only tried: less where observations are huge."""
    leaves = sizes.spaces(getattr(environment, "observation_space", None)) or ()
    return max(1, min(SMALL, TRIED_BYTES // max(1, sum(leaf[2] for leaf in leaves))))


def _tried(module: ModuleType, walk: Walk, budget: float) -> Dict[str, object]:
    """A few transitions in a small storage: seconds of each. Where the framework refuses them,
    in its own words.
    """
    walk.forget()
    try:
        store = module.build(_few(walk.environment), walk.environment)
    except Exception as error:
        return {"refused": "%s: %s" % (type(error).__name__, " ".join(str(error).split())[:300])}
    store.add(store.pack(walk.next(store.take)))
    deadline, tried = Deadline(budget / 2), 0
    while tried < TRIED and not deadline.passed:
        store.add(store.pack(walk.next(store.take)))
        tried += 1
    seconds = deadline.seconds / max(1, tried)
    store.close()
    return {"refused": "", "seconds": seconds}


def _rooms(folder: str) -> Dict[str, int]:
    """Bytes that are free where storages put files."""
    rooms = {}
    for name, place in ((SHARED, SHARED), ("disk", folder)):
        with contextlib.suppress(OSError, AttributeError):
            status = os.statvfs(place)
            rooms[name] = status.f_bavail * status.f_frsize
    return rooms


def stock(state: ScenarioState, verb: Verb) -> None:
    """Open a storage for so many transitions, and read what is there before."""
    name = _name(state)
    capacity = int(verb.argument)
    module = None if name == NONE else storages.modules()[name]
    if module is not None:
        module.enter()
    _leave_out_what_is_there()
    environment = _factory(state).build()
    context = state.readings.sensors.context
    state.stock = Stock(
        environment, Walk(environment, state.seed), capacity, meters.reader(context), context.tmp
    )
    small = min(capacity, _few(environment))
    state.stock.open(
        lambda size: Nothing() if module is None else module.build(size, environment),
        small,
        state.budget,
    )


def fill(state: ScenarioState, verb: Verb) -> Dict[str, object]:
    """Add so many transitions, and read."""
    return {"filled": _stock(state).fill(int(verb.argument), state.budget)}


def past(state: ScenarioState, verb: Verb) -> None:
    """Journal the past fact: whole turns of the ring, until nothing grows or it was seen often
    enough to.
    """
    state.journal.write(
        "fact", key="past", value=_stock(state).past(int(verb.argument), state.budget)
    )


def look(state: ScenarioState, _verb: Verb) -> None:
    """Journal the kept fact: whether it is what the subject produced, what shares memory, and
    what keeps a graph.
    """
    state.journal.write("fact", key="kept", value=_stock(state).look(state.budget))


def empty(state: ScenarioState, _verb: Verb) -> None:
    """Journal the emptied fact: what came back when the storage was dropped, and which files
    stay.
    """
    stocked = _stock(state)
    module = storages.modules().get(_name(state))
    left: Optional[Dict[str, Any]] = None
    if module is not None and hasattr(module, "leave"):
        folder = os.path.join(state.readings.sensors.context.tmp, SCRATCH)
        left = module.leave(
            stocked.environment, stocked.another(module.build(1, stocked.environment)), folder
        )
        left = {how: _relative(by_path, folder) for how, by_path in left.items()}
    before = set(stocked.files)
    value = dict(stocked.empty(), scratch=left)
    there = leavings.files(stocked.folder)
    ours = os.path.join(stocked.folder, SCRATCH)
    files = {
        path: size
        for path, size in there.items()
        if path not in before and not path.startswith(ours)
    }
    state.stock = None
    if left is not None or files:  # what is there after the exit is reported as well
        state.readings.note_dirty("files")
    state.journal.write("fact", key="emptied", value=dict(value, files=files))


def _relative(by_path: Dict[str, int], folder: str) -> Dict[str, int]:
    return {os.path.relpath(path, folder): size for path, size in by_path.items()}


def _stock(state: ScenarioState) -> Stock:
    if state.stock is None:
        raise RuntimeError("no storage")
    stocked: Stock = state.stock
    return stocked


def _name(state: ScenarioState) -> str:
    return str(state.scenario.option("storage"))


def _factory(state: ScenarioState) -> BareFactory:
    return BareFactory(state.subject, state.journal.path, state.scenario.control, state.spaces)


def _close(environment: object) -> None:
    if callable(getattr(environment, "close", None)):
        environment_api.close(environment)


VERBS: Dict[str, Callable[..., Optional[Mapping[str, object]]]] = {
    verb.__name__: verb for verb in (forecast, stock, fill, past, look, empty)
}
