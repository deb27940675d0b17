"""The verbs that run many cycles: controls of the meters, warming up, blocks between two
readings, and the search for causes.
"""

from __future__ import annotations

import functools
import inspect
import time
from typing import TYPE_CHECKING, Any, Dict, FrozenSet, List

from envdoctor.model.scenario import DIRECT, Verb
from envdoctor.model.subject import FUNCTION
from envdoctor.probe import adapters
from envdoctor.probe.errors import error_value
from envdoctor.probe.growth import containers, cycles, forced, meters
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.subject import load
from envdoctor.probe.tracing import instrument
from envdoctor.probe.tracing.instrument import BareFactory

if TYPE_CHECKING:
    from envdoctor.probe.player import Player


def calibrate(player: Player, _verb: Verb) -> None:
    """Journal the sensitivity fact."""
    from envdoctor.probe.growth import calibration

    player.journal.write("fact", key="sensitivity", value=calibration.calibrate(_ruler(player)))


def warm(player: Player, verb: Verb) -> Dict[str, Any]:
    """Cycles that are not read."""
    return cycles.warm(_cycles(player), cycles.size(verb.argument), player.budget)


def block(player: Player, verb: Verb) -> Dict[str, Any]:
    """Cycles between two readings; nothing where the last `cut` had nothing to cut back."""
    return {} if player.growth.spent else {"block": _block(player, verb)}


def rest(player: Player, verb: Verb) -> Dict[str, Any]:
    """Cycles between two readings, for the verdict on what grows without the containers that are
    cut back; nothing where none is.
    """
    return {"block": _block(player, verb)} if player.growth.cut else {}


def _block(player: Player, verb: Verb) -> Dict[str, Any]:
    size, watched = cycles.size(verb.argument), player.growth.watched
    return cycles.block(_cycles(player), size, _ruler(player), player.budget, watched)


def suspects(player: Player, verb: Verb) -> None:
    """Journal the suspects fact."""
    from envdoctor.probe.growth.census import census
    from envdoctor.probe.growth.growing_lines import growing_lines

    bare, size = _bare(player), cycles.size(verb.argument)
    bare.run(size)  # modules that only cycles import would be among the suspects
    run = functools.partial(_run, bare, size, player.budget)
    own = _classes_of(bare)
    roots = {} if player.opened is None else vars(player.opened.root)
    found = census(run, _rate(player), own, {"self": roots.get("self")})
    for told in found.fact["holders"]:
        if told.get("unbounded"):
            told["lines"] = growing_lines(told["chain"], own)
    player.growth.watched = found.grown
    player.journal.write("fact", key="suspects", value=found.fact)


def cut(player: Player, verb: Verb) -> Dict[str, Any]:
    """Cut the next container that grew back before every reading; with 0, all that are left."""
    growth = player.growth
    left = growth.watched[growth.cut :]
    chosen = left[: int(verb.argument)] if verb.argument != "0" else left
    for container in chosen:
        containers.cut_back(container)
    growth.cut += len(chosen)
    growth.spent = not chosen
    return {"cut": growth.cut} if chosen else {}


def open_(player: Player, _verb: Verb) -> None:
    """One bare instance, whose resets are the cycles from here on."""
    player.opened = cycles.OpenCycles(
        _factory(player).build, player.seed, instrument.innermost, _reporter(player)
    )


def shut(player: Player, _verb: Verb) -> None:
    """Close it."""
    opened, player.opened = player.opened, None
    player.growth.watched = []
    containers.leave()
    if opened is not None:
        opened.end()


def uncollected(player: Player, _verb: Verb) -> None:
    """From here on, collections that are asked for do nothing."""
    player.stop_watching.append(forced.refuse())


def garbage(player: Player, verb: Verb) -> None:
    """Journal the garbage fact."""
    from envdoctor.probe.growth import garbage as waste

    run = functools.partial(_run, _bare(player), cycles.size(verb.argument), player.budget)
    player.journal.write("fact", key="garbage", value=waste.garbage(run))


def memray(player: Player, verb: Verb) -> None:
    """Journal the allocations fact."""
    from envdoctor.probe.growth import allocations

    options = dict(player.scenario.options)
    times, _, steps = verb.argument.partition("x")
    bare = _bare(player)
    wish = allocations.Wish(
        int(times),
        int(steps) if steps else None,
        str(options.get("operation", "create")),
        bool(options.get("native", False)),
        bool(options.get("aggregated", True)),
        str(options.get("save") or ""),
        player.subject.text,
        _rate(player),
    )
    ownership = Ownership(instrument.roots_of(player.subject) | _source_of(bare))
    home = player.readings.sensors.context.home
    player.journal.write(
        "fact",
        key="allocations",
        value=allocations.allocations(bare, wish, player.budget, home, ownership),
    )


def _rate(player: Player) -> float:
    """Growth that is expected at each operation, one at most: a rare leak does not show in
    every one.
    """
    return float(dict(player.scenario.options).get("rate", 1.0))


def _ruler(player: Player) -> meters.Ruler:
    return meters.ruler(player.readings.sensors.context)


def _run(bare: cycles.BareCycles, size: cycles.Size, budget: float) -> int:
    deadline = time.monotonic() + budget
    for done in range(1, size.times + 1):
        bare.run(size)
        if time.monotonic() > deadline:
            return done
    return size.times


def _cycles(player: Player) -> cycles.Cycles:
    """What a cycle is here: a reset of what the scenario made, a whole launch of its manager,
    or one bare instance.
    """
    if player.hosts:
        return cycles.HostedCycles(player.hosts[-1], player.seed)
    if player.scenario.manager == DIRECT:
        return _bare(player)
    return cycles.LaunchedCycles(functools.partial(_launch, player), player.seed)


def _bare(player: Player) -> cycles.BareCycles:
    if player.opened is None and player.bare is None:
        player.bare = _bare_cycles(player)
    chosen: cycles.BareCycles = player.opened or player.bare
    return chosen


def _bare_cycles(player: Player) -> cycles.BareCycles:
    if player.subject.kind == FUNCTION:
        build = load.find(player.subject).build
        return cycles.CallCycles(build, player.seed, _reporter(player))
    return cycles.BareCycles(_factory(player).build, player.seed, _reporter(player))


def _reporter(player: Player) -> cycles.Report:
    """Journals an error of the subject in a cycle, as it is raised: nothing of it is kept."""

    def report(operation: str, error: BaseException) -> None:
        player.journal.write(
            "raised", operation=operation, error=error_value(error, player.ownership)
        )

    return report


def _factory(player: Player) -> BareFactory:
    return BareFactory(player.subject, player.journal.path, player.scenario.control, player.spaces)


def _launch(player: Player) -> adapters.Host:
    scenario = player.scenario
    manager = adapters.modules()[scenario.manager]
    options = dict(scenario.options, seed=player.seed)
    factories: List[Any] = [_factory(player)] * scenario.workers
    host: adapters.Host = manager.launch(factories, scenario.start_method, options)
    return host


def _classes_of(bare: cycles.BareCycles) -> List[type]:
    """The class of the environment and those it is made of, without those of its framework."""
    if isinstance(bare, cycles.CallCycles):
        return []
    environment, _ = bare.made()
    kind = type(instrument.innermost(environment))
    bare.close(environment)
    own = kind.__module__.split(".")[0]
    return [base for base in kind.__mro__ if base.__module__.split(".")[0] == own]


def _source_of(bare: cycles.BareCycles) -> FrozenSet[str]:
    """The file of the environment's class: the user's affair, even when it is installed as a
    library.
    """
    kinds = _classes_of(bare)[:1]
    try:
        file = inspect.getsourcefile(kinds[0]) if kinds else None
    except (TypeError, OSError):
        file = None
    return frozenset((file,) if file else ())


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
        memray,
    )
}
