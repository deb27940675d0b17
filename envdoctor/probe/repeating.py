"""The verbs that run many cycles: controls of the meters, warming up, blocks between two readings, and the search for causes."""

from __future__ import annotations

import functools
import inspect
import time
from typing import TYPE_CHECKING, Any, Dict, FrozenSet, List

from envdoctor.model.scenario import DIRECT, Verb
from envdoctor.probe import managers
from envdoctor.probe.growth import cycles, forced, meters
from envdoctor.probe.ownership import Ownership
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
    """Cycles between two readings."""
    return {"block": cycles.block(_cycles(player), cycles.size(verb.argument), _ruler(player), player.budget)}


def suspects(player: Player, verb: Verb) -> None:
    """Journal the suspects fact."""
    from envdoctor.probe.growth import suspects as census

    bare, size = _bare(player), cycles.size(verb.argument)
    bare.run(size)  # modules that only cycles import would be among the suspects
    run = functools.partial(_run, bare, size, player.budget)
    player.journal.write("fact", key="suspects", value=census.suspects(run, _rate(player)))


def open_(player: Player, _verb: Verb) -> None:
    """One bare instance, whose resets are the cycles from here on."""
    player.opened = cycles.OpenCycles(_factory(player).build, player.seed, instrument.innermost)


def shut(player: Player, _verb: Verb) -> None:
    """Close it."""
    opened, player.opened = player.opened, None
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
        str(options.get("save") or player.save_memray),
        player.subject.text,
        _rate(player),
    )
    ownership = Ownership(instrument.roots_of(player.subject) | _source_of(bare))
    home = player.readings.sensors.context.home
    player.journal.write("fact", key="allocations", value=allocations.allocations(bare, wish, player.budget, home, ownership))


def _rate(player: Player) -> float:
    """Growth that is expected at each operation, one at most: a rare leak does not show in every one."""
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
    """What a cycle is here: a reset of what the scenario made, a whole launch of its manager, or one bare instance."""
    if player.hosts:
        return cycles.HostedCycles(player.hosts[-1], player.seed)
    if player.scenario.manager == DIRECT:
        return _bare(player)
    return cycles.LaunchedCycles(functools.partial(_launch, player), player.seed)


def _bare(player: Player) -> cycles.BareCycles:
    return player.opened or cycles.BareCycles(_factory(player).build, player.seed)


def _factory(player: Player) -> BareFactory:
    return BareFactory(player.subject, player.journal.path, player.scenario.control, player.spaces)


def _launch(player: Player) -> managers.Host:
    scenario = player.scenario
    manager = managers.modules()[scenario.manager]
    options = dict(scenario.options, seed=player.seed)
    factories: List[Any] = [_factory(player)] * scenario.workers
    host: managers.Host = manager.launch(factories, scenario.start_method, options)
    return host


def _source_of(bare: cycles.BareCycles) -> FrozenSet[str]:
    """The file of the environment's class: the user's affair, even when it is installed as a library."""
    environment, _ = bare.make()
    kind = type(instrument.innermost(environment))
    bare.close(environment)
    try:
        file = inspect.getsourcefile(kind)
    except (TypeError, OSError):
        file = None
    return frozenset((file,) if file else ())


VERBS = {verb.__name__.rstrip("_"): verb for verb in (calibrate, warm, open_, shut, block, suspects, uncollected, garbage, memray)}
