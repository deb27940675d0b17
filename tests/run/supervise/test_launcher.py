"""The template from which a scenario's probe is forked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from envdoctor.model.preload import Preload
from envdoctor.model.scenario import Scenario
from envdoctor.run.supervise.launcher import Launcher
from envdoctor.run.supervise.templates import POSSIBLE, Templates

REFUSED = "this one makes no template"


class NoTemplates(Templates):
    """Makes none, and remembers which imports were asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def template_for(
        self, modules: frozenset[str], imports: Path, is_stopped: Callable[[], bool]
    ) -> str:
        self.asked.append(imports.name)
        return REFUSED


@pytest.mark.skipif(not POSSIBLE, reason="probes are forked on Linux only")
@pytest.mark.parametrize(
    ("there", "manager", "asked"),
    [
        (["direct", "sb3-subproc"], "sb3-subproc", "sb3-subproc"),
        (["direct", "sb3-dummy"], "sb3-subproc", "sb3-dummy"),
        (["direct", "sb3-dummy"], "torchrl-serial", "direct"),
        (["direct"], "unknown", "direct"),
    ],
)
def test_managers_of_one_framework_share_their_imports(
    tmp_path: Path, there: list[str], manager: str, asked: str
) -> None:
    for name in there:
        (tmp_path / f"imports-{name}.json").write_text(Preload((name,), (), (), ()).encoded())
    templates = NoTemplates()
    launcher = Launcher("python", tmp_path / "bundle", tmp_path, tmp_path, templates)
    assert launcher._template(Scenario("life", "make", manager), lambda: False) == REFUSED
    assert templates.asked == [f"imports-{asked}.json"]
