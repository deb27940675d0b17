"""[tool.envdoctor] of pyproject.toml, or envdoctor.toml: text in, checked values out, each with the line that it stands on.

What a table may hold stands in `KEYS`; its JSON Schema and the errors follow from there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from envdoctor import policy
from envdoctor.errors import UsageError
from envdoctor.model.finding import ERROR, SEVERITIES
from envdoctor.specs import nearest_sentence

PYPROJECT, OWN = "pyproject.toml", "envdoctor.toml"
TABLE = ("tool", "envdoctor")  # in pyproject.toml

Path = tuple[str, ...]
Schema = Mapping[str, Any]


@dataclass(frozen=True)
class Kind:
    """What a value may be: `says` completes `timeout has to be ...`; `schema` is the same for programs."""

    says: str
    holds: Callable[[Any], bool]
    schema: Schema


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _whole(least: int) -> Kind:
    holds = lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least  # noqa: E731
    return Kind(f"a whole number from {least} on", holds, {"type": "integer", "minimum": least})


def _texts_of(says: str) -> Kind:
    holds = lambda value: isinstance(value, list) and all(map(_is_text, value))  # noqa: E731
    return Kind(says, holds, {"type": "array", "items": _WORDS.schema})


_WORDS = Kind("a text", _is_text, {"type": "string", "pattern": r"\S"})
_SECONDS = Kind("a number of seconds from 0.1 on", lambda value: _is_number(value) and value >= 0.1, {"type": "number", "minimum": 0.1})
_SEVERITY = Kind(f"one of {', '.join(SEVERITIES)}", lambda value: value in SEVERITIES, {"enum": list(SEVERITIES)})
_TABLE = Kind("a table", lambda value: isinstance(value, dict), {"type": "object"})
_REASONS = Kind(
    'a table of rules with reasons: ignore = { CLS013 = "why" }',
    lambda value: isinstance(value, dict) and all(map(_is_text, value.values())),
    {"type": "object", "additionalProperties": _WORDS.schema},
)
_SEVERITIES = Kind(
    f'a table of rules with one of {", ".join(SEVERITIES)}: severity = {{ CLS013 = "error" }}',
    lambda value: isinstance(value, dict) and all(one in SEVERITIES for one in value.values()),
    {"type": "object", "additionalProperties": _SEVERITY.schema},
)


@dataclass(frozen=True)
class Key:
    """One key: `default` is what holds where nobody says anything; `apart` ones may stand under an environment, too."""

    kind: Kind
    meaning: str
    default: Any = None
    apart: bool = False


KEYS: Mapping[str, Key] = {
    "specs": Key(_texts_of("a list of texts"), "What `envdoctor check` examines when no SPEC is named.", []),
    "managers": Key(_texts_of("a list of names"), "Play under these only; all if empty.", [], apart=True),
    "start-methods": Key(_texts_of("a list of names"), "Start workers in these ways only; all if empty.", [], apart=True),
    "select": Key(_texts_of("a list of codes"), "Judge only these: codes, prefixes, names; all if empty.", []),
    "ignore": Key(_REASONS, "Findings that are set aside: code, prefix or name, and the reason.", {}, apart=True),
    "severity": Key(_SEVERITIES, "Severities of your own: code, prefix or name, and the severity.", {}, apart=True),
    "budgets": Key(_texts_of("a list of texts"), "What may grow, such as 'native bytes per reset <= 64'.", [], apart=True),
    "fail-on": Key(_SEVERITY, "Exit with 1 from this severity on.", ERROR),
    "baseline": Key(_WORDS, "The file of known findings, relative to this one.", None),
    "timeout": Key(_SECONDS, "Seconds for each import, make, reset, step and close.", 30.0, apart=True),
    "seed": Key(_whole(0), "For the first reset and the actions.", 0),
    "jobs": Key(_whole(1), "Subjects examined at the same time.", 1),
    "python": Key(_WORDS, "The interpreter that owns the environments; a path is relative to this file.", None, apart=True),
    "import": Key(_texts_of("a list of modules"), "Imported first, as your script does.", [], apart=True),
    "kwargs": Key(_TABLE, "Arguments of the constructor.", {}, apart=True),
}
ENVIRONMENTS = "environments"


@dataclass(frozen=True)
class Config:
    """What a file says: `values` by key; `environments` by glob, in the order of the file. `lines` are the lines of keys, where they could be
    told. Without a file, all is empty.
    """

    file: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    environments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    lines: Mapping[Path, int] = field(default_factory=dict)

    def get(self, key: str) -> Any:
        """The value of a key, or its default."""
        return self.values.get(key, KEYS[key].default)

    def origin(self, *path: str) -> str:
        """`pyproject.toml:31`, or `default` where the file has no such key."""
        if not self._has(path):
            return "default"
        return _place(self.file, self.lines, path)

    def origin_for(self, spec: str, key: str) -> str:
        """Where what holds for an environment stands."""
        globs = [glob for glob, values in self.environments.items() if key in values and policy.fits(spec, glob)]
        return self.origin(ENVIRONMENTS, globs[-1], key) if globs else self.origin(key)

    def _has(self, path: Path) -> bool:
        return path[0] in self.values or (path[0] == ENVIRONMENTS and bool(self.environments))

    def of(self, spec: str) -> dict[str, Any]:
        """What environments whose SPEC fits say of it; the last one that fits goes before."""
        found: dict[str, Any] = {}
        for glob, values in self.environments.items():
            if policy.fits(spec, glob):
                found.update(values)
        return found

    def policy(self, baseline: Any = None) -> policy.Policy:
        """What it says on findings. The globs that stand last go before."""
        apart = {glob: _terms(values) for glob, values in reversed(list(self.environments.items()))}
        return policy.Policy(_terms(self.values), apart, baseline)


def _terms(values: Mapping[str, Any]) -> policy.Terms:
    budgets = tuple(policy.parse_budget(text) for text in values.get("budgets", ()))
    return policy.Terms(values.get("severity", {}), values.get("ignore", {}), budgets)


def concerns(text: str) -> bool:
    """Whether a pyproject.toml may say anything to us: most do not, and need no parser."""
    return "envdoctor" in text


def parse(text: str, file: str) -> Config | None:
    """What a file says, None for a pyproject.toml without our table. Raises UsageError: file, line, key, and what it has to be."""
    import tomllib  # only where there is a file

    try:
        data: Any = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} is no TOML: {' '.join(str(error).split())}") from error
    above: Path = TABLE if file.rsplit("/", 1)[-1] == PYPROJECT else ()
    for name in above:
        data = data.get(name, {}) if isinstance(data, dict) else {}
        if not data:
            return None
    lines = {path[len(above) :]: line for path, line in _lines(text) if path[: len(above)] == above}
    table = Table(file, lines)
    table.check(data, KEYS, (), (ENVIRONMENTS,))
    environments = table.environments(data.get(ENVIRONMENTS, {}))
    return Config(file, {key: value for key, value in data.items() if key != ENVIRONMENTS}, environments, lines)


@dataclass(frozen=True)
class Table:
    """Checks the tables of one file."""

    file: str
    lines: Mapping[Path, int]

    def check(self, data: Any, keys: Mapping[str, Key], path: Path, others: tuple[str, ...] = ()) -> None:
        """Refuse what is not known, or is of another kind. Raises UsageError."""
        if not isinstance(data, dict):
            raise self._error(path, f"{'.'.join(path) or 'the table'} has to be a table")
        for name, value in data.items():
            if name in others:
                continue
            if name not in keys:
                raise self._error((*path, name), f"there is no key {name}{_hint(name, [*keys, *others])}")
            if not keys[name].kind.holds(value):
                raise self._error((*path, name), f"{name} has to be {keys[name].kind.says}")
            self._check_meaning((*path, name), value)

    def environments(self, data: Any) -> Mapping[str, Mapping[str, Any]]:
        """The tables of environments. Raises UsageError."""
        apart = {name: key for name, key in KEYS.items() if key.apart}
        if not isinstance(data, dict):
            hint = "; `specs` lists what is examined" if isinstance(data, list) else ""
            raise self._error((ENVIRONMENTS,), f'{ENVIRONMENTS} has to be tables such as [tool.envdoctor.environments."MiniGrid-*"]{hint}')
        for glob, values in data.items():
            self.check(values, apart, (ENVIRONMENTS, glob))
        return data

    def _check_meaning(self, path: Path, value: Any) -> None:
        """What only other parts of envdoctor know: rules, budgets."""
        try:
            if path[-1] in ("select", "ignore", "severity"):
                policy.check_words(value)
            if path[-1] == "budgets":
                for text in value:
                    policy.parse_budget(text)
            if path[-1] == "kwargs" and not all(map(_is_plain, value.values())):
                raise UsageError("dates and times cannot be handed to a constructor from here")
        except UsageError as error:
            raise self._error(path, f"{path[-1]}: {error}") from error

    def _error(self, path: Path, sentence: str) -> UsageError:
        return UsageError(f"{_place(self.file, self.lines, path)}: {sentence}")


def _hint(name: str, known: list[str]) -> str:
    plain = name.replace("_", "-").lower()
    if plain in known:
        return f"; did you mean {plain}?"
    return nearest_sentence(plain, known) or f"; there are {', '.join(known)}"


def _place(file: str, lines: Mapping[Path, int], path: Path) -> str:
    """`pyproject.toml:31`, of the key or else of the nearest table around it."""
    while path and path not in lines:
        path = path[:-1]
    return f"{file}:{lines[path]}" if path in lines else file


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, dict)):
        return all(map(_is_plain, value.values() if isinstance(value, dict) else value))
    return isinstance(value, (str, int, float, bool))


_BARE = r"[A-Za-z0-9_-]+|\"[^\"\\]*\"|'[^']*'"
_DOTTED = rf"(?:{_BARE})(?:\s*\.\s*(?:{_BARE}))*"
_HEADING = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(rf"\s*({_DOTTED})\s*=")


def _lines(text: str) -> Iterator[tuple[Path, int]]:
    """Where tables and keys stand. tomllib does not tell, so this is a scan that knows no values: a text of several lines that looks
    like TOML can mislead it, and then an error names a line that is near.
    """
    table: Path = ()
    for number, line in enumerate(text.splitlines(), start=1):
        heading, key = _HEADING.fullmatch(line), _KEY.match(line)
        if heading:
            table = _names(heading[1])
            yield table, number
        elif key:
            yield (*table, *_names(key[1])), number


def _names(dotted: str) -> Path:
    return tuple(name.strip("\"'") for name in re.findall(_BARE, dotted))


def schema() -> dict[str, Any]:
    """The JSON Schema of the table."""
    own, apart = ({name: _described(key) for name, key in KEYS.items() if key.apart or not inner} for inner in (False, True))
    environment = {"type": "object", "properties": apart, "additionalProperties": False}
    environments = {
        "type": "object",
        "description": "What is different for environments whose SPEC fits a glob.",
        "additionalProperties": environment,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of envdoctor",
        "description": "The table [tool.envdoctor] of pyproject.toml, or the whole of envdoctor.toml.",
        "type": "object",
        "properties": {**own, ENVIRONMENTS: environments},
        "additionalProperties": False,
    }


def _described(key: Key) -> dict[str, Any]:
    return {"description": key.meaning, **key.kind.schema} | ({} if key.default is None else {"default": key.default})
