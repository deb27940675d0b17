"""A closed instance waits for the garbage collector, and keeps memory or a handle until then.

What it does
    Drops the last reference to the closed environment and looks twice: at once, and after a garbage
    collection. An object that only the collector frees is part of a reference cycle. It is a
    warning where it kept at least 1 MiB, or a descriptor, thread, process, port or shared memory,
    and a note where it kept less: a small cycle does no harm. Where a wrapper refers to itself and
    keeps the environment, the wrapper is named.

Why it matters
    The collector counts objects, not bytes: a cycle of ten objects with a frame buffer of 50 MB may
    wait for minutes, while the next environments are built beside it. This is the leak that
    "gc.collect() fixes".

How to fix it
    Cut the cycle in close():

        def close(self):
            self._callbacks.clear()     # bound methods of self
            self._simulator.owner = None
            super().close()
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from envdoctor.model.environment_aims import CutCycle
from envdoctor.model.events import Event
from envdoctor.model.evidence import read_evidence
from envdoctor.model.facts import OwnCycle, WrapperClass, as_json
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import NOTE, WARNING, Finding
from envdoctor.model.scenario import FREED_LATE
from envdoctor.model.units import size
from envdoctor.rules.close.cls012_instance_outlives_close import UP_TO_CLOSE
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, fact, life_trace, trace
from envdoctor.rules.engine.measures import Evidence, known, length
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View, kind_of
from envdoctor.rules.evidence.freed_late import cut_short, survivors_of_close
from envdoctor.rules.wording.leftovers import POINTS_IN_LIFE, ended_by_itself, listing

# From here on, or with a handle, it is worth a warning; a small cycle is a fact and harmless.
MIN_BYTES = 2**20
HANDLES = ("descriptors", "threads", "processes", "ports", "shared-memory")


def handles_freed_late(view: View) -> dict[str, str]:
    """Return things that the drop left and the collector took away: {sensor and key:
    description}.
    """
    late = {}
    for sensor in HANDLES:
        others = {**view.left(sensor, "collected"), **_begun_in_close(view, sensor)}
        late.update(
            {
                f"{sensor} {key}": text
                for key, text in view.left(sensor, "dropped").items()
                if key not in others
            }
        )
    return late


def _begun_in_close(view: View, sensor: str) -> Mapping[str, str]:
    """The threads and processes that close() began, in reset() as well: they end by themselves, and
    not with the instance.
    """
    life = view.last_life()
    read = [point for point, _ in POINTS_IN_LIFE if life is not None and life.has(sensor, point)]
    if life is None or not read or sensor not in ("processes", "threads"):
        return {}
    earlier = {key for point in read for key in life.left(sensor, point)}
    dropped = view.left(sensor, "dropped")
    alike = {kind_of(text) for text in ended_by_itself(view, sensor).values()}
    return {
        key: text for key, text in dropped.items() if key not in earlier or kind_of(text) in alike
    }


@dataclass(frozen=True)
class KeptByCycles:
    """Evidence: the bytes and the handles that wait for the collector."""

    bytes: int | None = None
    handles: Mapping[str, str] | None = None


def kept_amounts(evidence: Evidence) -> Mapping[str, float]:
    """The bytes and handles that wait for the collector."""
    kept = read_evidence(KeptByCycles, evidence)
    return known({"bytes kept": kept.bytes, "handles kept": length(kept.handles)})


def kept_alive(view: View) -> str:
    """Return the reason why it is unknown what frees the instance: it is kept alive."""
    survivors = survivors_of_close(view)
    kept = survivors is not None and survivors.collected
    return "the closed instance is kept alive, so what would free it was not seen" if kept else ""


def _unseen(view: View) -> str:
    return kept_alive(view) or cut_short(view)


@rule(
    "CLS013",
    "freed-only-by-collector",
    explains=Cause.FREED_BY_COLLECTOR,
    severity="warning",
    where=DIRECT_ONLY,
    verb="drop",
    looks_at={"life": UP_TO_CLOSE},
    follow_ups=(FREED_LATE,),
    unjudged=_unseen,
    counts=kept_amounts,
    judges_rendered=True,
    about="reference cycles",
    in_leak_check=True,
)
def freed_only_by_collector(view: View) -> Iterator[Finding]:
    survivors = survivors_of_close(view)
    if not survivors or not survivors.dropped or survivors.collected:
        return
    handles, memory, cycle = handles_freed_late(view), survivors.bytes, survivors.cycle
    wrapper = _wrapper_of(view, cycle)
    other = cycle if cycle and not wrapper and cycle.name != view.survey.env_class else None
    whose = f" of {other.name}" if other else ""
    kept = ([size(memory)] if memory >= 1024 else []) + (
        [listing(handles.values())] if handles else []
    )
    yield freed_only_by_collector.finding(
        f"a reference cycle{whose} keeps the closed {' and '.join([view.class_name, *kept])} until"
        " the garbage collector runs",
        f"cut the cycle in {view.class_name}.close(): clear the attributes that lead back to the"
        " environment (callbacks that are its own methods, an owner or parent of a part) or make"
        " them weak references.",
        aim=_cut(cycle) if not wrapper and not other else None,
        location=(view.of_wrapper(wrapper) if wrapper else view).locate("close"),
        severity=WARNING if handles or memory >= MIN_BYTES else NOTE,
        evidence={
            **as_json(KeptByCycles(memory, handles)),
            **({"cycle": cycle.chain} if cycle and cycle.chain else {}),
        },
    )


def _cut(cycle: OwnCycle | None) -> CutCycle | None:
    """Let go of the attribute with which the way from the instance back to it begins."""
    first = re.search(rf"\b{re.escape(cycle.name)}\.(\w+)", cycle.chain) if cycle else None
    return CutCycle(first[1]) if first else None


def _wrapper_of(view: View, cycle: OwnCycle | None) -> WrapperClass | None:
    """The wrapper whose object leads back to itself, or in whose file the class of that is written,
    where the environment has another one.
    """
    if cycle is None:
        return None
    file = cycle.source.file if cycle.source else None
    own = view.survey.source.file if view.survey.source else None
    return next(
        (
            wrapper
            for wrapper in view.survey.wrappers
            if wrapper.name == cycle.name
            or (file and wrapper.source and file == wrapper.source.file != own)
        ),
        None,
    )


def _life(
    memory: int,
    collected: int = 0,
    dropped: Mapping[str, str] | None = None,
    sensor: str = "descriptors",
    stepped: Mapping[str, str] | None = None,
) -> View:
    readings = life_trace(
        before={sensor: {}},
        stepped={sensor: stepped or {}},
        dropped={sensor: dropped or {}},
        collected={sensor: {}},
    ).of("reading")
    return direct_view(
        trace(
            *readings,
            fact(
                "survivors",
                {
                    "life": 0,
                    "closed": True,
                    "dropped": 1,
                    "collected": collected,
                    "bytes": memory,
                    "chains": [],
                },
            ),
        )
    )


def _with(view: View, event: Event) -> View:
    (life,) = view.traces
    return direct_view(replace(life, events=(*life.events, event)))


EXAMPLES = (
    Example(
        "a cycle with a frame buffer",
        _life(2 * 2**20),
        "a reference cycle keeps the closed Sick and 2.0 MiB until the garbage collector runs",
    ),
    Example(
        "a cycle with a descriptor",
        _life(300, dropped={"7": "socket:[5]"}),
        "a reference cycle keeps the closed Sick and socket:[5] until the garbage collector runs",
    ),
    Example(
        "a process that close() began ends by itself meanwhile",
        _life(900, sensor="processes", dropped={"7": "docker stop sim-1"}),
        "a reference cycle keeps the closed Sick until the garbage collector runs",
    ),
    Example(
        "what close() began within an earlier reset() ends as what the last one began",
        _with(
            _life(
                900,
                sensor="processes",
                stepped={"7": "docker stop 11"},
                dropped={"7": "docker stop 11", "8": "docker stop 12"},
            ),
            fact(
                "afterwards",
                {
                    "life": 0,
                    "seconds": 9,
                    "ended": {"processes": {"8": "docker stop 2dd8f600d525"}},
                },
            ),
        ),
        "a reference cycle keeps the closed Sick until the garbage collector runs",
    ),
    Example(
        "a process that the cycle keeps",
        _life(900, 0, {"7": "simulator"}, "processes", {"7": "simulator"}),
        "a reference cycle keeps the closed Sick and simulator until the garbage collector runs",
    ),
    Example(
        "a small cycle is no more than a note",
        _life(900),
        "a reference cycle keeps the closed Sick until the garbage collector runs",
    ),
    Example("what stays for good is instance-outlives-close", _life(2 * 2**20, collected=1)),
)
