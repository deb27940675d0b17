"""The values of a configuration, for all environments and for single ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from envdoctor.config.keys import ENVIRONMENTS, KEYS
from envdoctor.config.places import Path, place
from envdoctor.model.facts.decoding import decoded
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.verdict import policy

if TYPE_CHECKING:
    from envdoctor.verdict.baseline import BaselineEntry


@dataclass(frozen=True)
class Config:
    """The content of a file: `values` by key; `environments` by glob, in the order of the file.
    `lines` are the lines of keys, where they are known. Without a file, all is empty.
    """

    file: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    environments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
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
        globs = [
            glob
            for glob, values in self.environments.items()
            if key in values and policy.fits(spec, glob)
        ]
        return self.origin(ENVIRONMENTS, globs[-1], key) if globs else self.origin(key)

    def _has(self, path: Path) -> bool:
        return path[0] in self.values or (path[0] == ENVIRONMENTS and bool(self.environments))

    def of(self, spec: str) -> dict[str, Any]:
        """Return the values of environments whose SPEC fits; the last one that fits wins."""
        result: dict[str, object] = {}
        for glob, values in self.environments.items():
            if policy.fits(spec, glob):
                result.update(values)
        return result

    def policy(self, baseline: tuple[BaselineEntry, ...] | None = None) -> policy.Policy:
        """Return the decisions on findings. The last globs win."""
        overrides = {
            glob: _terms(values) for glob, values in reversed(list(self.environments.items()))
        }
        return policy.Policy(_terms(self.values), overrides, baseline)


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
