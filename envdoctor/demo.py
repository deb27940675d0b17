"""An environment with an illness, for `envdoctor check envdoctor.demo:Arm`. Read it as an
example of what not to do.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Sequence

import gymnasium
import numpy as np


class Simulator:
    """Like real ones: it has a background thread and a log file, and a method that ends both."""

    def __init__(self) -> None:
        self.log = tempfile.NamedTemporaryFile(prefix="simulator-", suffix=".log")  # noqa: SIM115
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run, name="physics", daemon=True)
        self.thread.start()

    def run(self) -> None:
        """The background work: waits to be stopped."""
        self.stopping.wait()

    def stop(self) -> None:
        """Give everything back."""
        self.stopping.set()
        self.thread.join()
        self.log.close()


class Arm(gymnasium.Env):  # type: ignore[misc]
    """A one-joint arm. reset() starts the simulator lazily; close() forgets it, so every closed
    arm leaves one running.
    """

    def __init__(self) -> None:
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.simulator: Simulator | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[object, dict[str, object]]:
        """Start an episode."""
        super().reset(seed=seed)
        if self.simulator is None:
            self.simulator = Simulator()
        return self.np_random.uniform(-1.0, 1.0, 2).astype(np.float32), {}

    def step(self, action: Sequence[float]) -> tuple[object, float, bool, bool, dict[str, object]]:
        """One step."""
        return (
            self.np_random.uniform(-1.0, 1.0, 2).astype(np.float32),
            -float(abs(action[0])),
            False,
            False,
            {},
        )

    def close(self) -> None:
        """Forget the simulator without stopping it: the illness."""
        self.simulator = None
