"""`envdoctor sweep` and `compare` as people run them: real examinations in real processes."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from envdoctor.cli.main import app
from envdoctor.sweep.ledger import CLAIMS, WORK, Ledger
from tests.support.waiting import PATIENCE, until
from tests.sweep.place import QUICK, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_sweep_finds_what_check_finds_and_its_folder_is_read_by_the_others(place: Place) -> None:
    code, told, said = place.run(
        "sweep", "warehouse.py:Belt", "warehouse.py:Crane", *QUICK, "--out", "out"
    )
    assert code == 1
    assert told.splitlines()[0].startswith("warehouse.py:Crane  1 error")
    assert "2 environments: 1 with errors, 1 with neither" in told
    assert "[2/2]" in said

    _, document, _ = place.run("check", "warehouse.py:Crane", *QUICK, "--format", "json")
    alone = [(one["code"], one["message"]) for one in json.loads(document)["findings"]]
    swept = {one.label: one for one in Ledger(place.out).results()}
    assert [(one.code, one.message) for one in swept["warehouse.py:Crane"].findings] == alone

    _, again, _ = place.run("report", "out", "--format", "json")
    assert [(one["code"], one["message"]) for one in json.loads(again)["findings"]] == alone
    assert place.run("gate", "out", "-qq")[0] == 1
    assert place.run("baseline", "out", "--output", "known.toml")[0] == 0
    code, told, _ = place.run("gate", "out", "--baseline", "known.toml")
    assert (code, "1 baselined" in told) == (0, True)

    (page,) = (place.out / "pages").glob(f"{swept['warehouse.py:Crane'].key}.html")
    assert "--result" not in page.read_text(), "a page shows the command that a person would type"
    assert f"pages/{page.name}" in (place.out / "index.html").read_text()

    code, _, said = place.run("sweep", "warehouse.py:Belt", *QUICK, "--out", "out")
    assert (code, "--resume goes on with the rest" in said) == (2, True)


@pytest.mark.everything
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_deadly_examination_is_inconclusive_and_the_others_finish(place: Place) -> None:
    (place.folder / "specs.txt").write_text(
        "warehouse.py:Bomb\nwarehouse.py:Belt  # a healthy one\n"
    )
    words = ("--file", "specs.txt", *QUICK, "--retries", "1", "--jobs", "2", "--out", "out")
    code, told, _ = place.run("sweep", *words)
    assert code == 4, told
    belt, bomb = sorted(Ledger(place.out).results(), key=lambda one: one.label)
    assert bomb.reason == "the examination was killed by SIGKILL 2 times"
    assert bomb.attempts == 2
    assert (belt.reason, belt.judged.verdict) == ("", "healthy")
    assert until(lambda: not place.processes() and not os.listdir(place.tmp))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_killed_driver_leaves_what_it_had_and_the_next_one_does_the_rest(place: Place) -> None:
    words = [f"warehouse.py:{name}" for name in ("Belt", "Crane")]
    driver = place.start("sweep", *words, *QUICK, "--out", "out", "--jobs", "1")
    assert until(lambda: place.results() == 1 and len(os.listdir(place.out / CLAIMS)) > 0)
    driver.kill()
    with driver:
        driver.communicate(timeout=PATIENCE)
    assert place.results() == 1
    code, _, said = place.run("sweep", "--resume", "--out", "out")
    assert (code, said.count("[1/1]")) == (1, 1), said
    assert sorted(one.label for one in Ledger(place.out).results()) == words
    assert until(lambda: not place.processes() and not os.listdir(place.tmp))
    assert os.listdir(place.out / WORK) == []
    assert [name for name in os.listdir(place.out / CLAIMS) if name[0] != "."] == []


@pytest.mark.everything
def test_an_interrupted_sweep_reports_its_results(place: Place) -> None:
    words = [f"warehouse.py:{name}" for name in ("Belt", "Crane")]
    driver = place.start("sweep", *words, *QUICK, "--out", "out", "--jobs", "1")
    assert until(lambda: place.results() == 1)
    driver.send_signal(signal.SIGINT)
    with driver:
        told, said = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 130
    assert "1 of 2 have no result; --resume goes on" in said
    assert "1 environment: " in told
    assert "Not examined yet: 1." in (place.out / "index.html").read_text()
    assert until(lambda: not place.processes() and not os.listdir(place.tmp))
    assert os.listdir(place.out / WORK) == []
    assert place.run("gate", "out", "-qq")[0] == 4


@pytest.mark.everything
def test_two_interpreters_are_compared_and_leave_nothing(place: Place) -> None:
    words = ("--python", sys.executable, "--python", sys.executable)
    code, told, _ = place.run("compare", "warehouse.py:Belt", *words, *QUICK[:-1])
    assert (code, told) == (0, "1 environment compared: no finding changed\n")
    assert until(lambda: not os.listdir(place.tmp))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("sweep", "--match", "Mini*", "--out", "out"), "name one with --registry"),
        (("sweep", "CartPole-v1", "--on", "rey"), "expected local, a share such as shard:2/8, ray"),
        (("sweep", "CartPole-v1", "--working-dir", "."), "nodes of a cluster: --on ray"),
        (("sweep", "--file", "nothing.txt", "--out", "out"), "--file nothing.txt: No such file"),
        (
            ("sweep", "warehouse.py:Belt", "--select", "CLS06", "--out", "out"),
            "did you mean CLS006",
        ),
        (("sweep", "warehouse.py:Belt", "--out", "."), "it holds other files"),
        (("compare", "out"), "name the folders of two sweeps"),
        (("compare", "t", "t"), "is not the folder of a sweep"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_impossible_sweep_is_refused_in_a_sentence(
    place: Place, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], sentence: str
) -> None:
    monkeypatch.chdir(place.folder)
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 2
    assert sentence in " ".join(told.output.split())
    assert not place.out.exists()
