"""Illnesses of what an environment returns, raises and does to its process."""

import gc
import logging
import os
import random
import threading
import time
import warnings

import numpy as np


class ObservationReused:
    """One array for all observations, written over at every step."""

    _screen = None

    def _observe(self):
        if self._screen is None:
            self._screen = np.zeros(3, np.float32)
        self._screen[:] = super()._observe()
        return self._screen


class ObservationOutside:
    """The observation leaves its space."""

    def _observe(self):
        return super()._observe() + np.float32(5.0)


class ResetNotSeeded:
    """The goal is drawn from a generator of its own, which no seed of reset() reaches."""

    generator = random.Random()

    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed, options=options)
        observation[0] = self.generator.uniform(-1.0, 1.0)
        return observation, info


class StepNotReproducible:
    """The wind that blows in step() comes from the system's noise."""

    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        wind = random.SystemRandom().gauss(0.0, 0.1)
        return observation, reward + wind, terminated, truncated, info


ROOMS = {"den", "hall", "attic", "cellar", "kitchen", "corridor", "staircase"}


class DiffersBetweenProcesses:
    """The rooms are a set of names: its order is another one in every process."""

    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed, options=options)
        first, second, *_ = ROOMS
        observation[1] = len(first) / 10 + len(second) / 100
        return observation, info


class GlobalRandomState:
    """reset() seeds the generators that the learner explores with."""

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            random.seed(seed)
            np.random.seed(seed)  # noqa: NPY002
        return super().reset(seed=seed, options=options)


class WorkingDirectory:
    """Its levels lie beside its code, so it goes there."""

    def reset(self, *, seed=None, options=None):
        os.chdir(os.path.dirname(os.path.abspath(__file__)))
        return super().reset(seed=seed, options=options)


class EnvironmentVariables:
    """It needs no window, so it decides that nothing does."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        os.environ["SDL_VIDEODRIVER"] = "dummy"
        os.environ["CUDA_VISIBLE_DEVICES"] = ""


class WarningFilters:
    """One library warns a lot, so all warnings are switched off."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        warnings.filterwarnings("ignore")
        logging.basicConfig(level=logging.DEBUG)


class StdoutNoise:
    """It prints every episode to the terminal."""

    def reset(self, *, seed=None, options=None):
        print(f"new episode, seed {seed}")
        return super().reset(seed=seed, options=options)


class ThreadSettings:
    """Every library gets one thread, in the learner's process, too."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        os.environ["OMP_NUM_THREADS"] = "1"


class UndefinedName:
    """close() tidies up with a module that was never imported."""

    crashed = False

    def close(self):
        if self.crashed:
            shutil.rmtree("replay")  # noqa: F821
        super().close()


class Link:
    """One of two that refer to each other, with a large buffer."""

    def __init__(self):
        self.pixels = np.zeros((84, 84, 3), np.uint8)
        self.other = None


class CollectsByHand:
    """gc.collect() at every reset, because of frames in cycles."""

    def reset(self, *, seed=None, options=None):
        gc.collect()
        return super().reset(seed=seed, options=options)

    def step(self, action):
        first, second = Link(), Link()
        first.other, second.other = second, first
        return super().step(action)


class ResetRefusesSeed:
    """reset() insists on a seed: it was only ever called by its author's script."""

    def reset(self, *, seed, options=None):
        return super().reset(seed=seed, options=options)


class SlowConstructor:
    """Each instance loads a map of its own in the constructor."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        time.sleep(2.1)


class StepRaisesLater:
    """step() fails in the fifth episode of each instance."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._episodes = 0

    def reset(self, *, seed=None, options=None):
        self._episodes += 1
        return super().reset(seed=seed, options=options)

    def step(self, action):
        if self._episodes == 5 and self._steps == 3:
            raise IndexError("list index out of range")
        return super().step(action)


class ResetRaisesLater:
    """reset() fails at every ninetieth episode of an instance."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._games = 0

    def reset(self, *, seed=None, options=None):
        self._games += 1
        if self._games % 90 == 0:
            raise ValueError("no level 90")
        return super().reset(seed=seed, options=options)


class RenderRaises:
    """render() uses what was never set."""

    def render(self):
        return self._canvas


class Camera:
    """A library with one state for the whole process."""

    running = False


class InstancesInterfere:
    """A camera that all instances share: the first close() shuts it down for the others."""

    def reset(self, *, seed=None, options=None):
        Camera.running = True
        return super().reset(seed=seed, options=options)

    def step(self, action):
        if not Camera.running:
            raise RuntimeError("camera is not running")
        return super().step(action)

    def close(self):
        Camera.running = False
        super().close()


class Robot:
    """A connection that listens in a thread of its own."""

    def __init__(self):
        self._over = threading.Event()
        self._listener = threading.Thread(target=self._over.wait, name="listener", daemon=True)
        self._listener.start()

    def disconnect(self):
        self._over.set()
        self._listener.join()


class HandleRebuilt:
    """Each episode connects to the robot anew, and the last connection keeps listening."""

    _robot = None

    def reset(self, *, seed=None, options=None):
        self._robot = Robot()
        return super().reset(seed=seed, options=options)

    def close(self):
        if self._robot is not None:
            self._robot.disconnect()
            self._robot = None
        super().close()


class InfoNotPicklable:
    """Hands its lock out with every info."""

    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, terminated, truncated, {**info, "lock": threading.Lock()}


class JointError(RuntimeError):
    """Which joint, and how it jammed."""

    def __init__(self, joint, angle):
        super().__init__(f"joint {joint} jams at {angle}")
        self.joint, self.angle = joint, angle


class ErrorNotPicklable:
    """Raises an error of two arguments, which has not happened yet."""

    def step(self, action):
        if self._steps > 1000:
            raise JointError(2, 0.5)
        return super().step(action)


class SlowSteps:
    """No illness, but it leaves little time to see others: every step takes 50 ms."""

    def step(self, action):
        time.sleep(0.05)
        return super().step(action)
