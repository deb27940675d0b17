"""TorchRL's batches launched in other ways: without shared memory, without an instance in the
parent.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.frameworks.test_torchrl import BATCHES, examined, found, messages_of, needs_torchrl
from tests.frameworks.test_torchrl_comparisons import COMPARABLE

pytestmark = [needs_torchrl, pytest.mark.everything]

WITHOUT = (
    "Where it differs on purpose: {}(..., use_buffers=False) takes it as it is. Verified: it works."
)


def under_fork(spec: str) -> dict[str, Any]:
    return examined(spec, "--start-methods", "fork")[1]


def test_misfit_for_buffers_is_remedied_by_use_buffers_false() -> None:
    document = under_fork(f"{COMPARABLE}:Wider")
    (serial,) = found(document, "VEC008")
    assert serial["remedy"]["text"].endswith(WITHOUT.format("SerialEnv"))
    assert serial["remedy"]["commands"][-1] == "envs = SerialEnv(4, make_env, use_buffers=False)"
    (parallel,) = found(document, "PRC003")
    assert (
        "its last words are `RuntimeError: The size of tensor a (3) must match"
        in parallel["remedy"]["text"]
    )
    assert parallel["remedy"]["text"].endswith(WITHOUT.format("ParallelEnv"))
    assert (
        parallel["remedy"]["commands"][-1]
        == 'envs = ParallelEnv(4, make_env, use_buffers=False, mp_start_method="fork")'
    )


def test_a_differentiable_simulator_needs_a_launch_without_shared_memory() -> None:
    document = under_fork(f"{COMPARABLE}:Differentiable")
    (finding,) = (finding for finding in document["findings"] if finding["severity"] != "note")
    assert (finding["code"], finding["manager"]) == ("PRC003", "torchrl-parallel")
    assert finding["remedy"]["text"].endswith(WITHOUT.format("ParallelEnv"))


def test_failure_without_buffers_only_is_a_note() -> None:
    document = under_fork(f"{COMPARABLE}:Handle")
    assert [line.split()[0] for line in messages_of(document, "error", "warning")] == ["API002"], (
        "it returns more than it specifies"
    )
    (finding,) = found(document, "PRC003")
    assert (finding["severity"], finding["blame"]) == ("note", "interaction")
    assert finding["message"].startswith("with use_buffers=False: ")
    assert "cannot pickle '_thread.lock' object" in finding["remedy"]["text"]
    controls = {
        scenario["name"]
        for scenario in document["scenarios"]
        if scenario["control"] and scenario["manager"] == "torchrl-parallel"
    }
    assert controls == {
        "life",
        "without-buffers",
    }, "it is blamed on nobody before a null environment was launched so, too"


def test_a_shadow_that_is_one_instance_too_many_and_a_launch_without_one() -> None:
    _, document = examined(
        f"{BATCHES}:OnceAProcess",
        "--start-methods",
        "fork",
        managers=("--managers", "torchrl-parallel"),
    )
    (finding,) = found(document, "MAK004")
    assert "(not seen to work here)" in finding["remedy"]["text"]
    assert finding["remedy"]["text"].endswith(
        "metadata_from_workers=True) builds none: seen to work here with torchrl-parallel, fork."
    )
    assert (
        finding["remedy"]["commands"][-1]
        == 'envs = ParallelEnv(4, make_wrapped, metadata_from_workers=True, mp_start_method="fork")'
    )
    assert [
        scenario["outcome"]
        for scenario in document["scenarios"]
        if scenario["name"] == "without-shadow"
    ] == ["finished"]


def worse_than_notes(spec: str, methods: str) -> set[tuple[str, str, str | None]]:
    """(code, manager, start method) of each."""
    findings = examined(spec, "--start-methods", methods)[1]["findings"]
    return {
        (finding["code"], finding["manager"], finding["start_method"])
        for finding in findings
        if finding["severity"] != "note"
    }


def test_a_descriptor_that_close_leaves_open_ends_with_its_worker() -> None:
    sick, healthy = (
        worse_than_notes(f"cls006_close_leaves_descriptors.py:{name}", "fork")
        for name in ("Sick", "Healthy")
    )
    assert sick == {("CLS006", "direct", None), ("CLS006", "torchrl-serial", None)}
    assert healthy == set()


def test_a_process_that_close_leaves_running_outlives_its_worker() -> None:
    sick, healthy = (
        worse_than_notes(f"cls008_close_leaves_processes.py:{name}", "fork,forkserver")
        for name in ("Sick", "Healthy")
    )
    outlived = {
        ("PRC001", *place)
        for place in (
            ("torchrl-serial", None),
            ("torchrl-parallel", "fork"),
            ("torchrl-parallel", "forkserver"),
        )
    }
    assert sick == {("CLS008", "direct", None), *outlived}
    assert healthy == set()
