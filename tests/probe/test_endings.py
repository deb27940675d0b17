"""Ends of episodes, and how a manager changes them."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from envdoctor.model.trajectory import Call
from envdoctor.probe.adapters.gymnasium import driving
from envdoctor.probe.comparison.endings import NOTHING, Endings, RecordedEnd, how, of_batch
from envdoctor.probe.comparison.ends_alone import _ends
from envdoctor.probe.comparison.frozen import freeze

Calls = list[Call]


def test_an_end_is_noted_once_with_its_step() -> None:
    calls: list[tuple[str, int, dict[str, Any]]] = []
    found = Endings(2, lambda call, slot, **values: calls.append((call, slot, values)))
    found.stepped((0, 1))
    found.stepped((0, 1))
    found.ended(1, how(False, True), lambda: (np.ones(1), {"score": 1}))
    assert not found.complete
    found.stepped((0,))
    found.ended(1, "terminated", lambda: (None, {}))  # of the next episode
    found.ended(0, how(True, True), lambda: (NOTHING, {}))
    found.began(1, lambda: np.zeros(1))
    found.began(1, lambda: np.zeros(1))
    assert not found.complete
    found.began(0, lambda: np.zeros(1))
    assert found.complete
    assert found.ends == {
        1: RecordedEnd(2, "truncated"),
        0: RecordedEnd(3, "terminated"),
    }
    assert [(call, slot) for call, slot, _ in calls] == [
        ("final", 1),
        ("final", 0),
        ("begun", 1),
        ("begun", 0),
    ]
    assert "observation" not in calls[1][2]


def test_unreadable_ending_completes_the_episode() -> None:
    found = Endings(1, lambda *_, **__: None)
    found.ended(0, "done", lambda: 1 / 0)  # type: ignore[arg-type, return-value]
    found.began(0, lambda: 1 / 0)
    assert found.complete


class Before10:
    """A vectorizer as Gymnasium 0.29 has it: it does not say how it goes on."""

    metadata: dict[str, Any] = {}


@pytest.mark.parametrize(
    ("module", "version", "mode"),
    [
        ("gymnasium.vector.sync_vector_env", "0.29.0", driving.SAME_STEP),
        ("gymnasium.vector.sync_vector_env", "1.0.0", ""),
        ("lab.rows", "0.29.0", ""),
    ],
)
def test_gymnasium_before_1_0_begins_anew_in_the_same_step(
    monkeypatch: pytest.MonkeyPatch, module: str, version: str, mode: str
) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", SimpleNamespace(__version__=version))
    monkeypatch.setattr(Before10, "__module__", module)
    assert driving.autoreset_mode(Before10()) == mode


@pytest.mark.parametrize("name", ["final_obs", "final_observation"])
def test_final_values_of_the_one_instance_that_ended(name: str) -> None:
    last, info = np.ones(2), {"score": 3}
    of_dicts = {name: objects(None, last), "final_info": objects(None, info)}
    observation, values = driving.final_values(of_dicts, 1)
    assert (observation is last, values) == (True, info)
    assert driving.final_values(of_dicts, 0) == (NOTHING, {})
    batched = {"score": np.array([0, 3]), "_score": np.array([False, True])}
    assert driving.final_values({"final_info": batched}, 1) == (NOTHING, info)
    assert driving.final_values({}, 1) == (NOTHING, {})


def objects(*values: object) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def test_the_info_of_one_instance_in_a_batch() -> None:
    infos = {
        "score": np.array([1.0, 0.0]),
        "_score": np.array([True, False]),
        "episode": {"r": np.array([3.0, 4.0]), "_r": np.array([True, True])},
        "_episode": np.array([True, True]),
    }
    assert of_batch(infos, 0) == {"score": 1.0, "episode": {"r": 3.0}}
    assert of_batch(infos, 1) == {"episode": {"r": 4.0}}
    assert of_batch(None, 0) == {}


def records(steps: int = 3, final: float = 9.0, begun: float = 0.5, info: Any = None) -> Calls:
    played = [
        Call(
            "step",
            action=freeze(1),
            terminated=freeze(np.bool_(False)),
            truncated=freeze(np.bool_(at == steps)),
        )
        for at in range(1, steps + 1)
    ]
    return [
        Call("reset", seed=0, observation=freeze(np.zeros(1))),
        *played,
        Call("final", observation=freeze(np.array([final])), info=freeze(info or {})),
        Call("begun", observation=freeze(np.array([begun]))),
    ]


def test_the_same_on_both_sides() -> None:
    told = _ends(records(), records())
    assert told.alone == told.under == (3, "truncated")
    assert not told.differ


@pytest.mark.parametrize(
    ("under", "what"),
    [
        (records(final=0.5), "observation"),
        (records(begun=0.7), "begun"),
        (records(steps=2), "difference"),
        ([one for one in records() if one.name != "final"], None),
    ],
)
def test_difference_of_endings_is_named(under: Calls, what: str | None) -> None:
    told = _ends(records(), under)
    assert told.differ is (what is not None)
    if what:
        assert getattr(told, what)


def test_a_final_observation_that_never_comes() -> None:
    under = records()
    under[-2] = under[-2]._replace(observation=None)
    told = _ends(records(), under)
    assert told.final is False
    assert told.differ


@pytest.mark.parametrize(
    ("alone", "under", "lost", "changed"),
    [
        ({"score": 0.5}, {"score": np.float64(0.5)}, [], []),
        ({"score": 0.5}, {}, ["score"], []),
        ({"score": 0.5}, {"score": np.int64(0)}, [], ["score"]),
        ({"score": 3}, {"score": np.bool_(True)}, [], ["score"]),
        ({"score": 1}, {"score": np.float64(1.0)}, [], []),
        ({"pid": 17}, {"pid": np.int64(18)}, [], []),  # another process
        ({"map": "a"}, {"map": "b"}, [], []),
        ({}, {"episode": 1}, [], []),  # what a manager adds
    ],
)
def test_final_infos(alone: Any, under: Any, lost: list[str], changed: list[str]) -> None:
    told = _ends(records(info=alone), records(info=under))
    assert told.lost == lost
    assert [one["key"] for one in told.changed] == changed
