"""One environment with one of several sets of arguments, which reports tell apart."""

from __future__ import annotations

from dataclasses import fields

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.subject import Subject


@dataclass(frozen=True)
class ArgumentSet(Subject):
    """A subject whose `text` names its arguments as well, `maze.py:Maze(size=3)`, because others
    have the same SPEC. `spec` is that SPEC, which the probe gets.
    """

    spec: str = ""

    def as_dict(self) -> dict[str, object]:
        """As a saved run has it: its text says all that reports need."""
        return {name: value for name, value in super().as_dict().items() if name != "spec"}


def spec_of(subject: Subject) -> str:
    """The SPEC of a subject, as a user types it."""
    return subject.spec if isinstance(subject, ArgumentSet) else subject.text


def named(subject: Subject, title: str) -> Subject:
    """A subject under the name that reports have for it."""
    if title == subject.text:
        return subject
    values = {each.name: getattr(subject, each.name) for each in fields(subject)}
    return ArgumentSet(**{**values, "text": title}, spec=subject.text)


def for_probe(subject: Subject) -> Subject:
    """A subject as the probe gets it: with the SPEC."""
    if not isinstance(subject, ArgumentSet):
        return subject
    values = {each.name: getattr(subject, each.name) for each in fields(Subject)}
    return Subject(**{**values, "text": subject.spec})
