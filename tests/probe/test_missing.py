"""The module that an error says is not there, and the requirement that brings it."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import pytest

from envdoctor.probe.subject.missing import Requirement, missing_of, parsed, requirements_for

GYMNASIUM = [
    "numpy>=1.22.0",
    'ale_py>=0.9; extra == "atari"',
    'pygame-ce>=2.1.3; extra == "box2d"',
    'box2d==2.3.10; python_version < "3.14" and extra == "box2d"',
    'pygame-ce>=2.1.3; extra == "classic-control"',
    "opencv-python (>=3.0) ; extra == 'other'",
    'matplotlib>=3.0; extra == "other"',
    'matplotlib>=3.0; extra == "all"',
    'scipy>=1.7.3; extra == "testing"',
]


@pytest.mark.parametrize(
    ("module", "requirement"),
    [
        ("Box2D", ["gymnasium[box2d]"]),
        ("ale_py", ["gymnasium[atari]"]),
        ("ALE", ["gymnasium[atari]"]),
        ("pygame", ["gymnasium[classic-control]"]),  # the extra that brings least
        ("cv2", ["gymnasium[other]"]),
        ("matplotlib", ["gymnasium[other]"]),
        ("numpy", ["numpy>=1.22.0"]),
        ("py", []),
        ("no_such", []),
    ],
)
def test_the_requirement_is_the_one_that_metadata_declares(
    module: str, requirement: list[str]
) -> None:
    assert requirements_for(module, [("gymnasium", GYMNASIUM)]) == requirement


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("numpy", Requirement("numpy", "", "")),
        ("a-b[c] (>=1.0,<2)", Requirement("a-b", ">=1.0,<2", "")),
        ("x; extra == 'y'", Requirement("x", "", "y")),
        ("", None),
        ("; extra", None),
    ],
)
def test_lines_of_metadata_are_read(line: str, expected: Requirement | None) -> None:
    assert parsed(line) == expected


def importing(module: str) -> BaseException:
    with pytest.raises(ImportError) as caught:
        importlib.import_module(module)
    return caught.value


def test_a_module_that_is_not_there_is_missing_also_behind_its_librarys_own_words() -> None:
    error = RuntimeError("it needs a simulator")
    error.__cause__ = importing("no_such_simulator.core")
    assert missing_of(error) == {"missing": {"module": "no_such_simulator", "requirements": []}}


def test_a_module_that_is_missing_in_a_package_that_is_there_is_not_missing() -> None:
    assert missing_of(importing("os.no_such_part")) == {}


def test_an_error_that_came_while_another_import_was_given_up_is_of_something_else() -> None:
    error = ValueError("size")
    error.__context__ = importing("no_such_simulator")
    assert missing_of(error) == {}


def test_a_package_that_asks_is_known_by_its_distribution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "Rob_Arms-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        'Metadata-Version: 2.1\nName: Rob-Arms\nVersion: 1.0\nRequires-Dist: no-such>=2; extra == "x"\n'
    )
    (info / "top_level.txt").write_text("rob_of_arms\n")
    (tmp_path / "rob_of_arms.py").write_text("import no_such\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    expected = {"module": "no_such", "requirements": ["Rob-Arms[x]"]}
    assert missing_of(importing("rob_of_arms")) == {"missing": expected}


def test_a_variable_that_is_not_set_is_missing() -> None:
    with pytest.raises(KeyError) as caught:
        os.environ["NO_SUCH_SIMULATOR_HOME"]
    assert missing_of(caught.value) == {"missing": {"variable": "NO_SUCH_SIMULATOR_HOME"}}
    with pytest.raises(KeyError) as other:
        {}["NO_SUCH_SIMULATOR_HOME"]
    assert missing_of(other.value) == {}
