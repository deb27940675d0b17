"""Action spaces that each access makes anew."""

from __future__ import annotations

from envdoctor.rules.contract.api001_forwarded import forwarded
from envdoctor.rules.engine.examples import direct_view, fact, trace, verb


def test_space_that_is_made_anew_names_its_class_and_not_its_module() -> None:
    remade = {"space": "action_space", "class": "lab.arms.Arm"}
    run = trace(verb("make"), fact("remade-space", remade), name="close-twice")
    (finding,) = forwarded.judge(direct_view(trace(verb("make"), verb("reset", at=1)), run))
    assert "each access to action_space of Arm makes a new space" in finding.message
    assert "Arm.__init__()" in finding.remedy.text
