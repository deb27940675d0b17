"""The pure parts of `watch`."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path

import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training import Silent, Training, TrainingProcess, training_in
from envdoctor.model.training_calls import LongCall
from envdoctor.model.training_events import announced
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.reporters._lines import Grid
from envdoctor.reporters._training import training
from envdoctor.rules.evidence.training import watched_trace
from envdoctor.watch.boot_folder import CODE, write_code
from envdoctor.watch.pages import PageReport
from envdoctor.watch.tree import why

BOOT = "/tmp/envdoctor-1/boot"
GIVEN = [f"PYTHONPATH={BOOT}:/home"]


@pytest.mark.parametrize(
    ("words", "variables", "version", "reason"),
    [
        (["python", "-I", "x.py"], GIVEN, (3, 11), "-I leaves PYTHONPATH out"),
        (["python", "-sE", "x.py"], GIVEN, (3, 11), "-E leaves PYTHONPATH out"),
        (["python", "-W", "error", "-S", "x.py"], GIVEN, (3, 11), "-S leaves sitecustomize out"),
        (["python", "x.py", "-I"], GIVEN, (3, 11), "the reason is not known"),
        (["python", "-c", "pass", "-I"], GIVEN, (), "the reason is not known"),
        (["python", "-X", "dev", "-m", "mod", "-E"], GIVEN, (), "the reason is not known"),
        (["python", "x.py"], ["HOME=/"], (), "it was started without PYTHONPATH"),
        (["python", "x.py"], ["PYTHONPATH=/mine"], (), "its PYTHONPATH was replaced"),
        (["python", "x.py"], [""], (), "its environment cannot be read"),
        (["python2.7", "x.py"], GIVEN, (2, 7), "Python 2.7 is older than 3.8"),
    ],
)
def test_reason_for_a_missing_hook_is_named(words, variables, version, reason) -> None:
    assert why(words, variables, BOOT, version) == reason


def test_the_hook_has_all_that_it_imports(tmp_path: Path) -> None:
    """The modules of the hook are a list: each one that the hooks import has to be in it, too."""
    assert write_code(tmp_path)
    code = tmp_path / CODE
    imports = [
        (file.relative_to(code).as_posix(), node.module, alias.name)
        for file in code.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("envdoctor")
        for alias in node.names
    ]

    def is_there(module: str, name: str) -> bool:
        place = code / module.replace(".", "/")
        return place.with_suffix(".py").exists() or (place / f"{name}.py").exists()

    assert len(imports) > 10
    assert [each for each in imports if not is_there(*each[1:])] == []


def test_a_training_is_kept_as_lines() -> None:
    watched = Training(
        ("python", "train.py"),
        1,
        -11,
        2.5,
        (TrainingProcess(1, 0, "python train.py", code=-11, ended=2.5), TrainingProcess(2, 1)),
        (Instances(2, 1, "arm.Arm", Location("/a.py", 3, "f"), "sync", step=Calls(2, 1)),),
        (LongCall(2, 1, "step", 6.0, 5.5),),
        (TrainingProcess(9, command="sleep"),),
        (Silent(8, "python -I", "-I"),),
        ("gym: KeyError",),
    )
    assert Training.from_dict(json.loads(json.dumps(watched.as_dict()))) == watched
    assert training_in(watched_trace(watched)) == watched
    assert training_in(None) is None


def test_instance_inherited_through_two_forks_has_its_type() -> None:
    told = PageReport()
    events = [
        {"what": "instance", "page": "a", "row": 1, "type": "arm.Arm"},
        {"what": "page", "page": "b", "where": "a"},
        {"what": "page", "page": "c", "where": "b"},
    ]
    told.take(announced({"pid": 1, "t": 0.0, **event}) for event in events)
    birth = told.creation("c", 1)
    assert birth is not None
    assert birth.type == "arm.Arm"
    assert told.creation("c", 2) is None
    assert told.creation("d", 1) is None


def test_an_instance_whose_constructor_raised_is_not_one_that_nobody_closed() -> None:
    one = Instances(1, 1, "arm.Arm", number=3, unmade=1, gone=2, closed=1, lost=1)
    assert (one.made, one.unclosed, one.dropped) == (2, 1, 0)


@pytest.mark.parametrize(
    ("calls", "running"),
    [
        ({}, ""),
        ({"step": Calls(2, 1)}, "step"),
        ({"make": Calls(1, 0), "reset": Calls(1, 0)}, "reset"),
        ({"make": Calls(1, 0)}, "make"),
    ],
)
def test_the_innermost_call_is_the_one_that_runs(calls, running) -> None:
    assert Instances(1, 1, "arm.Arm", **calls).running == running


def test_instances_that_a_fork_only_took_along_have_no_row() -> None:
    taken = Instances(2, 1, "arm.Arm", number=0, inherited=3)
    stepped = Instances(3, 1, "arm.Arm", number=0, inherited=1, step=Calls(4, 4))
    seen = Training(
        ("python",), 1, 0, 1.0, (TrainingProcess(1),), (Instances(1, 1, "arm.Arm"), taken)
    )
    rows = [part.rows for part in training(seen) if isinstance(part, Grid)]
    assert [row[0][0] for row in rows[0]] == ["1"]
    more = replace(seen, instances=(*seen.instances, stepped))
    (grid,) = [part for part in training(more) if isinstance(part, Grid)]
    assert [row[0][0] for row in grid.rows] == ["1", "3"]
