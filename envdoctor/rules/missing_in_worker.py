"""What the two rules on workers that do not know the environment share: how to see it, and the cure for this subject."""

from __future__ import annotations

import re
from collections.abc import Iterator

from envdoctor.model.events import ErrorValue, one_line
from envdoctor.model.finding import INTERACTION, Finding
from envdoctor.rules.registry import Rule
from envdoctor.rules.view import View

UNKNOWN_ID = ("NameNotFound", "NamespaceNotFound", "VersionNotFound", "UnregisteredEnv")
NO_MODULE = "ModuleNotFoundError"

Cure = tuple[str, tuple[str, ...]]  # what to do, and the lines to paste


def missing_in_worker(view: View) -> ErrorValue | None:
    """The error of a worker that does not know what the parent knows, or None. Forked workers inherit what it knows."""
    if view.start_method not in ("spawn", "forkserver") or not known_to_parent(view):
        return None
    for trace in view.traces:
        for event in trace.of("instance", what="make-raised", parent=False):
            if is_unknown(event.get("error"), view):
                return dict(event["error"])
    return None


def known_to_parent(view: View) -> bool:
    """Whether the parent's process built the environment: under this manager, or without one."""
    traces = (*view.traces, *view.direct.traces)
    return any(True for trace in traces for _ in trace.of("instance", what="made", parent=True))


def is_unknown(error: ErrorValue | None, view: View) -> bool:
    """Whether an error says that an id, or the subject's own module, is not known."""
    kind = kind_of_error(error)
    if kind != NO_MODULE:
        return kind in UNKNOWN_ID
    package = str(view.survey.get("module") or "").split(".")[0]
    return bool(package) and f"'{package}" in str((error or {}).get("message", ""))


def kind_of_error(error: ErrorValue | None) -> str:
    """`NameNotFound` of `gymnasium.error.NameNotFound`."""
    return str((error or {}).get("type", "")).rsplit(".", 1)[-1]


def report_missing(rule: Rule, view: View) -> Iterator[Finding]:
    """The finding of a worker that does not know the environment."""
    error = missing_in_worker(view)
    if error is None:
        return
    text, commands = cure(view, error)
    what = view.survey.get("id") or view.subject
    yield rule.finding(
        f"{what} is known in the parent, not in a worker started by {view.start_method}: {one_line(error)}",
        text,
        commands=commands,
        blame=INTERACTION,
        evidence={"error": error, "registered_by": view.survey.get("registered_by"), "entry_point": view.survey.get("entry_point")},
    )


def cure(view: View, error: ErrorValue) -> Cure:
    """The fix for this subject and this error, with lines to paste."""
    identifier, registrar = view.survey.get("id"), view.survey.get("registered_by")
    if kind_of_error(error) == NO_MODULE:
        return install_it(view)
    if not identifier or not names(str(identifier), error):
        return import_inside(registrar)
    if registrar:
        full = f"{registrar}:{identifier.rsplit(':', 1)[-1]}"
        return f'name the module in the id, so that the worker imports it: "{full}".', (f'env = gymnasium.make("{full}")',)
    return carry_spec(str(identifier))


def names(identifier: str, error: ErrorValue) -> bool:
    """Whether the error is about this id: an environment may build another one inside."""
    parts = re.split(r"[:/]", re.sub(r"-v\d+$", "", identifier))
    return any(part in str(error.get("message", "")) for part in parts if part)


def carry_spec(identifier: str) -> Cure:
    """For ids of which nobody knows who registered them."""
    return (
        "carry the spec object in the factory: it holds the entry point, so the worker needs no registration.",
        (f'spec = gymnasium.spec("{identifier}")', "make_env = functools.partial(gymnasium.make, spec)"),
    )


def import_inside(registrar: str | None) -> Cure:
    """For subjects that are a callable of the user's."""
    module = registrar or "the_package_that_registers_it"
    return (
        "import the package that registers it inside the factory: then every worker does.",
        ("def make_env():", f"    import {module}", "    return gymnasium.make(...)  # as before"),
    )


def install_it(view: View) -> Cure:
    """For modules that only the parent's search path holds."""
    module = str(view.survey.get("module")).split(".")[0]
    return f"make {module} importable everywhere: install it, instead of changing sys.path in the script.", ("python -m pip install -e .",)
