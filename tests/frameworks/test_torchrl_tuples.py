"""TorchRL's batches do not know tuples; what is printed instead of them works."""

from __future__ import annotations

import subprocess

import pytest

from tests.frameworks.test_torchrl import PYTHON, examined, needs_torchrl

PATIENCE = 600.0  # seconds

pytestmark = [needs_torchrl, pytest.mark.everything]


def test_the_pasted_lines_work_where_a_tuple_did_not() -> None:
    _, document = examined(
        "Blackjack-v1", "--select", "VEC", managers=("--managers", "torchrl-serial")
    )
    (finding,) = (one for one in document["findings"] if one["severity"] != "note")
    assert (finding["code"], finding["blame"]) == ("VEC001", "interaction")
    script = "\n".join(
        ["import gymnasium", *finding["remedy"]["commands"], "print(envs.rollout(5).batch_size[0])"]
    )
    done = subprocess.run(
        [PYTHON, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.stdout.strip() == "4", done.stderr
