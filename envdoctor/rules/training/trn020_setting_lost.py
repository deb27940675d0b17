"""A setting of the trainer does not reach its environments.

What it does
    Follows set_attr() and set_options() of the vectorizers of Stable-Baselines3 in a watched
    training, and what its environments have when they are reset.

    An attribute that the outermost wrapper of an environment got is reported where the environment
    below has one of the same name, which its code reads, with another value. Where set_attr() set
    it, that is a warning; where a line of the script did, as in env.level = 3, it is a note. What
    the wrapper's own code knows, or may set by its name, is left out.

    Options are a note where an instance was given some, and the vectorizer reset it without them
    at least eight times as often: set_options() is for the next reset() only.

Why it matters
    Nothing fails, and get_attr() returns the new value. The environment plays on as it did: each
    level of a curriculum is the first one.

How to fix it
    Have the wrapper that has the attribute set it:

        envs.env_method("set_wrapper_attr", "level", 3)

    Keep options in a wrapper of each environment:

        def reset(self, *, seed=None, options=None):
            self.options = options or self.options
            return self.env.reset(seed=seed, options=self.options)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, UNKNOWN, WARNING, Finding, Location
from envdoctor.model.training import Training
from envdoctor.model.training_aims import KeepOptions, SetBelow
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.model.training_settings import HiddenAttribute, Setting
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import (
    by_site,
    nothing_made,
    of,
    training_of,
    watched_view,
    whose,
)

OPTIONS = "set_options"
MORE = 8  # resets without options for each with some
BY_METHOD = (
    'call env_method("set_wrapper_attr", "{name}", value) of the vectorizer: it sets {name} where'
    " it is. Where that does not exist, give {kind} a method that sets it, and call that by"
    " env_method()."
)
BY_HAND = "set it on env.unwrapped; or let no two things have one name."
IN_WRAPPER = (
    "keep them in a wrapper of each environment: its reset() takes options, and gives the last ones"
    " to each reset() without. Where they are for one episode, nothing is wrong."
)


@rule(
    "TRN020",
    "setting-lost",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
)
def setting_lost(view: View) -> Iterator[Finding]:
    training = training_of(view)
    for hidden in dict.fromkeys(each for own in training.instances for each in own.hidden):
        yield from _of_attribute(training, hidden)
    setting = next((each for each in training.settings if each.method == OPTIONS), None)
    if setting is not None:
        yield from _of_options(training, setting)


def _of_attribute(training: Training, hidden: HiddenAttribute) -> Iterator[Finding]:
    """The findings on an attribute that only wrappers got, one for each line of instances."""
    same = (each for each in training.settings if each.name == hidden.name)
    setting, name = next(same, None), hidden.name
    for site in by_site(each for each in training.instances if hidden in each.hidden):
        kind, place = site[0].class_name, setting.location if setting else None
        by = f"{_call(setting)} sets" if setting else "the script sets"
        cure = BY_METHOD if setting else BY_HAND
        yield setting_lost.finding(
            f"{by} {name} of {hidden.wrapper}, the outermost wrapper, in"
            f" {of(len(site), 'instance')}: {whose(site)} has a {name} of its own, which keeps its"
            " value",
            cure.format(name=name, kind=kind),
            severity=WARNING if setting else NOTE,
            aim=SetBelow(name, Frame(place.file, place.line) if place else None),
            location=place or site[0].location,
            key=(kind, name),
            blame=UNKNOWN,
            evidence={"attribute": name, "wrapper": hidden.wrapper, "instances": len(site)},
        )


def _of_options(training: Training, setting: Setting) -> Iterator[Finding]:
    """The findings on options that the vectorizer gave to few of the resets."""
    lost = [
        each
        for each in training.created_here
        if each.by and each.reset.ended - each.optioned >= MORE * each.optioned > 0
    ]
    for site in by_site(lost):
        place = site[0].location
        optioned, resets = (
            sum(each.optioned for each in site),
            sum(each.reset.ended for each in site),
        )
        yield setting_lost.finding(
            f"options of {_call(setting)} were given to {optioned} of {of(resets, 'reset')} of"
            f" {whose(site)}: {setting.vectorizer} gives them to the next reset() only, and resets"
            " without them where an episode ends",
            IN_WRAPPER,
            severity=NOTE,
            aim=KeepOptions(Frame(place.file, place.line)) if place else None,
            location=setting.location or site[0].location,
            key=(site[0].type, OPTIONS),
            blame=UNKNOWN,
            evidence={"resets": resets, "given": optioned, "vectorizer": setting.vectorizer},
        )


def _call(setting: Setting) -> str:
    """`set_attr() in train.py:57`."""
    place = setting.location
    return f"{setting.method}()" + (f" in {short(place.file)}:{place.line}" if place else "")


_SET, _AT = Location("/train.py", 57, "main"), Location("/train.py", 52, "main")


def _view(*settings: Setting, **known: Any) -> View:
    known = {"reset": Calls(31, 31), "step": Calls(600, 600), **known}
    workers = (Instances(pid, 1, "arm.Arm", _AT, "vectorizer", **known) for pid in (2, 3))
    return watched_view(Training((), 1, instances=tuple(workers), settings=settings))


_ATTRIBUTE = Setting("set_attr", "Vectorizer", "level", _SET)
_OPTIONS = Setting(OPTIONS, "Vectorizer", location=_SET)
_HIDDEN = (HiddenAttribute("level", "Monitor"),)

EXAMPLES = (
    Example(
        "a curriculum that stays at its first level",
        _view(_ATTRIBUTE, hidden=_HIDDEN),
        "set_attr() in train.py:57 sets level of Monitor, the outermost wrapper, in 2"
        " instances: Arm made at /train.py:52 has a level of its own, which keeps its value",
    ),
    Example(
        "env.level = 3 of what make() returned",
        _view(hidden=_HIDDEN),
        "the script sets level of Monitor, the outermost wrapper, in 2 instances: Arm made"
        " at /train.py:52 has a level of its own, which keeps its value",
    ),
    Example(
        "options of the first episode",
        _view(_OPTIONS, optioned=1),
        "options of set_options() in train.py:57 were given to 2 of 62 resets of Arm made"
        " at /train.py:52: Vectorizer gives them to the next reset() only, and resets"
        " without them where an episode ends",
    ),
    Example("an attribute of a wrapper", _view(_ATTRIBUTE)),
    Example("options that a wrapper keeps", _view(_OPTIONS, optioned=31)),
    Example("options of each evaluation", _view(_OPTIONS, optioned=15)),
    Example("options of a script of its own", _view(optioned=1)),
)
