"""The engine, without an examination: whom it leaves alone, and how it says that it lives."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from envdoctor.rules.evidence.deaths import KILLED, how_it_ended
from envdoctor.sweep import engine as engines
from envdoctor.sweep.engine import Engine
from envdoctor.sweep.ledger import CLAIMS, Driver, Ledger
from envdoctor.sweep.outcomes import ResultPublisher, shown_line
from envdoctor.sweep.plans import Examination
from envdoctor.sweep.results import Result
from tests.sweep.samples import result


def examination(spec: str, folder: Path) -> Examination:
    return Examination(result(spec=spec).identity, ("check", spec), str(folder))


def test_results_and_claims_of_others_are_left_alone(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "out", make=True)
    done, theirs = examination("a", tmp_path), examination("b", tmp_path)
    told: list[Result] = []
    with Driver(ledger) as other, Driver(ledger) as driver:
        ledger.publish(result(spec="a"), other)
        assert ledger.claim(theirs.key, other)
        engine = Engine(ResultPublisher(ledger, driver, 0, told.append), 2)
        engine.run([done, theirs])
    assert told == []
    assert not engine.interrupted
    assert ledger.file(CLAIMS, theirs.key).exists()


def test_claims_are_renewed_however_often_something_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "RENEW_SECONDS", 0.0)
    ledger = Ledger(tmp_path / "out", make=True)
    one = examination("nothing/here.py", tmp_path)
    renewed: list[str] = []
    monkeypatch.setattr(ledger, "renew", renewed.extend)
    with Driver(ledger) as driver:
        Engine(ResultPublisher(ledger, driver, 0, lambda _result: None), 1).run([one])
    assert one.key in renewed
    (found,) = ledger.results()
    assert found.reason == "no such file: nothing/here.py"
    assert os.listdir(ledger.folder / CLAIMS) == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (70, "ended with exit code 70"),
        (-9, "was killed by SIGKILL"),
        (-99, "was killed by signal 99"),
    ],
)
def test_exit_code_is_described_in_words(code: int, words: str) -> None:
    assert how_it_ended(code, KILLED) == words


def test_the_last_words_are_shown_and_act_on_no_terminal() -> None:
    assert (
        shown_line("a\nenvdoctor: there is no file \x1b[2J.py\n\n")
        == "there is no file \\x1b[2J.py"
    )
    assert shown_line("\n") == ""


def test_time_is_that_of_the_file_system(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "out", make=True)
    with Driver(ledger) as driver:
        assert ledger.claim("a", driver)
        path = ledger.file(CLAIMS, "a")
        old = time.time() - 1000
        os.utime(path, (old, old))
        ledger.renew(["a", "not there"])
        assert path.stat().st_mtime > old + 900
