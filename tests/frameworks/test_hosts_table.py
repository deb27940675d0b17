"""What docs/README.md says of errors and of vectorizers that are given up, measured with a null
environment under the frameworks that are installed.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator

import pytest

from envdoctor.frameworks import profile_of
from envdoctor.model.errors import read_error
from envdoctor.model.faults import CLOSE, STEP, Fault
from envdoctor.model.report import HANG, ITSELF, NOTHING, FaultReport
from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.plan.planted_faults import FAULT_LIFE
from envdoctor.plan.scenarios import PLAIN
from envdoctor.probe.adapters import modules
from envdoctor.request.specs import parse
from envdoctor.rules.evidence.faults import is_injected, summarise
from envdoctor.run.supervise.session import Session
from tests.interpreters import way_to
from tests.test_docs_hosts import rows
from tests.zoo import ENVS

CARTPOLE = parse("CartPole-v1", {}, (), "/")
#: What takes other environments than Gymnasium's.
SUBJECTS = {"supersuit": parse("parallel_walks.py:Walks", {}, (), str(ENVS))}
OWNERS = {
    "gymnasium": "",
    "sb3": "ENVDOCTOR_SB3_PYTHON",
    "torchrl": "ENVDOCTOR_TORCHRL_PYTHON",
    "ding": "ENVDOCTOR_DING_PYTHON",
    "tianshou": "ENVDOCTOR_TIANSHOU_PYTHON",
    "puffer": "ENVDOCTOR_PUFFER_PYTHON",
    "supersuit": "ENVDOCTOR_SUPERSUIT_PYTHON",
    "rllib": "ENVDOCTOR_RAY_PYTHON",
    "ray": "ENVDOCTOR_RAY_PYTHON",
}
GIVEN_UP = "make reset step drop"
NOT_CLOSED, CLOSED = "never closed", "closed"


def python_of(word: str) -> str:
    """The interpreter that has a framework, or nothing."""
    here = importlib.util.find_spec("gymnasium") and not OWNERS[word]
    return sys.executable if here else os.environ.get(OWNERS[word], "")


def measured(session: Session, manager: str, method: str | None) -> Iterator[str]:
    """The cells of one vectorizer: errors of step() and close(), and what becomes of instances
    whose vectorizer is dropped without close().
    """
    subject = SUBJECTS.get(manager.partition("-")[0], CARTPOLE)
    spaces = session.directory / "spaces.pkl"
    if subject is not CARTPOLE:
        session.play(subject, PLAIN, 0, spaces)
    for kind in (STEP, CLOSE):
        fault = Fault(kind, 1)
        still = profile_of(manager).patience
        scenario = Scenario(fault.name, FAULT_LIFE, manager, method, control=True, idle_limit=still)
        played = session.play(subject, scenario, 0, spaces)
        yield in_words(next(iter(summarise((played,), {}))), played)
    given_up = Scenario("given-up", GIVEN_UP, manager, method, control=True)
    played = session.play(subject, given_up, 0, spaces)
    assert played.outcome.kind == FINISHED
    made, closing = played.instances("made"), played.instances("closing")
    yield CLOSED if made == closing else NOT_CLOSED


def in_words(report: FaultReport, played: Trace) -> str:
    """What the caller sees of one fault, as the table says it."""
    if report.sees == HANG:
        return "never: it waits"
    if report.sees == NOTHING:
        return "lost" if played.instances("close-raised") else "never called"
    raised = next(played.of("verb", state="raised"))
    if report.sees == ITSELF:
        return "itself" if is_injected(read_error(raised["error"])) else "its text"
    return f"`{report.error.partition(':')[0]}`"


@pytest.mark.parametrize("manager", [name for name in rows() if name.partition("-")[0] in OWNERS])
def test_a_row_says_what_was_measured(manager: str) -> None:
    word = manager.partition("-")[0]
    python = python_of(word)
    if not python:
        pytest.skip(way_to(OWNERS[word]))
    methods = modules()[manager].START_METHODS
    with Session(python) as session:
        cells = list(measured(session, manager, methods[0] if methods else None))
    # What is behind a semicolon are the errors that are hard to send, which --faults shows.
    assert [cell.partition(";")[0] for cell in rows()[manager][-3:]] == cells
