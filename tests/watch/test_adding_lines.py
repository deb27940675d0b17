"""The line of a script's own code that adds to a container."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training import Training
from envdoctor.model.training_growth import Series, TrainingHolder
from envdoctor.watch import command
from envdoctor.watch.adding_lines import AddingLines, with_adding_lines
from envdoctor.watch.command import RunTerms

SCRIPT = """
from agents import Agent
agent = Agent()
losses, table, total = [], {}, 0
def train():
    for number in range(9):
        losses.append(number)
        table[number] = 1
        table.update({number: 2})
        agent.remember(number)
"""
AGENTS = """
class Agent:
    def __init__(self):
        self.memory = []
        self.frames = []
    def remember(self, what):
        self.memory.append(what)
        self.frames += [what]
"""
COMMAND = ("python", "train.py")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "agents.py").write_text(AGENTS)
    return tmp_path


def held(chain: str) -> TrainingHolder:
    return TrainingHolder(chain, "list", 90, 400)


@pytest.mark.parametrize(
    ("chain", "file", "line", "function"),
    [
        ("__main__.agent.memory", "agents.py", 7, "remember"),
        ("train() agent.frames", "agents.py", 8, "remember"),
        ("__main__.losses", "train.py", 7, "train"),
    ],
)
def test_only_line_that_adds_is_known(
    chain: str, file: str, line: int, function: str, here: Path
) -> None:
    place = AddingLines(COMMAND, here).of(held(chain))
    assert place == Location(str(here / file), line, function)


@pytest.mark.parametrize(
    "chain", ["__main__.table", "__main__.total", "agent.buffer", "x['y']", ""]
)
def test_no_line_is_named_where_several_add_or_none_does(chain: str, here: Path) -> None:
    assert AddingLines(COMMAND, here).of(held(chain)) is None


GRAPH = """
operations = []
class Operation:
    def __init__(self):
        operations.append(self)
def assign():
    return Operation()
"""


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("from graph import assign\ndef learn():\n    assign()\n", 3),
        ("from graph import assign\ndef learn():\n    assign()\n    assign()\n", None),
        ("import graph\ngraph.assign()\ndef assign_all():\n    graph.Operation()\n", None),
        ("import graph\n", None),
    ],
)
def test_line_of_another_file_that_calls_is_known_where_it_is_the_only_one(
    script: str, line: int | None, here: Path
) -> None:
    (here / "train.py").write_text(script)
    (here / "graph.py").write_text(GRAPH)
    known = AddingLines(COMMAND, here).added_to(held("graph.operations"))
    assert known.added == Location(str(here / "graph.py"), 5, "__init__")
    assert (known.called.line if known.called else None) == line


@pytest.mark.parametrize("text", ["def train(:\n", "x = " + "-" * 50_000 + "1\n", ""])
def test_source_that_cannot_be_read_names_nothing(text: str, here: Path) -> None:
    (here / "train.py").write_text(text)
    assert AddingLines(COMMAND, here).of(held("__main__.losses")) is None


def test_containers_of_a_training_get_their_lines(here: Path) -> None:
    series = Series(1, (), (held("__main__.agent.memory"), held("__main__.table")))
    training = with_adding_lines(Training(COMMAND, series=(series,)), here)
    lines = [each.added and each.added.line for each in training.series[0].holders]
    assert lines == [7, None]
    assert with_adding_lines(Training(("sleep", "1")), here) == Training(("sleep", "1"))


def test_watched_training_has_the_lines(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    series = Series(1, (), (held("__main__.agent.memory"),))
    run = command._watched
    monkeypatch.setattr(
        command, "_watched", lambda *terms: replace(run(*terms), command=COMMAND, series=(series,))
    )
    training = command.watch(("true",), (), terms=RunTerms(directory=str(here)))
    assert training.series[0].holders[0].added is not None
