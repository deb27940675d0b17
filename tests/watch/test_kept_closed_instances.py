"""Closed instances that something keeps, as a watched process counts and finds them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import cast

import pytest

from envdoctor.model.facts.decoding import decoded
from envdoctor.model.finding import Location
from envdoctor.model.training_ends import KeptInstances
from envdoctor.model.training_events import Announced
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.probe.live.kept_instances import LEAST, ClosedInstances
from envdoctor.probe.live.rows import InstanceRow
from envdoctor.watch.script_lines import kept_instances as of_event

KEPT: list[object] = []  # as a registry of a library


class Kitchen:
    """An environment."""


class Recorder:
    """Refers to what it records."""

    def __init__(self, env: Kitchen) -> None:
        self.env = env


class Process:
    """Instances of one class, in a process."""

    def __init__(self) -> None:
        self.closed = ClosedInstances()
        self.counted: dict[str, object] = {}
        self.all: dict[int, InstanceRow] = {}

    def rows(self) -> list[InstanceRow]:
        return list(self.all.values())

    def make(self) -> tuple[Kitchen, InstanceRow]:
        kitchen = Kitchen()
        row = InstanceRow(kitchen, self._gone)
        row.key, row.start, row.counted = id(kitchen), 96, self.counted
        row.closed, row.closed_at, row.open = False, ("/run.py", 31, "job"), True
        self.all[row.key] = row
        self.closed.made(self.counted)
        return kitchen, row

    def close(self, row: InstanceRow) -> None:
        if row.open:
            self.closed.closed(row)
        row.closed, row.open = True, False

    def reset(self, row: InstanceRow) -> None:
        self.closed.opened(row)
        row.open = True

    def _gone(self, row: object) -> None:
        row = cast(InstanceRow, row)
        self.closed.opened(row)
        del self.all[row.key]

    def end(self) -> list[dict[str, object]]:
        return list(self.closed.events(self.rows(), importlib.import_module))


@pytest.fixture
def process() -> Iterator[Process]:
    """A process that ends; what this module keeps is let go after it."""
    yield Process()
    KEPT.clear()


def _one_by_one(process: Process, keep: Callable[[Kitchen], object], number: int = 12) -> None:
    for _ in range(number):
        kitchen, row = process.make()
        KEPT.append(keep(kitchen))
        process.close(row)
        del kitchen, row


def test_each_closed_instance_is_kept(process: Process) -> None:
    _one_by_one(process, Recorder)
    (event,) = process.end()
    assert event["number"] == 11
    assert event["where"] == f"{__name__}.KEPT[0].env"
    assert (event["given"], event["row"]) == ("Recorder", 1)


def test_container_alone_has_no_class(process: Process) -> None:
    _one_by_one(process, lambda kitchen: {"env": kitchen})
    (event,) = process.end()
    assert (event["where"], event["given"]) == (f"{__name__}.KEPT[0]['env']", "")


def test_freed_instances_are_not_kept(process: Process) -> None:
    _one_by_one(process, id)
    assert process.end() == []


def test_few_are_not_reported(process: Process) -> None:
    _one_by_one(process, Recorder, LEAST)
    assert process.end() == []


def test_let_go_before_the_end(process: Process) -> None:
    _one_by_one(process, Recorder)
    KEPT.clear()
    assert process.end() == []


def test_all_are_closed_at_the_end(process: Process) -> None:
    made = [process.make() for _ in range(16)]
    KEPT.append(made)
    for _, row in made:
        process.close(row)
    assert process.end() == []


def test_vectorizers_are_closed_at_once(process: Process) -> None:
    for _ in range(LEAST - 1):
        made = [process.make() for _ in range(16)]
        KEPT.append(made)
        for _, row in made:
            process.close(row)
    assert process.end() == []


def test_reset_after_a_close_opens_it_again(process: Process) -> None:
    for _ in range(12):
        kitchen, row = process.make()
        KEPT.append(kitchen)
        process.close(row)
        process.reset(row)
    assert process.end() == []


def test_garbage_is_not_kept(process: Process) -> None:
    def cycle(kitchen: Kitchen) -> int:
        kitchen.__dict__["self"] = kitchen
        return 0

    _one_by_one(process, cycle)
    assert len(process.rows()) == 12
    assert process.end() == []


def test_forked_child_begins_anew(process: Process) -> None:
    _one_by_one(process, Recorder)
    process.closed.forget()
    process.make()
    assert process.end() == []


BUILDER = """
def build(name):
    gymnasium.register(id=name, entry_point=Kitchen, kwargs=kwargs)


def make(name):
    return gymnasium.make(name)
"""


@pytest.mark.parametrize(
    ("text", "line"), [(BUILDER, 3), (BUILDER + "register('b')\n", None), ("", None), ("(", None)]
)
def test_only_call_of_register_in_the_file_is_named(
    tmp_path: Path, text: str, line: int | None
) -> None:
    file = tmp_path / "builder.py"
    file.write_text(text)
    event = Announced("kept-closed", 7, 0.0, number=9, where="registry['a']", instance_class="A")
    made = Announced("made", 7, 0.0, location=Location(str(file), 7, "make"))
    kept = of_event(event, Location("", 0, ""), made)
    assert (kept.number, kept.chain, kept.owner, kept.location) == (9, "registry['a']", "A", None)
    assert (kept.registered_at and kept.registered_at.line) == line
    assert of_event(event, Location("/run.py", 31, "job"), None).registered_at is None


def test_kept_instances_are_read_from_a_recorded_training() -> None:
    at = Location("/run.py", 31, "job")
    kept = KeptInstances(9, "registry['a']", "A", at, at)
    instances = Instances(2, 1, "arena.Kitchen", at, number=9, make=Calls(9, 9), kept=kept)
    assert decoded(Instances, asdict(instances)).kept == kept
