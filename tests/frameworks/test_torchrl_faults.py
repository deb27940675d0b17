"""Faults in one worker of a ParallelEnv, by the start methods that make workers programs of
their own.
"""

from __future__ import annotations

import pytest

from tests.frameworks.test_torchrl import examined, messages_of, needs_torchrl

#: What the caller sees of each, and in which call: that no error arrives as it was raised is the
#: framework's way.
SEEN = {
    "constructor": ("other", "make"),
    "reset": ("other", "reset"),
    "step": ("other", "step"),
    "kill": ("other", "step"),
    "close": ("nothing", ""),
    "slow": ("nothing", ""),
}


@pytest.mark.everything
@needs_torchrl
@pytest.mark.parametrize("start_method", ["spawn", "forkserver"])
def test_every_fault_is_played_to_its_end(start_method: str) -> None:
    arguments = ("CartPole-v1", "--start-methods", start_method, "--faults", "--select", "DOC")
    exit_code, document = examined(*arguments, managers=("--managers", "torchrl-parallel"))
    (subject,) = document["subjects"]
    assert {fault["fault"]: (fault["sees"], fault["call"]) for fault in subject["faults"]} == SEEN
    assert {fault["start_method"] for fault in subject["faults"]} == {start_method}
    assert {fault["workers_left"] for fault in subject["faults"]} == {0}, (
        "it leaves no worker behind"
    )
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
