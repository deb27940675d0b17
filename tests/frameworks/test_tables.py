"""The tables of the managers, confirmed by the null environment under the versions that are
installed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

from envdoctor.model.trace import FINISHED
from envdoctor.plan import scenarios
from envdoctor.request.specs import parse
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.expectations import differences, expected
from envdoctor.run.supervise.session import Session

NAMED = (
    "ENVDOCTOR_SB3_PYTHON",
    "ENVDOCTOR_TORCHRL_PYTHON",
    "ENVDOCTOR_TIANSHOU_PYTHON",
    "ENVDOCTOR_PUFFER_PYTHON",
)
PYTHONS = dict.fromkeys([sys.executable, *(os.environ.get(name, sys.executable) for name in NAMED)])
SUBJECT = parse("CartPole-v1", {}, (), "/")


def controls(session: Session) -> Iterator[View]:
    """Each place with its control."""
    spaces = session.directory / "spaces.pkl"
    survey = session.play(SUBJECT, scenarios.SURVEY, 0, spaces).fact("survey")
    session.play(SUBJECT, scenarios.PLAIN, 0, spaces)
    for manager, known in survey["managers"].items():
        for method in known["start_methods"] if known["available"] else ():
            played = session.play(
                SUBJECT, scenarios.vector_life(manager, method, control=True), 0, spaces
            )
            assert played.outcome.kind == FINISHED
            theirs = View(SUBJECT.text, manager, method, (played,), survey)
            yield View(SUBJECT.text, manager, method, (), survey, theirs)


@pytest.mark.parametrize("python", PYTHONS)
def test_every_table_is_borne_out(python: str) -> None:
    with Session(python) as session:
        views = list(controls(session))
    assert views
    for view in views:
        assert differences(view) == [], view.manager
        assert {"hidden", "closes_again", "autoreset"} <= set(expected(view))
