"""reset() or step() fails under a manager, although it works without one.

What it does
    Resets and steps the environment through each manager with each start method. When a call fails
    there that went well without a manager, it reports the error of the environment itself, from the
    worker where it happened; if no environment raised anything, it reports what the manager says.
    Managers that can do more than launch once are asked for that, too: DI-engine's are launched
    again, have one reset() fail and retry it or renew the instance, and hand on parameters.

Why it matters
    The parent sees the error of a worker late, without its line, or as an EOFError. And what fails
    is code that no test with a single environment runs.

How to fix it
    Look for what differs there: the number of the process, what was open before the fork, files and
    ports that two instances want at once, another working directory.

        rank = multiprocessing.current_process()._identity[0] - 1
        town = MAPS[rank % len(MAPS)]   # not: MAPS[rank], which ends with the maps
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from envdoctor.frameworks.older_interfaces import REFUSED
from envdoctor.model.errors import ErrorValue, kind_of, message_of, one_line, wire_of
from envdoctor.model.events import Event
from envdoctor.model.facts import CheckFailure, WrapperClass
from envdoctor.model.failure_aims import ShareOut, TakeArguments
from envdoctor.model.finding import INTERACTION, UNKNOWN, WRAPPER, Finding
from envdoctor.model.records import InstanceRecord, VerbRecord
from envdoctor.model.scenario import CONFIGURED, RETRIED
from envdoctor.model.trace import Trace
from envdoctor.rules.doctor.doc004_known_defect import known_defect
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import fact, instance, known, raised, trace, vector_view, verb
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import EVERYTHING, VECTOR_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence import without_buffers
from envdoctor.rules.evidence.deaths import dead_workers
from envdoctor.rules.evidence.forks import start_otherwise, well_started_by
from envdoctor.rules.evidence.known_defects import shown_in
from envdoctor.rules.evidence.payloads import payload_in_the_way
from envdoctor.rules.evidence.relaunches import failures
from envdoctor.rules.evidence.reuse import let_go_in_close, when_opened_again
from envdoctor.rules.evidence.uncommon_spaces import in_the_way, refusal, suspected
from envdoctor.rules.evidence.used_addresses import is_used_by_another
from envdoctor.rules.processes.prc004_needs_children_in_daemon_worker import refused_children
from envdoctor.rules.remedies.missing_in_worker import missing_in_worker
from envdoctor.rules.workers.vec001_worker_does_not_start import because, lacks_workers, users_place

CALLS = ("reset", "step")


@rule(
    "VEC008",
    "fails-only-under-manager",
    explains=Cause.FAILS_IN_MANAGER,
    where=VECTOR_ONLY,
    verb="make",
    looks_at={"life": LIFECYCLE},
    also_reads=(EVERYTHING,),
    follow_ups=("failing-again", "without-buffers"),
)
def fails_only_under_manager(view: View) -> Iterator[Finding]:
    run = view.trace("life")
    failed = failed_call(run) if run else None
    if failed is None:
        yield from _beyond_a_launch(view)
    if run is None or failed is None:
        return
    call, event = failed
    own = error_of_an_environment(run)
    refusing = refusing_wrapper(view, own or event.error)
    if refusing is not None:
        yield _refused_by(refusing, view, own or event.error)
        return
    if explained_otherwise(view, run, call):
        return
    error = own or event.error
    method = well_started_by(view, "life") if own else ""
    rare = (
        ""
        if without_buffers.plays_without(view)
        else in_the_way(view, fails_only_under_manager.judge)
    )
    yield fails_only_under_manager.finding(
        f"{call}() {'raises' if own else 'of the manager raises'}"
        f" {one_line(error)}{because(error)}, although it works without a manager",
        (
            refusal(view, rare)
            if rare
            else start_otherwise(method)
            + cure(view, run, own, error, call)
            + ("" if own else without_buffers.advice(view))
        ),
        aim=ShareOut(own) if own else None,
        commands=() if own or rare else without_buffers.lines(view),
        location=users_place(error) or view.locate(call),
        key=(call, kind_of(error)),
        evidence={"error": wire_of(error), "verb": event.verb},
        blame=INTERACTION if rare else UNKNOWN,
    )


def refusing_wrapper(view: View, error: ErrorValue | None) -> WrapperClass | None:
    """The wrapper whose reset() does not take the seed, or the options, that managers give it: a
    checker looks at what is below it.
    """
    refused = REFUSED.search(message_of(error)) if error else None
    names = ((each.name.rpartition(".")[2], each) for each in view.survey.wrappers)
    return next((each for name, each in names if refused and name == refused.group("name")), None)


def _refused_by(wrapper: WrapperClass, view: View, error: ErrorValue | None) -> Finding:
    name = wrapper.name.rpartition(".")[2]
    return fails_only_under_manager.finding(
        f"reset() raises {one_line(error)}, which managers give it",
        f"leave {name} out, or use a {wrapper.library} whose {name} takes them."
        if wrapper.library
        else f"let {name}.reset() take the keyword arguments seed=None and options=None, and hand"
        " them on to what it wraps.",
        aim=None if wrapper.library else TakeArguments(name),
        location=view.of_wrapper(wrapper).locate("reset"),
        key=("reset", kind_of(error)),
        evidence={"error": wire_of(error), "verb": "reset"},
        blame=WRAPPER,
    )


def _beyond_a_launch(view: View) -> Iterator[Finding]:
    """The first failure of what comes after a launch that went well."""
    failure = next(failures(view), None)
    if failure is None:
        return
    values = dict(failure.trace.scenario.option("reset_param", ()))
    what, otherwise = when_opened_again(
        failure.name, view.manager, ", ".join(f"{name}={value!r}" for name, value in values.items())
    )
    yield fails_only_under_manager.finding(
        f"{what} raises {failure.text}, {otherwise}",
        let_go_in_close(view, failure.name),
        location=users_place(failure.error)
        or view.locate("reset" if failure.name in (CONFIGURED, RETRIED) else "close"),
        key=(failure.name, kind_of(failure.error)),
        evidence={
            "scenario": failure.name,
            "script": failure.trace.scenario.script,
            "error": wire_of(failure.error),
        },
    )


def failed_call(run: Trace) -> tuple[str, VerbRecord] | None:
    """The first reset() or step() of the manager that raised, when all its instances were
    there: (call, event).
    """
    for event in run.records(VerbRecord, state="raised"):
        call = event.verb.split(":", maxsplit=1)[0]
        if call not in CALLS:
            return None
        return None if lacks_workers(run) else (call, event)
    return None


def explained_otherwise(view: View, run: Trace, call: str) -> bool:
    """Return True if another rule reports the cause: it fails without a manager, too, or a checker
    failed at that call (API001), a worker died (PRC003), does not know the environment (REG003,
    REG004) or may have no children (PRC004), one process cannot host two (MAK004, MAK005), the
    manager cannot send what it returns (VEC005).
    """
    two = view.direct.trace("two-at-once")
    fails_with_two = (
        view.start_method is None
        and two is not None
        and any(True for _ in two.records(VerbRecord, state="raised"))
    )
    known = (
        missing_in_worker(view) is not None
        or payload_in_the_way(view) is not None
        or refused_children(run) is not None
    )
    in_use = is_used_by_another(view, error_of_an_environment(run))
    return fails_alone(view, call) or fails_with_two or known or in_use or any(dead_workers(run))


def fails_alone(view: View, call: str) -> bool:
    """Return True if the call failed without a manager, played or checked. It may do so at the
    second reset only.
    """
    alone, again, checked = (view.direct.trace(name) for name in ("life", "reuse", "check"))
    if alone is None and any(run.scenario.control for run in view.traces):
        return False  # a null environment never fails by itself
    if alone is None or not alone.verbs(call, "ended"):
        return True
    raised_alone = any(run.verbs(call, "raised") for run in (alone, again) if run)
    return raised_alone or any(
        call in check_failure.part and breaks_calls(check_failure)
        for check_failure in (checked.facts(CheckFailure) if checked else ())
    )


def breaks_calls(check_failure: CheckFailure) -> bool:
    """Return True if a checker's complaint also breaks the calls of a manager; different results do
    not.
    """
    return check_failure.has_raised and "determinis" not in check_failure.message


def error_of_an_environment(run: Trace) -> ErrorValue | None:
    """Return the error of an environment itself, in any process; a manager's step() may be the
    environment's reset().
    """
    for event in run.records(InstanceRecord):
        if event.what in ("reset-raised", "step-raised"):
            return event.error
    return None


def cure(
    view: View, run: Trace, own: ErrorValue | None, error: ErrorValue | None, call: str
) -> str:
    """Return the place to look at."""
    returned = f"what {view.class_name}.{call}() returns"
    if own is not None:
        place = (
            f"a worker started by {view.start_method}"
            if view.start_method
            else "a process with several instances"
        )
        return (
            f"repair the line that is shown; see what differs for it in {place}.{suspected(view)}"
        )
    known = shown_in(run, view)
    if known is not None:
        return f"{known.cure}: {known_defect.code} tells what is known of {view.framework.title}."
    if "pickle" in one_line(error).lower():
        way = (
            "sends all of it to the parent through a pipe"
            if view.start_method
            else "hands out deep copies of it"
        )
        return f"keep what cannot be pickled out of {returned}: {view.manager} {way}."
    arrays = (
        "puts observations into arrays of the space's shape and dtype, and each reward into an"
        " array of numbers."
    )
    return f"compare {returned} with what was declared: {view.manager} {arrays}"


_ALONE = trace(instance("made"), verb("make"), verb("reset", at=1), verb("step:20", at=2))
_MADE = (instance("made", pid=7, parent=False), instance("made", pid=8, parent=False))
_NO_MAP = raised("builtins.IndexError", "list index out of range", function="reset")


def _under(*events: Event, direct: Trace = _ALONE, more: tuple[Trace, ...] = ()) -> View:
    run = trace(*_MADE, verb("make"), *events, manager="gymnasium-async", start_method="fork")
    view = vector_view(run, start_method="fork")
    return View(
        view.subject, view.manager, "fork", view.traces, view.survey, other_places=(direct, *more)
    )


_NO_RAIL = raised("builtins.RuntimeError", "no rail is free", function="reset")
_ENV_0 = {
    **raised("builtins.RuntimeError", "Env 0 reset has exceeded max retries(1)"),
    "user": None,
}


def _again(*events: Event, name: str = "relaunch") -> View:
    under = partial(trace, manager="ding-base", start_method=None)
    life = under(verb("make"), verb("reset", at=1), verb("close", at=2))
    again = under(verb("make"), verb(str(events[-1]["verb"]), "began"), *events, name=name)
    return vector_view(life, again, manager="ding-base", start_method=None)


def _refused(*spaces: str) -> View:
    """A manager that holds none of these spaces, for any environment."""
    refused = (
        verb(
            "reset",
            "raised",
            at=1,
            error={
                **raised("ValueError", "all input arrays must have the same shape"),
                "user": None,
            },
        ),
    )
    own, null = _under(*refused), _under(*refused)
    return replace(
        own, survey=known({**own.survey.wire, "rare_spaces": list(spaces)}), control=null
    )


def _wrapped(*names: str) -> View:
    """An environment in such wrappers, one of whose reset() refuses the seed."""
    error = raised("builtins.TypeError", "Bonus.reset() got an unexpected keyword argument 'seed'")
    view = _under(
        instance("reset-raised", pid=8, parent=False, error=error),
        verb("reset", "raised", at=1, error=error),
        more=(
            trace(
                fact("check", {"kind": "raised", "part": "check_reset_options"}),
                name="check",
                script="check",
            ),
        ),
    )
    wrappers = [{"name": name} for name in names]
    return replace(view, survey=known({**view.survey.wire, "wrappers": wrappers}))


EXAMPLES = (
    Example(
        "a wrapper refuses the seed, and what is below it options",
        _wrapped("gymnasium.wrappers.TimeLimit", "arm.Bonus"),
        "reset() raises TypeError: Bonus.reset() got an unexpected keyword argument"
        " 'seed', which managers give it",
    ),
    Example("the environment refuses the seed: forwarded", _wrapped("arm.Frames")),
    Example(
        "there are fewer maps than workers",
        _under(
            instance("reset-raised", pid=8, parent=False, error=_NO_MAP),
            verb("reset", "raised", at=1, error=_NO_MAP),
        ),
        "reset() raises IndexError: list index out of range, although it works without a manager",
    ),
    Example(
        "the observation does not fit into the manager's array",
        _under(
            verb("reset", at=1),
            verb(
                "step:20",
                "raised",
                at=2,
                error={**raised("ValueError", "could not broadcast"), "user": None},
            ),
        ),
        "step() of the manager raises ValueError: could not broadcast, although it works"
        " without a manager",
    ),
    Example(
        "a null environment with its spaces fails there as well",
        _refused("Sequence"),
        "reset() of the manager raises ValueError: all input arrays must have the same"
        " shape, although it works without a manager",
    ),
    Example(
        "it fails without a manager, too: forwarded",
        _under(
            instance("reset-raised", pid=8, parent=False, error=_NO_MAP),
            verb("reset", "raised", at=1, error=_NO_MAP),
            direct=trace(
                instance("made"), verb("make"), verb("reset", "raised", at=1, error=_NO_MAP)
            ),
        ),
    ),
    Example(
        "a checker failed at it: forwarded",
        _under(
            verb("reset", "raised", at=1, error=_NO_MAP),
            more=(
                trace(
                    fact("check", {"kind": "raised", "part": "check_reset_options"}),
                    name="check",
                    script="check",
                ),
            ),
        ),
    ),
    Example(
        "a worker died: worker-died",
        _under(
            {"event": "worker-exit", "t": 0.0, "pid": 1, "pid_of_worker": 7, "code": -11},
            verb("step:20", "raised", at=2, error=raised("builtins.EOFError", "")),
        ),
    ),
    Example("it works there as well", _under(verb("reset", at=1), verb("step:20", at=2))),
    Example(
        "the second launch finds no rail free",
        _again(
            instance("reset-raised", 4, error=_NO_RAIL),
            verb("relaunch", "raised", at=5, error=_ENV_0),
        ),
        "launch() after close() raises RuntimeError: no rail is free, although the first"
        " launch() went well",
    ),
    Example("the second launch goes well", _again(verb("relaunch", at=5))),
    Example(
        "a worker cannot open again what it closed: not-reopenable",
        _again(
            instance("failing", 2, pid=7),
            instance("closing", 2, pid=7),
            instance("reset-raised", 2, pid=7, error=_NO_RAIL),
            verb("reset", "raised", at=1, error=_ENV_0),
            name="retried",
        ),
    ),
    Example(
        "the manager makes it fail",
        _again(
            verb(
                "reset",
                "raised",
                error={**_ENV_0, "message": "Exception in thread(7)", "cause": "OSError: full"},
            ),
            name="renewed",
        ),
        "the instance that ding-base builds in the place of one whose reset() failed raises"
        " OSError: full, although the first one could be reset",
    ),
)
