"""Reset builds a new instance instead of reusing the old one.

What it does
    Notes at every reset which object is the innermost environment (by a number that is never used
    twice: Python uses an address again after a free). Without a manager it changes when the
    environment's own reset() builds a new one. Under a manager it looks for constructor calls while
    the manager's reset runs.

Why it matters
    The constructor is the slow part, and resets are many: a simulator that is started anew for each
    episode costs time, loses what a running one knows, and leaks a little with each start.

How to fix it
    Build once and reset what was built:

        def reset(self, *, seed=None, options=None):
            return self.env.reset(seed=seed, options=options)   # not: self.env = make_level()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import ReuseInner
from envdoctor.model.events import Event
from envdoctor.model.facts import Survey
from envdoctor.model.finding import Finding, Location
from envdoctor.model.records import InnerRecord, InstanceRecord
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import direct_view, fact, instance, trace, vector_view, verb
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.reuse import built_anew, convention, in_words
from envdoctor.rules.wording.leftovers import count

SCRIPT = "make watch reset step:3 reset step:3 reset close drop"

Change = tuple[
    InstanceRecord, InstanceRecord
]  # two successive resets of one instance whose innermost objects differ


def changes(run: Trace) -> list[Change]:
    """Return the resets of an instance at which its innermost object changed."""
    last: dict[tuple[int, int], InstanceRecord] = {}
    result = []
    for event in run.records(InstanceRecord, what="reset"):
        earlier = last.get(event.key)
        last[event.key] = event
        if earlier and inside(event) is not None and inside(earlier) not in (None, inside(event)):
            result.append((earlier, event))
    return result


def inside(event: InstanceRecord) -> int | None:
    """The number of the innermost object at a reset; for a BaseEnv of DI-engine, of the
    environment that it keeps in _env.
    """
    return event.base if event.real is None else event.real


def made_in_reset(run: Trace) -> list[InstanceRecord]:
    """Constructor calls while a reset of the manager ran. The first reset is left out: lazy
    managers launch there.
    """
    spans, began = [], None
    for event in run.verbs("reset"):
        if event.state == "began":
            began = event.t
        elif began is not None:
            spans.append((began, event.t))
    return [
        event
        for event in run.records(InstanceRecord, what="made")
        if any(start <= event.t <= end for start, end in spans[1:])
    ]


def place_of_subject(view: View) -> Location | None:
    """Return where the named class or factory is defined: it wraps the innermost class, whose own
    methods do no harm here.
    """
    named = view.direct.trace("survey")
    survey = named.fact(Survey) if named else None
    return (survey.source if survey else None) or view.locate("reset")


def built_at(run: Trace) -> Location | None:
    """The line that builds the new one, where the environment has one of its own."""
    frame = next(
        (event.frame for event in run.records(InnerRecord, what="made") if event.frame), None
    )
    return Location.at(frame) if frame else None


def _unjudged(view: View) -> str:
    return "" if view.is_direct else built_anew(view.trace("reuse") or view.trace("life"))


@rule(
    "RUS001",
    "instance-not-reused",
    severity="warning",
    needs=("reuse", "life"),
    verb="reset",
    looks_at={"reuse": "reset", "life": "reset"},
    counts=counted("instances made by resets", "made_in_reset", "resets"),
    unjudged=_unjudged,
)
def instance_not_reused(view: View) -> Iterator[Finding]:
    run = view.trace("reuse") or view.trace("life")
    if run is None:
        return
    if not view.is_direct:
        yield from _by_the_manager(view, run)
        return
    swaps = changes(run)
    if swaps:
        resets = list(run.records(InstanceRecord, what="reset"))
        known = convention(view)
        real = known if swaps[0][1].real is not None else None
        yield instance_not_reused.finding(
            f"reset() builds a new {'_env' if real else 'environment'} instead of reusing the old"
            f" one ({len(swaps)} in {count(resets, 'reset')})",
            (
                in_words(real.build_once, view)
                if real
                else (
                    f"build {view.class_name} once, and let the reset() of its wrapper call"
                    " its reset()."
                )
            ),
            aim=None if real else ReuseInner(),
            location=built_at(run) or place_of_subject(view),
            evidence={
                "resets": [
                    {
                        "pid": event.pid,
                        "serial": event.serial,
                        "base": inside(event),
                        "id": event.id,
                    }
                    for event in resets
                ]
            },
        )


def _by_the_manager(view: View, run: Trace) -> Iterator[Finding]:
    made = made_in_reset(run)
    if made and not built_anew(run):
        yield instance_not_reused.finding(
            f"reset() of {view.manager} builds {count(made, 'new instance')} instead of reusing the"
            " old ones",
            f"look for an option of {view.manager} that resets instances rather than renewing them,"
            " and for errors in reset() that make it do so.",
            location=view.locate("__init__"),
            evidence={
                "made_in_reset": [
                    {"pid": event.pid, "serial": event.serial, "id": event.id} for event in made
                ]
            },
        )


def _resets(*bases: int, **shell: int) -> Trace:
    resets = (
        instance("reset", 1, **({**shell, "real": base} if shell else {"base": base}))
        for base in bases
    )
    return trace(*resets, name="reuse", script=SCRIPT)


def _launch(made_at: float, *more: Event) -> View:
    made = {**instance("made", 3, pid=7, parent=False), "t": made_at}
    spans = [
        {**verb("reset", state, at=at), "t": t}
        for state, at, t in (
            ("began", 1, 1.0),
            ("ended", 1, 2.0),
            ("began", 3, 3.0),
            ("ended", 3, 4.0),
        )
    ]
    return vector_view(
        trace(instance("made", 1, pid=7), *spans, made, *more), manager="ding-subproc"
    )


EXAMPLES = (
    Example(
        "a new level for each episode",
        direct_view(_resets(1, 2, 3)),
        "reset() builds a new environment instead of reusing the old one (2 in 3 resets)",
    ),
    Example(
        "a shell of DI-engine's that builds its environment anew",
        direct_view(_resets(2, 3, 4, base=1), api="ding"),
        "reset() builds a new _env instead of reusing the old one (2 in 3 resets)",
    ),
    Example("a shell that keeps it", direct_view(_resets(2, 2, 2, base=1), api="ding")),
    Example("the same object", direct_view(_resets(1, 1, 1))),
    Example(
        "an object that cannot be told apart",
        direct_view(
            trace(instance("reset", base=None), instance("reset", base=None), name="reuse")
        ),
    ),
    Example(
        "the manager renews",
        _launch(3.5),
        "reset() of ding-subproc builds 1 new instance instead of reusing the old ones",
    ),
    Example("the manager launches at its first reset", _launch(1.5)),
    Example(
        "the manager builds them anew after an error",
        _launch(3.5, fact("restarts", {"built": 2, "instances": 2, "endless": False})),
    ),
)
