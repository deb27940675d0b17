"""Every recording, judged again by today's rules: the findings, what passed and what was not judged
are those of its snapshot; sick ones have their code, healthy twins neither an error nor a warning.
What is announced on the way is in the report.
Those that today's probe or plan would not make so are played live.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from envdoctor.model.report import Report
from envdoctor.reporters import own_formats, reporter
from tests.interpreters import way_to
from tests.live.cover import Choice, all_of, cover
from tests.recorded import keeping
from tests.recorded.announcing import broken_promises
from tests.recorded.asking import asked_otherwise
from tests.recorded.catalogue import Case, cases
from tests.recorded.digests import reasons
from tests.recorded.expectations import failures
from tests.recorded.playing import play, python_of
from tests.recorded.portable import portable
from tests.recorded.snapshots import changes, outline, snapshot_of
from tests.recorded.summary import LIVE, NOT_PLAYED
from tests.support.mutations import passes_unseen

CASES = cases()
KEYS = keeping.keys()

#: Touched recordings that one run of the tests plays. The others wait for `make record`.
MOST_PLAYED = 24

#: Families whose recordings lose a part of their evidence each: no rule may pass then that would have
#: spoken with it.
LOSING_EVIDENCE = ("zoo", "plain", "reports", "storages")
#: Rules that pass where what they found is taken out, as they should not. A step() that hangs after
#: thousands of them, or a reset() with one seed, is found by whichever scenario makes it, and its
#: page promises one life; notes, and what is played only where it is asked for, are beside what a
#: page promises.
PASSES_UNSEEN = {
    ("reports/alfworld-82-sick", "HNG003"),
    ("reports/pddlgym-34-sick", "SFX007"),
    ("reports/ray-15113-sick", "HNG004"),
    ("reports/PettingZoo-345-sick", "MAK005"),
    ("reports/grid2op-151-sick", "API011"),
    ("reports/habitat-sim-347-sick", "CLS012"),
    ("reports/metadrive-655-sick", "LEK012"),
    ("reports/metadrive-701-sick", "DET001"),
    ("reports/Metaworld-407-sick", "DET002"),
    ("reports/roboschool-73-sick", "MAK005"),
    ("reports/stable-baselines-79-sick", "VEC003"),
}


#: The rules, managers and scenarios of each recording, and the seconds that it took.
CHOICES = {
    key: Choice(
        frozenset((*CASES[key].says, *entry.traits.managers, *entry.traits.scenarios)),
        max(entry.seconds, 0.1),
    )
    for key, entry in keeping.index().entries.items()
    if key in CASES
}
#: Few recordings that together have each rule, manager and scenario. `make everything` asks all.
OF_EACH = cover(CHOICES, all_of(CHOICES.values()))


def test_every_case_is_recorded() -> None:
    assert set(KEYS) == set(CASES), "python -m tests.recorded record KEY..."
    assert set(keeping.index().entries) == set(KEYS)


@cache
def older() -> dict[str, frozenset[str]]:
    """The recordings that other sources made: asked in tests, since it takes half of what all else
    of this file costs each worker that collects it.
    """
    return keeping.index().older()


@lru_cache(maxsize=1)
def loaded(key: str) -> tuple[keeping.Recording, Report]:
    """A recording, and today's report on it: two tests look at each, one after the other."""
    recording = keeping.load(key)
    return recording, recording.report()


@pytest.mark.parametrize("key", KEYS, scope="module")
def test_recording_is_judged_as_before(
    key: str,
    tmp_path_factory: pytest.TempPathFactory,
    record_property: Callable[[str, object], None],
    pytestconfig: pytest.Config,
) -> None:
    case, (recording, report) = CASES[key], loaded(key)
    snapshot, entry = keeping.snapshot(key), keeping.index().entries[key]
    assert failures(case, report) == []
    assert snapshot is not None, "it has no snapshot: python -m tests.recorded accept"
    assert list(changes(snapshot, snapshot_of(report))) == []
    assert entry.traits == recording.traits()
    why = list(reasons(entry.traits, older().get(key, ())))
    if key in OF_EACH or pytestconfig.option.whole:
        why += asked_otherwise(case, recording.evidence)
    if not why or case.command == "watch":  # no scenario, verb or adapter plays a training
        return
    if python_of(case) is None:
        record_property(NOT_PLAYED, f"{key}: {why[0]}; {way_to(case.interpreter)}")
    elif not _has_a_slot(tmp_path_factory.getbasetemp()):
        record_property(NOT_PLAYED, f"{key}: {why[0]}")
    else:
        record_property(LIVE, f"{key}: {why[0]}")
        with tempfile.TemporaryDirectory() as folder:  # named as where recordings are made
            _is_as_recorded(case, Path(folder, "run.jsonl"))


@pytest.mark.everything(but=OF_EACH)
@pytest.mark.parametrize("key", KEYS, scope="module")
def test_part_of_a_recording_announces_and_passes_no_more_than_all_of_it(key: str) -> None:
    case, (recording, report) = CASES[key], loaded(key)
    assert list(broken_promises(recording, report.findings, key)) == []
    for code in case.says if case.family in LOSING_EVIDENCE else ():
        unseen = passes_unseen(recording.evidence, code)
        assert bool(unseen) == ((key, code) in PASSES_UNSEEN), unseen


def _has_a_slot(folder: Path) -> bool:
    """Take one of the slots that all workers of a run share."""
    shared = folder.parent if folder.name.startswith("popen-") else folder
    for number in range(MOST_PLAYED):
        try:
            (shared / f"played-{number}").touch(exist_ok=False)
        except FileExistsError:
            continue
        return True
    return False


def _is_as_recorded(case: Case, path: Path) -> None:
    play(case, path)
    report = keeping.read(portable(path.read_text(encoding="ascii")), case.key).report()
    assert failures(case, report) == []
    snapshot = keeping.snapshot(case.key)
    assert snapshot is not None
    assert outline(snapshot_of(report)) == outline(snapshot), "python -m tests.recorded record KEY"


#: One of each family that has many findings, or parts of a report that few have.
RENDERED = (
    "plain/Arm",
    "plain/CartPole-faults",
    "company/check-FileLeft-ThreadLeft-ProcessLeft",
    "storages/sb3-Remembering",
    "zoo/trn008_memory_grows-sick",
)


@pytest.mark.parametrize("key", RENDERED)
def test_every_format_shows_each_finding(key: str) -> None:
    report = keeping.load(key).report()
    assert report.findings
    assert "terminal" in own_formats()
    for name in own_formats():
        text = reporter(name)(report)
        missing = [finding.code for finding in report.findings if finding.code not in text]
        assert not missing, name
        CHECKS.get(name, str.strip)(text)


def _lines_of_json(text: str) -> None:
    for line in text.splitlines():
        json.loads(line)


#: What reads a format, where a standard library does.
CHECKS = {
    "gitlab": json.loads,
    "json": json.loads,
    "jsonl": _lines_of_json,
    "junit": ET.fromstring,
    "sarif": json.loads,
}
