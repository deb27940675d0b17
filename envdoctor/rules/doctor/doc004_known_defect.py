"""The installed framework has a known defect that this environment met.

What it does
    Compares the versions that are installed with a list of known defects, and what happened in this
    run with what each of them looks like. A version alone is never reported: something in the run
    must show that it matters here.

Why it matters
    The message that such a defect leaves behind points at the wrong code, and days are spent in an
    environment that only did what made the defect visible.

How to fix it
    What helps is in the remedy: a newer version, an older companion, or a change in the environment
    that keeps clear of it:

        python -m pip install --upgrade gymnasium
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.frameworks import defects, title_of
from envdoctor.frameworks.defects import Defect, installed
from envdoctor.model.facts import as_json
from envdoctor.model.finding import MANAGER, NOTE, Finding
from envdoctor.model.trace import TIMED_OUT, Trace
from envdoctor.rules.engine.examples import direct_view, instance, raised, trace, verb
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import EVERYWHERE, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.expectations import differences


@rule(
    "DOC004",
    "known-defect",
    severity=NOTE,
    where=EVERYWHERE,
    needs=("survey", "life"),
    blames_itself=True,
    looks_at={"life": LIFECYCLE},
)
def known_defect(view: View) -> Iterator[Finding]:
    yield from _met(view) if view.is_direct else _unlike_its_table(view)


def _unlike_its_table(view: View) -> Iterator[Finding]:
    """A manager that treats a null environment in another way than we know of it: judged by
    what it did, not by what we knew.
    """
    for difference in differences(view):
        yield known_defect.finding(
            f"{view.manager} is not as it is known here: {WORDS[difference.what]}"
            f" {difference.expected}, seen {difference.observed}",
            "nothing to do in the environment, which is judged by what was seen; tell the authors"
            " of envdoctor the versions.",
            key=(difference.what,),
            evidence={
                "difference": as_json(difference),
                "frameworks": dict(view.survey.frameworks),
            },
            blame=MANAGER,
        )


def _met(view: View) -> Iterator[Finding]:
    versions = view.survey.frameworks
    for defect in defects():
        shown = _shown(defect, view) if installed(defect, versions) else ""
        name = title_of(defect.package)
        if shown:
            yield known_defect.finding(
                f"{name} {versions[defect.package]} has a known defect that shows here:"
                f" {defect.meaning} ({shown})",
                f"{defect.cure}.",
                evidence={
                    "defect": defect.name,
                    "shown_by": shown,
                    "since": defect.since,
                    "until": defect.until,
                    "url": defect.url,
                },
                blame=MANAGER,
            )


WORDS = {
    "hidden": "instances built in the parent only to read their spaces: expected",
    "closes_again": "a second close() reaches the instances again: expected",
    "closes_hidden": "those instances are closed: expected",
    "zombies": "ended workers not waited for when close() returned: expected",
    "pins": "descriptors kept after close() until collection: expected",
}


def _shown(defect: Defect, view: View) -> str:
    """Return the words of the first trace that shows the defect, wherever it was played."""
    traces = view.other_places or view.traces
    texts = (defect.shows(run) for run in traces if run.scenario.manager.startswith(defect.manager))
    return next((text for text in texts if text), "")


def _view(*traces: Trace, **versions: str) -> View:
    return direct_view(*traces, frameworks=versions)


_BOOL8 = trace(
    verb(
        "step:20",
        "raised",
        error=raised("AttributeError", "module 'numpy' has no attribute 'bool8'"),
    )
)
_CLOSED = trace(
    instance("close-raised", parent=False, error=raised()),
    verb("close"),
    manager="gymnasium-async",
    start_method="fork",
)
_SWALLOWED = trace(
    instance("close-raised", error=raised("builtins.AttributeError", "no recorder")),
    verb("close"),
    manager="torchrl-serial",
    start_method=None,
)
_WAITING = trace(
    verb("step:20", "began"),
    instance("step-raised", parent=False, error=raised("arm.Lost", "robot")),
    outcome=TIMED_OUT,
    verb="step:20",
    manager="gymnasium-async",
    start_method="fork",
)
_REMADE = trace(
    instance("step-raised", parent=False, error=raised("arm.Lost", "robot 7")),
    verb(
        "step:20",
        "raised",
        error=raised(
            "builtins.TypeError", "__init__() missing 1 required positional argument: 'robot'"
        ),
    ),
    manager="gymnasium-async",
    start_method="fork",
)

EXAMPLES = (
    Example(
        "the checker of gym 0.26 with numpy 2",
        _view(_BOOL8, gym="0.26.2", numpy="2.1.0"),
        "gym 0.26.2 has a known defect that shows here: its passive checker, which"
        " gym.make() puts around every environment, uses a name that numpy 2 removed"
        " (AttributeError: module 'numpy' has no attribute 'bool8')",
    ),
    Example(
        "the same words with an older numpy are the environment's own",
        _view(_BOOL8, gym="0.26.2", numpy="1.23.5"),
    ),
    Example(
        "what close() raised is lost",
        _view(_CLOSED, gymnasium="1.4.0"),
        "gymnasium 1.4.0 has a known defect that shows here: a worker of AsyncVectorEnv"
        " answers before it calls close(), so what close() raises is lost"
        " (RuntimeError: no)",
    ),
    Example(
        "the parent waits for an error that never comes",
        _view(_WAITING, gymnasium="1.4.0"),
        "gymnasium 1.4.0 has a known defect that shows here: AsyncVectorEnv sends a"
        " worker's exception through a queue that drops what does not pickle, and waits for"
        " it without a time limit (Lost: robot)",
    ),
    Example(
        "an error with two arguments",
        _view(_REMADE, gymnasium="1.4.0"),
        "gymnasium 1.4.0 has a known defect that shows here: AsyncVectorEnv builds a"
        " worker's exception again from its text alone, which fails for a class with more"
        " arguments (Lost: robot 7 became TypeError: __init__() missing 1 required"
        " positional argument: 'robot')",
    ),
    Example(
        "TorchRL swallows an AttributeError",
        _view(_SWALLOWED, torchrl="0.14.1"),
        "torchrl 0.14.1 has a known defect that shows here: its wrapper takes an"
        " AttributeError of close() for a close() that is missing, also one that was raised"
        " inside it (AttributeError: no recorder)",
    ),
    Example(
        "a version alone is not told",
        _view(trace(verb("close")), gymnasium="1.4.0", gym="0.26.2", numpy="2.1.0"),
    ),
)
