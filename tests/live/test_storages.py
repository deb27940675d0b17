"""Replay storages that are really filled, by the frameworks that are installed for
ENVDOCTOR_TORCHRL_PYTHON, ENVDOCTOR_SB3_PYTHON and ENVDOCTOR_DING_PYTHON.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.interpreters import way_to
from tests.support.zoo import examine, messages_of

PYTHONS = {
    "torchrl": "ENVDOCTOR_TORCHRL_PYTHON",
    "sb3": "ENVDOCTOR_SB3_PYTHON",
    "ding": "ENVDOCTOR_DING_PYTHON",
}
STORAGES = ("torchrl-list", "torchrl-tensor", "torchrl-memmap", "sb3", "ding")


def fill(
    storage: str, spec: str, capacity: int, *arguments: str
) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """(exit code, document, what it says of the storage)."""
    variable = PYTHONS[storage.partition("-")[0]]
    if variable not in os.environ:
        pytest.skip(way_to(variable))
    words = (
        spec,
        "--storage",
        storage,
        "--capacity",
        str(capacity),
        "--python",
        os.environ[variable],
        *arguments,
    )
    exit_code, document = examine(*words, command="leak")
    (found,) = document["subjects"][0]["storages"]
    return exit_code, document, found


@pytest.mark.everything
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("spec", ["CartPole-v1", "Pendulum-v1", "stored.py:Goal"])
def test_the_line_that_rises_to_the_capacity_is_no_leak(storage: str, spec: str) -> None:
    exit_code, document, found = fill(storage, spec, 600)
    assert messages_of(document, "error", "warning") == []
    assert exit_code == 0
    assert (found["verdict"], found["missing"], found["ended"], found["wrong"]) == (
        "flat",
        "",
        "",
        0,
    )
    assert found["read"] > 0


@pytest.mark.everything
@pytest.mark.parametrize("storage", STORAGES)
def test_the_forecast_of_images_is_what_is_measured(storage: str) -> None:
    exit_code, document, found = fill(storage, "stored.py:Camera", 400)
    assert messages_of(document, "error", "warning") == []
    assert exit_code == 0
    assert found["measured"] == pytest.approx(found["forecast"]["per_transition"], rel=0.1)
    assert found["points"][-1] > 0.9 * found["capacity"] * found["forecast"]["per_transition"]


@pytest.mark.everything
@pytest.mark.parametrize("storage", ["torchrl-list", "ding"])
@pytest.mark.parametrize("name", ["Constant", "Uneven", "Counting"])
def test_healthy_storage_is_not_accused(storage: str, name: str) -> None:
    exit_code, document, found = fill(storage, f"stored.py:{name}", 500)
    assert messages_of(document, "error", "warning") == []
    assert exit_code == 0
    assert found["wrong"] == 0


@pytest.mark.everything
@pytest.mark.parametrize("storage", ["sb3", "torchrl-tensor"])
def test_one_that_remembers_all_is_reported_with_its_holder(storage: str) -> None:
    exit_code, document, found = fill(storage, "stored.py:Remembering", 400)
    assert exit_code == 1
    (finding,) = [one for one in document["findings"] if one["code"] == "BUF002"]
    assert finding["blame"] == "environment"
    assert "_returned[" in finding["message"]
    assert found["verdict"] == "grows"


@pytest.mark.everything
def test_a_graph_is_chained_by_one_tensor_for_all() -> None:
    exit_code, document, _ = fill("torchrl-tensor", "buf004_keeps_autograd_graph.py:Sick", 200)
    assert exit_code == 1
    (finding,) = [one for one in document["findings"] if one["code"] == "BUF004"]
    assert max(finding["evidence"]["nodes"].values()) > 1000


@pytest.mark.everything
@pytest.mark.parametrize("storage", ["sb3", "torchrl-tensor"])
def test_a_storage_that_copies_is_not_accused_of_an_array_that_is_reused(storage: str) -> None:
    _, document, found = fill(storage, "buf003_stored_observations_alias.py:Sick", 300)
    assert "BUF003" not in {finding["code"] for finding in document["findings"]}
    assert found["wrong"] == 0


@pytest.mark.everything
def test_text_observation_is_skipped_for_tensor_storage() -> None:
    exit_code, document, found = fill("torchrl-tensor", "stored.py:Words", 300)
    assert exit_code == 0
    assert "no tensor can hold" in found["missing"]
    assert {one["reason"] for one in document["skipped"] if one["code"] == ""} == {found["missing"]}


@pytest.mark.everything
def test_files_that_the_storage_leaves_are_a_note() -> None:
    _, document, _ = fill("torchrl-memmap", "CartPole-v1", 200)
    (note,) = [finding for finding in document["findings"] if finding["code"] == "BUF005"]
    assert (note["severity"], note["blame"]) == ("note", "manager")
    assert note["evidence"]["scratch"]["dropped"]
    assert not note["evidence"]["scratch"]["dropped with auto_cleanup=True"]
    assert note["evidence"]["scratch"]["killed with auto_cleanup=True"]
