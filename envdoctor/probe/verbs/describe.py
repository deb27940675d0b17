"""Facts about the subject: found without building it (survey), and from the first instance
(description).
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import inspect
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence

from envdoctor.model.subject import EITHER, ENVIRONMENT, ID, Subject
from envdoctor.probe import adapters, environment_api, sensors
from envdoctor.probe.errors import error_value
from envdoctor.probe.frameworks import names, null, shapes
from envdoctor.probe.growth import holders
from envdoctor.probe.growth.chains import type_name
from envdoctor.probe.growth.own_cycle import Cycle
from envdoctor.probe.growth.settle import LeftOut, lists_each
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.readings import Readings
from envdoctor.probe.sources import source_of
from envdoctor.probe.subject import (
    load,
    registering,
    registries,
    scripts,
    training,
    wrapper_classes,
)
from envdoctor.probe.subject.missing import installable, missing_of
from envdoctor.probe.subject.release_calls import release_calls
from envdoctor.probe.subject.roots import roots_of
from envdoctor.probe.subject.uncommon_spaces import rare_spaces
from envdoctor.probe.system import screens
from envdoctor.probe.system.deadline import Stopwatch
from envdoctor.probe.tracing import instrument
from envdoctor.probe.tracing.importing import Imports
from envdoctor.probe.wrappers import innermost, metadata

METHODS = ("__init__", "reset", "step", "close", "render")
MAX_CHAINS = 3
PLAIN = (type(None), bool, int, float, str)  # values that can be written into a journal


def survey(subject: Subject, journal: Journal, readings: Readings) -> None:
    """Journal the survey fact: what the subject names, or why it names nothing; and what its
    import did to the process.
    """
    common = {
        "executable": sys.executable,
        "managers": adapters.survey(),
        "sensors": sensors.available(),
        "absent": list(sensors.absent()),
    }
    if subject.form == ID:
        registries.prepare()
    try:
        load.prepare_path(subject)
        scripted = _run_script(subject, journal)
        readings.take_effects("before")
        with Imports(readings.effects, lambda: roots_of(subject), journal):
            before = _owners_before(subject)
            origin = {**scripted, **load.import_for_parent(subject)}
            resolved = load.find(subject)
            _refuse_training(subject, resolved)
        readings.take_effects("imported")
    except load.Unresolved as unresolved:
        journal.write(
            "fact",
            key="survey",
            value=dict(common, frameworks=frameworks(), **_not_found(subject, unresolved)),
        )
        return
    registered_by = origin.get(resolved.id or "") or resolved.registered_by
    specification = registries.specification(resolved.id) if resolved.id else None
    value = {
        "found": True,
        "id": resolved.id,
        "entry_point": str(getattr(specification, "entry_point", None) or "") or None,
        "registered_by": registered_by,
        "imports": list(subject.imports),
        "module": resolved.module,
        "source": source_of(resolved.target),
        "frameworks": frameworks(),
        "guarded": registering.guarded_registrations(subject),
        "overridden": [
            dict(registering.registration_of(override.id, subject), **override._asdict())
            for override in registries.overridden(before)
        ],
    }
    journal.write("fact", key="survey", value=dict(common, **value))


def _refuse_training(subject: Subject, resolved: load.ResolvedSubject) -> None:
    """Raises Unresolved for a function that trains, where an environment was asked for: to call it
    would begin the training.
    """
    why = training.why_no_factory(resolved.target, subject.text)
    if why and subject.kind == ENVIRONMENT:
        raise load.Unresolved("not-callable", why)


def _run_script(subject: Subject, journal: Journal) -> Dict[str, str]:
    """Run the top level of the user's script, where there is one, before anything is read: what it
    does to the process is its own affair. Returns {id: "__main__"} for what it registers. Raises
    Unresolved.
    """
    if not subject.script:
        return {}
    journal.write("fact", key="script", value=scripts.look_at(subject.script))
    watch = Stopwatch()
    origin = load.run_script(subject)
    journal.write("fact", key="script-ran", value=scripts.ran(subject.script, watch.seconds()))
    return origin


def _owners_before(subject: Subject) -> Dict[str, str]:
    """Owners of the registered ids before the subject's modules are imported. Where those cannot
    register any, this is not looked up: it would import a library that the subject may never need.
    """
    asks = subject.imports or (subject.form in (ID, EITHER) and subject.module)
    return registries.owners() if asks or registering.may_register(subject) else {}


def _not_found(subject: Subject, unresolved: load.Unresolved) -> Dict[str, object]:
    ownership = Ownership(roots_of(subject))
    cause = unresolved.cause
    value: Dict[str, object] = {"found": False, "why": unresolved.why, "message": str(unresolved)}
    value["guarded"] = registering.guarded_registrations(subject)
    value["error"] = (
        None if cause is None else dict(error_value(cause, ownership), **missing_of(cause))
    )
    if unresolved.why == "unknown" and not subject.module:
        name = str(subject.name)
        here = registering.modules_that_register(name, subject.directory)
        would = here or registries.would_register(name)
        value["would_register"] = would
        value["inside"] = registering.imported_inside(subject.script, would)
        value["may_register"] = may = [] if would else registries.may_register(name)
        value["installable"] = [] if would or may else installable(name)
    return dict(value, **unresolved.details)


def frameworks() -> Dict[str, str]:
    """Versions of Python and of the frameworks installed here, without importing any."""
    versions = {"python": "%d.%d.%d" % sys.version_info[:3]}
    for name in names.REPORTED:
        with contextlib.suppress(Exception):
            version = _version(name)
            if version:
                versions[name] = version
    return versions


def _version(name: str) -> str:
    """Asks the module where it is loaded: to import `importlib.metadata` takes longer than most
    surveys.
    """
    loaded = getattr(sys.modules.get(name), "__version__", None)
    if isinstance(loaded, str):
        return loaded.lstrip("v")
    if importlib.util.find_spec(name) is None:
        return ""
    from importlib import metadata

    return metadata.version(names.DISTRIBUTIONS.get(name, name.replace("_", "-")))


def describe(environment: object, journal: Journal, spaces: str) -> None:
    """Journal the description of an instance, and pickle its spaces for the control."""
    base = innermost(environment)
    kind = type(base)
    module = "__main__" if kind.__module__ == scripts.MAIN else kind.__module__
    api = environment_api.api_of(environment)
    # A lazy one may know its spaces later.
    spaces_of = (
        () if environment_api.has_late_spaces(api) else ("observation_space", "action_space")
    )
    lacks = [name for name in spaces_of if getattr(environment, name, None) is None]
    if not environment_api.offers_close(environment):
        lacks.insert(0, "close")
    journal.write(
        "fact",
        key="described",
        value={
            "api": api,
            "env_class": "%s.%s" % (module, kind.__qualname__),
            "source": source_of(kind),
            "methods": {
                name: place
                for name in METHODS
                for place in [source_of(own_method(kind, name))]
                if place
            },
            "lacks": lacks,
            "own_action_space": not _is_plain(getattr(environment, "action_space", None)),
            "rare_spaces": _rare_spaces(environment),
            "seedable": environment_api.can_be_seeded(environment),
            "reset_parameters": _reset_parameters(kind)
            if environment_api.has_reset_parameters(api)
            else {},
            "nondeterministic": _is_nondeterministic(environment),
            "render_mode": getattr(base, "render_mode", None),
            "render_modes": list(metadata(base, "render_modes") or ()),
            "owner": kind.__module__.split(".")[0],
            "toolkits": screens.toolkits(),
            "unjudged": _unjudged(environment),
            "wrappers": wrapper_classes.described(environment),
            "releases": release_calls(type(base)),
        },
    )
    if spaces:
        _save_for_control(environment, spaces)


def _save_for_control(environment: object, path: str) -> None:
    shape = shapes.of(environment)
    if shape is not None:
        null.save_nature(path, environment, shape)
        return
    null.save_spaces(
        path,
        getattr(environment, "observation_space", None),
        getattr(environment, "action_space", None),
    )


def tell_refused(reason: str, journal: Journal) -> None:
    """Journal why the subject cannot be played, where it cannot."""
    if reason:
        journal.write("fact", key="refused", value=reason)


def describe_function(resolved: load.ResolvedSubject, journal: Journal) -> None:
    """Journal the description of a function that is called again and again."""
    name = getattr(resolved.target, "__qualname__", type(resolved.target).__qualname__)
    journal.write(
        "fact",
        key="described",
        value={
            "api": "function",
            "env_class": "%s.%s" % (resolved.module, name),
            "source": source_of(resolved.target),
            "methods": {},
            "lacks": [],
            "owner": resolved.module.split(".")[0],
        },
    )


def _reset_parameters(kind: Any) -> Dict[str, object]:
    """Parameters that reset() takes by name, with their plain defaults: {name: default}."""
    try:
        parameters = inspect.signature(kind.reset).parameters.values()
    except (AttributeError, TypeError, ValueError):  # it begins by another method
        return {}
    return {
        parameter.name: parameter.default
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        and type(parameter.default) in PLAIN
    }


def _unjudged(environment: object) -> Dict[str, str]:
    """Aspects of this instance that cannot be judged: {what rules are about: why}."""
    wraps = type(environment).__module__.startswith(names.CYCLIC_WRAPPERS)
    return (
        {
            "reference cycles": "its wrapper is in a reference cycle of its own, and keeps what it"
            " wraps"
        }
        if wraps
        else {}
    )


def _is_plain(space: object) -> bool:
    """Return whether a space is one of the framework's own, with all its parts: what others draw
    from is their choice.
    """
    parts = getattr(space, "spaces", ())
    parts = parts.values() if hasattr(parts, "values") else parts
    return type(space).__module__.split(".")[0] in names.REGISTRIES and all(
        _is_plain(part) for part in parts
    )


def _rare_spaces(environment: object) -> List[str]:
    try:
        spaces = [
            getattr(environment, name, None) for name in ("observation_space", "action_space")
        ]
        # Where agents have their own, these are methods.
        return rare_spaces(*(space for space in spaces if not callable(space)))
    except Exception:  # one that is built when it is asked for, or no space at all
        return []


def _is_nondeterministic(environment: Any) -> bool:
    """Return whether its specification says so."""
    try:
        return bool(environment.spec.nondeterministic)
    except Exception:  # it has none, or fails at being asked
        return False


def own_method(kind: type, name: str) -> object:
    """The method, unless it is inherited from the framework's own base class: a line there
    does not help.
    """
    method = getattr(kind, name, None)
    return None if getattr(method, "__module__", None) in names.BASE_MODULES else method


def census(environment: object, journal: Journal, life: int) -> None:
    """Journal how many instances of the innermost class live in this process beyond those that
    the factory built.
    """
    kind = type(innermost(environment))
    count = _instances(kind)
    journal.write(
        "fact",
        key="census",
        value={
            "life": life,
            "class": kind.__qualname__,
            "count": count - (len(instrument.alive()) - 1),
        },
    )


def _instances(kind: type) -> int:
    """Count the instances of a class, those too that collections leave out."""
    if lists_each(kind):
        return [type(other) for other in gc.get_objects()].count(kind)
    left_out = LeftOut()  # what was imported: each collection would walk through it again
    gc.unfreeze()
    count = [type(other) for other in gc.get_objects()].count(kind)
    left_out.restore(())
    return count


def survivors(
    life: int,
    dropped: List[int],
    collected: List[int],
    freed: int,
    cycle: Optional[Cycle],
    around: Sequence[Callable[[], object]],
) -> Dict[str, object]:
    """The survivors fact: who outlived the last reference, who outlived the collector, and what
    holds those; the cycle that kept them until then, and the outermost wrapper that outlived it.
    """
    chains = [
        holders.holder_chain(instrument.reference_to(serial)) for serial in collected[:MAX_CHAINS]
    ]
    return {
        "life": life,
        "closed": True,
        "dropped": len(dropped),
        "serials": dropped,
        "collected": len(collected),
        "bytes": max(freed, 0) if len(collected) < len(dropped) else 0,
        "chains": [chain for chain in chains if chain not in (None, holders.NATIVE)],
        "cycle": cycle
        and {"name": type_name(cycle.kind), "chain": cycle.chain, "source": source_of(cycle.kind)},
        "wrapper": _kept_wrapper(around) if collected else None,
    }


def _kept_wrapper(around: Sequence[Callable[[], object]]) -> Optional[Dict[str, object]]:
    """{"name", "chain"} of the outermost wrapper that is alive; None where none is."""
    for reference in reversed(around):
        chain = holders.holder_chain(reference)
        if chain not in (None, holders.NATIVE):
            return {"name": type_name(type(reference())), "chain": chain}
    return None
