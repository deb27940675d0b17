"""The verbs that ask about a subject, or begin to watch it: one function each."""

from __future__ import annotations

import contextlib
import functools
from typing import Dict, Iterable, List, Mapping, Sized, Tuple

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.model.scenario import DIRECT, Verb
from envdoctor.model.subject import FUNCTION, UNDECIDED
from envdoctor.probe import adapters, awaiting, environment_api
from envdoctor.probe.errors import error_value
from envdoctor.probe.heartbeat import beat
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.scenario_state import ScenarioState
from envdoctor.probe.subject import load
from envdoctor.probe.subject.roots import roots_before_import
from envdoctor.probe.system import screens
from envdoctor.probe.system.deadline import Deadline
from envdoctor.probe.tracing import effects as side_effects
from envdoctor.probe.tracing.instrument import BareFactory, Factory
from envdoctor.probe.verbs import describe
from envdoctor.probe.wrappers import innermost

PROCESSES = "processes"  # the name of a sensor
#: What a life in a thread that goes wrong has shown.
SHOWING = frozenset(["error", "difference"])


def survey(state: ScenarioState, _verb: Verb) -> None:
    """Journal what the subject names."""
    describe.survey(state.subject, state.journal, state.readings)


def call(state: ScenarioState, _verb: Verb) -> None:
    """Call the function that the subject names, and journal the called fact: whether it builds an
    environment. One that it built is closed.
    """
    resolved = load.find(state.subject)
    if state.subject.kind == FUNCTION:
        describe.describe_function(resolved, state.journal)
    made = resolved.build()
    is_environment = all(callable(getattr(made, name, None)) for name in ("reset", "step"))
    state.journal.write("fact", key="called", value={"environment": is_environment})
    if not is_environment and state.subject.kind == UNDECIDED:
        describe.describe_function(resolved, state.journal)
    elif is_environment and callable(getattr(made, "close", None)):
        environment_api.close(made)


def windowless(state: ScenarioState, _verb: Verb) -> None:
    """From here on, draw without a screen."""
    state.stop_watching.append(screens.leave(state.scenario.option("render_mode", None)))
    state.screenless = True


def watch(state: ScenarioState, verb: Verb) -> None:
    """From here on, journal who builds and closes instances of the class, and follow what its
    attributes hold.
    """
    from envdoctor.probe.tracing import close_layers, handles, watching

    with contextlib.suppress(Exception):
        state.handles = handles.HandleTracker(state.host(verb).subject())
    # First: what it says of a close() is of the one that is written there.
    state.stop_watching.append(close_layers.watch_layers(state.host(verb).subject(), state.journal))
    state.stop_watching.append(
        watching.watch_class(state.host(verb).subject(), state.journal, state.ownership.is_users)
    )


def acquisitions(state: ScenarioState, _verb: Verb) -> None:
    """From here on, journal which line takes what."""
    from envdoctor.probe.tracing import acquisitions

    acquisitions.watch(lambda event: state.journal.write(**event), state.ownership.is_users)
    state.readings.note_dirty("the audit hook")


def effects(state: ScenarioState, _verb: Verb) -> None:
    """Import the subject, and from here on journal which line changes what belongs to the whole
    process.
    """
    ownership = Ownership(roots_before_import(state.subject))
    wanted = state.scenario.option("sensors")
    search = side_effects.EffectSearch(
        lambda: state.readings.effects(wanted),
        ownership.is_users,
        functools.partial(_tell_effect, state),
    )
    state.stop_watching.append(search.stop)
    search.start()
    load.enter(state.subject)


def _tell_effect(state: ScenarioState, change: Dict[str, object], frame: Dict[str, object]) -> None:
    state.journal.write("effect", frame=frame, **change)


def check(state: ScenarioState, verb: Verb) -> None:
    """Run the checkers of the subject's own framework, or the one of a framework that trains
    (check:torchrl).
    """
    from envdoctor.probe.adapters import own_checker, training_checkers

    factory = Factory(state.subject, state.journal.path)
    if not verb.argument:
        own_checker.check(factory, state.journal, state.ownership)
        return
    control = Factory(state.subject, state.journal.path, True, state.spaces)
    training_checkers.check(verb.argument, factory, control, state.journal, state.ownership)


def pickle(state: ScenarioState, _verb: Verb) -> None:
    """Pickle the factory."""
    from envdoctor.probe.pickling import factories

    factories.check(state.subject, state.journal, state.ownership)


def carry(state: ScenarioState, verb: Verb) -> None:
    """Pickle what an instance sends, and ask for its spaces again."""
    from envdoctor.probe.comparison.remade_spaces import remade_space
    from envdoctor.probe.pickling import instances as pickled

    pickled.carry(state.host(verb), state.subject, state.journal, state.ownership)
    remade = remade_space(state.host(verb).subject())
    if remade is not None:
        state.journal.write("fact", key="remade-space", value=remade)


def fail(state: ScenarioState, verb: Verb) -> None:
    """Have every instance raise, and journal what arrives."""
    from envdoctor.probe.pickling import exceptions

    state.readings.note_dirty("an error that may not have been received")
    state.journal.write(
        "fact",
        key="fate",
        value=exceptions.fate(lambda: state.host(verb).fail(verb.argument), state.ownership),
    )


def count(state: ScenarioState, verb: Verb) -> None:
    """Reset, and count what it asks for."""
    from envdoctor.probe.tracing.denials import Denials

    state.denials = Denials()
    with state.denials.counting():
        state.host(verb).reset(state.seed)


def kinds(things: Iterable[Tuple[str, str, str]]) -> List[str]:
    """The sensors that show things."""
    return sorted({sensor for sensor, _, _ in things})


def deny(state: ScenarioState, verb: Verb) -> None:
    """Reset, and deny the last thing that it asks for. That it raises then is what is wanted, and
    journalled as a fact; nothing of the error is kept, which would keep the instance.
    """
    denials, before = state.denials, state.readings.things()
    raised = None
    try:
        with denials.denying(lambda: kinds(state.readings.things() - before)):
            state.host(verb).reset(state.seed)
    except Exception as error:
        raised = error_value(error, state.ownership)
    # What a reset() leaves that went well all the same is not judged, and not waited for.
    state.readings.patience = 1.0 if raised else 0.0
    fact = {
        "life": state.readings.life,
        "asked": denials.asked,
        "what": denials.denied,
        "taken": denials.acquired,
        "error": raised,
    }
    state.journal.write("fact", key="denied", value=fact)


def threaded(state: ScenarioState, verb: Verb) -> None:
    """Play a life in a thread, and journal what differs there."""
    from envdoctor.probe.comparison import comparing, in_thread

    if awaiting.is_used():
        fact: Dict[str, object] = {
            "skipped": "its calls are coroutines, which its caller's loop runs"
        }
    elif state.subject.action is not None and state.subject.action.is_function:
        fact = {"skipped": "the function that gives the actions is asked in the main thread"}
    else:
        factory = Factory(state.subject, state.journal.path)
        options = LaunchOptions(state.seed)
        state.readings.begin()
        fact = in_thread.ThreadTrial(
            lambda: adapters.modules()[DIRECT].launch([factory], None, options),
            state.seed,
            int(verb.argument or 1),
            *comparing.in_thread_files(state.scenario, state.journal),
            state.ownership,
        ).fact()
        state.readings.collected()
        state.readings.life += 1
    if SHOWING.intersection(key for key, value in fact.items() if value):
        state.readings.note_dirty("an instance that failed in a thread")
    state.journal.write("fact", key="in-thread", value=fact)


def layers(state: ScenarioState, verb: Verb) -> None:
    """Journal what each layer of a wrapped environment shows without what is around it. A layer
    alone may take what nothing gives back.
    """
    from envdoctor.probe.comparison.layers import describe_layers

    factory = BareFactory(state.subject, state.journal.path)
    layers = describe_layers(factory.build, state.seed, int(verb.argument or 1))
    state.readings.note_dirty("layers that were played without their wrappers")
    state.journal.write("fact", key="played-layers", value={"layers": layers})


def leftover(state: ScenarioState, verb: Verb) -> None:
    """Journal in which attributes something of an episode lives on. What is put back there may be
    more than its class can bear.
    """
    from envdoctor.probe.comparison.layers import Episodes
    from envdoctor.probe.comparison.leftover import leftovers

    deadline = Deadline(state.budget)
    environment = BareFactory(state.subject, state.journal.path).build()
    state.readings.note_dirty("an instance whose attributes were put back")
    episodes = Episodes(environment, state.seed, int(verb.argument or 1))
    places = leftovers(episodes, innermost(environment), state.seed, lambda: deadline.passed)
    state.journal.write("fact", key="leftover", value={"places": places})


def caught(state: ScenarioState, verb: Verb) -> None:
    """Journal what is raised and caught in resets of one instance, with a step each, and whether
    processes come with it.
    """
    from envdoctor.probe.comparison.layers import Episodes
    from envdoctor.probe.tracing.caught import ErrorTracer

    deadline, errors, resets = Deadline(state.budget), ErrorTracer(state.ownership.is_users), 0
    environment = BareFactory(state.subject, state.journal.path).build()
    state.readings.note_dirty("an instance that was traced")
    episodes = Episodes(environment, state.seed, 1)
    episodes.begin(state.seed)
    processes, risen = state.readings.effects((PROCESSES,)), set()
    while resets < int(verb.argument or 1) and not deadline.passed:
        beat()
        errors.follow(lambda: episodes.begin(None))
        resets += 1
        before, processes = processes, state.readings.effects((PROCESSES,))
        if _more(processes, before):
            risen.add(resets)
    if callable(getattr(environment, "close", None)):
        environment_api.close(environment)
    value = {"resets": resets, "errors": errors.as_json({PROCESSES: risen})}
    state.journal.write("fact", key="caught-errors", value=value)


def _more(now: Mapping[str, Sized], before: Mapping[str, Sized]) -> bool:
    return len(now.get(PROCESSES, ())) > len(before.get(PROCESSES, ()))


def binds(state: ScenarioState, _verb: Verb) -> None:
    """From here on, note to which addresses sockets are bound."""
    from envdoctor.probe.tracing import bound_addresses

    bound_addresses.follow()
    state.readings.note_dirty("the audit hook")


def ports(state: ScenarioState, _verb: Verb) -> None:
    """Journal the used-address fact, where no instance could be made."""
    from envdoctor.probe.tracing import bound_addresses

    address = None if state.hosts else bound_addresses.used_address()
    if address is not None:
        state.journal.write("fact", key="used-address", value=address)


def replay(state: ScenarioState, verb: Verb) -> None:
    """Ask single instances what those of managers were asked: in their first steps, or
    (replay:episode) to the end of an episode.
    """
    from envdoctor.probe.comparison import ends_alone, replaying

    if verb.argument:
        factory = BareFactory(
            state.subject, state.journal.path, state.scenario.control, state.spaces
        )
        ends_alone.compare_ends(
            factory, adapters.modules(), state.journal, state.ownership, state.budget
        )
        return
    replaying.replay(
        state.scenario,
        adapters.modules(),
        state.subject,
        state.journal,
        state.spaces,
        state.ownership,
        state.budget,
    )


VERBS = {
    verb.__name__: verb
    for verb in (
        survey,
        call,
        windowless,
        watch,
        acquisitions,
        effects,
        check,
        pickle,
        carry,
        fail,
        count,
        deny,
        threaded,
        layers,
        leftover,
        caught,
        binds,
        ports,
        replay,
    )
}
