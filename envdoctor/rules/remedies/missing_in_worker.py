"""The common part of the two rules on workers that do not know the environment: how to see it, and
the cure for this subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from envdoctor.frameworks import DEFAULT
from envdoctor.frameworks.profile import Options
from envdoctor.model.errors import ErrorValue, kind_of, message_of, one_line, wire_of
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import INTERACTION, Finding
from envdoctor.model.records import InstanceRecord, VerbRecord
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.rules.engine import examples
from envdoctor.rules.engine.registry import Example, Rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.without_buffers import is_gone_by_itself
from envdoctor.rules.remedies.launch_lines import launch_code, launch_id_code, name_place

UNKNOWN_ID = ("NameNotFound", "NamespaceNotFound", "VersionNotFound", "UnregisteredEnv")
NO_MODULE = "ModuleNotFoundError"

MAIN = ("__main__", "__mp_main__")  # a registrar that no id can name


@dataclass(frozen=True)
class Cure:
    """The remedy, the lines to paste, and the word by which the probe tries it: "" where it
    cannot.
    """

    text: str
    commands: tuple[str, ...]
    word: str = ""


def missing_in_worker(view: View) -> ErrorValue | None:
    """The error of a worker that does not know what the parent knows, or None. Forked workers
    inherit what it knows.
    """
    errors = missing_in(view)
    return errors[0] if errors else None


def missing_in(view: View) -> tuple[ErrorValue, Trace] | None:
    """That error, and the first trace that shows it."""
    if view.start_method not in ("spawn", "forkserver") or not known_to_parent(view):
        return None
    for trace in view.traces:
        for event in trace.records(InstanceRecord, what="make-raised", parent=False):
            if event.error and is_unknown(event.error, view):
                return event.error, trace
    return None


def known_to_parent(view: View) -> bool:
    """Return True if the parent's process built the environment: under this manager, or without
    one.
    """
    traces = (*view.traces, *view.direct.traces)
    return any(
        True for trace in traces for _ in trace.records(InstanceRecord, what="made", parent=True)
    )


def is_unknown(error: ErrorValue | None, view: View) -> bool:
    """Return True if an error says that an id, or the subject's own module, is not known."""
    kind = kind_of_error(error)
    if kind != NO_MODULE:
        return kind in UNKNOWN_ID
    package = view.survey.module.split(".")[0]
    return bool(package) and f"'{package}" in message_of(error)


def kind_of_error(error: ErrorValue | None) -> str:
    """`NameNotFound` of `gymnasium.error.NameNotFound`."""
    return kind_of(error).rsplit(".", 1)[-1]


def report_missing(rule: Rule, view: View) -> Iterator[Finding]:
    """The finding of a worker that does not know the environment."""
    missing = missing_in(view)
    if missing is None:
        return
    error, options = missing[0], missing[1].scenario.options
    result = cure(view, error, options)
    failed = why_not_cured(view)
    what = view.survey.id or view.subject
    yield rule.finding(
        f"{what} is known in the parent, not in a worker started by {view.start_method}:"
        f" {one_line(error)}",
        result.text + whose_default(view) + verdict_on_cure(view, failed),
        commands=() if still_unknown(view) else result.commands,
        blame=INTERACTION,
        evidence={
            "error": wire_of(error),
            "registered_by": view.survey.registered_by or None,
            "entry_point": view.survey.entry_point or None,
            "cure": result.word,
            "cure_options": options,
            "cure_verified": view.trace("cured") is not None
            and not failed
            and not is_gone_by_itself(view),
        },
    )


def whose_default(view: View) -> str:
    """Say that the start method is a default that the user did not choose."""
    known = view.vectorizer
    if not known.default_start or view.start_method != known.default_start:
        return ""
    return f" {known.default_start} is what {known.class_name} uses {known.default_words}."


def verdict_on_cure(view: View, failed: str) -> str:
    """Say if the cure works here. It is promised only then."""
    if view.trace("cured") is None:
        return ""
    place = name_place((view.manager, view.start_method))
    if is_gone_by_itself(view):
        return f" Not verified: with {place} it works in a new process without that, too."
    return (
        f" Tried with {place}: that alone is not enough ({failed})."
        if failed
        else f" Verified: works with {place}."
    )


def why_not_cured(view: View) -> str:
    """Return the error of the play with the cure; empty where it worked or was not tried."""
    trace = view.trace("cured")
    if trace is None or (trace.outcome.kind == FINISHED and trace.verbs("step", "ended")):
        return ""
    return one_line(first_error(trace)) if first_error(trace) else trace.outcome.kind


def still_unknown(view: View) -> bool:
    """Return True if the cure was tried and the worker still does not know the environment: other
    errors are not for this cure.
    """
    trace = view.trace("cured")
    return trace is not None and is_unknown(first_error(trace), view)


def first_error(trace: Trace) -> ErrorValue | None:
    """Return the first error of an instance; otherwise that of the manager."""
    errors = chain(
        (record.error for record in trace.records(InstanceRecord, what="make-raised")),
        (call.error for call in trace.records(VerbRecord, state="raised")),
    )
    return next((error for error in errors if error), None)


def cure(view: View, error: ErrorValue, options: Options = ()) -> Cure:
    """The fix for this subject, this error and this manager, launched with these options; with
    lines to paste.
    """
    identifier, registrar = view.survey.id, view.survey.registered_by
    place = (view.manager, view.start_method)
    if kind_of_error(error) == NO_MODULE:
        return install_it(view)
    if not identifier or not names(identifier, error):
        return import_inside(view, registrar or only_import(view), options)
    if registrar and registrar not in MAIN:
        full = f"{registrar}:{identifier.rsplit(':', 1)[-1]}"
        text = f'name the module in the id, so that the worker imports it: "{full}".'
        return Cure(text, launch_id_code(place, full, options), f"named:{registrar}")
    return carry_spec(view, identifier, options)


def only_import(view: View) -> str | None:
    """The module that the script imports, where it is one."""
    imports = view.survey.imports
    return imports[0] if len(imports) == 1 else None


def names(identifier: str, error: ErrorValue) -> bool:
    """Return True if the error is about this id: an environment may build another one inside."""
    parts = re.split(r"[:/]", re.sub(r"-v\d+$", "", identifier))
    return any(part in error.message for part in parts if part)


def carry_spec(view: View, identifier: str, options: Options) -> Cure:
    """For ids that an unknown module registered, or which the script itself registers."""
    factory = (
        f'spec = {view.registry.spec}("{identifier}")',
        f"make_env = functools.partial({view.registry.make}, spec)",
    )
    place = (view.manager, view.start_method)
    return Cure(
        "carry the spec object in the factory: it holds the entry point, so the worker needs no"
        " registration.",
        (*factory, *launch_code(place, "make_env", options=options)),
        "carried",
    )


def import_inside(view: View, registrar: str | None, options: Options) -> Cure:
    """For subjects that are a callable of the user's."""
    module = registrar or "the_package_that_registers_it"
    make = view.api.make_inside or DEFAULT.make_inside
    api, place = view.survey.api, (view.manager, view.start_method)
    launch = launch_code(place, "make_env", options=options, api=api)
    return Cure(
        "import the package that registers it inside the factory: then every worker does.",
        (
            "def make_env():",
            f"    import {module}",
            f"    return {make}(...)  # as before",
            *launch,
        ),
        f"imported:{registrar}" if registrar else "",
    )


def install_it(view: View) -> Cure:
    """For modules that only the parent's search path holds."""
    module = view.survey.module.split(".")[0]
    text = (
        f"make {module} importable everywhere: install it, instead of changing sys.path in the"
        " script."
    )
    return Cure(text, ("python -m pip install -e .",))


def examples_of(start_method: str) -> tuple[Example, ...]:
    """Examples of workers of a start method, for the rule on it."""

    def launch(error: dict[str, object], **survey: str) -> View:
        failed = examples.instance("make-raised", pid=7, parent=False, error=error)
        failing = examples.trace(examples.instance("made"), failed, manager="gymnasium-async")
        return examples.vector_view(failing, start_method=start_method, **survey)

    no_name = examples.raised("gymnasium.error.NameNotFound", "Environment `Walker` doesn't exist.")
    no_module = examples.raised("builtins.ModuleNotFoundError", "No module named 'walkers'")
    there = f"is known in the parent, not in a worker started by {start_method}"
    made = examples.trace(examples.instance("made"), examples.instance("made", pid=7, parent=False))
    return (
        Example(
            "the script imported the package",
            launch(no_name, id="Walker-v0", registered_by="walkers"),
            f"Walker-v0 {there}: NameNotFound: Environment `Walker` doesn't exist.",
        ),
        Example(
            "the script changed sys.path",
            launch(no_module, module="walkers.line"),
            f"Sick-v0 {there}: ModuleNotFoundError: No module named 'walkers'",
        ),
        Example(
            "the environment's own error is another rule's",
            launch(examples.raised("builtins.ValueError", "no"), id="Walker-v0"),
        ),
        Example("the worker knows it", examples.vector_view(made, start_method=start_method)),
    )
