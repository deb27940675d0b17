"""A container of a training gets longer and longer.

What it does
    Where the memory of a process grows, or its descriptors, threads or processes do, looks at its
    lists, dicts, sets and deques twice, some hundred calls apart, and follows the references to
    those that got longer. A container is reported where it got longer by one element for every two
    resets at least, and is as long as it would be if it always had, and where memory still grows in
    the end: what filled at the start is full. With sixteen times as many calls it looks twice
    again. The last object on the way that is known decides whose it is: an instance of the
    environment, a wrapper, a vectorizer, or an object of the trainer. The process stands still for
    each look, for less than a second, and for some seconds where PyTorch is loaded; `--no-holders`
    leaves it out. Where one line only of the script's own code adds to something of its name, that
    line is named. One number of each episode at most, as a Monitor keeps its returns, is a note,
    and so is one of each step that the trainer keeps, as for the curve of a loss.

Why it matters
    What is put into a list at each step and never taken out fills the machine in a day.

How to fix it
    Give it a bound, or empty it with each episode:

        self.history = collections.deque(maxlen=1000)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from envdoctor.model.finding import NOTE, WARNING, Finding, Location
from envdoctor.model.kept_chains import FIGURES
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_growth import (
    ENVIRONMENT_SIDE,
    TRAINER_SIDE,
    WRAPPER_SIDE,
    Reading,
    Series,
    TrainingHolder,
)
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.model.units import size
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.measures import grown
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.evidence.training_growth import (
    HEAVY,
    NUMBER,
    GrowthPlace,
    blame_of,
    described,
    held_weight,
    holder_rate,
    is_a_record,
    name_of,
    not_looked,
    places,
    side_of,
)
from envdoctor.rules.wording.growth import CLOSE_FIGURES
from envdoctor.rules.wording.leftovers import listing

UNCLOSED = Cause.VECTORIZER_NOT_CLOSED
GRAPH = "graph"
PART = re.compile(r"(\S.*)(?:\.\w+|\['[^']*'\])")  # of an object, or of a dict


@rule(
    "TRN009",
    "container-grows",
    explains=Cause.CONTAINER_GROWS,
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=not_looked,
    counts=grown("elements"),
    gives_way=(UNCLOSED,),
)
def container_grows(view: View) -> Iterator[Finding]:
    reported = set()
    for place in places(view):
        for held, *others in _by_owner(place):
            side = side_of(held, place)
            key = (held.chain, side)
            if key not in reported:
                reported.add(key)
                yield _finding(held, place, side, others)


def _by_owner(place: GrowthPlace) -> list[list[TrainingHolder]]:
    """The containers: records of one owner together, as those that belong to one object and get
    longer together, as what is collected of each step does.
    """
    groups: dict[object, list[TrainingHolder]] = {}
    for held in place.holders:
        if held.owner and is_a_record(held, side_of(held, place)):
            groups.setdefault(held.owner, []).append(held)
        else:
            part = PART.fullmatch(held.chain)
            groups.setdefault((part[1] if part else held.chain, held.grew), []).append(held)
    return list(groups.values())


def _may_hold_vectorizers(held: TrainingHolder, side: str, place: GrowthPlace) -> bool:
    """Return whether a container of the trainer's has one element for each vectorizer that is kept,
    and not closed: it grew in a process in which no environment is called.
    """
    piled = [each for each in place.vectorizers if each.piles_up]
    own = side != ENVIRONMENT_SIDE and not held.resets and not held.steps
    return own and any(each.idle // 2 <= held.length <= each.made for each in piled)


def _cure(held: TrainingHolder, side: str) -> str:
    name = name_of(held)
    if is_a_record(held, side) and held.bound is not None:
        return f"nothing: {held.bound:,} numbers take some {size(held.bound * NUMBER)}."
    if is_a_record(held, side):
        return f"nothing, or give {name} a bound: a million of its numbers take some 40 MB."
    if held.keeps == GRAPH:
        return (
            f"keep the number, tensor.item(), or tensor.detach() in {name}: a tensor with a"
            " gradient holds all that it was computed from."
        )
    if name == FIGURES:
        return CLOSE_FIGURES
    if held.bound is None and held.called is not None and _adds_itself(held):
        at = f"{short(held.called.file)}:{held.called.line}"
        return (
            f"make what {name} keeps once, and use it again: {at} makes new ones again and again."
            f" Or give {name} a bound."
        )
    if held.bound is None:
        kept = " Where the script collects it to save it, nothing is wrong."
        return (
            f"give {name} a bound, or take out what is not needed any more."
            f"{kept if side == TRAINER_SIDE else ''}"
        )
    return (
        f"see that {held.bound:,} elements fit into memory: {name} still fills. Lower its"
        " limit, or keep less in each element, where they do not."
    )


def _finding(
    held: TrainingHolder, place: GrowthPlace, side: str, others: Sequence[TrainingHolder]
) -> Finding:
    alike = f"; {listing(map(name_of, others))}, too" if others else ""
    graph = "; they keep the graphs that they were computed from" if held.keeps == GRAPH else ""
    bound = f"; it may have {held.bound:,}" if held.bound is not None else ""
    # It may be a start, or a replay memory that fills.
    heavy = held_weight(held) >= HEAVY and not (
        place.attached or place.is_sent_all or is_a_record(held, side)
    )
    return container_grows.finding(
        f"{described(held, side)} gets longer in {place.name}: {holder_rate(held)},"
        f" {held.length:,} elements{bound}{_added(held)}{graph}{alike}",
        _cure(held, side),
        severity=WARNING if heavy and held.bound is None else NOTE,
        location=_place(held, side, place),
        blame=blame_of(side),
        key=(held.chain, side),
        explained_by=(UNCLOSED,) if _may_hold_vectorizers(held, side, place) else (),
        evidence={
            "pid": place.series.pid,
            "grew": held.grew,
            "resets": held.resets,
            "steps": held.steps,
            "whose": side,
            "owner": held.owner,
            "per_cycle": held.grew / (held.resets or held.steps or 1),
        },
    )


def _added(held: TrainingHolder) -> str:
    line = held.added
    if line is None:
        return ""
    within = f" in {line.function}()" if line.function else ""
    caller = held.called if _adds_itself(held) else None
    by = f", called at {short(caller.file)}:{caller.line}" if caller is not None else ""
    return f"; filled at {short(line.file)}:{line.line}{within}{by}"


def _adds_itself(held: TrainingHolder) -> bool:
    """Return whether a constructor adds to it, as to a graph that has all of its nodes."""
    return held.added is not None and held.added.function == "__init__"


def _place(held: TrainingHolder, side: str, place: GrowthPlace) -> Location | None:
    """The line that adds to it; else, of an environment's, the line that makes the environment."""
    first = place.first if side == ENVIRONMENT_SIDE else None
    return held.added or (first.location if first is not None else None)


_AT = Location("/train.py", 14)
_CALLS = Calls(640, 640)
_ARM = Instances(2, 1, "arm.Arm", _AT, "gymnasium-async", reset=_CALLS, step=_CALLS)
_LIST = TrainingHolder("main() env.history", "list", 100, 400, 100, 1000, "object")

_RETURNS = TrainingHolder(
    "step() self.episode_returns",
    "list",
    110,
    528,
    114,
    1113,
    "float",
    side=WRAPPER_SIDE,
    owner="stable_baselines3.common.monitor.Monitor",
)


def _example(*held: TrainingHolder, pid: int = 2) -> View:
    series = Series(pid, (Reading(1.0, 1, 400, 4000, 1),), held)
    return watched_view(
        Training(
            (), 1, 0, 9.0, (TrainingProcess(1), TrainingProcess(2, 1)), (_ARM,), series=(series,)
        )
    )


EXAMPLES = (
    Example(
        "one line of the script fills it",
        _example(replace(_LIST, added=Location("/arm.py", 9, "step"))),
        "main() env.history (list of object, the environment's) gets longer in a worker:"
        " 1.0 for each reset, 400 elements; filled at arm.py:9 in step()",
    ),
    Example(
        "a history that is never emptied",
        _example(_LIST),
        "main() env.history (list of object, the environment's) gets longer in a worker:"
        " 1.0 for each reset, 400 elements",
    ),
    Example(
        "a callback that keeps what it sees",
        _example(replace(_LIST, chain="main() callback.seen", side=TRAINER_SIDE), pid=1),
        "main() callback.seen (list of object, the trainer's) gets longer in the trainer's"
        " process: 1.0 for each reset, 400 elements",
    ),
    Example(
        "a list of what processes send, which may be full one day",
        _example(
            TrainingHolder(
                "main() memory", "list", 100, 400, 100, 0, "torch.Tensor", side=TRAINER_SIDE
            ),
            pid=1,
        ),
        "main() memory (list of torch.Tensor, the trainer's) gets longer in the trainer's"
        " process: 1.0 for each reset, 400 elements",
    ),
    Example(
        "a list of losses, each with its graph",
        _example(
            TrainingHolder(
                "main() curve", "list", 100, 400, 100, 1000, "torch.Tensor", keeps=GRAPH
            ),
            pid=1,
        ),
        "main() curve (list of torch.Tensor, not known whose) gets longer in the trainer's"
        " process: 1.0 for each reset, 400 elements; they keep the graphs that they were"
        " computed from",
    ),
    Example(
        "numbers of each episode",
        _example(_RETURNS, replace(_RETURNS, chain="step() self.episode_times"), pid=1),
        "Monitor.episode_returns (list of float, a wrapper's) gets longer in the trainer's"
        " process: 1.0 for each reset, 528 elements; Monitor.episode_times, too",
    ),
    Example(
        "the errors of a training, for their curve",
        _example(
            replace(
                _RETURNS,
                chain="__main__.agent.errors",
                grew=600,
                steps=600,
                side=TRAINER_SIDE,
                owner="__main__",
            ),
            pid=1,
        ),
        "__main__.agent.errors (list of float, the trainer's) gets longer in the trainer's"
        " process: 1.0 for each step, 528 elements",
    ),
    Example(
        "a data set, which is collected on purpose",
        _example(
            *(
                replace(_LIST, chain=f"__main__.data['{each}']", side=TRAINER_SIDE)
                for each in ("observations", "actions")
            ),
            pid=1,
        ),
        "__main__.data['observations'] (list of object, the trainer's) gets longer in the"
        " trainer's process: 1.0 for each reset, 400 elements; __main__.data['actions'],"
        " too",
    ),
    Example("none got longer", _example()),
)
