"""Two instances in one process, and one beside its copy: who interferes, how it is told, and
who is not accused.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.zoo import examine, messages_of


def interference(name: str, *arguments: str) -> tuple[list[str], dict[str, Any]]:
    _, document = examine(
        f"interfering.py:{name}", "--managers", "direct", "--select", "MAK,RUS004,PRC", *arguments
    )
    return messages_of(document), document


@pytest.mark.everything
@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "GlobalRandom",
            (
                "the first instance changes what the second one returns",
                "both draw from numpy.random",
            ),
        ),
        (
            "SharedBody",
            ("stepping the first instance changes what the second one returns", "at step 1"),
        ),
        (
            "ForgetsOthers",
            (
                "closing the first instance changes what the second one returns",
                "observation[0] is 0.0 then and, when",
            ),
        ),
        (
            "TakenAlong",
            ("collecting the first instance changes what the second one returns", "at step 16"),
        ),
    ],
)
def test_interference_is_reported_with_its_cause(name: str, words: tuple[str, ...]) -> None:
    (message,), document = interference(name)
    assert all(part in message for part in ("MAK005", *words)), message
    assert document["findings"][0]["severity"] == "error"
    # It was proven.
    assert "undisturbed" in {scenario["name"] for scenario in document["scenarios"]}


@pytest.mark.everything
def test_a_copy_that_is_the_original_is_a_note() -> None:
    (message,), document = interference("NoCopy")
    assert "using a deep copy of an instance changes what it returns" in message
    assert document["findings"][0]["severity"] == "note"


@pytest.mark.everything
def test_irreproducible_environment_is_not_judged() -> None:
    messages, document = interference("Unseeded")
    assert messages == []
    assert any(
        "alone, it is not reproducible" in skipped["reason"]
        for skipped in document["skipped"]
        if skipped["code"] == "MAK005"
    )


@pytest.mark.everything(but=["Numbered"])
@pytest.mark.parametrize("name", ["Uncopied", "Numbered", "OneEpisode"])
def test_independent_instances_are_not_accused(name: str) -> None:
    messages, _ = interference(name)
    assert messages == []


@pytest.mark.everything
@pytest.mark.parametrize(("name", "codes"), [("Forgets", ["CLS020"]), ("Remembers", [])])
def test_a_reset_fails_also_where_the_first_one_asks_for_more(name: str, codes: list[str]) -> None:
    """Resources that all instances share exist in the second lifecycle, in which the last call is
    denied.
    """
    _, document = examine(f"sharing.py:{name}", "--managers", "direct", "--select", "CLS020")
    assert [one["code"] for one in document["findings"]] == codes
    assert [one["code"] for one in document["passed"]] == ([] if codes else ["CLS020"])
