"""The factory cannot be pickled.

What it does
    Pickles what builds the environment, plainly and with cloudpickle, and follows its attributes to
    the one that fails.

Why it matters
    A factory travels to its worker as a pickle, unless the worker is forked. Gymnasium,
    Stable-Baselines3 and TorchRL use cloudpickle; Ray, joblib and multiprocessing's own pools
    partly use plain pickle, which takes no lambda.

How to fix it
    Build locks, sockets, handles and threads in the constructor, where the worker runs, and pass
    plain data:

        def make_env(path: str):
            return Walker(open_map(path))  # not: a closure over the opened map

        factory = functools.partial(make_env, "maps/line.bin")
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from envdoctor.model.environment_aims import DefineAtTop
from envdoctor.model.errors import one_line
from envdoctor.model.facts import Attempt, PickledFactory
from envdoctor.model.finding import ENVIRONMENT, NOTE, Finding
from envdoctor.rules.engine.examples import direct_view, fact, raised, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, EVERYTHING, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.remedies.launch_lines import name_place

NOT_FORKED = ("spawn", "forkserver")  # what is pickled for a worker


@rule(
    "REG005",
    "factory-not-picklable",
    where=DIRECT_ONLY,
    needs=("pickle",),
    verb="pickle",
    blames_itself=True,
    looks_at={"pickle": "pickle"},
    also_reads=(EVERYTHING,),
)
def factory_not_picklable(view: View) -> Iterator[Finding]:
    run = view.trace("pickle")
    result = run.fact(PickledFactory) if run else None
    if result is None or result.plain.ok:
        return
    commands, observed = importing_factory(view)
    by_cloudpickle = result.cloudpickle  # None where the target has no cloudpickle
    if by_cloudpickle and not by_cloudpickle.ok:
        message = f"the factory cannot be pickled, not even by cloudpickle: {why(by_cloudpickle)}"
        remedy = (
            "build what cannot be pickled in the constructor, where the worker runs; pass plain"
            f" data to it.{observed}"
        )
        yield factory_not_picklable.finding(
            message,
            remedy,
            aim=_aim(view),
            commands=commands,
            evidence=dict(result.wire),
            location=view.locate("__init__"),
            blame=ENVIRONMENT,
        )
    else:
        only = ", only cloudpickle can" if by_cloudpickle else ""
        message = f"plain pickle cannot take the factory{only}: {why(result.plain)}"
        remedy = (
            "define the factory at the top level of an importable module, where multiprocessing"
            f" and joblib need it plainly picklable.{observed}"
        )
        yield factory_not_picklable.finding(
            message,
            remedy,
            commands=commands,
            evidence=dict(result.wire),
            severity=NOTE,
            blame=ENVIRONMENT,
        )


def _named(view: View) -> re.Match[str] | None:
    """The module and the callable of a SPEC that names one."""
    return re.fullmatch(r"(?:.*/)?([\w.]+?)(?:\.py)?:([A-Za-z_]\w*)", view.subject)


def _aim(view: View) -> DefineAtTop | None:
    named = _named(view)
    return DefineAtTop(named[2]) if named is not None else None


def importing_factory(view: View) -> tuple[tuple[str, ...], str]:
    """A factory that finds the subject in the worker, which is how the doctor itself builds it
    there; and where that was seen to work. Nothing where the SPEC does not name the callable.
    """
    named = _named(view)
    if named is None:
        return (), ""
    places = [
        trace.scenario.place
        for trace in view.other_places
        if trace.scenario.start_method in NOT_FORKED and trace.verbs("step", "ended")
    ]
    observed = (
        " Verified: the factory below works with"
        f" {'; '.join(map(name_place, dict.fromkeys(places)))}."
        if places
        else ""
    )
    return (
        "def make_env():",
        f"    from {named[1]} import {named[2]}",
        f"    return {named[2]}()",
    ), observed


def why(attempt: Attempt) -> str:
    """`factory._lock: TypeError: cannot pickle '_thread.lock' object`."""
    error = one_line(attempt.error)
    return f"{attempt.path}: {error}" if attempt.path else error


def _pickled(plain: Mapping[str, object], cloudpickle: Mapping[str, object] | None) -> View:
    value = {"plain": plain, "cloudpickle": cloudpickle, "what": "a function"}
    return direct_view(trace(verb("pickle"), fact("pickle", value), name="pickle", script="pickle"))


_OK = {"ok": True, "error": None, "path": ""}
_LOCK = {
    "ok": False,
    "error": raised("builtins.TypeError", "cannot pickle '_thread.lock' object"),
    "path": "factory._lock",
}
_LOCAL = {
    "ok": False,
    "error": raised("builtins.AttributeError", "Can't pickle local object 'build.<locals>.make'"),
    "path": "factory",
}

_WHY = "factory: AttributeError: Can't pickle local object 'build.<locals>.make'"

EXAMPLES = (
    Example(
        "it holds a lock",
        _pickled(_LOCK, _LOCK),
        "the factory cannot be pickled, not even by cloudpickle: factory._lock: TypeError:"
        " cannot pickle '_thread.lock' object",
    ),
    Example(
        "a function in a function",
        _pickled(_LOCAL, _OK),
        f"plain pickle cannot take the factory, only cloudpickle can: {_WHY}",
    ),
    Example(
        "the same, and cloudpickle is not installed",
        _pickled(_LOCAL, None),
        f"plain pickle cannot take the factory: {_WHY}",
    ),
    Example("both take it", _pickled(_OK, _OK)),
)
