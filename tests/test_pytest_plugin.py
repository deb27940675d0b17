"""The plugin, in a pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ENVS = Path(__file__).parent / "envs"
PATIENCE = 600.0  # seconds
#: As it is installed, or by name where this checkout was installed before there was a plugin.
PLUGIN = (
    () if entry_points(group="pytest11", name="envdoctor") else ("-p", "envdoctor.pytest_plugin")
)


def run(folder: Path, text: str, *arguments: str) -> tuple[int, str]:
    """pytest's exit code and what it printed, for a file of tests beside environments of the
    zoo.
    """
    folder.joinpath("test_it.py").write_text(text)
    for name in ("plain.py", "leaks.py", "cls006_close_leaves_descriptors.py"):
        folder.joinpath(name).write_text((ENVS / name).read_text())
    # In CI, pytest's summary repeats all.
    told_short = {
        name: value for name, value in os.environ.items() if name not in ("CI", "BUILD_NUMBER")
    }
    environment = {
        **told_short,
        "PYTHONPATH": os.pathsep.join([str(ENVS.parents[1]), str(ENVS)]),
        "PYTEST_ADDOPTS": "",
    }
    command = [sys.executable, "-m", "pytest", *PLUGIN, "-p", "no:cacheprovider", "-q", *arguments]
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


MARKED = """
import pytest

@pytest.mark.envdoctor("leaks.py:Clean", select=["CLS006"], managers=["direct"])
def test_healthy(envdoctor):
    assert envdoctor.report.verdict == "healthy"

@pytest.mark.envdoctor("cls006_close_leaves_descriptors.py:Sick", select=["CLS006"], managers=["direct"])
def test_sick():
    raise SystemError("the test itself is not run")

@pytest.mark.envdoctor("cls006_close_leaves_descriptors.py:Sick", select=["CLS006"], managers=["direct"], fail_on=None)
def test_tolerated(envdoctor):
    assert [finding.code for finding in envdoctor.report.findings] == ["CLS006"]

@pytest.mark.envdoctor("leaks.py:Clin")
def test_misspelt():
    pass

@pytest.mark.envdoctor("leaks.py:Clean", manager="direct")
def test_wrong_option():
    pass

@pytest.mark.envdoctor
def test_of_what():
    pass
"""


def test_a_mark_examines_before_the_test(tmp_path: Path) -> None:
    code, text = run(tmp_path, MARKED)
    assert code == 1
    assert "2 passed, 4 errors" in text
    assert text.count("error CLS006 close-leaves-descriptors") == 1
    assert "no option of envdoctor.check() is called 'manager'; did you mean managers?" in text
    assert "name an environment, for example CartPole-v1, or hand over its class" in text
    assert "Traceback" not in text
    assert "another exception occurred" not in text
    assert "REG001" in text or "Clin" in text
    assert "SystemError" not in text


CALLED = """
from leaks import Clean, Descriptor
from envdoctor.testing import assert_no_growth

def test_healthy(envdoctor):
    assert envdoctor(Clean, select=["CLS"], managers=["direct"]).passed

def test_sick(envdoctor):
    envdoctor(Descriptor, select=["LEK"], managers=["direct"])

def test_asserted():
    assert_no_growth(Descriptor)

def test_wrong(envdoctor):
    envdoctor(Clean, managers=["gymnasium-asink"])
"""


@pytest.mark.everything
def test_a_class_is_examined_where_it_is_asked_for(tmp_path: Path) -> None:
    code, text = run(tmp_path, CALLED, "-n", "2")  # each worker of xdist has probes of its own
    assert code == 1
    assert "3 failed, 1 passed" in text
    assert text.count("LEK005 descriptors-grow") >= 2
    assert "did you mean gymnasium-async?" in text


def test_another_interpreter_may_own_the_environments(tmp_path: Path) -> None:
    code, text = run(tmp_path, CALLED, "--envdoctor-python", "/no/such/python", "-k", "healthy")
    assert code == 1
    assert "--python /no/such/python: no executable of that name" in text


@pytest.mark.always
def test_the_mark_is_known_and_unused_it_imports_nothing(tmp_path: Path) -> None:
    unused = """
import sys

def test_nothing_was_imported():
    assert {name for name in sys.modules if name.split(".")[0] == "envdoctor"} == {"envdoctor", "envdoctor.pytest_plugin"}
    assert not {"rich", "typer", "psutil", "gymnasium"} & set(sys.modules)
"""
    assert run(tmp_path, unused, "-p", "no:rerunfailures", "--strict-markers")[0] == 0
    assert "examine this environment before the test runs" in run(tmp_path, unused, "--markers")[1]
