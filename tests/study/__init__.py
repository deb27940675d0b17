"""The study of public environments: docs/study says what it examines, and what it found."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
STUDY = ROOT / "docs" / "study"
MADE = ROOT / ".interpreters" / "study"
SWEPT = ROOT / ".study"
LEDGER = STUDY / "ledger.tar.xz"


@dataclass(frozen=True)
class Package:
    """A public package: what is installed, and which of its environments are examined. `build` is
    what its old build scripts need.
    """

    name: str
    reason: str
    requirements: tuple[str, ...]
    specs: tuple[str, ...]
    python: str = "3.11"
    build: tuple[str, ...] = ()
    api: str = "gymnasium"

    @property
    def lock(self) -> Path:
        """The versions of all that is installed."""
        return STUDY / "locks" / f"{self.name}.txt"

    @property
    def interpreter(self) -> Path:
        return MADE / self.name / "bin" / "python"

    @property
    def is_made(self) -> bool:
        return (MADE / self.name / ".ready").exists()


@dataclass(frozen=True)
class Evidence:
    """A script that confirms a finding without envdoctor.

    Its first line is `# package: RULE [RULE...]: statement`. It exits with 0 where the statement
    holds, and prints its figure.
    """

    path: Path
    package: str
    rules: tuple[str, ...]
    statement: str


@cache
def packages() -> dict[str, Package]:
    text = (STUDY / "packages.toml").read_text()
    rows = tomllib.loads(text)["package"]
    return {
        row["name"]: Package(
            **{name: tuple(each) if isinstance(each, list) else each for name, each in row.items()}
        )
        for row in rows
    }


def evidence() -> list[Evidence]:
    """All scripts, by name."""
    return [_evidence(path) for path in sorted((STUDY / "evidence").glob("*.py"))]


def _evidence(path: Path) -> Evidence:
    package, rules, statement = path.read_text().split("\n", 1)[0].lstrip("# ").split(": ", 2)
    return Evidence(path, package, tuple(rules.split()), statement)
