"""The verbs that run many cycles: controls of the meters, warming up, blocks between two
readings, and the search for causes.
"""

from __future__ import annotations

import functools
import sys
from array import array
from typing import ClassVar, Dict, FrozenSet, List

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.model.scenario import DIRECT, SERVICE_COUNT, Verb
from envdoctor.model.subject import FUNCTION
from envdoctor.model.traits import LIFECYCLE_WARM_UP
from envdoctor.probe import adapters
from envdoctor.probe.errors import error_value
from envdoctor.probe.growth import containers, cycles, forced, gpu_counters, meters
from envdoctor.probe.growth.settle import leave_out_what_is_there, settle
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.scenario_state import ScenarioState
from envdoctor.probe.subject import load
from envdoctor.probe.subject.roots import roots_of
from envdoctor.probe.system import child_memory, family, service_count
from envdoctor.probe.system.deadline import Deadline
from envdoctor.probe.tracing.instrument import BareFactory
from envdoctor.probe.verbs import manager_cycles
from envdoctor.probe.wrappers import innermost, layers_of

SEEDS = "seeds"  # the argument of `open`
MANY = 7  # cycles of a block, beside which one more takes little


def calibrate(state: ScenarioState, _verb: Verb) -> None:
    """Journal the sensitivity fact."""
    from envdoctor.probe.growth import calibration

    state.journal.write("fact", key="sensitivity", value=calibration.calibrate(_reader(state)))


def warm(state: ScenarioState, verb: Verb) -> Dict[str, object]:
    """Cycles that are not read. Where JAX is there, one more shows what each cycle compiles."""
    size = cycles.size(verb.argument)
    warmed = cycles.warm(_cycles(state), size, state.budget)
    _Process.is_cold = False
    if state.scenario.traits.growth == LIFECYCLE_WARM_UP and not state.hosts:
        _note_compilations(state, _cycles(state), size)
    return warmed


def _note_compilations(state: ScenarioState, runner: cycles.Cycles, size: cycles.Size) -> None:
    from envdoctor.probe.growth.compilations import compilations

    before = list(runner.tally)
    lines = compilations(lambda: runner.run(size), state.ownership.is_users)
    if lines:
        resets, steps = (runner.tally[at] - before[at] for at in (cycles.RESETS, cycles.STEPS))
        value = {"library": "jax", "lines": lines, "resets": resets, "steps": steps}
        state.journal.write("fact", key="compilations", value=value)


def block(state: ScenarioState, verb: Verb) -> Dict[str, object]:
    """Cycles between two readings; nothing where the last `cut` had nothing to cut back."""
    return {} if state.growth.spent else {"block": _block(state, verb)}


def rest(state: ScenarioState, verb: Verb) -> Dict[str, object]:
    """Cycles between two readings, for the verdict on what grows without the containers that are
    cut back; nothing where none is.
    """
    return {"block": _block(state, verb)} if state.growth.cut else {}


class _Process:
    """Memory of whether this process has played a cycle: what it takes once is not growth. The warm
    cycles of a search may have been those of a process that had to be replaced.
    """

    is_cold: ClassVar[bool] = True


def _block(state: ScenarioState, verb: Verb) -> Dict[str, object]:
    size, watched = cycles.size(verb.argument), state.growth.watched
    reader = _reader(state)
    if _Process.is_cold and size.times >= MANY and state.opened is None and not state.hosts:
        _cycles(state).run(size._replace(times=1))
    _Process.is_cold = False
    done = cycles.block(_cycles(state), size, reader, state.budget, watched)
    counted = gpu_counters.read() if "gpu" in reader.names else []
    if counted:
        state.journal.write("fact", key="gpu-counters", value=counted)
    children = child_memory.rows(state.readings.sensors.context.guard)
    if children and not state.hosts:
        state.journal.write("fact", key="child-memory", value=children)
    if service_count.failure():
        state.journal.write("fact", key="service-count", value={"failed": service_count.failure()})
    return done


def suspects(state: ScenarioState, verb: Verb) -> None:
    """Journal the suspects fact."""
    from envdoctor.probe.growth.census import census
    from envdoctor.probe.growth.growing_lines import growing_lines

    bare, size = _bare(state), cycles.size(verb.argument)
    bare.run(size)  # modules that only cycles import would be among the suspects
    run = functools.partial(_run, bare, size, state.budget)
    own = _classes_of(bare)
    layers = {} if state.opened is None else state.opened.layers()
    around = [type(layer) for name, layer in layers.items() if name != "self"]
    compiles = str(state.scenario.option("compiles"))
    growth_census = census(
        run, _rate(state), own, layers, lambda chain: growing_lines(chain, own + around), compiles
    )
    del layers
    state.growth.watched = growth_census.grown
    state.journal.write("fact", key="suspects", value=growth_census.fact)
    if state.opened is None:  # no instance lives: as before the census
        settle()
        leave_out_what_is_there()


def cut(state: ScenarioState, verb: Verb) -> Dict[str, object]:
    """Cut the next container that grew back before every reading; with 0, all that are left."""
    growth = state.growth
    left = growth.watched[growth.cut :]
    chosen = left[: int(verb.argument)] if verb.argument != "0" else left
    for container in chosen:
        containers.cut_back(container)
    growth.cut += len(chosen)
    growth.spent = not chosen
    return {"cut": growth.cut} if chosen else {}


def open_(state: ScenarioState, verb: Verb) -> None:
    """One bare instance, whose resets are the cycles from here on."""
    state.opened = cycles.OpenCycles(
        _factory(state).build, state.seed, innermost, _reporter(state), _module(state)
    )
    state.opened.varies = verb.argument == SEEDS


def shut(state: ScenarioState, _verb: Verb) -> None:
    """Close it."""
    opened, state.opened = state.opened, None
    parents = family.unreaped(state.readings.sensors.context.guard)
    if parents:
        state.journal.write("fact", key="unreaped", value={"parents": parents})
    state.growth.watched = []
    containers.leave()
    if opened is not None:
        opened.end()


def uncollected(state: ScenarioState, _verb: Verb) -> None:
    """From here on, collections that are asked for do nothing."""
    state.stop_watching.append(forced.refuse())


def garbage(state: ScenarioState, verb: Verb) -> None:
    """Journal the garbage fact."""
    from envdoctor.probe.growth import allocations
    from envdoctor.probe.growth import garbage as waste

    bare = _bare(state)
    is_own = Ownership(roots_of(state.subject) | _sources_of(bare)).is_users
    run = functools.partial(_run, bare, cycles.size(verb.argument), state.budget)
    fact = waste.garbage(run)
    lines = allocations.lines_of_garbage(run, is_own, state.readings.sensors.context.home)
    state.journal.write("fact", key="garbage", value={**fact, "lines": lines})


def origin(state: ScenarioState, verb: Verb) -> None:
    """Journal the garbage-origin fact: which layer of a wrapped environment makes the garbage, as
    far as that is known. A layer alone may take what nothing gives back.
    """
    from envdoctor.probe.tracing import layer_garbage

    bare = _bare(state)
    fact = layer_garbage.origin(
        bare.build,
        _layers_of(bare),
        state.seed,
        cycles.size(verb.argument),
        state.readings.sensors.context.home,
    )
    state.readings.note_dirty("layers that were played without their wrappers")
    state.journal.write("fact", key="garbage-origin", value=fact)


def memray(state: ScenarioState, verb: Verb) -> None:
    """Journal the allocations fact."""
    from envdoctor.probe.growth import allocations

    option = state.scenario.option
    times, _, steps = verb.argument.partition("x")
    bare = _bare(state)
    request = allocations.TracingRequest(
        int(times),
        int(steps) if steps else None,
        str(option("operation", "create")),
        bool(option("native", False)),
        bool(option("aggregated", True)),
        str(option("save") or ""),
        state.subject.text,
        _rate(state),
    )
    ownership = Ownership(roots_of(state.subject) | _source_of(bare))
    home = state.readings.sensors.context.home
    state.journal.write(
        "fact",
        key="allocations",
        value=allocations.allocations(bare, request, state.budget, home, ownership),
    )


def _rate(state: ScenarioState) -> float:
    """Growth that is expected at each operation, one at most: a rare leak does not show in
    every one.
    """
    return float(state.scenario.option("rate", 1.0))


def _reader(state: ScenarioState) -> meters.MeterReader:
    service_count.ask_for(str(state.scenario.option(SERVICE_COUNT, "")))
    reader = meters.reader(state.readings.sensors.context)
    reader.wait_for(float(state.scenario.option("grace", meters.GRACE)))
    return reader


def _run(bare: cycles.BareCycles, size: cycles.Size, budget: float) -> int:
    deadline = Deadline(budget)
    for done in range(1, size.times + 1):
        bare.run(size)
        if deadline.passed:
            return done
    return size.times


def _cycles(state: ScenarioState) -> cycles.Cycles:
    """Return the cycles of the scenario: each is a reset of what it made, a whole launch of its
    manager, or one bare instance.
    """
    if state.hosts:
        return manager_cycles.HostedCycles(state.hosts[-1], state.seed)
    if state.scenario.manager == DIRECT:
        return _bare(state)
    return manager_cycles.LaunchedCycles(functools.partial(_launch, state), state.seed)


def _bare(state: ScenarioState) -> cycles.BareCycles:
    if state.opened is None and state.bare is None:
        state.bare = _bare_cycles(state)
    chosen: cycles.BareCycles = state.opened or state.bare
    return chosen


def _bare_cycles(state: ScenarioState) -> cycles.BareCycles:
    if state.subject.kind == FUNCTION:
        resolved = load.find(state.subject)
        module = [str(getattr(resolved.target, "__module__", ""))]
        return cycles.CallCycles(resolved.build, state.seed, _reporter(state), module)
    return cycles.BareCycles(_factory(state).build, state.seed, _reporter(state), _module(state))


#: The module of the environment's class, and of the null environment's, as far as one was built.
_MODULES = ([""], [""])


def _module(state: ScenarioState) -> List[str]:
    return _MODULES[state.scenario.control]


def _reporter(state: ScenarioState) -> cycles.Report:
    """Journals an error of the subject in a cycle, as it is raised: nothing of it is kept."""

    def report(operation: str, error: BaseException, moment: "array[int]") -> None:
        state.journal.write(
            "raised",
            operation=operation,
            error=error_value(error, state.ownership),
            episode=moment[cycles.EPISODE],
            step=moment[cycles.STEP],
        )

    return report


def _factory(state: ScenarioState) -> BareFactory:
    return BareFactory(state.subject, state.journal.path, state.scenario.control, state.spaces)


def _launch(state: ScenarioState) -> adapters.Host:
    scenario = state.scenario
    manager = adapters.modules()[scenario.manager]
    options = LaunchOptions.decode(scenario.options, state.seed)
    factories: List[object] = [_factory(state)] * scenario.workers
    host: adapters.Host = manager.launch(factories, scenario.start_method, options)
    return host


def _classes_of(bare: cycles.BareCycles) -> List[type]:
    """The class of the environment and those it is made of, without those of its framework."""
    if isinstance(bare, cycles.CallCycles):
        return []
    environment, _ = bare.made()
    kind = type(innermost(environment))
    bare.close(environment)
    own = kind.__module__.split(".")[0]
    return [base for base in kind.__mro__ if base.__module__.split(".")[0] == own]


def _source_of(bare: cycles.BareCycles) -> FrozenSet[str]:
    """The file of the environment's class: the user's affair, even when it is installed as a
    library.
    """
    return _files_of(_classes_of(bare)[:1])


def _layers_of(bare: cycles.BareCycles) -> List[type]:
    """The classes of the wrappers and of the environment, the outermost first."""
    if isinstance(bare, cycles.CallCycles):
        return []
    environment, _ = bare.made()
    if environment is None:
        return []
    kinds = [type(layer) for layer in layers_of(environment)]
    bare.close(environment)
    return kinds


def _sources_of(bare: cycles.BareCycles) -> FrozenSet[str]:
    """As `_source_of`, with the files of its wrappers' classes."""
    return _files_of(_layers_of(bare))


def _files_of(kinds: List[type]) -> FrozenSet[str]:
    files = (getattr(sys.modules.get(kind.__module__), "__file__", None) for kind in kinds)
    return frozenset(filter(None, files))


VERBS = {
    verb.__name__.rstrip("_"): verb
    for verb in (
        calibrate,
        warm,
        open_,
        shut,
        block,
        rest,
        suspects,
        cut,
        uncollected,
        garbage,
        origin,
        memray,
    )
}
