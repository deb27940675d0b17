"""The table of vectorizers in docs/README.md, measured under the frameworks that are installed: when
the next episode begins, who is waited for, what arrives of errors, and what
becomes of instances that are given up. What is built besides is held by tests/project/test_docs_hosts.py
and tests/frameworks/test_tables.py.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from envdoctor.frameworks import profile_of
from envdoctor.frameworks.hidden_instances import forgotten
from envdoctor.model.errors import read_error
from envdoctor.model.faults import CLOSE, STEP, TWO_ARGUMENTS, UNPICKLABLE, Fault
from envdoctor.model.report import HANG, ITSELF, NOTHING
from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.plan.planted_faults import FAULT_LIFE
from envdoctor.plan.scenarios import PLAIN
from envdoctor.probe.adapters import modules
from envdoctor.request.specs import parse
from envdoctor.rules.evidence.faults import is_injected, summarise
from envdoctor.run.supervise.session import Session
from tests.interpreters import way_to
from tests.project.test_docs_hosts import rows
from tests.shapes.examined import ENVS as SHAPES
from tests.support.zoo import ENVS

pytestmark = pytest.mark.waits

#: What takes other environments than Gymnasium's, with one that is healthy, and one whose episodes
#: have two steps.
OTHERS = {
    "supersuit": (ENVS, "parallel_walks.py:Walks", "parallel_walks.py:ShortWalks"),
    "agilerl": (ENVS, "parallel_walks.py:Walks", "parallel_walks.py:ShortWalks"),
    "openenv": (SHAPES, "served.py:Healthy", "served.py:Short"),
}
OWNERS = {
    "gymnasium": "",
    "sb3": "ENVDOCTOR_SB3_PYTHON",
    "torchrl": "ENVDOCTOR_TORCHRL_PYTHON",
    "ding": "ENVDOCTOR_DING_PYTHON",
    "tianshou": "ENVDOCTOR_TIANSHOU_PYTHON",
    "puffer": "ENVDOCTOR_PUFFER_PYTHON",
    "supersuit": "ENVDOCTOR_SUPERSUIT_PYTHON",
    "agilerl": "ENVDOCTOR_AGILERL_PYTHON",
    "rllib": "ENVDOCTOR_RAY_PYTHON",
    "ray": "ENVDOCTOR_RAY_PYTHON",
    "openenv": "ENVDOCTOR_OPENENV_PYTHON",
}
LIFE = "make reset step close drop"
GIVEN_UP = "make reset step drop"
TWO_EPISODES = "make reset step:3 close drop"
NOT_CLOSED, CLOSED = "never closed", "closed"
#: Errors that few managers send, as the table calls them.
HARD = {
    UNPICKLABLE: "one that does not pickle",
    TWO_ARGUMENTS: "one that cannot be built of its text",
}
#: Those whose close() closes no instance, as the page says below the table.
CLOSE_NONE = ("puffer-multiprocessing", "supersuit-proc-concat")
#: (vectorizer, column) of what only other tests can measure: one call of sample() steps twice
#: where an episode begins, and VEC010 and VEC012 compare what it returns.
NOT_HERE = {
    ("rllib-env-runner", "next episode"): "test_rllib_runner.py",
    ("rllib-remote", "next episode"): "test_rllib_remote.py",
}
#: (vectorizer, column) of what other tests hold behind a semicolon.
ELSEWHERE = {
    ("rllib-env-runner", "error of step()"): "test_statements_rllib.py",
    ("rllib-env-runner", "given up"): "test_rllib_runner.py",
    ("torchrl-serial", "error of close()"): "test_statements_torchrl.py",
}
COLUMNS = (
    "next episode",
    "not waited for",
    "error of step()",
    "error of close()",
    "given up",
)


@dataclass
class Place:
    """One vectorizer, in the session in which it is played."""

    session: Session
    manager: str
    method: str | None

    def __post_init__(self) -> None:
        self.word = self.manager.partition("-")[0]
        known = OTHERS.get(self.word, (ENVS, "CartPole-v1", "short_episodes.py:Short"))
        self.folder, healthy, self.short = str(known[0]), *known[1:]
        self.subject = parse(healthy, {}, (), self.folder)
        self.spaces = self.session.directory / "spaces.pkl"
        if self.word in OTHERS:
            self.session.play(self.subject, PLAIN, 0, self.spaces)

    def control(self, name: str, script: str, **more: Any) -> Trace:
        """A play of the null environment."""
        scenario = Scenario(name, script, self.manager, self.method, control=True, **more)
        return self.session.play(self.subject, scenario, 0, self.spaces)

    def fault(self, kind: str) -> Trace:
        """A play in which the second instance has a fault."""
        still = profile_of(self.manager).patience
        return self.control(Fault(kind, 1).name, FAULT_LIFE, idle_limit=still)

    def row(self, log: Path) -> dict[str, str]:
        """Its cells."""
        step, life = self.fault(STEP), self.control("life", LIFE)
        assert closes_all(life) == (self.manager not in CLOSE_NONE)
        given_up = self.control("given-up", GIVEN_UP)
        assert given_up.outcome.kind == FINISHED
        cells = (
            "" if (self.manager, COLUMNS[0]) in NOT_HERE else self.next_episode(log),
            self.unwaited(life, step),
            self.step_error(step),
            in_words(self.fault(CLOSE)),
            CLOSED if all_closed(given_up) else NOT_CLOSED,
        )
        return dict(zip(COLUMNS, cells, strict=True))

    def next_episode(self, log: Path) -> str:
        """Of what is called in an instance whose episodes have two steps, in three steps."""
        short = parse(self.short, {"log": str(log)}, (), self.folder)
        scenario = Scenario("two-episodes", TWO_EPISODES, self.manager, self.method)
        assert self.session.play(short, scenario, 0, None).outcome.kind == FINISHED
        called = defaultdict(list)
        for line in log.read_text().splitlines():
            instance, call = line.split()
            called[instance].append(call)
        played = [calls[calls.index("step") :] for calls in called.values() if "step" in calls]
        (calls,) = {tuple(calls) for calls in played}
        begun = ("step", "step", "reset")
        assert calls in (begun, (*begun, "step")), calls
        return "next-step" if calls == begun else "same-step"

    def unwaited(self, life: Trace, failed: Trace) -> str:
        """Return the workers that are zombies when close() has returned."""
        if not self.method:
            return ""
        if sum(life.facts("zombies")) or life.lifecycles[-1].left("zombies", "held"):
            return "each"
        (report,) = summarise((failed,), {})
        return "those that failed" if report.zombies else "no"

    def step_error(self, played: Trace) -> str:
        """Return what arrives of an error of step(), and of errors that are hard to send."""
        cell = in_words(played)
        if not self.method or cell != "itself":
            return cell
        others = {words: in_words(self.fault(kind)) for kind, words in HARD.items()}
        found = [f"{words}: {seen}" for words, seen in others.items() if seen != "itself"]
        return "; ".join((cell, *found))


def closes_all(played: Trace) -> bool:
    """Return whether each hosted instance was closed. Assert that all of them were, or none."""
    here = played.scenario.start_method is None
    hidden = forgotten(played, modules()[played.scenario.manager].HIDDEN)
    hosted = played.instances("made", parent=here) - {one.key for one in hidden}
    closed = hosted & played.instances("closing")
    assert hosted
    assert closed in (set(), hosted)
    return closed == hosted


def all_closed(played: Trace) -> bool:
    """Return whether each instance was closed."""
    return played.instances("made") == played.instances("closing")


def in_words(played: Trace) -> str:
    """Return the effect of one fault on the caller, in the words of the table."""
    (report,) = summarise((played,), {})
    if report.sees == HANG:
        return "waits for ever"
    if report.sees == NOTHING:
        return "lost" if played.instances("close-raised") else "never called"
    raised = next(played.of("verb", state="raised"))
    if report.sees == ITSELF:
        return "itself" if is_injected(read_error(raised["error"])) else "its text"
    return f"`{report.error.partition(':')[0]}`"


@pytest.mark.everything(but=["gymnasium-async"])
@pytest.mark.parametrize("manager", rows())
def test_a_row_says_what_was_measured(manager: str, tmp_path: Path) -> None:
    word = manager.partition("-")[0]
    python = os.environ.get(OWNERS[word], "") if OWNERS[word] else sys.executable
    if not python:
        pytest.skip(way_to(OWNERS[word]))
    methods = modules()[manager].START_METHODS
    with Session(python) as session:
        measured = Place(session, manager, methods[0] if methods else None).row(tmp_path / "log")
    said = dict(zip(COLUMNS, rows()[manager][1:2] + rows()[manager][3:], strict=True))
    said.update((column, "") for name, column in NOT_HERE if name == manager)
    for column in COLUMNS:
        if (manager, column) in ELSEWHERE:
            said[column] = said[column].partition(";")[0]
    assert said == measured
