"""The folders from which modules of a repository are imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from envdoctor.request.settings import roots_of


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name in ("alpha/src/alpha", "group/beta/beta", "docs/gamma", ".venv/delta", "build/eps"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("alpha", "group/beta", ".venv", "build"):
        (tmp_path / name / "pyproject.toml").touch()
    (tmp_path / "own").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("module", "roots"),
    [
        ("alpha", ["alpha/src", "group/beta"]),
        ("beta.arm", ["alpha/src", "group/beta"]),
        ("own", []),
        ("gamma", []),
        ("delta", []),
        ("eps", []),
        ("numpy", []),
        (None, []),
    ],
)
def test_packages_of_a_repository_are_imported_from_their_roots(
    repository: Path, module: str | None, roots: list[str]
) -> None:
    assert roots_of(module, str(repository)) == tuple(str(repository / each) for each in roots)


def test_src_beside_is_a_root_and_goes_before_packages_below(repository: Path) -> None:
    (repository / "src" / "alpha").mkdir(parents=True)
    source = str(repository / "src")
    assert roots_of("alpha", str(repository)) == (source,)
    assert roots_of("beta", str(repository))[0] == source
    assert roots_of("beta", str(repository / "missing")) == ()
