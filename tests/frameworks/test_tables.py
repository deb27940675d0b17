"""The tables of the managers, confirmed by the null environment under the versions that are
installed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

from envdoctor.model.facts import Known, Survey
from envdoctor.model.trace import FINISHED
from envdoctor.plan import scenarios
from envdoctor.request.specs import parse
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.expectations import differences, expected
from envdoctor.run.supervise.session import Session
from tests.support.zoo import ENVS

NAMED = (
    "ENVDOCTOR_SB3_PYTHON",
    "ENVDOCTOR_TORCHRL_PYTHON",
    "ENVDOCTOR_TIANSHOU_PYTHON",
    "ENVDOCTOR_PUFFER_PYTHON",
    "ENVDOCTOR_SUPERSUIT_PYTHON",
    "ENVDOCTOR_AGILERL_PYTHON",
    "ENVDOCTOR_RAY_PYTHON",
)
PYTHONS = dict.fromkeys([sys.executable, *(os.environ.get(name, sys.executable) for name in NAMED)])
CARTPOLE = parse("CartPole-v1", {}, (), "/")
#: By the API that managers take, where it is not Gymnasium's.
SUBJECTS = {"pettingzoo-parallel": parse("parallel_walks.py:Walks", {}, (), str(ENVS))}


def controls(session: Session) -> Iterator[View]:
    """Each place with its control."""
    spaces = session.directory / "spaces.pkl"
    survey = session.play(CARTPOLE, scenarios.SURVEY, 0, spaces).fact(Survey.KEY)
    known_of_all = Known.decode(survey)
    for manager, known in known_of_all.managers.items():
        if not known.available:
            continue
        subject = SUBJECTS.get(known.apis[0], CARTPOLE)
        spaces = session.directory / f"{known.apis[0]}.pkl"
        if not spaces.exists():
            session.play(subject, scenarios.PLAIN, 0, spaces)
        for method in known.start_methods:
            life = scenarios.vector_life(manager, method, control=True)
            played = session.play(subject, life, 0, spaces)
            assert played.outcome.kind == FINISHED
            theirs = View(subject.text, manager, method, (played,), known_of_all)
            yield View(subject.text, manager, method, (), known_of_all, theirs)


@pytest.mark.everything
@pytest.mark.parametrize("python", PYTHONS)
def test_every_table_is_borne_out(python: str) -> None:
    with Session(python) as session:
        views = list(controls(session))
    assert views
    for view in views:
        assert differences(view) == [], view.manager
        known = expected(view)
        assert None not in (known.hidden, known.closes_again, known.autoreset)
