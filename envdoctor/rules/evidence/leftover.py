"""Attributes of an instance in which something of an episode lives on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from envdoctor.model.environment_aims import SetBack
from envdoctor.model.facts import Leftover, LeftoverPlace
from envdoctor.rules.engine.examples import fact, trace
from envdoctor.rules.engine.view import View

PAIR = 2  # attributes that are named by their ways


def leftover_places(view: View) -> tuple[LeftoverPlace, ...]:
    """The places that were tried: once they were put back, an episode was as the first one."""
    facts = (run.fact(Leftover) for run in view.direct.optional("leftover"))
    return next(filter(None, facts), Leftover()).places


def fresh_ones_agree(view: View) -> str:
    """Say that fresh instances agree, and what makes the difference, where that is known."""
    places = leftover_places(view)
    has = f"{_names(places)} {'has' if len(places) == 1 else 'have'} what the constructor gave it"
    known = f", and the same comes again once {has}" if places else ""
    return f", although two fresh ones agree{known}"


def how_to_set_back(view: View) -> str:
    """Say what reset() is to set back; nothing where that is not known."""
    places = leftover_places(view)
    if not places:
        return ""
    resetting = next((each for each in places if each.resets), None)
    own = ""
    if resetting is not None:
        way = resetting.name.rpartition(".")[0]
        own = f"; {resetting.class_name} has a reset(), which is not called: {way}.reset()"
    setters = {(each.class_name, each.setter) for each in places}
    if len(setters) == 1 and places[0].setter:
        what = "it" if len(places) == 1 else "them"
        method = f"{places[0].class_name}.{places[0].setter}()"
        own = f"; {method} sets {what}, and is not called there"
    return f"let {view.class_name}.reset() set back {_names(places)}{own}."


def aim_of_setting_back(view: View) -> SetBack:
    """Set back the attribute that is known, or all that an episode changes: by a method that sets
    all of them, or by the reset() of the object that has them, where there is one.
    """
    places = leftover_places(view)
    setters = {(each.class_name, each.setter) for each in places}
    holders = {each.name.rpartition(".")[0] for each in places}
    is_reset = len(holders) == 1 and all(each.resets for each in places)
    is_set = len(setters) == 1 and bool(places and places[0].setter)
    if not places or (len(places) > 1 and not (is_reset or is_set)):
        return SetBack()
    place = places[0]
    return SetBack(place.name, place.resets, place.setter, place.class_name if place.setter else "")


def _names(places: Sequence[LeftoverPlace]) -> str:
    owners = {each.name.rpartition(".")[0] for each in places}
    if len(places) > PAIR and len(owners) == 1:
        *names, last = (each.name.rpartition(".")[2] for each in places)
        return f"{', '.join(names)} and {last} of {owners.pop()}"
    return " and ".join(each.name for each in places)


def with_leftover(view: View, **place: object) -> View:
    """A view in which this was tried, for examples."""
    tried = trace(fact("leftover", {"places": [place]}), name="leftover")
    return replace(view, optional_traces=(tried,))
