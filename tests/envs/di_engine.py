"""Environments for DI-engine, written by its guide: `Healthy` is lazy and gives everything back;
each of the others forgets one thing.

Needs DI-engine; examined through --python.
"""

from __future__ import annotations

import functools
import multiprocessing
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Callable, ClassVar

import gym
import numpy as np
from ding.envs import BaseEnv, BaseEnvTimestep

SIMULATOR = [sys.executable, "-c", "import time; time.sleep(600)"]


class Healthy(BaseEnv):
    """A crane over a track: nothing is made before the first reset(), and close() gives back
    whatever there is.
    """

    def __init__(self, cfg: dict) -> None:
        self._cfg = cfg
        self._init_flag = False
        self._observation_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self._action_space = gym.spaces.Discrete(3)
        self._reward_space = gym.spaces.Box(-1.0, 0.0, (1,), np.float32)
        self._rng = np.random.default_rng(0)

    observation_space = property(lambda self: self._observation_space)
    action_space = property(lambda self: self._action_space)
    reward_space = property(lambda self: self._reward_space)

    def seed(self, seed: int, dynamic_seed: bool = True) -> None:
        self._seed, self._dynamic_seed = seed, dynamic_seed
        self._rng = np.random.default_rng(seed)

    def reset(self) -> np.ndarray:
        if not self._init_flag:
            self._open()
            self._init_flag = True
        self._track = Path(self._folder, "track.txt").read_text().split()
        if hasattr(self, "_seed") and not self._dynamic_seed:
            self._rng = np.random.default_rng(self._seed)
        self._place, self._steps, self._return = self._rng.uniform(-0.5, 0.5), 0, 0.0
        return self._seen()

    def step(self, action: np.ndarray) -> BaseEnvTimestep:
        assert isinstance(action, np.ndarray), type(action)
        self._steps += 1
        self._place = float(
            np.clip(
                self._place + 0.1 * (int(action.item()) - 1) + self._rng.normal(0.0, 0.01),
                -1.0,
                1.0,
            )
        )
        self._return -= abs(self._place)
        done = self._steps >= 15
        info = {"eval_episode_return": self._return} if done else {}
        return BaseEnvTimestep(self._seen(), np.array([-abs(self._place)], np.float32), done, info)

    def close(self) -> None:
        if self._init_flag:
            self._shut()
        self._init_flag = False

    def random_action(self) -> np.ndarray:
        return np.array([self._action_space.sample()], dtype=np.int64)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self._cfg)})"

    def _seen(self) -> np.ndarray:
        return np.array([self._place, self._steps / 15], np.float32)

    def _open(self) -> None:
        self._simulator = subprocess.Popen(SIMULATOR)
        self._folder = tempfile.mkdtemp(prefix="crane-")
        Path(self._folder, "track.txt").write_text("0 0 1 0 0\n")
        self._port = socket.create_server(("127.0.0.1", 0))
        self._ending = threading.Event()
        self._reader = threading.Thread(target=self._ending.wait, name="reader", daemon=True)
        self._reader.start()

    def _shut(self) -> None:
        self._end_thread()
        self._end_simulator()
        self._close_port()
        self._remove_folder()

    def _end_thread(self) -> None:
        self._ending.set()
        self._reader.join(timeout=5)

    def _end_simulator(self) -> None:
        self._simulator.terminate()
        self._simulator.wait(timeout=5)

    def _close_port(self) -> None:
        self._port.close()

    def _remove_folder(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


class ForgetsSimulator(Healthy):
    def _end_simulator(self) -> None:
        pass


class ForgetsThread(Healthy):
    def _end_thread(self) -> None:
        pass


class ForgetsSocket(Healthy):
    def _close_port(self) -> None:
        kept.append(self._port)


class ForgetsFolder(Healthy):
    def _remove_folder(self) -> None:
        pass


kept: list[socket.socket] = []


class ClosesWhatIsNotThere(Healthy):
    def close(self) -> None:
        self._shut()
        self._init_flag = False


class Eager(Healthy):
    """Takes all in its constructor."""

    def __init__(self, cfg: dict) -> None:
        super().__init__(cfg)
        self._open()
        self._init_flag = True


class _Track(gym.Env):
    """A real environment that a shell keeps; holds a folder of its own."""

    observation_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gym.spaces.Discrete(3)

    def __init__(self) -> None:
        self._port = socket.create_server(("127.0.0.1", 0))

    def reset(self) -> np.ndarray:
        return np.zeros(2, np.float32)

    def step(self, action: int) -> tuple:
        return np.zeros(2, np.float32), 0.0, False, {}

    def close(self) -> None:
        self._port.close()


class Rebuilds(Healthy):
    """Builds its environment anew for every episode, and closes the old one first."""

    def __init__(self, cfg: dict) -> None:
        super().__init__(cfg)
        self._env = None

    def reset(self) -> np.ndarray:
        self._leave()
        self._env = _Track()
        self._init_flag = True
        return self._env.reset()

    def step(self, action: np.ndarray) -> BaseEnvTimestep:
        obs, reward, done, info = self._env.step(int(action.item()))
        return BaseEnvTimestep(obs, np.array([reward], np.float32), done, info)

    def close(self) -> None:
        self._leave()
        self._init_flag = False

    def _leave(self) -> None:
        if self._env is not None:
            self._env.close()


class Loses(Rebuilds):
    """The same without closing."""

    def _leave(self) -> None:
        if self._env is not None:
            kept.append(self._env._port)


class NotAgain(Healthy):
    """Cannot be opened again: close() leaves the flag set."""

    def close(self) -> None:
        if self._init_flag:
            self._shut()


class Rails(Healthy):
    """Stands on one of the two rails of its hall from the first reset() to close()."""

    free: ClassVar = [0, 1]

    def _open(self) -> None:
        if not self.free:
            raise RuntimeError("no rail is free")
        self._rail = self.free.pop()
        super()._open()

    def _shut(self) -> None:
        super()._shut()
        self._leave()

    def _leave(self) -> None:
        self.free.append(self._rail)


class KeepsRail(Rails):
    """Leaves it when it is collected: who builds the next cranes before the closed ones are
    gone finds no rail.
    """

    def _open(self) -> None:
        if not hasattr(self, "_rail"):
            super()._open()
        else:
            Healthy._open(self)

    def _leave(self) -> None:
        pass

    def __del__(self) -> None:
        if hasattr(self, "_rail"):
            self.free.append(self._rail)


class Levels(Healthy):
    """Is reset at a level."""

    levels = (0, 1)

    def reset(self, level: int = 0) -> np.ndarray:
        if level not in self.levels:
            raise ValueError(f"there is no level {level}")
        return super().reset()


class KeepsRailAndItself(KeepsRail):
    """Is collected late: whoever launches again finds no rail either."""

    def _open(self) -> None:
        super()._open()
        self._itself = self


def counted(method: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that hands on nothing."""

    @functools.wraps(method)
    def count(self: Any) -> Any:
        self.calls = getattr(self, "calls", 0) + 1
        return method(self)

    return count


class LosesLevel(Levels):
    """Says that it takes a level, and does not."""

    @counted
    def reset(self, level: int = 0) -> np.ndarray:
        return super().reset(level)


class Stuck(Healthy):
    """Waits for ever in the second worker, with its simulator running: healthy without a
    manager.
    """

    @staticmethod
    def _wait(when: bool) -> None:
        if when and multiprocessing.current_process().name.startswith("subprocess_env_manager1_"):
            threading.Event().wait()


class FirstResetHangs(Stuck):
    """As soon as it is launched."""

    def reset(self) -> np.ndarray:
        seen = super().reset()
        self._wait(True)
        return seen


class ResetHangs(Stuck):
    """Between two episodes, which DI-engine resets in a thread."""

    _episodes = 0

    def reset(self) -> np.ndarray:
        self._episodes += 1
        self._wait(self._episodes == 3)
        return super().reset()


class StepHangs(Stuck):
    """In its third step; the asynchronous manager plays on with the other worker."""

    def step(self, action: np.ndarray) -> BaseEnvTimestep:
        self._wait(self._steps == 2)
        return super().step(action)
