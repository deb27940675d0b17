"""From the text of a file to what it says. What is wrong with it is one sentence, with the
line and what it has to be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from envdoctor.config.keys import (
    ENVIRONMENTS,
    KEYS,
    OF_SUBJECT,
    OVERRIDES,
    SPEC,
    SUBJECT,
    Key,
    is_plain,
)
from envdoctor.config.places import Path, lines_of, place
from envdoctor.config.values import Config, EnvironmentTable
from envdoctor.errors import UsageError, nearest_sentence
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.verdict import policy

PYPROJECT = "pyproject.toml"
TABLE = ("tool", "envdoctor")  # in pyproject.toml


def parse(text: str, file: str) -> Config | None:
    """Parse a configuration; None for a pyproject.toml without envdoctor's table. Raises
    UsageError: file, line, key, and the expected value.
    """
    import tomllib  # only where there is a file

    try:
        data: Any = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} is not TOML: {' '.join(str(error).split())}") from error
    above: Path = TABLE if file.rsplit("/", 1)[-1] == PYPROJECT else ()
    for name in above:
        data = data.get(name, {}) if isinstance(data, dict) else {}
        if not data:
            return None
    lines = {
        path[len(above) :]: line for path, line in lines_of(text) if path[: len(above)] == above
    }
    table = Table(file, lines)
    table.check(data, KEYS, (), (SUBJECT, ENVIRONMENTS))
    records = (
        *table.environments(data.get(ENVIRONMENTS, {})),
        *table.subjects(data.get(SUBJECT, [])),
    )
    return Config(file, {key: data[key] for key in KEYS if key in data}, records, lines)


@dataclass(frozen=True)
class Table:
    """Checks the tables of one file."""

    file: str
    lines: Mapping[Path, int]

    def check(
        self, data: object, keys: Mapping[str, Key], path: Path, others: tuple[str, ...] = ()
    ) -> None:
        """Refuse what is not known, or is of another kind. Raises UsageError."""
        if not isinstance(data, dict):
            raise self._error(path, f"{'.'.join(path) or 'the table'} has to be a table")
        for name, value in data.items():
            if name in others:
                continue
            if name not in keys:
                raise self._error(
                    (*path, name), f"unknown key {name}{_hint(name, [*keys, *others])}"
                )
            if not keys[name].kind.holds(value):
                raise self._error((*path, name), f"{name} has to be {keys[name].kind.says}")
            self._check_meaning((*path, name), value)

    def environments(self, data: object) -> Iterator[EnvironmentTable]:
        """The tables of environments. Raises UsageError."""
        if not isinstance(data, dict):
            hint = "; `specs` and [[tool.envdoctor.subject]] list what is examined"
            hint = hint if isinstance(data, list) else ""
            raise self._error(
                (ENVIRONMENTS,),
                f"{ENVIRONMENTS} has to be tables such as"
                f' [tool.envdoctor.environments."MiniGrid-*"]{hint}',
            )
        for glob, values in data.items():
            self.check(values, OVERRIDES, (ENVIRONMENTS, glob))
            yield EnvironmentTable((ENVIRONMENTS, glob), glob, values)

    def subjects(self, data: object) -> Iterator[EnvironmentTable]:
        """The environments that are listed with their arguments. Raises UsageError."""
        if not isinstance(data, list):
            raise self._error(
                (SUBJECT,), f"{SUBJECT} has to be a list of tables, each [[tool.envdoctor.subject]]"
            )
        known: dict[str, Path] = {}
        for number, values in enumerate(data):
            path = (SUBJECT, str(number))
            self.check(values, OF_SUBJECT, path)
            if SPEC not in values:
                raise self._error(path, f'{SUBJECT} needs the environment: {SPEC} = "CartPole-v1"')
            record = EnvironmentTable(
                path, values[SPEC], {key: values[key] for key in values if key != SPEC}
            )
            if record.title in known:
                first = place(self.file, self.lines, known[record.title])
                raise self._error(path, f"{record.title} is listed twice; the first is {first}")
            known[record.title] = path
            yield record

    def _check_meaning(self, path: Path, value: Any) -> None:
        """Check values that other parts of envdoctor define: rules, budgets."""
        try:
            if path[-1] in ("select", "ignore", "severity"):
                policy.check_words(value)
            if path[-1] == "budgets":
                for text in value:
                    policy.parse_budget(text)
            if path[-1] == "kwargs" and not all(map(is_plain, value.values())):
                raise UsageError("dates and times cannot be handed to a constructor from here")
        except UsageError as error:
            raise self._error(path, f"{path[-1]}: {error}") from error

    def _error(self, path: Path, sentence: str) -> UsageError:
        return UsageError(f"{place(self.file, self.lines, path)}: {_on_one_line(sentence)}")


def _on_one_line(sentence: str) -> str:
    """The sentence with escapes for what a key may have that acts on a terminal."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in sentence
    )


def _hint(name: str, known: list[str]) -> str:
    plain = name.replace("_", "-").lower()
    if plain in known:
        return f"; did you mean {plain}?"
    return nearest_sentence(plain, known) or f"; known keys: {', '.join(known)}"
