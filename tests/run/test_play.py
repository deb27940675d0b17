"""Progress of a play, and knowledge of it on the way."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from envdoctor.analysis import undefined_names
from envdoctor.model.facts import Known, Sources
from envdoctor.model.facts.survey import SourceModule
from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import SOURCE, Subject
from envdoctor.model.trace import FINISHED, Outcome, Trace
from envdoctor.run.play import Play

LIFE = Scenario("life", "make reset close")


class Session:
    """Plays each scenario at once."""

    python = "python"
    limits = SimpleNamespace(timeout=10.0, cores=2, room=2**30)

    def play(self, _subject: Subject, scenario: Scenario, *_: object) -> Trace:
        return Trace(scenario, Outcome(FINISHED), ())

    def renew(self) -> None:
        """Nothing to renew."""


def play(said: list[str]) -> Play:
    subject = Subject("arm.py:Arm", "file")
    return Play(Session(), subject, 0, Path("spaces.pkl"), said.append)  # type: ignore[arg-type]


def test_the_number_of_scenarios_is_said_once_the_plan_is_known() -> None:
    said: list[str] = []
    player = play(said)
    player(LIFE)
    assert said == ["arm.py:Arm [direct] life (1, at most 30 s)"]
    player.expect(3)
    player(Scenario("reuse", "make"))
    assert said[1:] == ["arm.py:Arm [direct] reuse (2 of 4, at most 10 s)"]


def test_each_scenario_is_handed_on_with_those_before_it() -> None:
    counts: list[int] = []
    player = play([])
    player.on_trace = lambda so_far: counts.append(len(so_far.traces))
    player(LIFE)
    player(Scenario("reuse", "make"))
    assert counts == [1, 2]


def test_interim_judgement_does_not_wait_for_undefined_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    is_read = threading.Event()
    monkeypatch.setattr(undefined_names, "_quietly", lambda *_: is_read.wait(60) and [])
    player = play([])
    player.check_names(Sources(modules=(SourceModule(str(tmp_path / "arm.py")),)))
    assert unjudged(player) == {SOURCE: "the source is still being read"}
    is_read.set()
    assert player.undefined_names is not None
    player.undefined_names.knowledge()
    assert unjudged(player) == {}


def unjudged(player: Play) -> dict[str, str]:
    seen = player.evidence_so_far()
    known: Known = seen.known_with(seen.read)
    return dict(known.unjudged)
