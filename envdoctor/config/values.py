"""The values of a configuration, for all environments and for single ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from envdoctor.config.keys import KEYS, KWARGS, SPECS, SUBJECT
from envdoctor.config.places import Path, place
from envdoctor.config.toml_text import toml
from envdoctor.model.facts.decoding import decoded
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.verdict import policy

if TYPE_CHECKING:
    from envdoctor.verdict.baseline import BaselineEntry


@dataclass(frozen=True)
class EnvironmentTable:
    """A table on some environments: on those whose SPEC fits `pattern`, or on that SPEC with the
    arguments of the table. `path` is the table's place in the file.
    """

    path: Path
    pattern: str
    values: Mapping[str, Any]

    @property
    def is_subject(self) -> bool:
        """True of an environment that is listed, False of a glob."""
        return self.path[0] == SUBJECT

    @property
    def title(self) -> str:
        """The name of a listed environment in reports: `maze.py:Maze(size=3)`."""
        arguments = self.values.get(KWARGS, {})
        words = ", ".join(f"{name}={toml(value)}" for name, value in arguments.items())
        return f"{self.pattern}({words})" if words else self.pattern


@dataclass(frozen=True)
class Config:
    """The content of a file: `values` by key, and the tables of environments, of which later ones
    go before earlier ones. `lines` are the lines of keys, where they are known. Without a file,
    all is empty. An environment is named by its SPEC, or by the title of its record.
    """

    file: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    records: tuple[EnvironmentTable, ...] = ()
    lines: Mapping[Path, int] = field(default_factory=dict)

    def get(self, key: str) -> Any:
        """The value of a key, or its default."""
        return self.values.get(key, KEYS[key].default)

    def merged(self, key: str, spec: str) -> dict[str, object]:
        """The table of a key for one environment: what is said of all, and what of it."""
        return {**self.get(key), **self.of(spec).get(key, {})}

    def origin(self, *path: str) -> str:
        """`pyproject.toml:31`, or `default` where the file has no such key."""
        if not self._has(path):
            return "default"
        return place(self.file, self.lines, path)

    def origin_for(self, spec: str, key: str) -> str:
        """Return the place of the value that holds for an environment."""
        paths = [each.path for each in self._concerning(spec) if key in each.values]
        return self.origin(*paths[-1], key) if paths else self.origin(key)

    def _has(self, path: Path) -> bool:
        return path[0] in self.values or any(each.path[0] == path[0] for each in self.records)

    def of(self, spec: str) -> dict[str, Any]:
        """Return the values of the tables that concern an environment; the last one wins."""
        result: dict[str, object] = {}
        for record in self._concerning(spec):
            result.update(record.values)
        return result

    def _concerning(self, spec: str) -> list[EnvironmentTable]:
        typed = self.listed.get(spec, spec)
        return [
            each
            for each in self.records
            if (each.title == spec if each.is_subject else policy.fits(typed, each.pattern))
        ]

    @property
    def listed(self) -> dict[str, str]:
        """The SPECs of the environments that are listed with their arguments, by their titles."""
        return {each.title: each.pattern for each in self.records if each.is_subject}

    def titles(self, spec: str) -> tuple[str, ...]:
        """The environments that a SPEC stands for: the listed ones with that SPEC, and
        itself where `specs` has it or no other.
        """
        listed = [title for title, typed in self.listed.items() if typed == spec]
        is_there = not listed or spec in self.get(SPECS)
        return tuple(dict.fromkeys([spec] * is_there + listed))

    def policy(self, baseline: tuple[BaselineEntry, ...] | None = None) -> policy.Policy:
        """Return the decisions on findings. The last globs win."""
        titles = {each.title: _terms(each.values) for each in self.records if each.is_subject}
        globs = {
            each.pattern: _terms(each.values)
            for each in reversed(self.records)
            if not each.is_subject
        }
        return policy.Policy(_terms(self.values), globs, baseline, titles, self.listed)


@dataclass(frozen=True)
class _Decided:
    """The decisions on findings in a table."""

    severity: Mapping[str, str] = field(default_factory=dict)
    ignore: Mapping[str, str] = field(default_factory=dict)
    budgets: tuple[str, ...] = ()


def _terms(values: Mapping[str, object]) -> policy.Terms:
    table = decoded(_Decided, values)
    budgets = tuple(map(policy.parse_budget, table.budgets))
    return policy.Terms(table.severity, table.ignore, budgets)
