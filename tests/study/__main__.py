"""Study public packages: docs/study.

python -m tests.study make [NAME...]     # an interpreter for each package
python -m tests.study sweep [NAME...]    # examine their environments; goes on where it was
python -m tests.study keep               # write the results into docs/study/ledger.tar.xz
python -m tests.study compare [NAME...]  # what changed since the kept results
python -m tests.study check [NAME...]    # confirm the findings without envdoctor
python -m tests.study table              # the tables of docs/study/README.md
python -m tests.study plot               # its pictures
python -m tests.study report             # reports for the maintainers of the packages
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.study import STUDY, SWEPT, Evidence, Package, evidence, packages
from tests.study.keeping import keep, unpack
from tests.study.maintainers import write_reports
from tests.study.plots import draw
from tests.study.recall import recall
from tests.study.tables import tables
from tests.support.pythons import python_of

ENVDOCTOR = str(Path(sys.executable).parent / "envdoctor")
MANAGERS = "direct,gymnasium-sync"
SECONDS = 300  # for one script of evidence

CONFIRMED, REFUTED, NOT_RUN = "confirmed", "NOT CONFIRMED", "not run"


def main(words: Sequence[str] | None = None) -> int:
    """Run one of the commands; 1 where an interpreter cannot be made or a statement fails."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.study",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=sorted(COMMANDS))
    parser.add_argument("names", nargs="*", choices=[[], *packages()], metavar="NAME")
    options = parser.parse_args(words)
    chosen = [packages()[name] for name in options.names or packages()]
    return COMMANDS[options.command](chosen)


def make(chosen: Iterable[Package]) -> int:
    """Install each package in an interpreter of its own, by its lock where it has one."""
    return max([_make(package) for package in chosen if not package.is_made], default=0)


def _make(package: Package) -> int:
    python = python_of(package.python)
    if python is None:
        print(f"{package.name}: needs Python {package.python}, which is not on PATH")
        return 1
    folder = package.interpreter.parents[1]
    wanted = ["--no-deps", "-r", str(package.lock)]
    wanted = wanted if package.lock.exists() else list(package.requirements)
    pip = [sys.executable, "-m", "pip", "--python", str(package.interpreter)]
    try:
        subprocess.run([python, "-m", "venv", "--clear", "--without-pip", folder], check=True)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraint:
            constraint.write("\n".join(package.build))
            constraint.flush()
            surroundings = {"PIP_CONSTRAINT": constraint.name} if package.build else {}
            words = [*pip, "install", "--quiet", *wanted]
            subprocess.run(words, check=True, env={**os.environ, **surroundings})
        freeze = subprocess.run(
            [*pip, "freeze", "--all", "--exclude", "pip"],
            check=True,
            capture_output=True,
            text=True,
        )
    except subprocess.CalledProcessError as error:
        print(f"{package.name}: {error}")
        return 1
    package.lock.write_text(freeze.stdout)
    (folder / ".ready").touch()
    return 0


def sweep(chosen: Iterable[Package]) -> int:
    """Examine the environments of each package, one package after the other."""
    return max([_sweep(package, SWEPT) for package in chosen if package.is_made], default=0)


def _sweep(package: Package, folder: Path) -> int:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as specs:
        specs.write("\n".join(package.specs) + "\n")
        specs.flush()
        words = ["--file", specs.name, "--out", str(folder / package.name), "--resume"]
        words += ["--python", str(package.interpreter), "--managers", MANAGERS]
        words += ["--no-config", "--exit-zero", "--allow-inconclusive", "--jobs", "1"]
        done = subprocess.run([ENVDOCTOR, "sweep", *words], cwd=STUDY / "factories", check=False)
    return done.returncode


def compare(chosen: Iterable[Package]) -> int:
    """Examine each package anew, and compare with the results that are kept."""
    code = 0
    with tempfile.TemporaryDirectory() as earlier, tempfile.TemporaryDirectory() as fresh:
        unpack(Path(earlier))
        for package in chosen:
            if not package.is_made or not (Path(earlier) / package.name).is_dir():
                print(f"{package.name}: not compared")
                continue
            _sweep(package, Path(fresh))
            folders = [str(Path(folder) / package.name) for folder in (earlier, fresh)]
            done = subprocess.run([ENVDOCTOR, "compare", *folders], check=False)
            code = max(code, done.returncode)
    return code


def check(chosen: Iterable[Package]) -> int:
    """Run the scripts of evidence whose interpreter is there."""
    names = {package.name for package in chosen}
    results: Counter[str] = Counter()
    for script in evidence():
        if script.package in names:
            result, figure = _confirm(script)
            results[result] += 1
            rules = ", ".join(script.rules)
            print(f"{result:13} {script.path.stem}: {script.statement} ({rules})", flush=True)
            print(*(f"              {line}" for line in figure.splitlines()), sep="\n")
    print(", ".join(f"{results[name]} {name}" for name in (CONFIRMED, REFUTED, NOT_RUN)))
    return 1 if results[REFUTED] else 0


def _confirm(script: Evidence) -> tuple[str, str]:
    package = packages()[script.package]
    if not package.is_made:
        return NOT_RUN, f"python -m tests.study make {package.name}"
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [str(package.interpreter), str(script.path)],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return REFUTED, f"did not end within {SECONDS} s"
    lines = done.stdout.strip().splitlines() if done.returncode == 0 else done.stderr.splitlines()
    return REFUTED if done.returncode else CONFIRMED, "\n".join(lines[-3:])


def table(_: Iterable[Package]) -> int:
    """Print the tables of the page."""
    print(tables(), recall(), sep="\n\n")
    return 0


def plot(_: Iterable[Package]) -> int:
    """Draw the pictures of the page."""
    draw()
    return 0


def report(_: Iterable[Package]) -> int:
    """Write the reports for maintainers."""
    write_reports()
    return 0


def pack(chosen: Iterable[Package]) -> int:
    """Keep the results, without the paths of this machine."""
    keep(chosen)
    return 0


COMMANDS = {
    "make": make,
    "sweep": sweep,
    "keep": pack,
    "compare": compare,
    "check": check,
    "table": table,
    "plot": plot,
    "report": report,
}

if __name__ == "__main__":
    sys.exit(main())
