"""The built packages, tried: `python -m tests.support.packages FOLDER` (`make wheel`).

The sdist has to hold each file of the repository, and the tests of values have to pass in it. The
wheel is installed into a fresh virtual environment of each Python that there is here, and
examines a healthy environment and the sick one that ships with it. The recipe for conda-forge is
written beside them.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from envdoctor import __version__
from tests.support.pythons import python_of

ROOT = Path(__file__).parents[2]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
SECONDS = 900.0  # for one program: a machine that compiles nothing needs a tenth of it
TESTS = ("tests/model", "tests/request", "tests/project/test_stability.py")  # fmt: skip


def main(folder: Path) -> None:
    """Try the sdist and the wheel of a folder. Raises SystemExit with what is wrong."""
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    template = (ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8")
    (folder / "recipe.yaml").write_text(recipe(template, sdist.read_bytes()), encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="packages-") as place:
        try_sdist(sdist, Path(place))
        for version in VERSIONS:
            python = python_of(version)
            if python is None:
                print(f"Python {version}: not tried, there is none here", flush=True)
            else:
                try_wheel(wheel, python, Path(place, version))
                print(f"Python {version}: installed and tried", flush=True)


def recipe(template: str, sdist: bytes) -> str:
    """The recipe for conda-forge of an sdist."""
    digest = hashlib.sha256(sdist).hexdigest()
    return template.replace("@VERSION@", __version__).replace("@SHA256@", digest)


def try_sdist(sdist: Path, place: Path) -> None:
    """Compare an sdist with what git knows, and play tests in it."""
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
        archive.extractall(place, filter="data")
    known = run(["git", "ls-files", "-z"], ROOT).split("\0")[:-1]
    missing = missing_from(known, held)
    if missing:
        sys.exit(f"{sdist.name} lacks {', '.join(missing)}")
    run([sys.executable, "-m", "pytest", "-q", *TESTS], place / sdist.name.removesuffix(".tar.gz"))
    print(f"{sdist.name}: {len(held)} files, the tests of values pass in it", flush=True)


def missing_from(known: Iterable[str], held: set[str]) -> list[str]:
    """The files of the repository that an archive does not hold."""
    return sorted(name for name in known if name not in held and (ROOT / name).is_file())


def try_wheel(wheel: Path, python: str, place: Path) -> None:
    """Install a wheel into a fresh virtual environment, and examine with it from an empty folder."""
    empty = place / "empty"
    empty.mkdir(parents=True)
    run([python, "-m", "venv", str(place / "venv")], empty)
    pip = [str(place / "venv/bin/python"), "-m", "pip", "--disable-pip-version-check"]
    run([*pip, "install", "--quiet", "--prefer-binary", str(wheel)], empty)
    run([*pip, "check"], empty)
    command = str(place / "venv/bin/envdoctor")
    printed = run([command, "--version"], empty)
    if printed != f"envdoctor {__version__}\n":
        sys.exit(f"{python}: --version prints {printed!r}")
    for spec, code, wanted in (("CartPole-v1", 0, []), ("envdoctor.demo:Arm", 1, DEMO)):
        text = run(
            [command, "check", spec, "--managers", "direct", "--format", "json"], empty, code
        )
        if (got := errors_in(json.loads(text))) != wanted:
            sys.exit(f"{python}: the errors of {spec} are {got}, expected {wanted}")


DEMO = ["CLS006", "CLS007"]  # the errors of the environment that ships with envdoctor


def errors_in(report: Mapping[str, Any]) -> list[str]:
    """The codes of the errors of a report, in JSON v1."""
    return sorted(
        {finding["code"] for finding in report["findings"] if finding["severity"] == "error"}
    )


def run(words: Sequence[str], directory: Path, code: int = 0) -> str:
    """The output of a program; it has to end with that exit code."""
    variables = {name: os.environ[name] for name in os.environ if not name.startswith("PYTHON")}
    done = subprocess.run(
        words,
        cwd=directory,
        env=variables,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode != code:
        sys.exit(f"{' '.join(words)} ends with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
