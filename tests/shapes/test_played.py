"""Environments of every shape, through the installed command: written without their frameworks,
because a shape is what an object can do.
"""

from __future__ import annotations

import pytest

from tests.shapes.examined import (
    ENVS,
    FOREIGN,
    OTHERS,
    SHAPES,
    examined,
    foreign,
    of,
    passed,
    spec,
    together,
)
from tests.shapes.table import cells, written
from tests.support.zoo import examine, messages_of

LEFT = {
    "CLS001": "close() raises RuntimeError: the door is stuck",
    "CLS006": "close() leaves",
    "CLS007": "close() leaves 1 thread",
    "CLS008": "close() leaves 1 process",
    "CLS009": "close() leaves 1 port",
    "CLS010": "close() leaves 1 temporary file",
}
SEEDED = [shape for shape in SHAPES if shape != "timesteps"]


@pytest.mark.everything
def test_a_healthy_one_is_healthy_and_all_was_looked_at() -> None:
    exit_code, document = examined("Healthy")
    assert messages_of(document) == []
    assert exit_code == 0
    for shape in SHAPES:
        seen = passed(document, f"{shape}.py:Healthy")
        assert seen >= {"CLS001", "CLS007", "LEK001", "API011", "CLS003", "MAK005"}, shape
        assert ("DET001" in seen) == (shape in SEEDED), shape


@pytest.mark.everything
def test_episodes_end_as_each_shape_says() -> None:
    _, document = examined("Healthy")
    ends = {one["spec"]: one["episodes"][0] for one in document["subjects"]}
    assert {spec: (one["longest"], dict(one["ended"])) for spec, one in ends.items()} == {
        "parallel.py:Healthy": (10, {"terminated": 1}),
        "aec.py:Healthy": (9, {"terminated": 1}),
        "timesteps.py:Healthy": (30, {"truncated": 1}),
        "rows.py:Healthy": (7, {"terminated": 3}),
        "words.py:Healthy": (12, {"truncated": 1}),
        "players.py:Healthy": (6, {"terminated": 1}),
    }


@pytest.mark.everything
def test_rows_that_declare_the_space_of_one_are_played_as_rows() -> None:
    words = ("--managers", "direct", "--select", "API,DET,VEC,MAK,RUS")
    exit_code, document = examine("rows.py:OneSpace", *words, cwd=ENVS)
    assert (exit_code, messages_of(document)) == (0, [])
    assert document["subjects"][0]["episodes"][0]["ended"] == {"terminated": 3}


@pytest.mark.everything
@pytest.mark.parametrize("shape", SHAPES)
def test_leftovers_of_close_are_found_in_every_shape(shape: str) -> None:
    exit_code, document = examined("Leaving", "--select", ",".join(LEFT))
    found = of(document, f"{shape}.py:Leaving")
    assert exit_code == 1
    assert found.keys() == LEFT.keys()
    assert all(found[code].startswith(words) for code, words in LEFT.items())


@pytest.mark.everything
@pytest.mark.parametrize("shape", SEEDED)
def test_a_seed_that_changes_nothing_is_found(shape: str) -> None:
    _, document = examined("Unseeded", "--select", "DET001", among=frozenset(SEEDED))
    assert "self.random" in of(document, f"{shape}.py:Unseeded")["DET001"]


@pytest.mark.everything
def test_no_close_is_a_fact_and_rows_that_wait_are_reset() -> None:
    exit_code, document = together(
        "parallel.py:Walkers", "rows.py:ByHand", arguments=("--select", "API,CLS")
    )
    assert (exit_code, messages_of(document)) == (0, [])
    assert {one["spec"]: one["lacks"] for one in document["subjects"]} == {
        "parallel.py:Walkers": ["close"],
        "rows.py:ByHand": [],
    }


def test_no_vectorizer_takes_them_and_the_report_says_why() -> None:
    _, document = examine("aec.py:Healthy", "--select", "CLS001", "--budget", "6s", cwd=ENVS)
    reasons = {one["manager"]: one["reason"] for one in document["skipped"] if not one["code"]}
    assert reasons["gymnasium-async"] == (
        "it needs a gymnasium.Env; this is an AECEnv of PettingZoo's kind, not played under it"
    )


@pytest.mark.everything
def test_the_table_of_the_page_is_what_runs() -> None:
    _, document = examined("Healthy")
    there = written()
    assert {shape: there[shape] for shape in SHAPES} == cells(document, SHAPES), (
        "run `python -m tests.shapes.table`"
    )


@pytest.mark.everything
@pytest.mark.parametrize("shape", OTHERS)
def test_the_others_are_healthy_and_stand_in_the_table(shape: str) -> None:
    exit_code, document = examined("Healthy", among=frozenset([shape]))
    assert (exit_code, messages_of(document)) == (0, [])
    assert {"CLS001", "CLS007", "LEK001"} & passed(document, spec(shape, "Healthy"))
    assert written()[shape] == cells(document, [shape])[shape], "run `python -m tests.shapes.table`"


@pytest.mark.everything
@pytest.mark.parametrize("shape", FOREIGN)
def test_those_of_a_framework_are_healthy_and_stand_in_the_table(shape: str) -> None:
    exit_code, document = foreign(shape)
    assert (exit_code, messages_of(document)) == (0, [])
    assert {"CLS001", "CLS007", "LEK001"} <= passed(document, spec(shape, "Healthy"))
    assert written()[shape] == cells(document, [shape])[shape], "run `python -m tests.shapes.table`"
