"""The cases that are recorded: what is examined, by which command, and what must be said of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.zoo import ENVS, animals


@dataclass(frozen=True)
class Case:
    """One examination. `says` are codes that must be reported, `may` those that may be reported
    besides; `passes` are rules that must have passed. Any other error or warning is a failure.
    `gives_way` are pairs of a rule and the one that explains its finding. `interpreter` is the
    environment variable that names the Python it needs, `folder` the working directory.
    """

    family: str
    name: str
    words: tuple[str, ...]
    command: str = "check"
    says: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()
    gives_way: tuple[tuple[str, str], ...] = ()
    interpreter: str = ""
    folder: Path = ENVS

    @property
    def key(self) -> str:
        """Its name among all cases."""
        return f"{self.family}/{self.name}"


def zoo() -> Iterator[Case]:
    """Every sick environment and its healthy twin."""
    for animal in animals():
        rule = animal.file.stem[:6].upper()
        yield Case(
            "zoo",
            str(animal),
            (animal.spec, *animal.arguments),
            animal.command,
            says=(animal.code,) if animal.code else (),
            may=animal.also if animal.code else (),
            passes=() if animal.code else (rule, *(code for code, _ in animal.gives_way)),
            gives_way=animal.gives_way if animal.code else (),
            interpreter=animal.interpreter,
        )


def cases() -> dict[str, Case]:
    """All cases by their keys."""
    return {case.key: case for case in zoo()}
