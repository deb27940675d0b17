"""The verbs that make up a life: one function each, which returns further keys for the journal,
or nothing.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import traceback
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping

from envdoctor.model.scenario import (
    DIRECT,
    Verb,
)
from envdoctor.model.subject import Subject
from envdoctor.probe import adapters, environment_api
from envdoctor.probe.clock import Deadline
from envdoctor.probe.comparison import comparing, side_by_side
from envdoctor.probe.heartbeat import beat
from envdoctor.probe.ownership import is_ours
from envdoctor.probe.subject import describe, own_sources, remedies
from envdoctor.probe.surviving import message_of
from envdoctor.probe.system import screens, workers
from envdoctor.probe.tracing import instrument
from envdoctor.probe.tracing.instrument import Factory

if TYPE_CHECKING:
    from envdoctor.probe.player import Player

#: What code raises that was given a value of another kind than it takes.
BAD_ACTION = (TypeError, ValueError, LookupError, AttributeError, AssertionError)


def make(player: Player, _verb: Verb) -> None:
    """Build one instance, or launch a manager of several."""
    manager = adapters.modules()[player.scenario.manager]
    options: Dict[str, Any] = dict(player.scenario.options, seed=player.seed)
    factories = _factories(player, options.pop("cure", ""))
    player.hosts.append(manager.launch(factories, player.scenario.start_method, options))
    player.seeded.append(False)
    comparing.record(player.hosts[-1], player.scenario, player.journal, player.readings.life)
    side_by_side.record(
        player.hosts[-1],
        player.scenario,
        player.journal,
        player.readings.life,
        len(player.hosts) - 1,
    )
    if player.scenario.manager == DIRECT:
        _describe(player, player.hosts[-1].subject())
        if player.screenless:
            screens.hurry(instrument.innermost(player.hosts[-1].subject()))
    elif not player.scenario.fault:
        workers.tell(player.journal)


def _factories(player: Player, cure: str) -> List[Callable[[], Any]]:
    """One for each instance. With a fault, one of them fails."""
    count = 1 if player.scenario.manager == DIRECT else player.scenario.workers
    fault, control = player.scenario.fault, player.scenario.control
    if fault is None:
        return [
            remedies.factory(cure, _subject(player), player.journal.path, control, player.spaces)
        ] * count
    # Without the subject's own spaces: they may be more than a manager can host, which is another
    # matter than faults.
    made: List[Callable[[], Any]] = [Factory(player.subject, player.journal.path, control)] * count
    made[fault.worker] = Factory(
        player.subject,
        player.journal.path,
        control,
        "",
        fault.kind,
        player.scenario.start_method is not None,
    )
    return made


def _subject(player: Player) -> Subject:
    """What is built: without a manager, a render mode is an argument of its constructor. (Other
    options, such as the sensors of a search, are none.)
    """
    mode = dict(player.scenario.options).get("render_mode")
    if player.scenario.manager != DIRECT or mode is None:
        return player.subject
    return replace(player.subject, kwargs={**player.subject.kwargs, "render_mode": mode})


def _describe(player: Player, environment: Any) -> None:
    if player.scenario.traits.detailed:
        if not player.described:
            describe.describe(environment, player.journal, player.spaces)
            describe.tell_refused(environment_api.refused(environment), player.journal)
            own_sources.tell(environment, player.subject, player.journal)
            player.described = True
        describe.census(environment, player.journal, player.readings.life)


def reset(player: Player, verb: Verb) -> None:
    """Reset; the first time with the seed."""
    index = len(player.hosts) - 1 if verb.instance is None else verb.instance
    seed = None if player.seeded[index] else player.seed
    player.seeded[index] = True
    player.hosts[index].reset(seed)
    if player.handles is not None:
        with contextlib.suppress(Exception):  # no error of ours is one of reset()
            player.handles.look(player.hosts[index].subject())
            player.watch_inside(player.hosts[index].subject())


def reseed(player: Player, verb: Verb) -> None:
    """Reset with the seed once more."""
    player.host(verb).reset(player.seed)


def step(player: Player, verb: Verb) -> Mapping[str, Any]:
    """Steps; {"steps"} is how many."""
    return _repeat(player, player.host(verb).step, verb)


def mirror(player: Player, verb: Verb) -> Mapping[str, Any]:
    """Steps with one action for all instances; {"steps"} is how many."""
    return _repeat(player, player.host(verb).mirror, verb)


def _repeat(player: Player, step: Callable[[], None], verb: Verb) -> Mapping[str, Any]:
    steps, deadline = 0, Deadline(player.budget)
    for _ in range(int(verb.argument or 1)):
        try:
            step()
        except Exception as error:
            if not steps:
                _tell_a_bad_guess(player, error)
            raise
        steps += 1
        beat()
        if deadline.passed:  # a slow environment gets fewer, honest steps
            break
    return {"steps": steps}


def _tell_a_bad_guess(player: Player, error: Exception) -> None:
    """Where nothing says which actions there are, and step() does not know what to do with the
    first one of all, that is not the environment's mistake.
    """
    environment = player.hosts[-1].subject()
    if player.readings.life or not player.scenario.traits.plain or environment is None:
        return
    frames = traceback.extract_tb(error.__traceback__)
    inside = any(frame.name == "step" for frame in frames if not is_ours(frame.filename))
    if not isinstance(error, BAD_ACTION) or not inside:
        return
    if environment_api.is_guessed(environment):
        reason = "it has no action_space, and step() does not take the action 0: %s: %s"
        told = reason % (type(error).__name__, message_of(error))
        describe.tell_refused(told, player.journal)


def render(player: Player, verb: Verb) -> None:
    """Render once."""
    player.host(verb).render()


def close(player: Player, verb: Verb) -> None:
    """Close, after what was followed has been told."""
    if player.handles is not None:
        with contextlib.suppress(Exception):
            player.journal.write("fact", key="handles", value=player.handles.told())
        player.handles = None
    comparing.save(player.host(verb))
    player.host(verb).close()


def relaunch(player: Player, verb: Verb) -> None:
    """Close a manager, and launch it again."""
    player.host(verb).relaunch()
    workers.tell(player.journal)


def drop(player: Player, verb: Verb) -> None:
    """Give up the last reference. What goes by itself, and what only the collector brings back, are
    counted apart, so it is switched off in between. With a number, only that instance is given up.
    """
    if verb.instance is not None:
        if player.host(verb) is not None:
            _drop_one(player, verb.instance)
        return
    collecting = gc.isenabled()
    gc.disable()
    try:
        comparing.save(*filter(None, player.hosts))
        player.hosts.clear()
        player.seeded.clear()
        dropped = _survivors(player)
        before = player.readings.memory_in_use()
        if player.scenario.traits.watched:
            player.readings.take("dropped")
    finally:
        if collecting:
            gc.enable()
    player.readings.collected()
    collected = _survivors(player)
    if dropped:
        player.journal.write(
            "fact",
            key="survivors",
            value=describe.survivors(
                player.readings.life, dropped, collected, before - player.readings.memory_in_use()
            ),
        )
    player.survivors_before.update(collected)
    player.readings.life += 1


def _drop_one(player: Player, index: int) -> None:
    comparing.save(player.hosts[index])
    player.hosts[index] = None
    gc.collect()


def _survivors(player: Player) -> List[int]:
    return [serial for serial in instrument.alive() if serial not in player.survivors_before]


def copy(player: Player, verb: Verb) -> None:
    """Use a deep copy, and journal whether that worked."""
    player.journal.write(
        "fact", key="copied", value=side_by_side.use_a_copy(player.host(verb), player.seed)
    )


def leave(player: Player, verb: Verb) -> None:
    """As in a script that never closes: the main module holds the instance when Python exits.
    Nothing of ours may: what is called then finds its own modules taken apart, and would complain
    in the environment's name.
    """
    sys.modules["__main__"].env = player.host(verb).subject()  # type: ignore[attr-defined]
    instrument.forget()
    player.hosts.clear()
    player.seeded.clear()
    player.readings.note_dirty("an instance that was left alive")


VERBS = {
    verb.__name__: verb
    for verb in (make, reset, reseed, step, mirror, render, close, relaunch, drop, copy, leave)
}
