"""Calls of close() that an instance makes itself, and those of others."""

from __future__ import annotations

import threading

from envdoctor.probe.live.counted import ResetCalls, Rows, counted, is_within


class Arm:
    """Its reset() looks whether it is within itself, and within that of another instance."""

    def __init__(self, other: Arm | None = None) -> None:
        self.other = other
        self.seen: list[bool] = []

    def reset(self, seed=None):
        self.seen = [is_within(self, "reset"), is_within(self.other, "reset")]
        thread = threading.Thread(target=lambda: self.seen.append(is_within(self, "reset")))
        thread.start()
        thread.join()


def test_call_within_a_reset_of_the_same_instance_and_thread_is_known() -> None:
    arm = Arm(Arm())
    calls = (lambda: None, lambda *_: None)
    count = counted(Arm.reset, "reset", [0] * 200, *calls, None, Rows(), ResetCalls())
    count(arm)
    assert arm.seen == [True, False, False]
    assert not is_within(arm, "reset")
