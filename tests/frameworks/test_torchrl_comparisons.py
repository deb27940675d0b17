"""Instances of TorchRL's batches beside one another, and beside one that was asked the same
alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envdoctor.model.trace import Trace
from envdoctor.plan import scenarios
from envdoctor.request.specs import parse
from envdoctor.run.supervise.session import Session
from tests.frameworks.test_torchrl import (
    BATCHES,
    PYTHON,
    examined,
    found,
    messages_of,
    needs_torchrl,
)

COMPARABLE = Path(__file__).with_name("comparable.py")
PLACES = (("torchrl-serial", None), ("torchrl-parallel", "fork"))

HEALTHY = (
    "CartPole-v1",
    "FrozenLake-v1",
    "Pendulum-v1",
    "Acrobot-v1",
    f"{BATCHES}:Pictures",
    f"{BATCHES}:Lazy",
    f"{COMPARABLE}:Stateless",
    f"{COMPARABLE}:Agents",
)

pytestmark = needs_torchrl


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(PYTHON) as opened:
        yield opened


def played(session: Session, spec: str) -> tuple[list[Trace], list[dict[str, Any]]]:
    """The lives of two instances in each place, and what the replay tells of them."""
    subject, spaces = parse(spec, {}, (), str(COMPARABLE.parent)), session.directory / "spaces.pkl"
    lives = [session.play(subject, scenarios.vector_life(*place), 0, spaces) for place in PLACES]
    replay = scenarios.replay_of(manager for manager, _ in PLACES)
    return lives, session.play(subject, replay, 0, spaces).facts("replayed")


@pytest.mark.everything
@pytest.mark.parametrize("spec", HEALTHY)
def test_healthy_instances_return_exactly_what_one_alone_returns(
    session: Session, spec: str
) -> None:
    lives, replayed = played(session, spec)
    assert [(each["manager"], each["slot"]) for each in replayed] == [
        (manager, slot) for manager, _ in reversed(PLACES) for slot in (0, 1)
    ]
    assert [(each["difference"], each["unknown"]) for each in replayed] == [(None, [])] * 4
    assert all(each["calls"] >= 5 for each in replayed)
    assert len({each["seed"] for each in replayed}) == 2
    assert all(life.fact("mirrored")["difference"] for life in lives), (
        "two instances live different episodes"
    )


@pytest.mark.everything
def test_instances_that_share_a_generator_disturb_each_other_with_and_without_a_manager() -> None:
    _, document = examined("interfering.py:GlobalRandom", "--start-methods", "fork")
    assert found(document, "MAK005")[0]["manager"] == "direct"
    reasons = {
        each["manager"]: each["reason"] for each in document["skipped"] if each["code"] == "VEC004"
    }
    assert reasons["torchrl-serial"] == "explained by MAK005"


@pytest.mark.everything
def test_workers_that_begin_alike_live_the_same_episodes() -> None:
    sick, healthy = (
        examined(f"vec002_workers_share_a_seed.py:{name}", "--start-methods", "fork")[1]
        for name in ("Sick", "Healthy")
    )
    assert {finding["manager"] for finding in found(sick, "VEC002")} == {
        "torchrl-serial",
        "torchrl-parallel",
    }
    assert "self.rng" in found(sick, "VEC002")[0]["message"]
    assert messages_of(healthy, "error", "warning") == []


@pytest.mark.everything
def test_a_constant_seed_makes_all_live_the_same_episodes() -> None:
    _, document = examined(f"{COMPARABLE}:SameSeed", "--start-methods", "fork")
    assert {
        finding["code"] for finding in document["findings"] if finding["severity"] != "note"
    } == {"VEC002"}
    assert {finding["manager"] for finding in found(document, "VEC002")} == {
        "torchrl-serial",
        "torchrl-parallel",
    }
    assert found(document, "VEC002")[0]["message"].endswith(
        "all draw from self.random in the same state"
    )
    assert "seed self.random in" in found(document, "VEC002")[0]["remedy"]["text"]


@pytest.mark.everything
def test_the_global_generator_of_torch_is_shared_in_one_batch_only() -> None:
    _, document = examined(f"{COMPARABLE}:OneGenerator", "--start-methods", "fork")
    assert [
        (finding["code"], finding["manager"])
        for finding in document["findings"]
        if finding["severity"] != "note"
    ] == [
        ("VEC004", "torchrl-serial"),
    ]
    assert "a torch.Generator of its own" in found(document, "VEC004")[0]["remedy"]["text"]


@pytest.mark.everything
def test_types_that_a_batch_changes_are_skipped_with_the_reason() -> None:
    _, document = examined(f"{COMPARABLE}:Doubles", "--start-methods", "fork")
    assert [
        finding["code"] for finding in document["findings"] if finding["severity"] != "note"
    ] == ["API002"]
    reasons = {
        (skipped["manager"], skipped["reason"])
        for skipped in document["skipped"]
        if skipped["code"] == "VEC004"
    }
    assert {manager for manager, _ in reasons} == {"torchrl-serial", "torchrl-parallel"}
    assert {reason for _, reason in reasons} == {
        (
            "the dtype of reward is <f8 alone and <f4 under the manager, which makes it what is"
            " specified"
        )
    }


@pytest.mark.everything
@pytest.mark.parametrize("spec", ["Pendulum-v1", f"{COMPARABLE}:Stateless"])
def test_workers_that_are_programs_of_their_own_return_the_same(spec: str) -> None:
    exit_code, document = examined(spec, "--start-methods", "spawn,forkserver")
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    passed = {
        (each["manager"], each["start_method"])
        for each in document["passed"]
        if each["code"] == "VEC004"
    }
    assert passed == {
        ("torchrl-serial", None),
        ("torchrl-parallel", "spawn"),
        ("torchrl-parallel", "forkserver"),
    }
    assert "DET003" in {each["code"] for each in document["passed"]}
