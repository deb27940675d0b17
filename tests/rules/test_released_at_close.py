"""Where close() frees what grows with each reset(), as LEK003 takes it."""

from __future__ import annotations

import pytest

from envdoctor.rules.engine.examples import direct_view as view_of
from envdoctor.rules.engine.examples import growing
from envdoctor.rules.leak.lek003_native_memory_grows import _is_freed_at_close


@pytest.mark.parametrize(
    ("releases", "heap", "frees"),
    [
        (["self.renderer.clear()"], 0, True),
        (["self.renderer.clear()"], 1632, False),  # something is left of whole lives
        ([], 0, False),
    ],
)
def test_close_frees_where_it_makes_a_call_and_whole_lives_leave_nothing(
    releases: list[str], heap: int, frees: bool
) -> None:
    view = view_of(*growing(objects=0, heap=heap), releases=releases)
    assert _is_freed_at_close(view) is frees
