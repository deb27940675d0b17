"""The keys of the configuration. Its errors, its defaults and its JSON Schema follow from here."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import ERROR, SEVERITIES

Schema = Mapping[str, object]


@dataclass(frozen=True)
class Kind:
    """The values that a key may have: `says` completes `timeout has to be ...`; `schema` is its
    JSON Schema.
    """

    says: str
    holds: Callable[..., bool]
    schema: Schema


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_plain(value: object) -> bool:
    """Return True if a value can be handed to another process: dates and times cannot."""
    if isinstance(value, (list, dict)):
        return all(map(is_plain, value.values() if isinstance(value, dict) else value))
    return isinstance(value, (str, int, float, bool))


def _integer(least: int, most: int) -> Kind:
    def holds(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    return Kind(
        f"a whole number from {least} to {most}",
        holds,
        {"type": "integer", "minimum": least, "maximum": most},
    )


def _texts_of(says: str) -> Kind:
    holds = lambda value: isinstance(value, list) and all(map(_is_text, value))  # noqa: E731
    return Kind(says, holds, {"type": "array", "items": _WORDS.schema})


_WORDS = Kind("a text", _is_text, {"type": "string", "pattern": r"\S"})
_SECONDS = Kind(
    "a number of seconds from 0.1 on",
    lambda value: _is_number(value) and value >= 0.1,
    {"type": "number", "minimum": 0.1},
)
_SEVERITY = Kind(
    f"one of {', '.join(SEVERITIES)}", lambda value: value in SEVERITIES, {"enum": list(SEVERITIES)}
)
_PLAIN = Kind("a text, a number, a list or a table", is_plain, {})
_TABLE = Kind("a table", lambda value: isinstance(value, dict), {"type": "object"})
_REASONS = Kind(
    'a table of rules with reasons: ignore = { CODE = "why" }',
    lambda value: isinstance(value, dict) and all(map(_is_text, value.values())),
    {"type": "object", "additionalProperties": _WORDS.schema},
)
_SEVERITIES = Kind(
    f'a table of rules with one of {", ".join(SEVERITIES)}: severity = {{ CODE = "error" }}',
    lambda value: isinstance(value, dict) and all(item in SEVERITIES for item in value.values()),
    {"type": "object", "additionalProperties": _SEVERITY.schema},
)


@dataclass(frozen=True)
class Key:
    """One key: `default` holds where nothing is said; `overridable` ones may stand under
    an environment, too.
    """

    kind: Kind
    meaning: str
    default: object = None
    overridable: bool = False


KEYS: Mapping[str, Key] = {
    "specs": Key(
        _texts_of("a list of texts"), "What `envdoctor check` examines when no SPEC is named.", []
    ),
    "managers": Key(
        _texts_of("a list of names"), "Play under these only; all if empty.", [], overridable=True
    ),
    "start-methods": Key(
        _texts_of("a list of names"),
        "Start workers in these ways only; all if empty.",
        [],
        overridable=True,
    ),
    "select": Key(
        _texts_of("a list of codes"), "Judge only these: codes, prefixes, names; all if empty.", []
    ),
    "ignore": Key(
        _REASONS,
        "Findings to suppress: code, prefix or name, and the reason.",
        {},
        overridable=True,
    ),
    "severity": Key(
        _SEVERITIES,
        "Severities of your own: code, prefix or name, and the severity.",
        {},
        overridable=True,
    ),
    "budgets": Key(
        _texts_of("a list of texts"),
        "What may grow, such as 'native bytes per reset <= 64'.",
        [],
        overridable=True,
    ),
    "fail-on": Key(_SEVERITY, "Exit with 1 from this severity on.", ERROR),
    "baseline": Key(_WORDS, "The file of known findings, relative to this one.", None),
    "timeout": Key(
        _SECONDS, "Seconds for each import, make, reset, step and close.", 30.0, overridable=True
    ),
    "memory-limit": Key(
        _WORDS, "For one environment and all that it starts, as '4G'.", None, overridable=True
    ),
    "seed": Key(_integer(0, 2**32 - 1), "For the first reset and the actions.", 0),
    "steps": Key(
        _integer(1, 10_000_000), "Follow each whole episode for this many steps at most.", 2000
    ),
    "episodes": Key(_integer(1, 100_000), "Play this many whole episodes in a row.", 1),
    "action": Key(
        _PLAIN, "Played at each step, in place of an action that is drawn.", None, overridable=True
    ),
    "actions": Key(
        _WORDS,
        "A function that is asked for each action; a path is relative to this file.",
        None,
        overridable=True,
    ),
    "jobs": Key(_integer(1, 1000), "Subjects examined at the same time.", 1),
    "python": Key(
        _WORDS,
        "The interpreter that owns the environments; a path is relative to this file.",
        None,
        overridable=True,
    ),
    "import": Key(
        _texts_of("a list of modules"), "Imported first, as your script does.", [], overridable=True
    ),
    "kwargs": Key(_TABLE, "Arguments of the constructor.", {}, overridable=True),
}
ENVIRONMENTS, SUBJECT, SPEC, SPECS, KWARGS = "environments", "subject", "spec", "specs", "kwargs"
#: The keys of a table of environments, and those of one environment with its arguments.
OVERRIDES: Mapping[str, Key] = {name: key for name, key in KEYS.items() if key.overridable}
OF_SUBJECT: Mapping[str, Key] = {
    SPEC: Key(_WORDS, "The environment; several tables may name one, with other arguments."),
    **OVERRIDES,
}


def schema() -> dict[str, object]:
    """The JSON Schema of the table."""
    own, overrides, of_subject = (
        {name: _described(key) for name, key in keys.items()}
        for keys in (KEYS, OVERRIDES, OF_SUBJECT)
    )
    environment = {"type": "object", "properties": overrides, "additionalProperties": False}
    subject = {**environment, "properties": of_subject, "required": [SPEC]}
    environments = {
        "type": "object",
        "description": "What is different for environments whose SPEC fits a glob.",
        "additionalProperties": environment,
    }
    subjects = {
        "type": "array",
        "description": "Environments that `envdoctor check` examines, each with its arguments.",
        "items": subject,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of envdoctor",
        "description": (
            "The table [tool.envdoctor] of pyproject.toml, or the whole of envdoctor.toml."
        ),
        "type": "object",
        "properties": {**own, SUBJECT: subjects, ENVIRONMENTS: environments},
        "additionalProperties": False,
    }


def _described(key: Key) -> dict[str, object]:
    return {"description": key.meaning, **key.kind.schema} | (
        {} if key.default is None else {"default": key.default}
    )
