"""The verbs that ask about a subject, or begin to watch it: one function each."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any, Dict

from envdoctor.model.scenario import Verb
from envdoctor.model.subject import FUNCTION, UNDECIDED
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.subject import describe, load
from envdoctor.probe.system import screens
from envdoctor.probe.tracing import effects as side_effects
from envdoctor.probe.tracing import instrument
from envdoctor.probe.tracing.instrument import BareFactory, Factory

if TYPE_CHECKING:
    from envdoctor.probe.player import Player


def survey(player: Player, _verb: Verb) -> None:
    """Journal what the subject names."""
    describe.survey(player.subject, player.journal, player.readings)


def call(player: Player, _verb: Verb) -> None:
    """Call the function that the subject names, and journal the called fact: whether it builds an
    environment. One that it built is closed.
    """
    found = load.find(player.subject)
    if player.subject.kind == FUNCTION:
        describe.describe_function(found, player.journal)
    made = found.build()
    is_environment = all(callable(getattr(made, name, None)) for name in ("reset", "step"))
    player.journal.write("fact", key="called", value={"environment": is_environment})
    if not is_environment and player.subject.kind == UNDECIDED:
        describe.describe_function(found, player.journal)
    elif is_environment and callable(getattr(made, "close", None)):
        made.close()


def windowless(player: Player, _verb: Verb) -> None:
    """From here on, draw without a screen."""
    player.stop_watching.append(screens.leave(dict(player.scenario.options).get("render_mode")))
    player.screenless = True


def watch(player: Player, verb: Verb) -> None:
    """From here on, journal who builds and closes instances of the class, and follow what its
    attributes hold.
    """
    from envdoctor.probe.tracing import handles, watching

    with contextlib.suppress(Exception):
        player.handles = handles.Handles(player.host(verb).subject())
    player.stop_watching.append(
        watching.watch_class(player.host(verb).subject(), player.journal, player.ownership.is_users)
    )


def takings(player: Player, _verb: Verb) -> None:
    """From here on, journal which line takes what."""
    from envdoctor.probe.tracing import acquisitions

    acquisitions.watch(lambda event: player.journal.write(**event), player.ownership.is_users)
    player.readings.note_dirty("the audit hook")


def effects(player: Player, _verb: Verb) -> None:
    """Import the subject, and from here on journal which line changes what belongs to the whole
    process.
    """
    ownership = Ownership(instrument.roots_before_import(player.subject))
    wanted = dict(player.scenario.options).get("sensors") or side_effects.SENSORS
    search = side_effects.Search(
        lambda: player.readings.effects(wanted),
        ownership.is_users,
        functools.partial(_tell_effect, player),
    )
    player.stop_watching.append(search.stop)
    search.start()
    load.enter(player.subject)


def _tell_effect(player: Player, change: Dict[str, Any], frame: Dict[str, Any]) -> None:
    player.journal.write("effect", frame=frame, **change)


def check(player: Player, verb: Verb) -> None:
    """Run the checkers of the subject's own framework, or the one of a framework that trains
    (check:torchrl).
    """
    from envdoctor.probe.adapters import own_checker, training_checkers

    factory = Factory(player.subject, player.journal.path)
    if not verb.argument:
        own_checker.check(factory, player.journal, player.ownership)
        return
    control = Factory(player.subject, player.journal.path, True, player.spaces)
    training_checkers.check(verb.argument, factory, control, player.journal, player.ownership)


def pickle(player: Player, _verb: Verb) -> None:
    """Pickle the factory."""
    from envdoctor.probe.pickling import factories

    factories.check(player.subject, player.journal, player.ownership)


def carry(player: Player, verb: Verb) -> None:
    """Pickle what an instance sends."""
    from envdoctor.probe.pickling import instances as travelling

    travelling.carry(player.host(verb), player.subject, player.journal, player.ownership)


def fail(player: Player, verb: Verb) -> None:
    """Have every instance raise, and journal what arrives."""
    from envdoctor.probe.pickling import exceptions

    player.readings.note_dirty("an error that may not have been received")
    player.journal.write(
        "fact",
        key="fate",
        value=exceptions.fate(lambda: player.host(verb).fail(verb.argument), player.ownership),
    )


def replay(player: Player, verb: Verb) -> None:
    """Ask single instances what those of managers were asked: in their first steps, or
    (replay:episode) to the end of an episode.
    """
    from envdoctor.probe.comparison import ends_alone, replaying

    if verb.argument:
        factory = BareFactory(
            player.subject, player.journal.path, player.scenario.control, player.spaces
        )
        ends_alone.compare_ends(factory, player.journal, player.ownership, player.budget)
        return
    replaying.replay(
        player.scenario,
        player.subject,
        player.journal,
        player.spaces,
        player.ownership,
        player.budget,
    )


VERBS = {
    verb.__name__: verb
    for verb in (
        survey,
        call,
        windowless,
        watch,
        takings,
        effects,
        check,
        pickle,
        carry,
        fail,
        replay,
    )
}
