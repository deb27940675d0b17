"""Vectorizers that have one instance in several places."""

from __future__ import annotations

import sys
from typing import cast

import gymnasium
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.wrappers import OrderEnforcing, TimeLimit

from envdoctor.model.facts.decoding import decoded
from envdoctor.model.page import FIRST, WIDTH
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.probe.live.hosted_twice import (
    HostedInstances,
    look_at_hosted,
    look_at_hosts,
)
from envdoctor.probe.live.rows import InstanceRow
from envdoctor.rules.engine.registry import all_rules
from envdoctor.rules.evidence.training import view_of


class Arm(gymnasium.Env[int, int]):
    """An environment that knows nothing."""

    observation_space = gymnasium.spaces.Discrete(3)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        return 0, {}

    def step(self, action):
        return 1, 0.0, False, False, {}


class Followed:
    """The instances of this process, and what is journaled of them."""

    name = "1.page"

    def __init__(self, *instances: object) -> None:
        self.events: list[dict[str, object]] = []
        self._rows = []
        for number, instance in enumerate(instances):
            row = InstanceRow(instance)
            row.key, row.start = id(instance), (FIRST + number) * WIDTH
            self._rows.append(row)

    def tell(self, what: str, **keys: object) -> None:
        """Journal something."""
        self.events.append({"what": what, **keys})

    def rows(self) -> list[InstanceRow]:
        """All of them."""
        return self._rows

    def is_users(self, file: str) -> bool:
        """Return whether a file is the user's."""
        return file == __file__

    def where(self) -> tuple[tuple[str, int, str], str, bool]:
        """The line of a script."""
        return ("/train.py", 38, "main"), "", False


def _looked(vectorizer: object, *instances: object) -> list[dict[str, object]]:
    followed = Followed(*instances)
    look_at_hosted(cast(HostedInstances, followed), vectorizer)
    return followed.events


def test_instance_in_several_places_is_journaled() -> None:
    first, second = Arm(), Arm()
    functions = [lambda: first, lambda: TimeLimit(OrderEnforcing(first), 9), lambda: second]
    (event,) = _looked(SyncVectorEnv(functions), second, first)
    assert (event["what"], event["row"], event["number"]) == ("hosted-twice", 2, 2)
    assert (event["by"], event["page"]) == ("SyncVectorEnv", "1.page")
    assert event["frame"] == {"file": "/train.py", "line": 38, "function": "main"}


def test_instances_of_their_own_are_left_alone() -> None:
    arms = [Arm() for _ in range(3)]
    functions = [lambda arm=arm: TimeLimit(arm, 9) for arm in arms]  # type: ignore[misc]
    assert _looked(SyncVectorEnv(functions), *arms) == []


class View(Arm):
    """The place of one agent in an environment that all of them share."""

    def __init__(self, env: Arm) -> None:
        self.env = env


def test_places_in_an_environment_that_is_shared_are_left_alone() -> None:
    shared = Arm()
    functions = [lambda: TimeLimit(View(shared), 9), lambda: View(shared)]
    assert _looked(SyncVectorEnv(functions), shared) == []


def test_instance_that_is_not_followed_is_left_alone() -> None:
    arm = Arm()
    assert _looked(SyncVectorEnv([lambda: arm] * 2)) == []


def test_copies_in_workers_are_left_alone() -> None:
    arm = Arm()
    vectorizer = AsyncVectorEnv([lambda: arm] * 2)
    try:
        assert _looked(vectorizer, arm) == []
    finally:
        vectorizer.close()


@pytest.mark.parametrize("other", [None, [], {"envs": 3}, type("Pool", (), {"envs": 3})()])
def test_other_objects_are_left_alone(other: object) -> None:
    assert _looked(other) == []


HOSTED = {
    "vectorizer": "SyncVectorEnv",
    "places": 4,
    "location": {"file": "/train.py", "line": 38, "function": "main"},
}


@pytest.mark.parametrize("hosted", [None, HOSTED])
def test_findings_on_the_loop_give_way(hosted: dict[str, object] | None) -> None:
    calls = {name: {"began": 9, "ended": 9} for name in ("make", "reset", "step", "close")}
    place = {"file": "/train.py", "line": 51, "function": "main"}
    run_on = {"ends": 6, "passed": 6, "steps": 90, "by": ["truncated"], "location": place}
    data = {"pid": 0, "row": 1, "type": "arm.Arm", "again": 3, "closed": 1, "run_on": run_on}
    arm = decoded(Instances, {**data, **calls, "hosted": hosted})
    assert isinstance(arm, Instances)
    assert arm.step == Calls(9, 9)
    for code in ("TRN002", "TRN022"):
        (finding,) = all_rules()[code].judge(view_of(arm))
        assert finding.explained_by == (("TRN034",) if hosted else ())


class Vectors:
    """A vectorizer of the user's."""

    def __init__(self, *envs: object) -> None:
        self.envs = list(envs)

    def reset(self, followed: Followed) -> list[object]:
        """Reset each of them; that of ours would be called then."""
        return [self._reset(followed, each) for each in self.envs]

    def _reset(self, followed: Followed, env: object) -> object:
        look_at_hosts(cast(HostedInstances, followed), sys._getframe())
        return env


def test_vectorizer_of_the_user_is_looked_at_once_when_it_resets() -> None:
    first, second = Arm(), Arm()
    followed = Followed(first, second)
    healthy, sick = Vectors(first, second), Vectors(first, TimeLimit(first, 9), second)
    healthy.reset(followed)
    assert followed.events == []
    sick.reset(followed)
    sick.reset(followed)
    (event,) = followed.events
    assert (event["by"], event["row"], event["number"]) == ("Vectors", 1, 2)
    assert event["method"] == "_reset"


class Tasks(Vectors):
    """A frequent task is there more often."""


def test_list_of_tasks_is_left_alone() -> None:
    arm = Arm()
    followed = Followed(arm)
    Tasks(arm, arm, Arm()).reset(followed)
    assert followed.events == []
