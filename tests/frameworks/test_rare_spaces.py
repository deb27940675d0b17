"""Spaces that a manager cannot hold: an error of the pair, told once, with the reason; no
accusation of the environment.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.frameworks.test_sb3 import PYTHON as SB3
from tests.frameworks.test_sb3 import needs_sb3
from tests.frameworks.test_torchrl import BATCHES, needs_torchrl
from tests.frameworks.test_torchrl import PYTHON as TORCHRL
from tests.support.zoo import examine


def illnesses(name: str, manager: str, python: str) -> list[dict[str, Any]]:
    spec = name if ":" in name else f"rare.py:{name}"
    _, document = examine(
        spec,
        "--managers",
        manager,
        "--start-methods",
        "fork",
        "--ignore",
        "LEK",
        "--python",
        python,
    )
    return [finding for finding in document["findings"] if finding["severity"] != "note"]


@pytest.mark.everything
@needs_sb3
@pytest.mark.parametrize(
    ("name", "manager", "code", "rare"),
    [
        (
            "Lists",
            "sb3-subproc",
            "VEC008",
            (
                "sb3-subproc cannot hold Sequence: a null environment with the same spaces fails"
                " there, too"
            ),
        ),
        ("Nested", "sb3-dummy", "VEC001", "Its spaces have a Dict within a Dict"),
    ],
)
def test_stable_baselines(name: str, manager: str, code: str, rare: str) -> None:
    (finding,) = illnesses(name, manager, SB3)
    assert (finding["code"], finding["severity"], finding["blame"]) == (
        code,
        "error",
        "interaction",
    )
    assert rare in finding["remedy"]["text"]


@pytest.mark.everything
@needs_torchrl
def test_actions_that_do_not_begin_at_zero() -> None:
    """TorchRL counts actions from 0, whatever the space says; its checker blames the
    environment.
    """
    (finding,) = illnesses("BelowZero", "torchrl-serial", TORCHRL)
    assert (finding["code"], finding["blame"]) == ("VEC008", "interaction")
    assert "a Discrete that starts at -1" in finding["remedy"]["text"]


@pytest.mark.everything
@needs_torchrl
def test_observations_that_do_not_begin_at_zero() -> None:
    (finding,) = illnesses(f"{BATCHES}:NumbersFromOne", "torchrl-serial", TORCHRL)
    assert (finding["code"], finding["severity"], finding["blame"]) == (
        "VEC008",
        "error",
        "interaction",
    )
    assert (
        "torchrl-serial cannot hold a Discrete that starts at 1: a null environment"
        in finding["remedy"]["text"]
    )


@pytest.mark.everything
def test_managers_that_hold_them() -> None:
    for name in ("Nested", "BelowZero"):
        exit_code, document = examine(
            f"rare.py:{name}",
            "--managers",
            "gymnasium-sync,gymnasium-async",
            "--start-methods",
            "fork",
            "--ignore",
            "LEK",
        )
        assert (exit_code, document["findings"]) == (0, [])
