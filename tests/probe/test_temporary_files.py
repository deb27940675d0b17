"""Temporary files are counted as they are listed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envdoctor.probe.growth import temporary_files
from envdoctor.probe.sensors import Context, files
from envdoctor.probe.system import infrastructure

NAMES = st.lists(st.sampled_from(["a", "b", "c/d", "c/e/", "f/", "f/g/h"]), unique=True)


@given(names=NAMES, spared=st.sets(st.sampled_from(["a", "f", "c/d"])))
def test_as_many_are_counted_as_are_listed(
    names: list[str], spared: set[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    (home / "tmp").mkdir()
    for name in names:
        path = home / "tmp" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(exist_ok=True) if name.endswith("/") else path.touch()
    context = Context(str(home))
    with pytest.MonkeyPatch.context() as patch:
        paths = frozenset(str((home / "tmp" / each).resolve()) for each in spared)
        patch.setattr(infrastructure, "paths", lambda: paths)
        assert temporary_files.count(context) == len(files.read(context))


def test_folder_that_is_gone_has_none(tmp_path: Path) -> None:
    assert temporary_files.count(Context(str(tmp_path))) == 0
