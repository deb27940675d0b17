"""Deep copies of instances that harm their originals, or that do not go on as these do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from envdoctor.model.environment_aims import CopyWhole, RefusePrivateNames
from envdoctor.model.errors import ErrorValue, Frame, one_line, wire_of
from envdoctor.model.facts import Comparison, ContinuedCopy, Copied, SideBySide
from envdoctor.model.failure_aims import KeepArguments, MakeAnew
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Finding, Location
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import verb_name
from envdoctor.model.trace import Trace
from envdoctor.model.traits import COPY
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.broken_calls import BREAKABLE
from envdoctor.rules.evidence.comparisons import (
    fresh_ones_differ,
    moment,
    unseeded_evidence,
    what_differs,
)


@dataclass(frozen=True)
class PairTrouble:
    """A sentence on a copy, or on two instances, what to do about it, and the `kind` that tells it
    from others.
    """

    kind: str
    message: str
    remedy: str
    evidence: Mapping[str, object]
    error: ErrorValue | None = None
    aim: CopyWhole | KeepArguments | MakeAnew | RefusePrivateNames | None = None
    place: Location | None = None


def still_refused(findings: Iterable[Finding], traces: Iterable[Trace]) -> bool:
    """Return True if a copy was to have all that its original has, and cannot be made or stepped: a
    state that cannot be pickled raises in copy.deepcopy(), which no rule reports.
    """
    return any(isinstance(finding.remedy.aim, CopyWhole) for finding in findings) and any(
        fact.failed for trace in traces for fact in trace.facts(Copied)
    )


def is_made_now(finding: Finding, traces: Iterable[Trace]) -> bool:
    """Return True if an instance could not be copied, and can: that its copy begins again, which
    EzPickle means, is another finding.
    """
    copied = [trace for trace in traces if trace.fact(Copied) is not None]
    is_aim = isinstance(finding.remedy.aim, KeepArguments | MakeAnew)
    return is_aim and bool(copied) and all(map(_is_made, copied))


def copy_troubles(view: View) -> Iterator[PairTrouble]:
    """All of them."""
    yield from _endless(view)
    yield from _promised(view)
    yield from _unmade(view)
    yield from _of_originals(view)
    yield from _of_copies(view)


def _endless(view: View) -> Iterator[PairTrouble]:
    """A copy that recurses without an end: where a class has its own __getattr__(), which asks a
    copy that has no attributes yet.
    """
    for run in view.optional_traces:
        copied = run.fact(Copied)
        error = copied.error if copied is not None else None
        frame = error.user_frame if error is not None else None
        if error is None or frame is None:
            continue
        name = _class_at(view, Location.at(frame))
        asks = frame.function.endswith("__getattr__")
        remedy = (
            f"let {name}.__getattr__() raise AttributeError for names that begin with two"
            " underscores: copy and pickle ask a new object for them that has no attributes yet."
            if asks
            else f"let {name} end the recursion there, or define __deepcopy__()."
        )
        yield PairTrouble(
            "endless-copy",
            f"a deep copy of an instance cannot be made: {frame.function}() of {name} calls itself"
            f" without an end ({one_line(error)})",
            remedy,
            {"error": wire_of(error), "scenario": run.scenario.name},
            error,
            RefusePrivateNames(name) if asks else None,
        )


def _promised(view: View) -> Iterator[PairTrouble]:
    """An EzPickle that cannot be pickled: its argument cannot."""
    for run in view.optional_traces:
        copied = run.fact(Copied)
        if copied is None or not copied.kept:
            continue
        name, kept, place = view.class_name, copied.kept, copied.place
        where = f"{place.function}()" if place is not None else "the constructor"
        yield PairTrouble(
            "promised-copy",
            f"an instance cannot be copied or pickled, although {name} is an EzPickle: that keeps"
            f" the {kept} that it is given, which cannot be pickled ({copied.failed})",
            f"give EzPickle.__init__() in {where} what the {kept} is made from, such as a path, as"
            f" {name}() takes it: a copy is made by calling {name} with that. Make the {kept} in"
            " the constructor.",
            {"failed": copied.failed, "kept": kept, "scenario": run.scenario.name},
            aim=KeepArguments(Frame(place.file, place.line)) if place is not None else None,
            place=place,
        )


def _unmade(view: View) -> Iterator[PairTrouble]:
    """An object that says how it is made anew, and is not."""
    for run in view.optional_traces:
        copied = run.fact(Copied)
        if copied is None or not copied.unmade:
            continue
        name, maker, place = copied.unmade, copied.maker or "it", copied.place
        yield PairTrouble(
            "unmade-copy",
            f"an instance cannot be copied or pickled: {maker}(), by which a {name} is made anew,"
            f" does not take the arguments that it is given ({copied.failed})",
            f"let __reduce__() of {name} return what {maker}() takes; or __getnewargs__() its"
            " arguments. Where the class is a library's, look for a newer version.",
            {"failed": copied.failed, "unmade": name, "scenario": run.scenario.name},
            aim=MakeAnew(name, Frame(place.file, place.line)) if place is not None else None,
            place=place,
        )


def _class_at(view: View, place: Location) -> str:
    """The class of the wrapper that a line belongs to; else that of the environment."""
    wrapper = view.wrapper_at(place)
    return wrapper.name.rpartition(".")[2] if wrapper is not None else view.class_name


def _of_originals(view: View) -> Iterator[PairTrouble]:
    """The harm of using a copy to the original."""
    for run in view.optional_traces:
        if run.scenario.traits.beside != COPY or not _is_made(run):
            continue
        compared = run.fact(SideBySide) or SideBySide()
        differs_anyway = compared.alone.differs or fresh_ones_differ(view)
        changed = [] if differs_anyway else [x for x in compared.instances if x.differs]
        failed = next(run.records(VerbRecord, state="raised"), None)
        broken = failed if failed and _only_since_the_copy(view, run, failed) else None
        if (failed and not broken) or not (broken or changed):
            continue
        error = broken.error if broken else None
        how = f"breaks it: {one_line(error)}" if broken else _as_changed(changed[0])
        yield PairTrouble(
            "copy",
            f"using a deep copy of an instance {how}",
            f"let copy.deepcopy() copy what {view.class_name} holds, or raise an error in"
            " __deepcopy__().",
            {
                "error": wire_of(error),
                "differs": [each.as_json() for each in changed],
                **unseeded_evidence(view),
            },
            error,
        )


def _is_made(run: Trace) -> bool:
    """Return whether a copy was made. The second one may fail because of the first: panda-gym's
    copies hang on one connection.
    """
    return run.fact(Copied) == Copied(None) or run.fact(ContinuedCopy) is not None


def _of_copies(view: View) -> Iterator[PairTrouble]:
    """A copy that returns something else than the original to the same actions, or raises, where
    nothing was done to the original.
    """
    for run in view.optional_traces:
        compared, continued = run.fact(SideBySide), run.fact(ContinuedCopy)
        if compared is None or continued is None:
            continue
        if not compared.alone.calls or compared.alone.differs:
            continue
        altered = any(each.differs for each in compared.instances)
        error = continued.error
        differs = continued.differs and not fresh_ones_differ(view)
        # A generator that no reset() has seeded is made anew in the copy.
        failed = run.verbs("reset", "raised") or run.verbs("step", "raised")
        if altered or failed or not (error or differs):
            continue
        shown = (
            f"step() of the copy raises {one_line(error)}"
            if error
            else what_differs(continued.first, "in the copy", "and in the original")
        )
        yield PairTrouble(
            "continued-copy",
            f"a deep copy of an instance does not go on where the original is: {shown}",
            f"let a copy have all that reset() and step() set: define {view.class_name}"
            ".__deepcopy__(), or __getstate__() and __setstate__(); EzPickle makes a copy by the"
            " constructor. Where it cannot be copied, raise an error there.",
            {
                "error": wire_of(error),
                "scenario": run.scenario.name,
                "comparison": continued.as_json(),
                **unseeded_evidence(view),
            },
            error,
            CopyWhole(),
        )


def _only_since_the_copy(view: View, run: Trace, failed: VerbRecord) -> bool:
    """Return whether a call came back until the copy was made, and comes back in a life without
    one.
    """
    alone, copied = view.trace("life"), run.verbs("copy", "ended")
    by_itself = alone is None or bool(alone.verbs(verb_name(failed.verb), "raised"))
    return (
        verb_name(failed.verb) in BREAKABLE
        and not by_itself
        and bool(copied)
        and failed.at > copied[0].at
    )


def _as_changed(comparison: Comparison) -> str:
    """`changes what it returns: observation[0] is 0.1 then and 0.2 else, at step 3`."""
    return (
        f"changes what it returns: {what_differs(comparison.first, 'then', 'and else')},"
        f" {moment(comparison.first)}"
    )
