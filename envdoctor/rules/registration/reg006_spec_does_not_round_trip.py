"""The environment's own specification does not build it again.

What it does
    Takes `env.spec` of an instance, writes it as JSON and reads it back, as a program that logs a
    run or shares a data set does. Where the specification that comes back is not the registered
    one, an environment is built from it and compared: its class, its wrappers, its spaces.

Why it matters
    Data sets, experiment trackers and `gymnasium.make_vec` keep the specification to build the same
    environment later, or elsewhere. One that holds what JSON cannot, or wrappers without their
    arguments, ends there in an error, or in another environment.

How to fix it
    Register names and plain values, and let wrappers record how they were made:

        gymnasium.register("Walker-v0", entry_point="walkers:Walker", kwargs={"reward": "sparse"})
        # not: a function

        class Sticky(gymnasium.Wrapper, gymnasium.utils.RecordConstructorArgs):
            def __init__(self, env, probability=0.25):
                gymnasium.utils.RecordConstructorArgs.__init__(self, probability=probability)
                gymnasium.Wrapper.__init__(self, env)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from envdoctor.frameworks import DEFAULT_REGISTRY
from envdoctor.frameworks.profile import Registry
from envdoctor.model.environment_aims import LookUp
from envdoctor.model.errors import message_of, one_line
from envdoctor.model.facts import Respecified, RoundTrip, WrapperClass
from envdoctor.model.finding import ENVIRONMENT, NOTE, WARNING, Finding
from envdoctor.rules.engine.examples import direct_view, fact, raised, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View

ENTRY_POINTS = ("entry_point", "vector_entry_point")


@rule(
    "REG006",
    "spec-does-not-round-trip",
    severity=WARNING,
    where=DIRECT_ONLY,
    needs=("close-twice",),
    verb="carry",
    blames_itself=True,
    looks_at={"close-twice": "carry"},
)
def spec_does_not_round_trip(view: View) -> Iterator[Finding]:
    run = view.trace("close-twice")
    respecified = run.fact(Respecified) if run else None
    trip = respecified.trip if respecified else None
    said = what_is_wrong(view.registry, trip) if trip else None
    if not trip or not said:
        return
    message, severity = said
    text, commands = cure(view, trip)
    wrapper, key = wrapper_at_fault(view, trip), _ARGUMENT.fullmatch(trip.culprit)
    yield spec_does_not_round_trip.finding(
        message,
        text,
        commands=commands,
        aim=LookUp(key[1]) if key else None,
        severity=severity,
        blame=ENVIRONMENT,
        location=(view.of_wrapper(wrapper) if wrapper else view).locate("__init__"),
        evidence={
            key: trip.wire.get(key)
            for key in ("id", "culprit", "written", "changed", "rebuilt", "differs")
        },
    )


def wrapper_at_fault(view: View, trip: RoundTrip) -> WrapperClass | None:
    """The wrapper that does not say how it was made, whose argument is not JSON, or that is not
    there again.
    """
    lost = next((each for each in trip.differs if each.what == "wrappers"), None)
    names = {
        _unrecorded(trip),
        trip.culprit.partition(" of ")[2],
        *(set(_NAME.findall(lost.made)) - set(_NAME.findall(lost.rebuilt)) if lost else ()),
    }
    around = (each for each in view.survey.wrappers if each.name.rpartition(".")[2] in names)
    return next(around, None)


_NAME = re.compile(r"\w+")
_ARGUMENT = re.compile(r"kwargs\['(\w+)'\]")


def _unrecorded(trip: RoundTrip) -> str:
    """The class of the wrapper that does not record its arguments, as the error names it."""
    wrapper = re.match(r"(\w+) wrapper does not inherit", message_of(trip.rebuilt))
    return wrapper[1] if wrapper else ""


def what_is_wrong(registry: Registry, trip: RoundTrip) -> tuple[str, str] | None:
    """(sentence, severity), or None. That a callable is not JSON is documented, and such an id
    can be made: no more than a note.
    """
    make = registry.through_json if trip.changed else f"{registry.make}(env.spec)"
    if trip.rebuilt:
        return f"{make} raises {one_line(trip.rebuilt)}{changed(trip)}", WARNING
    if trip.differs:
        first = trip.differs[0]
        return (
            (
                f"{make} builds another {first.what.replace('_', ' ')}: {first.rebuilt}, not"
                f" {first.made}{changed(trip)}"
            ),
            WARNING,
        )
    if trip.written:
        culprit = f" because of {trip.culprit}" if trip.culprit else ""
        error = one_line(trip.written)
        severity = NOTE if trip.culprit in ENTRY_POINTS else WARNING
        return f"env.spec cannot be written as JSON{culprit}: {error}", severity
    return None


def changed(trip: RoundTrip) -> str:
    """`; frameskip goes as tuple and comes back as list`, for the first argument that JSON does
    not keep.
    """
    for name, (gone, back) in trip.changed.items():
        return (
            f"; {name} goes as {gone} and comes back"
            f" {f'as {back}' if back != gone else 'with other contents'}"
        )
    return ""


def cure(view: View, trip: RoundTrip) -> tuple[str, tuple[str, ...]]:
    """Return the registration to write instead, with this subject's names."""
    kind = view.survey.env_class or "package.module.Class"
    entry_point = ":".join(kind.rsplit(".", 1))
    wrapper = _unrecorded(trip)
    if wrapper:
        lines = tuple(line.format(name=wrapper) for line in view.registry.wrapper)
        return f"let {wrapper} record its arguments.", lines
    key = _ARGUMENT.fullmatch(trip.culprit)
    if trip.culprit in ENTRY_POINTS:
        return "name the entry point instead of handing it over.", (
            f'{view.registry.register}("{trip.id}", entry_point="{entry_point}")',
        )
    if key:
        call = f'{view.registry.register}("{trip.id}", entry_point="{entry_point}"'
        line = f'{call}, kwargs={{"{key[1]}": ...}})  # a name or a number'
        return (
            (
                f"register a plain value as {key[1]}, and let {view.class_name}.__init__() look up"
                " what it means."
            ),
            (line,),
        )
    for name, (gone, back) in trip.changed.items():
        again = (
            (f"{name} = tuple({name})  # first in {view.class_name}.__init__()",)
            if (gone, back) == ("tuple", "list")
            else ()
        )
        return (
            (
                f"take {name} in {view.class_name}.__init__() as JSON brings it back, or register"
                " it as that."
            ),
            again,
        )
    return (
        (
            f"let the arguments under which {trip.id} is registered be plain values, and its"
            " wrappers record theirs."
        ),
        (),
    )


def _respec(**values: object) -> View:
    value = {
        "id": "Walker-v0",
        "written": None,
        "culprit": "",
        "rebuilt": None,
        "differs": [],
        **values,
    }
    return direct_view(trace(verb("carry"), fact("respec", value), name="close-twice"))


EXAMPLES = (
    Example(
        "a function among the arguments",
        _respec(
            written=raised(
                "builtins.TypeError", "Object of type function is not JSON serializable"
            ),
            culprit="kwargs['reward']",
        ),
        "env.spec cannot be written as JSON because of kwargs['reward']: TypeError: Object"
        " of type function is not JSON serializable",
    ),
    Example(
        "a wrapper that does not say how it was made",
        _respec(
            rebuilt=raised(
                "builtins.ValueError", "Sticky wrapper does not inherit from RecordConstructorArgs"
            )
        ),
        "gymnasium.make(env.spec) raises ValueError: Sticky wrapper does not inherit from"
        " RecordConstructorArgs",
    ),
    Example(
        "keys that were numbers are texts now",
        _respec(
            differs=[{"what": "observation_space", "made": "Discrete(4)", "rebuilt": "Discrete(2)"}]
        ),
        "gymnasium.make(env.spec) builds another observation space: Discrete(2), not Discrete(4)",
    ),
    Example(
        "JSON knows no tuples",
        _respec(
            changed={"frameskip": ["tuple", "list"]},
            rebuilt=raised("gymnasium.error.Error", "Invalid frameskip type"),
        ),
        f"{DEFAULT_REGISTRY.through_json} raises Error: Invalid frameskip type; frameskip"
        " goes as tuple and comes back as list",
    ),
    Example(
        "a tuple comes back as a list, and that is fine",
        _respec(changed={"size": ["tuple", "list"]}),
    ),
    Example("the same is built", _respec()),
    Example(
        "it was not made from a specification",
        direct_view(trace(verb("carry"), fact("respec", None), name="close-twice")),
    ),
)
