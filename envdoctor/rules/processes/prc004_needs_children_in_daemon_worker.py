"""The environment starts processes, which a daemonic worker may not.

What it does
    Looks for Python's own refusal in the errors of the environment: multiprocessing lets no
    daemonic process have children, and most managers make their workers daemonic. Where the manager
    can do without (Gymnasium's AsyncVectorEnv), the life is played once more with workers that may
    have children.

Why it matters
    The environment works alone and in every in-process manager, and fails in each worker, at the
    first simulator that it starts. In the parent the error often arrives without its line.

How to fix it
    Ask for workers that may have children, and close the manager yourself, since such workers
    outlive a parent that is killed:

        envs = gymnasium.vector.AsyncVectorEnv(factories, daemon=False)

    Or start the helper without multiprocessing, which no daemonic process is refused:

        self._simulator = subprocess.Popen([sys.executable, "-m", "my_package.simulator"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.frameworks.profile import keywords
from envdoctor.model.errors import message_of, wire_of
from envdoctor.model.events import Event
from envdoctor.model.finding import INTERACTION, Finding
from envdoctor.model.records import InstanceRecord, VerbRecord
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.rules.engine.examples import instance, raised, trace, vector_view, verb
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import VECTOR_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.without_buffers import is_gone_by_itself
from envdoctor.rules.remedies.launch_lines import factory_of, launch_code
from envdoctor.rules.wording.leftovers import place_of

REFUSAL = "daemonic processes are not allowed to have children"
CALLS = {
    "make-raised": "the constructor",
    "reset-raised": "reset()",
    "step-raised": "step()",
    "close-raised": "close()",
}
WITHOUT = "without-daemon"  # the scenario that plays the cure


def refused_children(run: Trace) -> InstanceRecord | None:
    """The first call of an environment in a worker that failed because the worker may have no
    children.
    """
    for event in run.records(InstanceRecord, parent=False):
        if event.what in CALLS and REFUSAL in message_of(event.error):
            return event
    return None


@rule(
    "PRC004",
    "needs-children-in-daemon-worker",
    where=VECTOR_ONLY,
    blames_itself=True,
    looks_at={"life": LIFECYCLE},
    follow_ups=("failing-again", "without-daemon"),
)
def needs_children_in_daemon_worker(view: View) -> Iterator[Finding]:
    run = view.trace("life")
    refused = refused_children(run) if run else None
    if refused is None:
        return
    error = refused.error
    remedy, commands = cure(view)
    yield needs_children_in_daemon_worker.finding(
        f"{CALLS[refused.what]} starts a process, which the daemonic workers of {view.manager}"
        f" may not: {REFUSAL}",
        remedy,
        commands=commands,
        blame=INTERACTION,
        location=place_of(error) or view.locate("reset"),
        evidence={"error": wire_of(error)},
    )


def cure(view: View) -> tuple[str, tuple[str, ...]]:
    """Workers that are not daemonic where the manager has them, verified or not; else no
    multiprocessing in the environment.
    """
    instead = f"start what {view.class_name} needs with subprocess.Popen instead of multiprocessing"
    options = view.vectorizer.without_daemon
    if not options:
        return f"{instead}: a daemonic worker is not refused that.", (
            "subprocess.Popen([sys.executable, '-m', 'my_package.simulator'])",
        )
    place = (view.manager, view.start_method)
    passing = f"pass {keywords(options)} to {view.vectorizer.class_name}"
    return (
        f"{passing}{verified(view)}; or {instead}, which no worker is refused.",
        launch_code(place, factory_of(view), options=options),
    )


def verified(view: View) -> str:
    """Return the result of the play with the cure."""
    run = view.trace(WITHOUT)
    if run is None:
        return ""
    if is_gone_by_itself(view):
        return " (not verified: it works in a new process without that, too)"
    works = (
        run.outcome.kind == FINISHED
        and run.verbs("step", "ended")
        and not any(run.records(VerbRecord, state="raised"))
    )
    return (
        " (verified: works with daemon=False)"
        if works
        else " (tried: then something else fails, too)"
    )


_REFUSED = raised("builtins.AssertionError", REFUSAL, file="arm.py", line=12, function="reset")
_MADE = instance("made", pid=7, parent=False)
_CURED = trace(verb("make"), verb("reset", at=1), verb("step:20", at=2), name=WITHOUT)


def _life(*events: Event) -> Trace:
    return trace(_MADE, verb("make"), *events)


EXAMPLES = (
    Example(
        "a simulator is started at the first reset",
        vector_view(
            _life(
                instance("reset-raised", pid=7, parent=False, error=_REFUSED),
                verb("reset", "raised", error=_REFUSED),
            ),
            _CURED,
        ),
        "reset() starts a process, which the daemonic workers of gymnasium-async may not:"
        f" {REFUSAL}",
    ),
    Example(
        "in the constructor, under a manager that cannot do otherwise",
        vector_view(
            trace(
                instance("make-raised", pid=7, parent=False, error=_REFUSED), verb("make", "raised")
            ),
            manager="sb3-subproc",
        ),
        "the constructor starts a process, which the daemonic workers of sb3-subproc may"
        f" not: {REFUSAL}",
    ),
    Example(
        "another error",
        vector_view(
            _life(
                instance("reset-raised", pid=7, parent=False, error=raised()),
                verb("reset", "raised"),
            )
        ),
    ),
    Example("nothing is refused", vector_view(_life(verb("reset"), verb("step:20")))),
)
