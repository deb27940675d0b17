"""Rebuilding of an environment from its own specification: `EnvSpec.to_json()`,
`EnvSpec.from_json()`, `gymnasium.make(spec)`.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import pickle
import warnings
from typing import Any, Dict, List, Optional

from envdoctor.probe.errors import error_value
from envdoctor.probe.frameworks.names import REGISTRIES
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.surviving import message_of
from envdoctor.probe.wrappers import innermost

MAX_TEXT = 200  # characters of a value that is named


def round_trip(
    environment: object, registered: object, ownership: Ownership
) -> Optional[Dict[str, object]]:
    """{written, culprit, changed, rebuilt, differs}: the error of writing and reading the JSON, and
    the part of the specification that is to blame; the arguments that come back as something else,
    {name: [type, type]}; the error of building from what comes back; what differs then. None for
    what was not made from a specification of Gymnasium. Nothing is built where the specification
    that comes back is the registered one: that was built already.
    """
    spec: Any = getattr(environment, "spec", None)
    if registered is None or not hasattr(spec, "to_json") or not hasattr(type(spec), "from_json"):
        return None
    fact: Dict[str, object] = {
        "id": spec.id,
        "written": None,
        "culprit": "",
        "changed": {},
        "rebuilt": None,
        "differs": [],
    }
    again = spec
    try:
        again = type(spec).from_json(spec.to_json())
    except Exception as error:
        fact.update(written=error_value(error, ownership), culprit=_culprit(spec))
    fact["changed"] = {
        str(name): [type(value).__name__, type(again.kwargs.get(name)).__name__]
        for name, value in spec.kwargs.items()
        if not are_equal(again.kwargs.get(name), value)
    }
    if not (are_equal(again, spec) and _is_registered(spec, registered)):
        _rebuild(environment, again, fact, ownership)
    return fact


def _is_registered(spec: object, registered: object) -> bool:
    """Return whether all but the arguments is as it was registered."""
    return are_equal({**vars(spec), "kwargs": None}, {**vars(registered), "kwargs": None})


def _culprit(spec: Any) -> str:
    """The part that JSON cannot hold: `entry_point`, `kwargs['reward']`, or nothing where none
    is found.
    """
    for name in ("entry_point", "vector_entry_point"):
        if callable(getattr(spec, name, None)):
            return name
    for key, value in dict(spec.kwargs).items():
        if not _is_json(value):
            return "kwargs[%r]" % (key,)
    for wrapper in spec.additional_wrappers:
        for key, value in dict(wrapper.kwargs or {}).items():
            if not _is_json(value):
                return "the argument %s of %s" % (key, wrapper.name)
    return ""


def _is_json(value: object) -> bool:
    try:
        json.dumps(value)
    except Exception:
        return False
    return True


def _rebuild(
    environment: object, spec: object, fact: Dict[str, object], ownership: Ownership
) -> None:
    library = importlib.import_module(REGISTRIES[0])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an id that is out of date: told when it was made
            other = library.make(spec)
    except Exception as error:
        fact["rebuilt"] = error_value(error, ownership)
        return
    try:
        fact["differs"] = _differences(environment, other)
    finally:
        # A close() that raises is reported where close is examined.
        with contextlib.suppress(Exception):
            other.close()


def _differences(environment: Any, other: Any) -> List[Dict[str, str]]:
    pairs = {
        "class": (_name(innermost(environment)), _name(innermost(other))),
        "wrappers": (_layers(environment), _layers(other)),
        "observation_space": (environment.observation_space, other.observation_space),
        "action_space": (environment.action_space, other.action_space),
    }
    return [
        {"what": what, "made": _text(made), "rebuilt": _text(rebuilt)}
        for what, (made, rebuilt) in pairs.items()
        if not are_equal(made, rebuilt)
    ]


def _layers(environment: object) -> List[str]:
    names = []
    while hasattr(environment, "env"):
        names.append(type(environment).__qualname__)
        environment = environment.env
    return names


def _name(value: object) -> str:
    return "%s.%s" % (type(value).__module__, type(value).__qualname__)


def _text(value: object) -> str:
    try:
        return str(value)[:MAX_TEXT]
    except Exception as error:
        return message_of(error)


def are_equal(value: object, other: object) -> bool:
    """Compare by `==`; where that gives no truth value, by type and pickle.

    Case: the data frame that gym-anytrading registers as an argument. Values that cannot be
    compared by either count as equal: a difference has to be seen.
    """
    if value is other:
        return True
    try:
        return bool(value == other)
    except Exception:
        return type(value) is type(other) and _pickled_alike(value, other)


def _pickled_alike(value: object, other: object) -> bool:
    try:
        return pickle.dumps(value) == pickle.dumps(other)
    except Exception:
        return True
