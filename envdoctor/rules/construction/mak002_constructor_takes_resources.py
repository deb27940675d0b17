"""The constructor takes descriptors, threads, processes, ports or shared memory.

What it does
    Compares what the process holds before the constructor and after it, and keeps what is still
    there after reset and steps.

Why it matters
    Managers build instances only to read their spaces: Gymnasium's AsyncVectorEnv makes one in the
    parent and closes it without a reset, other frameworks keep it. A window, a licence or a
    connection that is taken in the constructor is taken by those too, and in the process that forks
    the workers.

How to fix it
    Take it at the first reset (lazy initialisation); the constructor declares spaces and keeps the
    arguments:

        def __init__(self, port):
            self._port, self._client = port, None

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            if self._client is None:
                self._client = connect(self._port)
            ...
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from envdoctor.model.environment_aims import TakeLater
from envdoctor.model.evidence import read_evidence
from envdoctor.model.facts.decoding import as_json, key
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Finding
from envdoctor.rules.engine.examples import direct_view, life_trace
from envdoctor.rules.engine.measures import Evidence
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.reuse import convention, in_words
from envdoctor.rules.wording.leftovers import count, listing, method_of, places_left

#: What is looked at, and what one and several of them are called.
NOUNS = {
    "descriptors": ("descriptor", "descriptors"),
    "threads": ("thread", "threads"),
    "processes": ("process", "processes"),
    "ports": ("listening port", "listening ports"),
    "shared-memory": ("shared memory segment", "shared memory segments"),
}

#: What a line of code that takes such things is journalled as.
LINES = {"descriptors": "descriptor", "processes": "process", "ports": "port"}


EXTRA = "some vectorizers build one more instance in the parent just for the spaces"

#: Sensors whose keys are the names; their texts tell sizes and owners.
NAMED = ("ports", "shared-memory")


def constructor_resources(view: View) -> dict[str, dict[str, str]]:
    """By sensor, what the last life's constructor took and the steps still found."""
    resources = {}
    for sensor in NOUNS:
        later = view.left(sensor, "stepped")
        resources[sensor] = {
            key: text for key, text in view.left(sensor, "made").items() if later.get(key) == text
        }
    return {sensor: items for sensor, items in resources.items() if items}


@dataclass(frozen=True)
class ConstructorResources:
    """Evidence: the resources that the constructor acquires, by sensor."""

    acquired: Mapping[str, Mapping[str, str]] = field(default_factory=dict, metadata=key("taken"))


def resource_amounts(evidence: Evidence) -> Mapping[str, float]:
    """Return the number of each kind of resource that the constructor acquires."""
    resources = read_evidence(ConstructorResources, evidence).acquired
    return {f"{kind} taken": len(things) for kind, things in sorted(resources.items())}


@rule(
    "MAK002",
    "constructor-takes-resources",
    severity="note",
    where=DIRECT_ONLY,
    verb="make",
    sensors=("descriptors",),
    looks_at={"life": "make"},
    counts=resource_amounts,
    also_reads=("acquisitions",),
)
def constructor_takes_resources(view: View) -> Iterator[Finding]:
    resources = constructor_resources(view)
    if not resources:
        return
    parts = [
        f"{count(items, *NOUNS[sensor])} ({listing(items if sensor in NAMED else items.values())})"
        for sensor, items in resources.items()
    ]
    known = convention(view)
    lines = [
        line
        for sensor, items in resources.items()
        if sensor in LINES
        for line in places_left(view, LINES[sensor], items)
    ]
    yield constructor_takes_resources.finding(
        f"the constructor takes {', '.join(parts)}",
        (
            in_words(known.take_at_first_reset, view)
            if known
            else f"take it in {view.class_name}.reset() when it is first needed; {EXTRA}."
        ),
        aim=TakeLater(tuple(line.frame for line in lines)),
        location=method_of(view, lines, "__init__"),
        evidence=as_json(ConstructorResources(resources)),
    )


def _named(ports: dict[str, str], segments: dict[str, str]) -> dict[str, dict[str, str]]:
    return {"descriptors": {}, "ports": ports, "shared-memory": segments}


_SERVING = _named({"[::]:80/tcp": "pid 7"}, {"sysv 17": "4096 bytes"})

EXAMPLES = (
    Example(
        "a socket and a thread",
        direct_view(
            life_trace(
                before={"descriptors": {}, "threads": {"1": "main"}},
                made={
                    "descriptors": {"7": "socket:[5]"},
                    "threads": {"1": "main", "2": "python thread 'reader'"},
                },
                stepped={
                    "descriptors": {"7": "socket:[5]"},
                    "threads": {"1": "main", "2": "python thread 'reader'"},
                },
                held={"descriptors": {}, "threads": {"1": "main"}},
            )
        ),
        "the constructor takes 1 descriptor (socket:[5]), 1 thread (python thread 'reader')",
    ),
    Example(
        "a port and shared memory are known by name",
        direct_view(
            life_trace(before=_named({}, {}), made=_SERVING, stepped=_SERVING, held=_named({}, {}))
        ),
        "the constructor takes 1 listening port ([::]:80/tcp), 1 shared memory segment (sysv 17)",
    ),
    Example(
        "it gives it back before it returns, or takes it at reset",
        direct_view(
            life_trace(
                before={"descriptors": {}},
                made={"descriptors": {"7": "/etc/hosts"}},
                stepped={"descriptors": {"7": "socket:[5]"}},
                held={"descriptors": {}},
            )
        ),
    ),
)
