"""Intervals at which the processes of a training are read: a training that is simulated, without a
clock.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from envdoctor.analysis.training_growth import ENOUGH, GROWS, growth
from envdoctor.model import page
from envdoctor.model.training_growth import LOOKS, Reading
from envdoctor.watch.outside import Outside
from envdoctor.watch.pages import NUMBER, Counts, PageReport
from envdoctor.watch.readings import (
    EPISODES,
    KEPT,
    TrainingReadings,
    _reading,
    _without_exit,
    patience,
    spacing,
)

PID = 0  # of no process: nothing is read of it in /proc
TICK = 0.025  # seconds between two looks of the doctor
IMPORTS = 4.0  # seconds until the first call


class Simulated:
    """A training with so many steps a second, in episodes of so many steps; each step keeps some
    memory blocks.
    """

    def __init__(self, folder: Path, pace: float, episode: int) -> None:
        self.file, self.pace, self.episode = folder / "counts-0", pace, episode
        self.file.write_bytes(bytes(page.WIDTH * NUMBER))
        self.head = [0] * page.WIDTH
        self.head[page.USED] = 1
        self.answers = 0
        self.looks: list[tuple[int, int]] = []  # resets and steps at each

    def counts(self) -> Counts:
        """Its page."""
        return Counts(self.file.name, PID, 1, 0, {}, tuple(self.head))

    def play(self, before: float, now: float) -> None:
        """Play until `now`, and answer what is due."""
        steps, earlier = int(now * self.pace), int(before * self.pace)
        resets = steps // self.episode
        data = self.file.read_bytes()
        due = int.from_bytes(data[page.DUE * NUMBER :][:NUMBER], "little")
        self.head[page.DUE] = due
        if not due or steps == earlier:
            return
        if due == page.AT_RESET and resets == earlier // self.episode:
            return
        self.file.write_bytes(bytes(page.WIDTH * NUMBER))
        self.answers += 1
        self.head[page.DUE], self.head[page.READ] = 0, self.answers
        self.head[page.AT_MADE], self.head[page.AT_RESETS] = 1, resets
        self.head[page.AT_STEPS], self.head[page.BLOCKS] = steps, 10 * steps
        if due == page.LOOK:
            self.looks.append((resets, steps))


def played(folder: Path, seconds: float, pace: float, episode: int, tick: float = TICK):
    """A training of so many seconds, and the readings of it."""
    training, readings = Simulated(folder, pace, episode), TrainingReadings(folder)
    for at in range(int((IMPORTS + seconds) / tick)):
        now = at * tick
        training.play(max(0.0, now - tick - IMPORTS), max(0.0, now - IMPORTS))
        if readings.due(now + tick / 2):
            readings.take([training.counts()], {PID}, now)
    (series,) = readings.series(PageReport())
    return training, series.readings


@pytest.mark.parametrize("seconds", [3, 5, 10, 30])
@pytest.mark.parametrize(("pace", "episode"), [(600, 22), (600, 200), (5000, 500), (600, 1000)])
def test_a_short_training_has_the_readings_that_a_verdict_needs(
    tmp_path: Path, seconds: int, pace: int, episode: int
) -> None:
    training, _ = played(tmp_path, seconds, pace, episode)
    assert training.answers >= ENOUGH


def test_growth_of_six_thousand_steps_in_ten_seconds_is_seen(tmp_path: Path) -> None:
    """In six episodes: a reading at each reset() alone would be six."""
    _, readings = played(tmp_path, 10, 600, 1000)
    found = growth(readings, "blocks")
    assert (found.verdict, found.per, found.rate) == (GROWS, "step", 10.0)


@pytest.mark.parametrize(("seconds", "least", "most"), [(60, 300, 450), (600, 550, 700)])
def test_a_long_training_has_some_hundred_readings(
    tmp_path: Path, seconds: int, least: int, most: int
) -> None:
    training, readings = played(tmp_path, seconds, 600, 22)
    assert least <= training.answers <= most
    assert len(readings) <= KEPT


def test_containers_are_looked_at_again_where_memory_still_grows(tmp_path: Path) -> None:
    training, _ = played(tmp_path, 120, 600, 22)
    assert len(training.looks) == 2 * LOOKS


@pytest.mark.parametrize(("episode", "more"), [(22, EPISODES), (1000, 0)])
def test_a_list_with_an_element_for_each_episode_can_be_found_by_two_looks(
    tmp_path: Path, episode: int, more: int
) -> None:
    """The second look comes after twice the calls where episodes are long."""
    training, _ = played(tmp_path, 30, 600, episode)
    (first, before), (second, after) = training.looks[:LOOKS]
    assert second - first >= more
    assert after <= 2.1 * before


def test_the_pace_falls_from_the_first_call_on() -> None:
    spaces = [spacing(since) for since in (0, 5, 10, 100, 1000, 100_000)]
    assert spaces == pytest.approx([0.025, 0.05, 0.1, 1.0, 10.0, 10.0])
    assert spacing(0, 0.013) == pytest.approx(0.26)  # malloc with 100,000 free pieces
    assert spacing(100, 0.013) == spacing(100)
    assert spacing(0, 0.013, 0.4) == pytest.approx(0.065)  # as long as all took less than 0.5 s
    waits = [patience(since) for since in (0, 2.5, 10, 50, 100_000)]
    assert waits == pytest.approx([0.025, 0.05, 0.2, 1.0, 1.0])


def test_counts_from_outside_are_each_in_their_place() -> None:
    head = [0] * page.WIDTH
    head[page.AT_VECTORIZERS] = 3
    reading = _reading(tuple(head), Outside(9, pipes=4, sockets=2), 1.0, (5, 7))
    assert (reading.resets, reading.steps) == (5, 7)
    assert (reading.descriptors, reading.pipes, reading.sockets) == (9, 4, 2)
    assert (reading.vectorizers, reading.written) == (3, None)


def test_trainer_that_takes_messages_is_read_inside_with_the_calls_of_its_workers(
    tmp_path: Path,
) -> None:
    readings, pid = TrainingReadings(tmp_path), os.getpid()
    file = tmp_path / "counts-1"
    file.write_bytes(bytes(page.WIDTH * NUMBER))
    head = [0] * page.WIDTH
    head[page.MESSAGES], head[page.AT_RESETS] = 1, 1  # it has played an environment itself, once
    for steps in range(5):
        row = [0] * page.WIDTH
        row[page.RESET + 1], row[page.STEP + 1] = 2, 10 * steps
        worker = Counts("counts-0", PID, 1, 0, {1: tuple(row)}, tuple(head[:1] * page.WIDTH))
        head[page.READ], head[page.BLOCKS] = steps + 1, 100 * steps
        trainer = Counts(file.name, pid, 0, 0, {}, tuple(head))
        readings.take([worker, trainer], {PID, pid}, float(steps), pid)
    (series,) = readings.series(PageReport())
    assert series.pid == pid
    assert [(one.resets, one.steps, one.blocks) for one in series.readings] == [
        (2, 10 * steps, 100 * steps) for steps in range(4)
    ]
    assert {one.segments for one in series.readings} == {None}


def test_trainer_that_took_messages_at_its_start_only_is_read_from_outside(tmp_path: Path) -> None:
    readings, pid = TrainingReadings(tmp_path, asks=False), os.getpid()
    head = [0] * page.WIDTH
    head[page.MESSAGES] = head[page.READ] = 1
    for steps in range(5):
        row = [0] * page.WIDTH
        row[page.STEP + 1] = steps
        worker = Counts("counts-0", PID, 1, 0, {1: tuple(row)}, tuple(head))
        trainer = Counts("counts-1", pid, 0, 0, {}, tuple(head))
        readings.take([worker, trainer], {pid}, float(steps), pid)
    (series,) = readings.series(PageReport())
    assert [one.steps for one in series.readings] == [0, 1, 2, 3]
    assert {one.blocks for one in series.readings} == {None}


def test_trainer_without_environments_is_read_while_calls_go_on(tmp_path: Path) -> None:
    readings, pid = TrainingReadings(tmp_path, asks=False), os.getpid()
    head = [0] * page.WIDTH
    head[page.READ] = 1
    for at, steps in enumerate((1, 2, 3, 3, 3, 3)):
        row = [0] * page.WIDTH
        row[page.STEP + 1] = steps
        worker = Counts("counts-0", PID, 1, 0, {1: tuple(row)}, tuple(head))
        readings.take([worker], {PID, pid}, float(at), pid)
    (series,) = readings.series(PageReport())
    assert series.pid == pid
    assert [one.steps for one in series.readings] == [1, 2]
    assert {one.blocks for one in series.readings} == {None}
    assert all(one.descriptors for one in series.readings)
    starts = [0] * page.WIDTH
    starts[page.SITES] = 1  # it started processes, and does not answer
    readings.take([worker, Counts("counts-2", pid, 0, 0, {}, tuple(starts))], {PID, pid}, 6.0, pid)
    assert len(readings.series(PageReport())) == 1
    own = Counts("counts-1", pid, 1, 0, {}, tuple(head))
    readings.take([worker, own], {PID, pid}, 7.0, pid)
    assert readings.series(PageReport()) == ()


@pytest.mark.parametrize(
    ("held", "number"), [([5] * 40, 40), ([*range(38), 3, 3], 38), ([*range(30), *[3] * 10], 40)]
)
def test_end_of_a_trainer_is_not_read(held: list[int], number: int) -> None:
    readings = [Reading(float(at), descriptors=count) for at, count in enumerate(held)]
    assert len(_without_exit(readings)) == number
