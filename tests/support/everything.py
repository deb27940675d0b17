"""Tests and cases that only `make everything` plays.

    @pytest.mark.everything  # the whole test
    @pytest.mark.everything(but=["fork"])  # every case of it, except that one

Every other run plays the case `fork` alone. A case is named by its id, or by the first parameter
in it: `but=["crashes.py"]` keeps `crashes.py-REG002-4`. `pytest path::test[spawn]` plays what it
names, marked or not, and `pytest --whole` plays all.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

MARK = "everything"


def split(
    items: Sequence[pytest.Item], named: Sequence[str] = ()
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests to play and those left to `make everything`, each in their order; `named` are the
    node ids of the command line. Raises UsageError for an exception that names no case.
    """
    unused: dict[str, set[str]] = {}
    selected, left = [], []
    for item in items:
        mark = item.get_closest_marker(MARK)
        kept = _kept(item, mark) if mark is not None else None
        if mark is not None:
            function = item.nodeid.partition("[")[0]
            unused.setdefault(function, set(mark.kwargs.get("but", ()))).discard(kept or "")
        by_name = any(item.nodeid == name or item.nodeid.startswith(f"{name}[") for name in named)
        (selected if mark is None or kept or by_name else left).append(item)
    wrong = [f"{function}: {name}" for function, names in unused.items() for name in sorted(names)]
    if wrong and not named:
        raise pytest.UsageError(f"@pytest.mark.{MARK}(but=...) names no case of {', '.join(wrong)}")
    return selected, left


def _kept(item: pytest.Item, mark: pytest.Mark) -> str | None:
    """The exception that names this case."""
    case = item.nodeid.partition("[")[2].removesuffix("]")
    for name in mark.kwargs.get("but", ()):
        if case == name or case.startswith(f"{name}-"):
            return str(name)
    return None
