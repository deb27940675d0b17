"""A copy of what draws actions draws the same ones, and takes none from the original."""

from __future__ import annotations

import copy

from envdoctor.probe.adapters.torchrl.tensordicts import ActionSpec


def test_copy_of_a_specification_has_a_stream_of_its_own() -> None:
    spec = ActionSpec(object())
    spec.state = [3]
    twin = copy.deepcopy(spec)
    assert (twin.source is spec.source, twin.state) == (True, [3])
    twin.state = [4]
    assert spec.state == [3]
