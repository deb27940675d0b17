"""Which plays are recorded, and what is told of two recordings once a scenario is over and nothing of it is read any more."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from envdoctor.model.scenario import DIRECT, WITHOUT_SHARED_MEMORY, Scenario
from envdoctor.probe.comparison.handed_out import HandedOut
from envdoctor.probe.comparison.trajectory import Comparison, Record, Recorder, compare, load, where
from envdoctor.probe.journal import Journal

ELSEWHERE = ("elsewhere", "elsewhere-alike")  # in another process
RECORDED = ("life", "reuse", WITHOUT_SHARED_MEMORY, *ELSEWHERE)
REUSE = "reuse"  # where one instance is used several times, and what it handed out is looked at later


def record(host: Any, scenario: Scenario, journal: Journal, life: int) -> None:
    """Let a new host's instances be recorded, where anybody compares them: one life is enough under a manager."""
    if scenario.name not in RECORDED or (life and scenario.manager != DIRECT):
        return
    host.recorder = Recorder(_file(scenario, journal, life))
    if scenario.name == REUSE:
        host.handed_out = HandedOut(lambda change: journal.write("fact", key="changed-later", value=change))


def save(*hosts: Any) -> None:
    """Write down what hosts have recorded so far."""
    for host in hosts:
        if host.recorder is not None:
            host.recorder.save()


def tell(scenario: Scenario, journal: Journal) -> None:
    """Journal what the recordings of a scenario show."""
    if scenario.manager != DIRECT:
        if scenario.name == "life":
            _write(journal, "mirrored", compare_slots(load(_file(scenario, journal, 0))))
    elif scenario.name == "life":
        _write(journal, "same-seed", compare(load(_file(scenario, journal, 0)), load(_file(scenario, journal, 1))))
    elif scenario.name in ELSEWHERE:
        _write(journal, scenario.name, compare(load(where(journal.path, "life", DIRECT, "", "0")), load(_file(scenario, journal, 0))))
    elif scenario.name == REUSE:
        once, again = episodes(load(_file(scenario, journal, 0)))
        _write(journal, "reseeded", compare(once, again))


def _file(scenario: Scenario, journal: Journal, life: int) -> str:
    """The first two lives of an instance, the first one of a manager."""
    return where(journal.path, "control" if scenario.control else scenario.name, scenario.manager, scenario.start_method, str(min(life, 1)))


def _write(journal: Journal, key: str, comparison: Optional[Comparison]) -> None:
    if comparison is not None and comparison.calls:
        journal.write("fact", key=key, value=comparison.as_dict())


def episodes(records: List[Record]) -> Tuple[List[Record], List[Record]]:
    """What followed the first reset with a seed, and what followed the second, each up to the next reset."""
    seeded = [index for index, record in enumerate(records) if record.get("seed") is not None]
    if len(seeded) < 2:
        return [], []
    return _one_episode(records[seeded[0] :]), _one_episode(records[seeded[1] :])


def _one_episode(records: List[Record]) -> List[Record]:
    resets = [index for index, record in enumerate(records) if record["call"] == "reset"]
    return records[: resets[1]] if len(resets) > 1 else records


def slots(records: List[Record]) -> Dict[int, List[Record]]:
    """The records of each instance of a manager."""
    found: Dict[int, List[Record]] = {}
    for record in records:
        found.setdefault(record["slot"], []).append(record)
    return found


def compare_slots(records: List[Record]) -> Optional[Comparison]:
    """The first instance against that neighbour that is most like it: where they differ although they were asked the same, seeds
    aside: after both resets, and in the steps that were mirrored. None where there are no two.
    """
    first, *others = [_asked_the_same(own) for own in slots(records).values()] or [[]]
    found = [compare(first, other) for other in others]
    return max(found, key=lambda comparison: (comparison.difference is None, comparison.calls)) if found else None


def _asked_the_same(records: List[Record]) -> List[Record]:
    """The resets, and all that came after the last one, without the seeds."""
    resets = [index for index, record in enumerate(records) if record["call"] == "reset"]
    if len(resets) < 2:
        return []
    kept = [records[resets[0]], *records[resets[-1] :]]
    return [{name: value for name, value in record.items() if name != "seed"} for record in kept]
