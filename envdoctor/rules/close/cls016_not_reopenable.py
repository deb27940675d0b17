"""reset(), step() or render() fails after close().

What it does
    Resets and steps the environment again after it was closed. One that hangs then has failed, too.
    So has one that returns although the process, thread or port that close() ended does not exist
    any more. Where it was made with a render mode, it renders before close() and again after the
    next reset(): an image of one color, where the one before had more, is reported. Under
    DI-engine's managers of workers, one reset() is made to fail with retry_type='reset': the worker
    closes the instance, and resets the closed one.

Why it matters
    Nothing in Gymnasium asks for it, and its vector environments never reset a closed instance.
    Some do: DI-engine's environments open themselves at reset() and may be closed and reset again,
    and hyper-parameter searches that keep one environment for all trials close it between them.

How to fix it
    Open in reset() what close() has closed; then both lives are the same:

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            if self._simulator is None:
                self._simulator = Simulator(self._config)
            return self._simulator.observe(), {}

        def close(self):
            if self._simulator is not None:
                self._simulator.stop()
                self._simulator = None
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envdoctor.model.environment_aims import ForgetFreed, OpenAgain
from envdoctor.model.errors import kind_of, one_line, wire_of
from envdoctor.model.events import Event
from envdoctor.model.facts import RenderedImage, Running
from envdoctor.model.finding import NOTE, WARNING, Finding
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import RETRIED
from envdoctor.model.trace import TIMED_OUT, Trace
from envdoctor.rules.engine.examples import (
    direct_view,
    fact,
    instance,
    raised,
    trace,
    vector_view,
    verb,
)
from envdoctor.rules.engine.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import in_frame
from envdoctor.rules.evidence.relaunches import closed_before_retry, first_failure, went_well
from envdoctor.rules.evidence.reuse import convention, in_words
from envdoctor.rules.evidence.stacks import where_it_was
from envdoctor.rules.wording.leftovers import listing, place_of

SCRIPT = "make reset step:5 close reset step:5 close drop"
#: The verbs after close(), and the calls that they make.
CALLS = {"reset": "reset", "step": "step", "picture": "render"}


@rule(
    "CLS016",
    "not-reopenable",
    severity="note",
    where=WHERE_PLAYED,
    needs=("reopen", RETRIED),
    verb="close",
    looks_at={"reopen": "make reset step close"},
    rare_use=True,
)
def not_reopenable(view: View) -> Iterator[Finding]:
    yield from _closed_and_retried(view)
    run = view.trace("reopen")
    if run is None or not run.verbs("close"):
        return
    closed_at = run.verbs("close")[0].at
    # What fails before close() as well tells nothing of it.
    if any(event.at < closed_at for event in run.records(VerbRecord, state="raised")):
        return
    yield from _not_started_again(view, run)
    yield from _drawn_in_one_color(view, run)
    for verb_name, name in CALLS.items():
        for event in run.verbs(verb_name, "raised"):
            if event.at > closed_at:
                yield not_reopenable.finding(
                    f"{name}() after close() raises {one_line(event.error)}",
                    cure(view),
                    aim=OpenAgain(event.error, convention(view) is not None)
                    if event.error
                    else None,
                    location=place_of(event.error) or view.locate(name),
                    key=(name, kind_of(event.error)),
                    evidence={"error": wire_of(event.error)},
                )
                return
    yield from _hung(view, run)


def _not_started_again(view: View, run: Trace) -> Iterator[Finding]:
    """reset() and step() go well on a simulator that is gone: close() ended what the first reset()
    had started, and nothing was started in its place. What a constructor starts is its instance's,
    and ends with it.
    """
    runnings = run.facts(Running)
    if [running.verb for running in runnings] != ["make", "reset", "close", "reset", "close"]:
        return
    made, first, closed, second = (running.running for running in runnings[:4])
    if not run.verbs("step", "ended")[1:] or any(second.values()) or any(closed.values()):
        return
    ended = [
        f"port {key}" if sensor == "ports" else text
        for sensor in sorted(first)
        for key, text in first[sensor].items()
        if key not in made.get(sensor, {})
    ]
    if ended:
        yield not_reopenable.finding(
            "reset() after close() starts nothing, and step() goes well all the same: close()"
            f" ended {listing(ended)}",
            f"Let {view.class_name}.close() forget what it ended, so that reset() starts it again.",
            severity=WARNING if convention(view) else NOTE,
            location=view.locate("close"),
            evidence={"running": [running.wire for running in runnings]},
        )


def _drawn_in_one_color(view: View, run: Trace) -> Iterator[Finding]:
    """render() draws nothing any more: what it draws with was freed, and no error is raised."""
    if [image.of_one_color for image in run.facts(RenderedImage)] == [False, True]:
        yield not_reopenable.finding(
            "render() after close() and reset() returns an image of one color; before close(), it"
            " had others",
            f"Let {view.class_name}.close() forget the viewer that it frees, so that the next"
            " render() makes a new one.",
            aim=ForgetFreed(),
            location=view.locate("close"),
            key=("render", "one color"),
        )


def _hung(view: View, run: Trace) -> Iterator[Finding]:
    """Report calls that hang after close(): as a rule, they wait for something that close()
    ended.
    """
    for verb_name, name in CALLS.items():
        if run.hung_in(verb_name):
            frame = where_it_was(run.outcome.stacks, view)
            yield not_reopenable.finding(
                f"{name}() after close() hangs{in_frame(frame)}",
                cure(view),
                location=frame or view.locate(name),
                key=(name, "hangs"),
                evidence={"ceiling": run.outcome.reason, "stacks": run.outcome.stacks},
            )


def _closed_and_retried(view: View) -> Iterator[Finding]:
    """Report an instance that cannot be used after it was closed because its reset() raised."""
    run = view.trace(RETRIED)
    failure = first_failure(run) if run is not None and went_well(view.trace("life")) else None
    if run is None or failure is None or not failure.own or not closed_before_retry(run):
        return
    yield not_reopenable.finding(
        f"reset() after close() raises {failure.text}, so that {view.manager} cannot retry a"
        " reset() that failed",
        _closed_and_reset(view),
        location=place_of(failure.error) or view.locate("reset"),
        key=(RETRIED, kind_of(failure.error)),
        evidence={"scenario": RETRIED, "error": wire_of(failure.error)},
    )


def cure(view: View) -> str:
    """Return the remedy, for those who need it."""
    known = convention(view)
    if known:
        return in_words(known.open_again, view)
    return (
        "if instances are to be used again (a search that keeps one environment, a framework that"
        f" resets again what it closed), open in {view.class_name}.reset() what close() released;"
        " most vectorizers build new instances and do not need it."
    )


def _closed_and_reset(view: View) -> str:
    """Return the remedy where the framework of the manager resets again what it closed."""
    known = view.framework.reuse
    return in_words(known.closed_and_retried, view) if known else cure(view)


_FAILING = (
    verb("reset", "began", at=1),
    instance("failing", 2, pid=7),
    instance("closing", 2, pid=7),
)


def _retried(*events: Event) -> View:
    under = {"manager": "ding-subproc", "start_method": "fork"}
    return vector_view(
        trace(verb("make"), verb("close"), **under),
        trace(verb("make"), *_FAILING, *events, name=RETRIED, **under),
        **under,
    )


def _reopened(second: Mapping[str, str], by_constructor: bool = False) -> View:
    nothing: Mapping[str, str] = {}
    first = {"31": "simulator --port 4242"}
    made = first if by_constructor else nothing
    texts = [
        fact("running", {"verb": name, "running": {"processes": dict(running)}})
        for name, running in zip(
            ("make", "reset", "close", "reset", "close"),
            (made, first, nothing, second, nothing),
            strict=True,
        )
    ]
    verbs = [verb(word, at=at) for at, word in enumerate(SCRIPT.split())]
    return direct_view(trace(*verbs, *texts, name="reopen", script=SCRIPT))


def _drawn(*of_one_color: bool) -> View:
    images = [fact("image", {"of_one_color": each}) for each in of_one_color]
    return direct_view(trace(verb("close", at=4), *images, name="reopen", script=SCRIPT))


EXAMPLES = (
    Example(
        "a worker closes it, and resets it again",
        _retried(
            instance("reset-raised", 2, pid=7, error=raised("FileNotFoundError", "track")),
            verb("reset", "raised", at=1, error=raised()),
        ),
        "reset() after close() raises FileNotFoundError: track, so that ding-subproc cannot"
        " retry a reset() that failed",
    ),
    Example("a worker closes it, and it opens again", _retried(verb("reset", at=1))),
    Example(
        "reset after close raises",
        direct_view(
            trace(
                verb("close", at=3),
                verb(
                    "reset",
                    "raised",
                    at=4,
                    error=raised("AttributeError", "'NoneType' object has no attribute 'restart'"),
                ),
                name="reopen",
                script=SCRIPT,
            )
        ),
        "reset() after close() raises AttributeError: 'NoneType' object has no attribute 'restart'",
    ),
    Example(
        "a failure before close is not about close",
        direct_view(
            trace(verb("reset", "raised", at=1), verb("close", at=3), name="reopen", script=SCRIPT)
        ),
    ),
    Example(
        "it waits for a thread that close() ended",
        direct_view(
            trace(
                verb("close", at=3),
                verb("reset", "began", at=4),
                name="reopen",
                script=SCRIPT,
                outcome=TIMED_OUT,
                verb="reset",
            )
        ),
        "reset() after close() hangs",
    ),
    Example(
        "it fails before close() as well as after it",
        direct_view(
            trace(
                verb("reset", "raised", at=1),
                verb("close", at=3),
                verb("reset", "raised", at=4),
                name="reopen",
                script=SCRIPT,
            )
        ),
    ),
    Example(
        "it plays on without its simulator",
        _reopened({}),
        "reset() after close() starts nothing, and step() goes well all the same: close()"
        " ended simulator --port 4242",
    ),
    Example("the constructor started it", _reopened({}, by_constructor=True)),
    Example("it starts its simulator again", _reopened({"32": "simulator --port 4242"})),
    Example(
        "its images are black after close()",
        _drawn(False, True),
        "render() after close() and reset() returns an image of one color; before close(),"
        " it had others",
    ),
    Example("its images are as they were", _drawn(False, False)),
    Example("its images are black from the beginning", _drawn(True, True)),
    Example("its first image is empty", _drawn(True, False)),
    Example(
        "it opens again",
        direct_view(
            trace(
                verb("close", at=3),
                verb("reset", at=4),
                verb("step:5", at=5),
                name="reopen",
                script=SCRIPT,
            )
        ),
    ),
)
