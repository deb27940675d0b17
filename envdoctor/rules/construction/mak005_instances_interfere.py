"""One instance breaks or changes another of the same process.

What it does
    Builds two instances in one process and watches each while the other is stepped, reset, seeded,
    closed and collected, and rendered where a render mode was asked for. It is reported when a call
    of one fails although it works in an instance that is alone, and when one returns other values
    than it does alone, with the same seed and actions; then all of it is played once more, between
    two that are alone. What both change (a default argument, what a class or a module keeps, an
    object that both were given) is named where each instance got its own of it, and returned again
    what it returns alone. The images of render() are compared alike. A note is what goes wrong only
    in a render mode that was not asked for, or with a deep copy: one that returns something else
    than the original, and one that cannot be made, since __getattr__() calls itself or EzPickle
    keeps what cannot be pickled. Where a closed instance waits for the collector, it is collected
    while the next one is played.

Why it matters
    Evaluation and training run in one process, and so do instances of SyncVectorEnv. The one that
    is closed first breaks the others, in a call that has nothing to do with it; where they share
    state, results depend on their number, and no seed brings them back.

How to fix it
    Keep in the instance what belongs to it, random numbers first of all:

        def __init__(self):
            self.position = numpy.zeros(2)  # not an attribute of the class or of the module

        def step(self, action):
            noise = self.np_random.random()  # not numpy.random.random(), which all share

    Let close() give back what belongs to the instance, and leave what all share to the last one:

        _users = 0                      # of the library, in this process

        def close(self):
            if self._open:
                self._open = False
                Viewer._users -= 1
                if Viewer._users == 0:
                    library.quit()      # not: at the first close()

    Forget what close() has given back, so that __del__() does not give back another one's:

        def close(self):
            library.disconnect(self.client)
            self.client = None
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from envdoctor.model.environment_aims import ForgetGiven
from envdoctor.model.errors import kind_of, one_line, wire_of
from envdoctor.model.events import Event
from envdoctor.model.facts import SharedState
from envdoctor.model.finding import NOTE, Finding
from envdoctor.model.scenario import FREED_LATE, HUMAN, IMAGES, TWO_RENDERED, verb_name
from envdoctor.model.trace import SIGNALLED, Trace
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import (
    direct_view,
    fact,
    instance,
    longer_pair,
    raised,
    trace,
    verb,
)
from envdoctor.rules.engine.optional_scenarios import failure, in_mode, mode, rendered_traces
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.broken_calls import broken_call, call_of
from envdoctor.rules.evidence.circumstances import died_beside_another
from envdoctor.rules.evidence.comparisons import MORE_SEEDS, by_chance, unseeded_evidence
from envdoctor.rules.evidence.copies import PairTrouble, copy_troubles
from envdoctor.rules.evidence.deaths import end_of
from envdoctor.rules.evidence.drawing_contexts import images_changed, two_drawn
from envdoctor.rules.evidence.freed_late import freed_late, freeing_unseen, harm_of_freeing
from envdoctor.rules.evidence.side_by_side import (
    NAMES,
    cause,
    changes,
    shared_generators,
    shared_state,
)
from envdoctor.rules.evidence.stacks import where_it_was
from envdoctor.rules.reuse.rus004_one_instance_shared_by_workers import shared
from envdoctor.rules.wording.leftovers import place_of
from envdoctor.rules.wording.sharing import (
    own_instead,
    own_state,
    shared_evidence,
    shared_no_more,
    what_is_shared,
)

SCRIPT = "make make reset@0 reset@1 step:3@0 step:3@1 close@0 step:3@1 close@1 drop"


@rule(
    "MAK005",
    "instances-interfere",
    explains=Cause.INSTANCES_INTERFERE,
    where=DIRECT_ONLY,
    needs=("two-at-once",),
    verb="reset",
    looks_at={"two-at-once": "make reset step close"},
    also_reads=(TWO_RENDERED, FREED_LATE, MORE_SEEDS),
    follow_ups=("undisturbed", "apart", MORE_SEEDS),
    compares_pairs=True,
    unjudged=freeing_unseen,
)
def instances_interfere(view: View) -> Iterator[Finding]:
    both = view.trace("two-at-once")
    if both is None or shared(both):
        return
    alone, drawn = view.trace("life"), view.trace(TWO_RENDERED)
    certain = (
        list(breaks(view, alone, both))
        or list(alters(view))
        or list(breaks(view, alone, drawn) if drawn else ())
        or list(ends_process(view))
        or list(frees_anothers(view))
    )
    # What is shared by two is shared by a copy, too.
    yield from certain or (*in_images(view), *in_windows(view), *by_copies(view))


def breaks(view: View, alone: Trace | None, both: Trace) -> Iterator[Finding]:
    """The call of one that fails because of what was done to the other."""
    broken = broken_call(both, alone) if alone else None
    if broken is None:
        return
    call, number = call_of(broken.verb), int(broken.verb.rpartition("@")[2])
    error = broken.error
    shared = shared_state(view)
    remedy = own_instead(view, shared) or shared_no_more(view, error)
    yield instances_interfere.finding(
        f"{cause(both, broken.at, number)} breaks the {NAMES[number]} one in the same process:"
        f" {call}() raises {one_line(error)}{what_is_shared(shared)}",
        remedy.text,
        aim=remedy.aim,
        location=place_of(error) or view.locate(call),
        key=("breaks", call, kind_of(error)),
        evidence={
            "error": wire_of(error),
            "script": both.scenario.script,
            "verb": broken.verb,
            **shared_evidence(shared),
        },
    )


def frees_anothers(view: View) -> Iterator[Finding]:
    """The harm that a closed instance does to the next one when it is collected."""
    harm = harm_of_freeing(view)
    if harm is not None:
        yield instances_interfere.finding(
            f"a closed instance {harm.verb} when the garbage collector frees it: {harm.words}",
            f"let {view.class_name}.close() forget what it has given back (self.client = None):"
            " what __del__() gives back once more may be another instance's by then.",
            aim=ForgetGiven(),
            location=place_of(harm.error) or view.locate("close"),
            key=("frees", harm.call, kind_of(harm.error)),
            evidence=dict(harm.evidence),
        )


def ends_process(view: View) -> Iterator[Finding]:
    """The call of one that ends the process because of what was done to the other there."""
    died = died_beside_another(view)
    if died is None:
        return
    end, script, remedy = died.outcome, died.scenario.script, shared_no_more(view, None)
    call, number = verb_name(end.verb), int(end.verb.rpartition("@")[2])
    yield instances_interfere.finding(
        f"{cause(died, end.at or 0, number)} breaks the {NAMES[number]} one in the same"
        f" process: its {call}() ends the process ({end_of(end)})",
        remedy.text,
        aim=remedy.aim,
        location=where_it_was(end.stacks, view) or view.locate(call),
        key=("ends", call),
        evidence={"script": script, "verb": end.verb, "stacks": end.stacks},
    )


def alters(view: View) -> Iterator[Finding]:
    """Report results of one instance that depend on the other, and differ when it is alone."""
    for change in [] if by_chance(view) else changes(view)[:1]:
        sources = shared_generators(change.trace)
        drawn = f"; both draw from {sources[0]}, which the whole process shares" if sources else ""
        shared = SharedState() if sources else shared_state(view)
        remedy = own_instead(view, shared) or own_state(view, sources)
        yield instances_interfere.finding(
            f"{change.cause} changes what the {NAMES[change.number]} one returns in the same"
            f" process: {change.words}{drawn}{what_is_shared(shared)}",
            remedy.text,
            aim=remedy.aim,
            location=view.locate(change.comparison.first.call),
            key=("alters", change.comparison.first.call),
            evidence={
                "comparison": change.comparison.as_json(),
                "script": change.trace.scenario.script,
                "shares": sources,
                **shared_evidence(shared),
                **unseeded_evidence(view),
            },
        )


def in_images(view: View) -> Iterator[Finding]:
    """Report images of one instance that the other one changes or ends: as a note, where no
    render mode was asked for.
    """
    for both in () if by_chance(view) else view.optional(IMAGES):
        broken = breaks(view, next(iter(rendered_traces(view)), view.trace("life")), both)
        for finding in [*broken, *_reported(view, images_changed(view, both))][:1]:
            where = in_mode(both) if mode(both) else ""
            severity = NOTE if where else finding.severity
            yield finding.but(message=f"{finding.message}{where}", severity=severity)


def in_windows(view: View) -> Iterator[Finding]:
    """Report how two windows disturb each other, as a note: windows were not requested."""
    rendered = rendered_traces(view)
    alone = [life for life in rendered if mode(life) == HUMAN and not failure(life)]
    for both in view.optional("two-windows") if alone else ():
        for finding in breaks(view, alone[-1], both):
            yield finding.but(message=f"{finding.message}{in_mode(both)}", severity=NOTE)


def by_copies(view: View) -> Iterator[Finding]:
    """Findings on deep copies: notes, because few people copy environments."""
    for finding in _reported(view, copy_troubles(view)):
        yield finding.but(severity=NOTE)


def _reported(view: View, troubles: Iterable[PairTrouble]) -> Iterator[Finding]:
    for trouble in troubles:
        yield instances_interfere.finding(
            trouble.message,
            trouble.remedy,
            aim=trouble.aim,
            location=trouble.place or place_of(trouble.error) or view.locate("step"),
            key=(trouble.kind, kind_of(trouble.error)),
            evidence=dict(trouble.evidence),
        )


_LIFE = trace(verb("make"), verb("reset", at=1), verb("step:20", at=2), verb("close", at=3))
_GONE = raised("pygame.error", "video system not initialized", function="step")
_BEGUN = (
    verb("make"),
    verb("make", at=1),
    verb("reset@0", at=2),
    verb("reset@1", at=3),
    verb("step:3@0", at=4),
)


def _both(*others: Event) -> Trace:
    return trace(*_BEGUN, *others, name="two-at-once", script=SCRIPT)


def _rendered(died_in: str) -> Trace:
    drawn = [verb("render@0", at=6)] if died_in == "render@1" else []
    at, by = 6 + len(drawn), "SIGSEGV"
    return trace(
        *_BEGUN, *drawn, name=TWO_RENDERED, outcome=SIGNALLED, verb=died_in, at=at, signal=by
    )


_PLACE = {"call": "step", "step": 2, "key": "observation", "place": [0]}
_DIFFERENCE = {**_PLACE, "what": "value", "values": ["0.3", "0.1"]}
_QUIET = (verb("step:3@1", at=5, steps=3), verb("close@0", at=6), verb("step:3@1", at=7, steps=3))


def _comparison(difference: Mapping[str, object] | None) -> dict[str, object]:
    return {"calls": 9, "unknown": [], "difference": difference}


def _drawing(digest: str) -> Event:
    return instance(
        "reset", random={"before": {"numpy.random": "0"}, "after": {"numpy.random": digest}}
    )


def _altered(
    difference: Mapping[str, object],
    *resets: Event,
    alone: Mapping[str, object] | None = None,
    proof: bool = False,
) -> View:
    pair = [_comparison(None), _comparison(difference)]
    values = {"alone": _comparison(alone), "instances": pair}
    both = _both(*_QUIET, *resets, fact("side-by-side", values))
    quiet = fact("side-by-side", {**values, "instances": [_comparison(None)] * 2})
    undisturbed = [trace(quiet, name="undisturbed", script=SCRIPT)] if proof else []
    return direct_view(_LIFE, both, *undisturbed)


def _optional(name: str, *events: Event) -> View:
    human = (("render_mode", "human"),)
    closed = (*_BEGUN, verb("close@0", at=4)) if name == "two-windows" else ()
    run = trace(*closed, *events, name=name, script=SCRIPT, options=human)
    return replace(
        direct_view(_LIFE, _both(*_QUIET)),
        optional_traces=(trace(*_LIFE.events, name="rendered", options=human), run),
    )


def _freed(last: Event, difference: Mapping[str, object] | None = None) -> View:
    compared = [_comparison(None), _comparison(difference)]
    run = freed_late(last, {"alone": _comparison(None), "instances": compared})
    return direct_view(_LIFE, _both(*_QUIET), run)


def _images(*events: Event, drawn: Mapping[str, object] | None = None) -> View:
    both = two_drawn(*events, compared=[_comparison(drawn), _comparison(None)])
    life = trace(*_LIFE.events, verb("render", at=4))
    return replace(direct_view(life, _both(*_QUIET)), optional_traces=(both,))


_OTHERWISE = fact("continued-copy", _comparison(_DIFFERENCE))
_AS_BEFORE = fact("continued-copy", _comparison(None))
_NOT_RESET = verb("reset", "raised", at=1, error=_GONE)
_ENDLESS = raised("RecursionError", "maximum depth", function="__getattr__")
_UNALTERED = fact("side-by-side", {"alone": _comparison(None), "instances": [_comparison(None)]})

_CLOSED = (
    "closing the first instance breaks the second one in the same process: step() raises"
    " pygame.error: video system not initialized"
)
_OTHER_COPY = (
    "a deep copy of an instance does not go on where the original is: observation[0] is 0.3 in the"
    " copy and in the original 0.1"
)
_CHANGED_BY_COPY = (
    "using a deep copy of an instance changes what it returns: observation[0] is 0.3 then and else"
    " 0.1, at step 2"
)
_ENDLESS_COPY = (
    "a deep copy of an instance cannot be made: __getattr__() of Sick calls itself without an end"
    " (RecursionError: maximum depth)"
)
_OTHER_IMAGE = (
    "{} the second instance changes what the first one draws in the same process: the image of"
    " render() is not what it is when it is alone, after step {}"
)
_STEPPED = (
    "stepping the first instance changes what the second one returns in the same process:"
    " observation[0] is 0.3 then and, when it is alone, 0.1, at step 2"
)
EXAMPLES = (
    Example(
        "closing one shuts the library down",
        direct_view(
            _LIFE,
            _both(
                verb("step:3@1", at=5),
                verb("close@0", at=6),
                verb("step:3@1", "raised", at=7, error=_GONE),
                verb("close@1", at=8),
            ),
        ),
        _CLOSED,
    ),
    Example(
        "closing one shuts the library down, and fails by itself besides",
        direct_view(
            trace(verb("make"), verb("step:20", at=2), verb("close", "raised", at=3)),
            _both(
                verb("step:3@1", at=5),
                verb("close@0", "raised", at=6, error=raised()),
                verb("step:3@1", "raised", at=7, error=_GONE),
            ),
        ),
        _CLOSED,
    ),
    Example(
        "stepping one moves the other",
        direct_view(
            _LIFE,
            _both(verb("step:3@1", "raised", at=5, error=raised("RuntimeError", "episode over"))),
        ),
        "stepping the first instance breaks the second one in the same process: step()"
        " raises RuntimeError: episode over",
    ),
    Example(
        "a second close of what they share",
        direct_view(_LIFE, _both(*_QUIET, verb("close@1", "raised", at=8, error=raised()))),
        "closing the first instance breaks the second one in the same process: close()"
        " raises RuntimeError: no",
    ),
    Example(
        "it cannot step when it is alone either",
        direct_view(
            trace(verb("make"), verb("reset", at=1), verb("step:20", "raised", at=2, error=_GONE)),
            _both(verb("step:3@1", "raised", at=5, error=_GONE)),
        ),
    ),
    Example(
        "the second cannot be reset: one-instance-per-process",
        direct_view(
            _LIFE,
            trace(
                verb("make"),
                verb("make", at=1),
                verb("reset@1", "raised", at=3, error=_GONE),
                name="two-at-once",
                script=SCRIPT,
            ),
        ),
    ),
    Example(
        "all draw from one generator",
        _altered(_DIFFERENCE, _drawing("a"), _drawing("b")),
        f"{_STEPPED}; both draw from numpy.random, which the whole process shares",
    ),
    Example("a list of the class", _altered(_DIFFERENCE), _STEPPED),
    Example(
        "a context that only the first one gets",
        direct_view(
            trace(verb("make"), verb("reset", at=1), verb("render", at=3)),
            _both(*_QUIET),
            _rendered("render@1"),
        ),
        "rendering the first instance breaks the second one in the same process: its"
        " render() ends the process (SIGSEGV)",
    ),
    Example(
        "an application that the second one makes anew",
        direct_view(_LIFE, _both(), _rendered("step:20@0")),
        "resetting the second instance breaks the first one in the same process: its step()"
        " ends the process (SIGSEGV)",
    ),
    Example(
        "an instance that is alone dies, too: worker-died",
        direct_view(_LIFE, trace(outcome=SIGNALLED, verb="step:3"), _rendered("step:20@0")),
    ),
    Example(
        "the first one dies in render() as well: worker-died",
        direct_view(
            trace(verb("make"), verb("render", at=3)), _both(*_QUIET), _rendered("render@0")
        ),
    ),
    Example(
        "a number that was given back twice",
        _freed(verb("step:3@1", "raised", at=8, error=_GONE)),
        "a closed instance breaks the next one when the garbage collector frees it: step()"
        " raises pygame.error: video system not initialized",
    ),
    Example(
        "what the next one returns is changed",
        _freed(verb("step:3@1", at=8, steps=3), difference={**_DIFFERENCE, "step": 4}),
        "a closed instance changes what the next one returns when the garbage collector"
        " frees it: observation[0] is 0.3 then and, when it is alone, 0.1, at step 4",
    ),
    Example(
        "it is another one before", _freed(verb("step:3@1", at=8, steps=3), difference=_DIFFERENCE)
    ),
    Example("alone, it is not reproducible either", _altered(_DIFFERENCE, alone=_DIFFERENCE)),
    Example(
        "alone it agreed by chance only",
        replace(_altered(_DIFFERENCE), traces=(*_altered(_DIFFERENCE).traces, longer_pair())),
    ),
    Example("the proof shows nothing", _altered(_DIFFERENCE, proof=True)),
    Example(
        "the context that is current",
        _images(drawn={**_DIFFERENCE, "call": "render", "step": 2}),
        _OTHER_IMAGE.format("rendering", 2),
    ),
    Example(
        "names that belong to the current window are given back late",
        _images(
            *(verb("free@1", at=8), verb("step:2@0", at=9, steps=2)),
            fact("finalizer", {"function": "Mesh.__del__", "called": "free"}),
            drawn={**_DIFFERENCE, "call": "render", "step": 4},
        ),
        _OTHER_IMAGE.format("collecting", 4) + "; Mesh.__del__() calls free() then",
    ),
    Example(
        "an image that does not come any more",
        _images(verb("picture@0", "raised", at=9, error=_GONE)),
        "rendering the second instance breaks the first one in the same process: render()"
        " raises pygame.error: video system not initialized",
    ),
    Example("both draw as they do alone", _images()),
    Example(
        "two windows without a request for them",
        _optional("two-windows", verb("step@1", "raised", at=5, error=_GONE)),
        "closing the first instance breaks the second one in the same process: step()"
        ' raises pygame.error: video system not initialized, with render_mode="human" only',
    ),
    Example(
        "a copy that is none",
        _optional(
            "copied",
            fact("copied", {"failed": None}),
            fact("side-by-side", {"alone": None, "instances": [_comparison(_DIFFERENCE)]}),
        ),
        _CHANGED_BY_COPY,
    ),
    Example(
        "a copy is made by the constructor",
        _optional(
            "copied",
            _UNALTERED,
            fact("copied", {"failed": "ValueError: boom"}),
            fact("continued-copy", {**_comparison(None), "error": raised("ValueError", "boom")}),
        ),
        "a deep copy of an instance does not go on where the original is: step() of the"
        " copy raises ValueError: boom",
    ),
    Example("a copy begins again", _optional("copied", _UNALTERED, _OTHERWISE), _OTHER_COPY),
    Example("a copy of no episode", _optional("copied", _UNALTERED, _NOT_RESET, _OTHERWISE)),
    Example("a copy goes on", _optional("copied", _UNALTERED, _AS_BEFORE)),
    Example(
        "closing the copy closes what both hold",
        _optional(
            "copied",
            verb("copy", at=3),
            fact("copied", {"failed": None}),
            verb("step:6", "raised", at=4, error=_GONE),
        ),
        "using a deep copy of an instance breaks it: pygame.error: video system not initialized",
    ),
    Example(
        "it is broken before it is copied",
        _optional(
            "copied",
            *(
                verb("reset", "raised", at=1, error=_GONE),
                verb("step:3", "raised", at=2, error=_GONE),
            ),
            *(verb("copy", at=3), fact("copied", {"failed": None})),
        ),
    ),
    Example(
        "a wrapper that asks itself for what the copy has not yet",
        _optional("copied", fact("copied", {"failed": "RecursionError", "error": _ENDLESS})),
        _ENDLESS_COPY,
    ),
    Example("it cannot be copied", _optional("copied", fact("copied", {"failed": "TypeError"}))),
    Example("they live side by side", direct_view(_LIFE, _both(*_QUIET))),
)
