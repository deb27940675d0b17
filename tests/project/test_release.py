"""All that goes with a release says the same everywhere: the package, its recipe, its image, how it is
cited.
"""

from __future__ import annotations

import fnmatch
import hashlib
import re
import tomllib
from typing import Any

import yaml

from envdoctor import __version__
from tests.support import packages

ROOT = packages.ROOT
RECIPE = (ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8")


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def without_marker(requirement: str) -> str:
    """`memray >=1.15` of `memray>=1.15; sys_platform != 'win32'`."""
    return re.sub(r"(?=[<>=!~])", " ", requirement.partition(";")[0], count=1)


def test_recipe_asks_for_what_the_package_asks_for() -> None:
    recipe = yaml.safe_load(packages.recipe(RECIPE, b"sdist"))
    own, build = project()["project"], project()["build-system"]
    _, *run = recipe["requirements"]["run"]
    assert run == [without_marker(each) for each in own["dependencies"]]
    assert recipe["requirements"]["host"][1:-1] == [
        without_marker(each) for each in build["requires"]
    ]
    assert recipe["build"]["python"]["entry_points"] == [
        f"{name} = {value}" for name, value in own["scripts"].items()
    ]
    assert recipe["about"]["license"] == own["license"]


def test_recipe_has_the_version_and_the_digest_of_the_sdist() -> None:
    recipe = yaml.safe_load(packages.recipe(RECIPE, b"sdist"))
    assert recipe["context"]["version"] == __version__
    assert recipe["source"]["sha256"] == hashlib.sha256(b"sdist").hexdigest()


def test_citation_names_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == __version__
    assert citation["license"] == project()["project"]["license"]


def test_image_gets_all_that_a_wheel_is_built_of() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    admitted = [line[1:] for line in lines if line.startswith("!")]
    own = project()
    needed = ["pyproject.toml", own["project"]["readme"], "LICENSE"]
    needed += own["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert lines[0] == "*"
    assert [each for each in needed if not any(fnmatch.fnmatch(each, to) for to in admitted)] == []


def test_image_runs_as_a_user_without_rights() -> None:
    instructions = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    users = [line.split()[1] for line in instructions if line.startswith("USER ")]
    assert users == ["1000"]
    assert instructions.index("USER 1000") < instructions.index('ENTRYPOINT ["envdoctor"]')


def test_file_that_an_archive_lacks_is_named() -> None:
    held = {"pyproject.toml"}
    assert packages.missing_from(["README.md", "gone.md", "pyproject.toml"], held) == ["README.md"]


def test_errors_of_a_report_are_its_errors_alone() -> None:
    findings = [{"code": "B", "severity": "error"}, {"code": "A", "severity": "error"}]
    findings += [{"code": "B", "severity": "error"}, {"code": "C", "severity": "warning"}]
    assert packages.errors_in({"findings": findings}) == ["A", "B"]
