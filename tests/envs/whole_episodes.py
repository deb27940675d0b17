"""What goes wrong at the end of an episode, in a later one, or after close(), and only there."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading

import gymnasium
import numpy as np
from plain import Plain

HORIZON = 30
HELD = []


class Long(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._episodes = 0

    def reset(self, *, seed=None, options=None):
        self._step = 0
        self._episodes += 1
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self._step += 1
        observation, reward, _, _, info = super().step(action)
        if self._step == HORIZON:
            self._at_end()
        return observation, reward, False, self._step >= HORIZON, info

    def _at_end(self):
        pass


class LastInfo(Long):
    """Hands its lock on with the last step of an episode."""

    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, terminated, truncated, {**info, **self._last(truncated)}

    def _last(self, truncated):
        return {"sim": threading.Lock()} if truncated else {}


class PlainLastInfo(LastInfo):
    """The same with a number."""

    def _last(self, truncated):
        return {"sim": self._step} if truncated else {}


class Counts(Long):
    """Its reset() does not set back what step() counts."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.count = 0

    def step(self, action):
        self.count += 1
        observation, reward, _, _, info = super().step(action)
        return observation, reward, False, self.count >= HORIZON, info


class Uneven(Long):
    """Its first episodes are long, with each seed, and those after them are as long as it draws."""

    def reset(self, *, seed=None, options=None):
        result = super().reset(seed=seed, options=options)
        self.limit = HORIZON if seed is not None else 1 + int(self.np_random.integers(3))
        return result

    def step(self, action):
        observation, reward, _, _, info = super().step(action)
        return observation, reward, False, self._step >= self.limit, info


class Hangs(Long):
    def _at_end(self):
        threading.Event().wait()


class Dies(Long):
    def _at_end(self):
        os._exit(3)


class Third(Long):
    def _at_end(self):
        if self._episodes == 3:
            raise ValueError("the third episode has no file")


class Crowded(Long):
    """Finds no place at the beginning of an episode in twenty: never with the seed of a run. An
    instance that never got a seed would draw something else each time, as in Gymnasium's checker.
    """

    seeded = False

    def reset(self, *, seed=None, options=None):
        returned = super().reset(seed=seed, options=options)
        self.seeded |= seed is not None
        if self.seeded and 0.40 < self.np_random.random() < 0.45:
            self._find_no_place()
        return returned

    def _find_no_place(self):
        raise RuntimeError("no place is left")


class CrowdedAndWaits(Crowded):
    def _find_no_place(self):
        threading.Event().wait()


class Roomy(Crowded):
    def _find_no_place(self):
        pass


class Opens(Long):
    def _at_end(self):
        HELD.append(os.open(os.devnull, os.O_RDONLY))


class Records(Long):
    """Opens a record at the end of each episode, and gives none back."""

    def _at_end(self):
        self._record = os.open(os.devnull, os.O_RDONLY)


class Constant(Long):
    """Draws in C, from a constant seed."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._library = ctypes.CDLL(None)
        self._library.erand48.restype = ctypes.c_double
        self._state = (ctypes.c_ushort * 3)(42, 0, 0)

    def reset(self, *, seed=None, options=None):
        gymnasium.Env.reset(self, seed=seed)
        self._step = self._steps = 0
        return self._observe(), {}

    def _observe(self):
        return np.array([self._library.erand48(self._state) for _ in range(3)], np.float32)


class Forgetful(Long):
    """close() stops the simulator; a flag says that it runs."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._running = False

    def reset(self, *, seed=None, options=None):
        if not self._running:
            self._simulator = subprocess.Popen(
                [sys.executable, "-c", "input()"], stdin=subprocess.PIPE
            )
            self._running = True
        return super().reset(seed=seed, options=options)

    def close(self):
        if self._running and self._simulator.poll() is None:
            self._simulator.communicate()


class Mindful(Forgetful):
    def close(self):
        super().close()
        self._running = False
