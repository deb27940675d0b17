"""The last lines of a test run on recordings: how many are older than the sources, and which of
those were played live.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from tests.recorded import keeping

#: Properties of test reports.
LIVE, NOT_PLAYED = "recording played live", "touched recording not played"

HERE = "tests/recorded/test_recorded.py::test_recording_is_judged_as_before["


def lines(reports: Iterable[pytest.TestReport]) -> Iterator[str]:
    """Nothing where no recording was judged."""
    mine = [report for report in reports if HERE in report.nodeid and report.when == "call"]
    if not mine:
        return
    properties = [pair for report in mine for pair in report.user_properties]
    live = sorted(str(value) for name, value in properties if name == LIVE)
    waiting = sorted(str(value) for name, value in properties if name == NOT_PLAYED)
    older = len(keeping.index().older())
    yield f"{len(mine)} recordings judged again"
    if older:
        yield (
            f"{older} of them are older than the probe, the plan or the model: `make record` makes"
            " them anew, and shows what changed"
        )
    for title, rows in ((LIVE, live), (NOT_PLAYED, waiting)):
        if rows:
            yield f"{title}: {len(rows)}"
            yield from (f"    {row}" for row in rows)
