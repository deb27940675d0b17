"""A sweep on a Ray cluster of three nodes on this machine: nodes and drivers are lost, and each
environment has one result all the same.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from envdoctor.run.supervise.guard import OOM_SCORE
from envdoctor.sweep.ledger import WORK, Ledger
from tests.interpreters import way_to
from tests.support.waiting import PATIENCE, until
from tests.sweep.deaths_of_nodes import live
from tests.sweep.nodes import LONG, MAIN, VARIABLE, Nodes, place_of_nodes
from tests.sweep.place import QUICK, Place

pytestmark = pytest.mark.skipif(VARIABLE not in os.environ, reason=way_to(VARIABLE))


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with place_of_nodes(tmp_path) as place:
        yield place


def test_nodes_and_the_driver_are_lost_and_each_environment_has_one_result(place: Place) -> None:
    names = ["Belt", "Crane", "Bomb", "Mine", "Notes"]
    words = [f"yard.py:{name}" for name in names]
    with Nodes(place) as nodes:
        where = ("--on", f"ray:{nodes.address}", "--retries", "1", "--out", "out")
        driver = place.start("sweep", *words, *QUICK, *where)
        with driver:
            begun = until(lambda: place.results() >= 1, LONG)
            if begun:
                nodes.do("kill")
                nodes.do("add")
            driver.kill()
            _, said = driver.communicate(timeout=PATIENCE)
        assert begun, said
        assert "[1/5]" in said
        assert " on " in said
        before = place.results()
        code, told, said = place.run("sweep", "--resume", *where)
        assert (code, said.count(f"/{5 - before}]")) == (1, 5 - before), told + said
        assert "raylet" not in told
    found = {one.label.partition(":")[2]: one for one in Ledger(place.out).results()}
    assert sorted(found) == sorted(names)
    assert [one.code for one in found["Crane"].findings] == ["CLS006"]
    assert found["Bomb"].reason == "the examination was killed by SIGKILL 2 times"
    assert found["Mine"].reason == "the worker of the node died 2 times"
    healthy = [name for name, one in found.items() if one.judged.verdict == "healthy"]
    assert sorted(healthy) == ["Belt", "Notes"]
    assert all(one.node for name, one in found.items() if name != "Mine")
    values = dict.fromkeys(("OMP_NUM_THREADS", "PYTHONBREAKPOINT"))
    values |= {name: os.environ[name] for name in values if name in os.environ}
    score = max(OOM_SCORE, int(Path("/proc/self/oom_score_adj").read_text()))  # as in any check
    assert json.loads((place.folder / "notes.json").read_text()) == [[], score, values]
    assert until(lambda: not place.processes() and not os.listdir(place.tmp)), (
        place.processes(),
        os.listdir(place.tmp),
    )
    assert os.listdir(place.out / WORK) == []


def test_a_machine_and_the_driver_die_at_moments_drawn_by_lot() -> None:
    found = live(1, specs=8, seed=3)
    assert found.wrong == ()
    assert found.deaths


def test_missing_ray_is_reported(tmp_path: Path) -> None:
    place = Place(tmp_path, command=(sys.executable, "-P", "-c", MAIN))
    code, told, said = place.run("sweep", "warehouse.py:Belt", "--on", "ray", "--out", "out")
    assert (code, told) == (2, "")
    assert "pip install 'envdoctor[ray]'" in said
    assert not place.out.exists()


def test_an_address_without_a_cluster_is_one_sentence(place: Place) -> None:
    words = ("--on", "ray:127.0.0.1:9", "--out", "out")
    code, told, said = place.run("sweep", "warehouse.py:Belt", *words)
    assert (code, told) == (2, "")
    assert "nothing answers at 127.0.0.1:9" in said
    assert not place.out.exists()
