"""`envdoctor leak`, for real: every leak of tests/envs/leaks.py is found, with its rate and its
place, and what only looks like one is not accused. benchmarks/repeat_leaks.py does the same twenty
times over.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.zoo import examine, messages_of

LEAKS = {
    "PyObject": ("LEK001", "every new instance keeps 1 Python object (leaks.Episode)"),
    "Bytes": ("LEK001", "every new instance keeps 1 Python object"),
    "Array": ("LEK001", "every new instance keeps"),
    "Malloc1K": (
        "LEK003",
        "every new instance keeps 1.0 KiB of native memory: 991.8 MiB per million instances",
    ),
    "Malloc24": ("LEK003", "every new instance keeps"),
    "Mmap64K": ("LEK004", "every new instance keeps 64.0 KiB of mapped memory"),
    "Descriptor": ("LEK005", "every new instance leaves 1 descriptor"),
    "Thread": ("LEK006", "every new instance leaves 1 thread"),
    "Sparse": ("LEK001", "every 10th new instance keeps 1 Python object (leaks.Episode)"),
    "InStep": ("LEK001", "every step() keeps 1 Python object (leaks.Episode)"),
    "Retained": (
        "CLS012",
        "Retained stays alive after close, drop and garbage collection: held by leaks.KEPT[",
    ),
}
HEALTHY = ("Clean", "Plateau", "SlowPlateau", "Lru", "Cycle", "Bounded")

#: The function of the user's that takes what is kept.
TAKEN_IN = {
    "PyObject": "leak",
    "Bytes": "leak",
    "Array": "leak",
    "Malloc1K": "keep_block",
    "Malloc24": "keep_block",
    "InStep": "step",
}


def leak_check(name: str, *arguments: str) -> dict[str, Any]:
    return examine(f"leaks.py:{name}", *arguments, command="leak")[1]


def growths(document: dict[str, Any]) -> list[dict[str, Any]]:
    """CLS012 is one of them where every instance stays: it tells that better."""
    told = [finding for finding in document["findings"] if finding["severity"] != "note"]
    return [
        finding
        for finding in told
        if finding["code"].startswith("LEK")
        or (finding["code"], finding["severity"]) == ("CLS012", "error")
    ]


@pytest.mark.everything
@pytest.mark.parametrize("name", LEAKS)
def test_every_leak_is_found_and_placed(name: str) -> None:
    code, message = LEAKS[name]
    document = leak_check(name)
    found = growths(document)
    assert [finding["code"] for finding in found] == [code], messages_of(document)
    assert found[0]["message"].startswith(message)
    assert name not in TAKEN_IN or found[0]["location"]["function"].endswith(TAKEN_IN[name])


@pytest.mark.everything(but=["Bounded"])
@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_healthy_is_accused(name: str) -> None:
    document = leak_check(name)
    assert growths(document) == []
    assert document["subjects"][0]["growth"][0]["cycles"] >= 35


@pytest.mark.everything
@pytest.mark.parametrize(
    ("name", "message", "line", "holder"),
    [
        (
            "Remembers",
            "every step() of an instance that stays open keeps 1 Python object",
            "_observe",
            "self.history",
        ),
        (
            "CountsEpisodes",
            "every reset() of an instance that stays open keeps",
            "reset",
            "self.episodes",
        ),
    ],
)
def test_growth_within_an_open_instance_is_found(
    name: str, message: str, line: str, holder: str
) -> None:
    (finding,) = growths(examine(f"living.py:{name}", command="leak")[1])
    assert (finding["code"], finding["severity"], finding["blame"]) == (
        "LEK001",
        "error",
        "environment",
    )
    assert message in finding["message"]
    assert f"kept in {holder}" in finding["message"]
    assert finding["location"]["function"].endswith(line)
    assert finding["remedy"]["text"].endswith(
        f"bound {holder}, or take out of it in {name}.reset() what was put in. Verified on a copy:"
        " this finding is gone, and nothing new came."
    )


@pytest.mark.everything
@pytest.mark.parametrize(
    ("name", "codes", "holder"),
    [
        ("NumbersEpisodes", {"LEK002"}, "self.played"),
        ("NumbersAllEpisodes", {"LEK001", "LEK002"}, "living.PLAYED"),
    ],
)
def test_small_numbers_in_a_set_are_no_new_objects(name: str, codes: set[str], holder: str) -> None:
    """After 256 of them each is one: which rule tells of it depends on how far it was followed."""
    (finding,) = growths(examine(f"living.py:{name}", command="leak")[1])
    assert finding["code"] in codes
    assert finding["evidence"]["held_in"] == holder
    assert finding["evidence"]["per_operation"].keys() == {"reset"}
    assert finding["location"]["function"].endswith("reset")


@pytest.mark.everything
@pytest.mark.parametrize("name", ["Clears", "Bounds", "BoundsByHand", "NumbersTheLast"])
def test_bounded_history_is_not_reported(name: str) -> None:
    document = examine(f"living.py:{name}", command="leak")[1]
    assert growths(document) == []
    assert [leak_check["side"] for leak_check in document["subjects"][0]["growth"]] == [
        "",
        "one instance",
    ]


@pytest.mark.everything
def test_one_leak_in_25_cycles_is_found() -> None:
    assert [finding["code"] for finding in growths(leak_check("Sparse", "-k", "every=25"))] == [
        "LEK001"
    ]


@pytest.mark.everything
def test_one_leak_in_50_cycles_is_found_by_a_thorough_leak_check() -> None:
    assert [
        finding["code"] for finding in growths(leak_check("Sparse", "-k", "every=50", "--thorough"))
    ] == ["LEK001"]


@pytest.mark.everything
def test_the_holder_of_what_grows_is_named() -> None:
    (finding,) = growths(leak_check("PyObject"))
    assert "kept in leaks.KEPT" in finding["message"]
    assert "leaks.KEPT" in finding["remedy"]["text"]


@pytest.mark.everything
def test_late_failure_is_reported_with_its_step() -> None:
    words = ("--managers", "direct", "--select", "API014", "--no-try-remedies")
    _, document = examine("api014_fails_when_repeated.py:Sick", *words)
    (message,) = messages_of(document)
    assert message.endswith("calls; first at step 1 of episode 91")


@pytest.mark.everything
def test_shared_memory_that_is_unmapped_and_never_unlinked_is_found() -> None:
    (finding,) = growths(examine("unlinked.py:Sick", command="leak")[1])
    assert (finding["code"], finding["evidence"]["per_cycle"]) == ("LEK009", 1)
    assert growths(examine("unlinked.py:Healthy", command="leak")[1]) == []
