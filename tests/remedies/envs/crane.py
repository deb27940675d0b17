"""A crane over a track, written in a hurry: twelve defects in one environment.

`# defect N` stands at the lines that make one: without them it is gone.
"""

import os
import random
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import warnings

import gymnasium as gym
import numpy as np

WIDTH = 8
EPISODE = 12  # steps
TICK = 0.02  # seconds
SIMULATOR = ["sleep", "600"]

LOG = os.path.join(tempfile.gettempdir(), "crane.log")

VISITED = []  # every step of the process


class Heartbeat(threading.Thread):
    """Tells a supervisor that the crane lives."""

    def __init__(self, name):
        super().__init__(name=name, daemon=True)
        self._ending = threading.Event()
        self.beats = 0

    def run(self):
        while not self._ending.wait(TICK):
            self.beats += 1

    def stop(self):
        self._ending.set()


class Clock:
    """Ticks as long as it is running."""

    def __init__(self):
        self.running = True
        self.ticks = 0

    def tick(self):
        while self.running:
            time.sleep(TICK)
            self.ticks += 1


class Track:
    """The rails, as the planner sees them."""

    def __init__(self, generator):
        self.cells = [0] * WIDTH
        self.cells[int(generator.integers(WIDTH))] = 1

    @property
    def goal(self):
        return self.cells.index(1)

    def distance(self, place):
        return abs(place - self.goal)


class Recorder:
    """Episodes, one line each, in a data base."""

    def __init__(self, path):
        self._connection = sqlite3.connect(path)
        self._connection.execute("create table if not exists episodes (number int, reward real)")
        self._connection.commit()

    def write(self, number, reward):
        self._connection.execute("insert into episodes values (?, ?)", (number, reward))
        self._connection.commit()

    def close(self):
        self._connection.close()


class Planner:
    """Knows the track that it plans for."""

    def __init__(self, track):
        self.track = track

    def advice(self, place):
        return 1 if place < self.track.goal else 0


class Crane(gym.Env):
    metadata = {"render_modes": []}

    fleet = []

    def __init__(self):
        self.observation_space = gym.spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = gym.spaces.Discrete(2)
        self.place = 0
        self.steps = 0
        self.episodes = 0
        self.reward = 0.0
        self.track = None
        self.wind = 0.0
        self.port = None
        self._ready = False
        self.fleet.append(self)  # defect 2
        self._level = tempfile.mkdtemp(prefix="crane-")  # defect 3
        self._write_level()  # defect 3

    # What an instance needs outside of itself.

    def _write_level(self):
        with open(os.path.join(self._level, "level.txt"), "w") as file:
            file.write("." * WIDTH)

    def _open(self):
        """Whatever the first reset() takes."""
        self._log = open(LOG, "a")  # noqa: SIM115  # defect 4
        self._clock = Clock()
        self._reader = threading.Thread(target=self._clock.tick, daemon=True)  # defect 5
        self._reader.start()  # defect 5
        self._simulator = subprocess.Popen(SIMULATOR)  # defect 6
        self._server = socket.create_server(("127.0.0.1", 0))  # defect 7
        self._recorder = Recorder(os.path.join(tempfile.gettempdir(), "crane.db"))  # defect 8
        self._beat = Heartbeat("heartbeat")  # defect 9
        self._beat.start()  # defect 9
        self._ready = True

    # The episode.

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        warnings.simplefilter("ignore")  # defect 11
        if not self._ready:
            self._open()
        self.track = Track(self.np_random)
        self.planner = Planner(self.track)
        self.place = int(self.np_random.integers(WIDTH))
        self.steps = 0
        self.reward = 0.0
        self.wind = 0.0
        self.wind = random.uniform(-0.1, 0.1)  # defect 10
        return self._observe(), self._info()

    def step(self, action):
        self.steps += 1
        self._move(int(action))
        VISITED.append((self.place, self.steps))  # defect 1
        reward = self._reward()
        self.reward += reward
        terminated = self.place == self.track.goal and self.steps > 3
        truncated = self.steps >= EPISODE
        if terminated or truncated:
            self._finish()
        return self._observe(), reward, terminated, truncated, self._info()

    def _move(self, action):
        change = 1 if action else -1
        self.place = min(WIDTH - 1, max(0, self.place + change))

    def _reward(self):
        return -self.track.distance(self.place) / WIDTH + self.wind

    def _finish(self):
        self.episodes += 1

    def _observe(self):
        return np.array(
            [
                self.place / WIDTH,
                self.track.goal / WIDTH,
                min(1.0, max(0.0, 0.5 + self.wind)),
            ],
            np.float32,
        )

    def _info(self):
        return {"advice": self.planner.advice(self.place), "episodes": self.episodes}

    # The end.

    def close(self):
        self.place = 0
        del self.track  # defect 12
        super().close()
