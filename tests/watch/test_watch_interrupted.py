"""Calls that hung until the training was interrupted: a follower without processes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from envdoctor.model.training import Standstill
from envdoctor.model.training_events import Announced
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.starting import JOURNAL
from envdoctor.watch import following
from envdoctor.watch.following import Follower, _Call, _Life, _Stand
from envdoctor.watch.pages import Counts

if TYPE_CHECKING:
    from envdoctor.run.supervise.idle_detection import Idleness

PID = os.getpid()
KEY = (PID, 1, "step")


@pytest.mark.parametrize(
    ("still", "interrupted", "since", "is_kept"),
    [
        (9.0, 11.5, 0, True),
        (9.0, 40.0, 0, False),  # it raised long before
        (9.0, None, 0, False),
        (9.0, 11.5, 3, False),  # it was called again
        (0.0, 11.5, 0, False),  # it ran
    ],
)
def test_call_that_hung_until_the_interrupt_did_not_come_back(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    still: float,
    interrupted: float | None,
    since: int,
    is_kept: bool,
) -> None:
    (tmp_path / JOURNAL).touch()
    arm = Instances(PID, 1, "arm.Arm", raised=1, since=since, step=Calls(7, 7))
    monkeypatch.setattr(following, "instances", lambda counts, told: [arm])
    follower = Follower(tmp_path, ("python",))
    try:
        follower._processes.append(_Life(Announced("process", PID, 0.0)))
        follower._calls[KEY] = _Call(7, since=0.0, until=10.0, still=still)
        follower._look_at_pages([Counts("1", PID, 1, 0, {})], 11.0)
        follower._interrupted = interrupted
        kept = [call for call in follower._long(follower._ended) if follower._is_running(call)]
        assert [call.seconds for call in kept] == ([10.0] if is_kept else [])
        assert follower._calls == {}
    finally:
        follower.close()


class Woken:
    """A clock of a process that has run just now."""

    ticking: dict[str, int] = {}

    def seconds(self, _pids: object) -> float:
        """For how long it was still."""
        return 0.1


@pytest.mark.parametrize(("asked", "still"), [(0.0, 0.1), (107.5, 0.1), (109.9, 9.0)])
def test_call_that_an_interrupt_wakes_was_still_before_it(
    tmp_path: Path, asked: float, still: float
) -> None:
    (tmp_path / JOURNAL).touch()
    follower = Follower(tmp_path, ("python",))
    try:
        call = _Call(7, since=100.0, until=109.0, still=9.0, was_dumped=True)
        call.clock = Woken()  # type: ignore[assignment]
        follower._asked = asked
        follower._look_at_call(call, PID, 111.0)
        assert call.still == still
    finally:
        follower.close()


@pytest.mark.parametrize(("raised", "is_kept"), [(1, True), (0, False)])
def test_standstill_that_an_interrupt_ends_stays_known(
    tmp_path: Path, raised: int, is_kept: bool
) -> None:
    """Between Ctrl-C and the end of the process, the call has raised; it did not come back."""
    (tmp_path / JOURNAL).touch()
    follower = Follower(tmp_path, ("python",))
    try:
        follower.pid = PID
        still = Standstill(9.0)
        clock = cast("Idleness", Woken())
        follower._stand = _Stand(8, clock, is_watched=True, last=99.0, standstill=still)
        arm = Instances(PID, 1, "arm.Arm", raised=raised, reset=Calls(2, 2), step=Calls(7, 7))
        follower.instances = (arm,)
        follower._look_for_standstill(100.0)
        assert follower._stand.standstill is (still if is_kept else None)
    finally:
        follower.close()


def test_process_that_reports_late_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / JOURNAL).touch()
    monkeypatch.setattr(following.tree, "below", lambda _: [PID])
    monkeypatch.setattr(following.tree, "age", lambda _: 60.0)
    follower = Follower(tmp_path, ("python",))
    try:
        follower._look_for_silent()
        assert [each.pid for each in follower.training().silent] == [PID]
        follower._admit(Announced("process", PID, 0.0))
        follower._look_for_silent()
        assert follower.training().silent == ()
    finally:
        follower.close()
