"""Which cases of a matrix are played: all with `--whole`, else as many as its mark says.

    @pytest.mark.sampled(8)
    @pytest.mark.parametrize(...)

plays eight cases of the test. `sampled(1, by="manager")` plays one of each manager, and where
several tests have `of="launches"`, they are one matrix. `WHOLE` marks what only `--whole` plays. A
draw depends on the seed and the names of the cases alone, so it is the same in every worker and on
every machine.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import pytest

#: Of every draw; `--sample-seed` chooses another one.
SEED = 1

MARK = "sampled"
WHOLE = pytest.mark.sampled(0)

_SHARE = "share"  # a property of reports: the matrix, and "8 of 40"

Strata = dict[str, list[pytest.Item]]


def draw(names: Iterable[str], number: int, seed: int) -> list[str]:
    """As many of the names as the number says."""
    ranked = sorted(names, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())
    return ranked[:number]


def split(items: Sequence[pytest.Item], seed: int) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The cases that are played and those that are not, each in their order."""
    matrices: dict[tuple[str, int], Strata] = defaultdict(lambda: defaultdict(list))
    for item in items:
        mark = item.get_closest_marker(MARK)
        if mark is not None:
            matrices[_matrix(item, mark), _number(item, mark)][_stratum(item, mark)].append(item)
    left_out: set[str] = set()
    for (name, number), strata in matrices.items():
        left_out |= _left_out(name, number, strata, seed)
    return (
        [item for item in items if item.nodeid not in left_out],
        [item for item in items if item.nodeid in left_out],
    )


def _number(item: pytest.Item, mark: pytest.Mark) -> int:
    """How many cases are played. Raises UsageError for a mark without a number."""
    if len(mark.args) != 1 or not isinstance(mark.args[0], int):
        raise pytest.UsageError(
            f"{item.nodeid}: @pytest.mark.{MARK} has no number of cases: expected {MARK}(4)"
        )
    return mark.args[0]


def _matrix(item: pytest.Item, mark: pytest.Mark) -> str:
    """Its name: what it is said to be part of, or the test or the file that has the mark."""
    if "of" in mark.kwargs:
        return str(mark.kwargs["of"])
    node = next(node for node, one in item.iter_markers_with_node(MARK) if one is mark)
    return node.nodeid.partition("[")[0]


def _stratum(item: pytest.Item, mark: pytest.Mark) -> str:
    by = mark.kwargs.get("by")
    return str(item.callspec.params[by]) if by else ""  # type: ignore[attr-defined]


def _left_out(name: str, number: int, strata: Strata, seed: int) -> set[str]:
    """The cases of one matrix that are not played; the others carry its share."""
    everything = [item for items in strata.values() for item in items]
    drawn = {
        case
        for items in strata.values()
        for case in draw((item.nodeid for item in items), number, seed)
    }
    for item in everything:
        item.user_properties.append((_SHARE, f"{name}, {len(drawn)} of {len(everything)}"))
    return {item.nodeid for item in everything} - drawn


def lines(reports: Iterable[pytest.TestReport]) -> Iterator[str]:
    """What was drawn, by matrix."""
    drawn: dict[str, set[str]] = defaultdict(set)
    for report in reports:
        share = dict(report.user_properties).get(_SHARE)
        if share is not None:
            drawn[str(share)].add(report.nodeid)
    for share, cases in sorted(drawn.items()):
        yield f"{share}:"
        yield from (f"    {case}" for case in sorted(cases))
