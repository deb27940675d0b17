"""The verbs that make up a life: one function each, which returns further keys for the journal,
or nothing.
"""

from __future__ import annotations

import contextlib
import gc
import traceback
from dataclasses import replace
from typing import Callable, List, Mapping

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.model.scenario import DIRECT, FILES, Verb
from envdoctor.model.subject import Subject
from envdoctor.probe import adapters, awaiting, environment_api, given_actions, loaded
from envdoctor.probe.actions import Actions
from envdoctor.probe.comparison import comparing, side_by_side
from envdoctor.probe.comparison.initial_state import InitialState, blocking_places
from envdoctor.probe.growth import forced
from envdoctor.probe.growth.own_cycle import own_cycle
from envdoctor.probe.heartbeat import beat
from envdoctor.probe.ownership import is_ours
from envdoctor.probe.scenario_state import ScenarioState
from envdoctor.probe.subject import own_sources
from envdoctor.probe.surviving import message_of
from envdoctor.probe.system import screens, workers
from envdoctor.probe.system.deadline import Deadline
from envdoctor.probe.tracing import instrument, remedies
from envdoctor.probe.tracing.instrument import Factory
from envdoctor.probe.verbs import describe
from envdoctor.probe.wrappers import innermost, references_to_wrappers

CURE = "cure"  # the option that is one of the factories

#: What code raises that was given a value of another kind than it takes.
BAD_ACTION = (TypeError, ValueError, LookupError, AttributeError, AssertionError)
IMAGE_AXES = 3  # height, width, channels


def make(state: ScenarioState, _verb: Verb) -> None:
    """Build one instance, or launch a manager of several."""
    manager = adapters.modules()[state.scenario.manager]
    pairs = [(name, value) for name, value in state.scenario.options if name != CURE]
    options = LaunchOptions.decode(pairs, state.seed)
    factories = _factories(state, state.scenario.option(CURE, ""))
    state.hosts.append(manager.launch(factories, state.scenario.start_method, options))
    state.seeded.append(False)
    comparing.record(state.hosts[-1], state.scenario, state.journal, state.readings.life)
    side_by_side.record(
        state.hosts[-1], state.scenario, state.journal, state.readings.life, len(state.hosts) - 1
    )
    if state.scenario.manager == DIRECT:
        _describe(state, state.hosts[-1].subject())
        if state.screenless:
            screens.hurry(innermost(state.hosts[-1].subject()))
    elif not state.scenario.fault:
        workers.tell(state.journal)


def _factories(state: ScenarioState, cure: str) -> List[Callable[[], object]]:
    """One for each instance. With a fault, one of them fails."""
    count = 1 if state.scenario.manager == DIRECT else state.scenario.workers
    fault, control = state.scenario.fault, state.scenario.control
    if fault is None:
        return [
            remedies.factory(cure, _subject(state), state.journal.path, control, state.spaces)
        ] * count
    # Without the subject's own spaces, where others do: they may be more than a manager can host,
    # which is another matter than faults.
    shaped = getattr(adapters.modules()[state.scenario.manager], "SHAPED", False)
    spaces = state.spaces if shaped else ""
    made: List[Callable[[], object]] = [
        Factory(state.subject, state.journal.path, control, spaces)
    ] * count
    made[fault.worker] = Factory(
        state.subject,
        state.journal.path,
        control,
        spaces,
        fault.kind,
        state.scenario.start_method is not None,
    )
    return made


def _subject(state: ScenarioState) -> Subject:
    """Return what is built: without a manager, a render mode is an argument of its constructor.
    (Other options, such as the sensors of a search, are none.)
    """
    mode = state.scenario.option("render_mode", None)
    if state.scenario.manager != DIRECT or mode is None:
        return state.subject
    return replace(state.subject, kwargs={**state.subject.kwargs, "render_mode": mode})


def _describe(state: ScenarioState, environment: object) -> None:
    if state.scenario.traits.detailed:
        if not state.described:
            describe.describe(environment, state.journal, state.spaces)
            describe.tell_refused(environment_api.refused(environment), state.journal)
            own_sources.tell(environment, state.subject, state.journal)
            state.described = True
        describe.census(environment, state.journal, state.readings.life)
        state.around = references_to_wrappers(environment)


def reset(state: ScenarioState, verb: Verb) -> None:
    """Reset; the first time with the seed."""
    index = len(state.hosts) - 1 if verb.instance is None else verb.instance
    seed = None if state.seeded[index] else state.seed
    state.seeded[index] = True
    state.hosts[index].reset(seed)
    if state.handles is not None:
        with contextlib.suppress(Exception):  # no error of ours is one of reset()
            state.handles.look(state.hosts[index].subject())
            state.watch_inside(state.hosts[index].subject())


def begin(state: ScenarioState, verb: Verb) -> None:
    """Reset without a seed."""
    state.host(verb).reset(None)


def reseed(state: ScenarioState, verb: Verb) -> None:
    """Reset with the seed once more."""
    state.host(verb).reset(state.seed)


def repeat(state: ScenarioState, verb: Verb) -> None:
    """Reset without a seed, and begin the actions of the first episode anew."""
    host = state.host(verb)
    host.actions = Actions(host.seed)
    host.reset(None)


def vary(state: ScenarioState, verb: Verb) -> None:
    """Reset with another seed."""
    state.host(verb).reset(state.seed + int(verb.argument or 1))


def step(state: ScenarioState, verb: Verb) -> Mapping[str, object]:
    """Steps; {"steps"} is how many, and {"ends"} how many of them ended an episode of an instance
    without a manager, where any did.
    """
    return _repeat(state, state.host(verb), state.host(verb).step, verb)


def mirror(state: ScenarioState, verb: Verb) -> Mapping[str, object]:
    """Steps with one action for all instances; {"steps"} is how many."""
    return _repeat(state, state.host(verb), state.host(verb).mirror, verb)


def _repeat(
    state: ScenarioState, host: adapters.Host, step: Callable[[], None], verb: Verb
) -> Mapping[str, object]:
    steps, ends, deadline = 0, 0, Deadline(state.budget)
    for _ in range(int(verb.argument or 1)):
        if host.is_over:
            break
        try:
            step()
        except Exception as error:
            if not steps:
                _tell_a_bad_guess(state, error)
            raise
        steps += 1
        ends += bool(getattr(host, "ended", False))
        beat()
        if deadline.passed:  # a slow environment gets fewer, honest steps
            break
    return {"steps": steps, "ends": ends} if ends else {"steps": steps}


def _tell_a_bad_guess(state: ScenarioState, error: Exception) -> None:
    """Journal a refusal where nothing says which actions there are, and step() does not know what
    to do with the first one of all: that is not the environment's mistake.
    """
    environment = state.hosts[-1].subject()
    if state.readings.life or not state.scenario.traits.plain or environment is None:
        return
    frames = traceback.extract_tb(error.__traceback__)
    inside = any(frame.name == "step" for frame in frames if not is_ours(frame.filename))
    if not isinstance(error, BAD_ACTION) or not inside:
        return
    if environment_api.is_guessed(environment):
        why = "%s: %s" % (type(error).__name__, message_of(error))
        describe.tell_refused(given_actions.reason_of_first_failure(why), state.journal)


def render(state: ScenarioState, verb: Verb) -> None:
    """Render once."""
    state.host(verb).render()


def picture(state: ScenarioState, verb: Verb) -> None:
    """Render once, and keep the image where it is recorded; else, see whether it has one color."""
    host = state.host(verb)
    image = host.subject().render()
    if getattr(image, "ndim", 0) != IMAGE_AXES:
        return
    if host.recorder is not None:
        host.recorder.add("render", observation=image)
    else:
        of_one_color = bool((image == image[:1, :1]).all())
        state.journal.write("fact", key="image", value={"of_one_color": of_one_color})


def close(state: ScenarioState, verb: Verb) -> None:
    """Close, after what was followed has been told."""
    if state.handles is not None:
        with contextlib.suppress(Exception):
            state.journal.write("fact", key="handles", value=state.handles.facts())
        state.handles = None
    comparing.save(state.host(verb))
    if state.open_clients is not None:
        state.open_clients.look(innermost(state.host(verb).subject()))
    state.host(verb).close()
    if state.loop_reports is not None:
        state.loop_reports.tell_pending(awaiting.pending())
    if state.open_clients is not None:
        for left in state.open_clients.left():
            state.journal.write(
                "fact", key="client-left", value={**left, "life": state.readings.life}
            )


def relaunch(state: ScenarioState, verb: Verb) -> None:
    """Close a manager, and launch it again."""
    state.host(verb).relaunch()
    workers.tell(state.journal)


def drop(state: ScenarioState, verb: Verb) -> None:
    """Give up the last reference. What goes by itself, and what only the collector brings back, are
    counted apart, so it is switched off in between. With a number, only that instance is given up.
    """
    if verb.instance is not None:
        if state.host(verb) is not None:
            _drop_one(state, verb.instance)
        return
    with forced.held_off():
        comparing.save(*filter(None, state.hosts))
        state.hosts.clear()
        state.seeded.clear()
        dropped = _survivors(state)
        cycle = own_cycle(instrument.reference_to(dropped[0]), state.around) if dropped else None
        before = state.readings.memory_in_use()
        if state.scenario.traits.watched:
            state.readings.take("dropped")
    state.readings.collected()
    for child in state.unwaited.pop() if state.unwaited is not None else ():
        value = {**child, "life": state.readings.life}
        state.journal.write("fact", key="unwaited", value=value)
    collected = _survivors(state)
    if dropped:
        state.journal.write(
            "fact",
            key="survivors",
            value=describe.survivors(
                state.readings.life,
                dropped,
                collected,
                before - state.readings.memory_in_use(),
                cycle,
                state.around,
            ),
        )
    state.survivors_before.update(collected)
    state.readings.life += 1


def _drop_one(state: ScenarioState, index: int) -> None:
    comparing.save(state.hosts[index])
    state.hosts[index] = None
    gc.collect()


def free(state: ScenarioState, verb: Verb) -> None:
    """Give up one instance, and journal which __del__() of the user's runs then."""
    calls = side_by_side.FinalizerCalls(state.ownership.is_users)
    with calls.followed():
        _drop_one(state, verb.instance or 0)
    if calls.first is not None:
        state.journal.write("fact", key="finalizer", value=calls.first)


def _survivors(state: ScenarioState) -> List[int]:
    return [serial for serial in instrument.alive() if serial not in state.survivors_before]


def copy(state: ScenarioState, verb: Verb) -> None:
    """Let a deep copy go on as the original will, use another one, and journal whether that
    worked.
    """
    continued = side_by_side.continue_a_copy(
        state.host(verb), state.scenario, state.journal, state.ownership
    )
    if continued is not None:
        state.journal.write("fact", key="continued-copy", value=continued)
    used = side_by_side.use_a_copy(state.host(verb), state.seed, state.ownership)
    state.journal.write("fact", key="copied", value=used)


def separate(state: ScenarioState, _verb: Verb) -> None:
    """From here on, give each of two instances its own of what they share, of the next part of it
    that is to be tried.
    """
    if state.sharing is not None:
        state.sharing.begin(
            state.readings.life,
            lambda each: side_by_side.is_cured(each, state.scenario, state.journal),
        )


def remember(state: ScenarioState, _verb: Verb) -> None:
    """Remember what modules and classes keep: the subject's own, and those of files that the
    scenario names.
    """
    files = frozenset(state.scenario.option(FILES, ()))
    state.initial = InitialState(lambda file: file in files or state.ownership.is_users(file))


def restore(state: ScenarioState, _verb: Verb) -> None:
    """Journal the blocking-state fact: what has to be as it was before the first instance, so that
    another one can be made.
    """
    deadline = Deadline(state.budget)
    keys = blocking_places(state.initial, lambda: _fails(state), lambda: deadline.passed)
    if keys:
        places = [state.initial.as_json(key) for key in keys]
        state.journal.write("fact", key="blocking-state", value={"places": places})


def _fails(state: ScenarioState) -> bool:
    """Return whether an instance cannot be made and reset. It is closed again."""
    beat()
    try:
        make(state, Verb("make"))
        reset(state, Verb("reset"))
    except (Exception, SystemExit):
        return True
    finally:
        for host in state.hosts:
            with contextlib.suppress(Exception, SystemExit):
                host.close()
        state.hosts.clear()
        state.seeded.clear()
        gc.collect()
    return False


def leave(state: ScenarioState, verb: Verb) -> None:
    """As in a script that never closes: the main module holds the instance when Python exits.
    Nothing of ours may: what is called then finds its own modules taken apart, and would complain
    in the environment's name.
    """
    script = loaded.module("__main__")
    script.env = state.host(verb).subject()
    instrument.forget()
    state.hosts.clear()
    state.seeded.clear()
    state.readings.note_dirty("an instance that was left alive")


VERBS = {
    verb.__name__: verb
    for verb in (
        *(make, reset, begin, reseed, repeat, vary, step, mirror, render, picture),
        *(close, relaunch, free, drop, copy, remember, restore, leave),
    )
}
VERBS["apart"] = separate
