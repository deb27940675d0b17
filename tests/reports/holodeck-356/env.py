"""Sensors write into shared memory; close() removes its file and leaves its descriptor open."""

import mmap
import os
import uuid

import gymnasium
import numpy as np

SIZE = 4 * np.dtype(np.float32).itemsize


class Shmem:
    def __init__(self, name):
        self.path = f"/dev/shm/{name}"
        self.file = os.open(self.path, os.O_CREAT | os.O_TRUNC | os.O_RDWR)
        os.ftruncate(self.file, SIZE)
        self.memory = mmap.mmap(self.file, SIZE)
        self.array = np.frombuffer(self.memory, np.float32)

    def unlink(self):
        os.unlink(self.path)

    def close(self):
        self.array = None
        self.memory.close()
        os.close(self.file)


class Maze(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (12,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    closes = False

    def __init__(self):
        name = f"HOLODECK_MEM{uuid.uuid4().hex}"
        sensors = ("RGBCamera", "OrientationSensor", "LocationSensor")
        self.buffers = [Shmem(f"{name}_{sensor}") for sensor in sensors]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.look(), {}

    def step(self, action):
        self.steps += 1
        return self.look(), 0.0, False, self.steps == 20, {}

    def look(self):
        for number, buffer in enumerate(self.buffers):
            buffer.array[:] = number + self.steps
        return np.concatenate([buffer.array for buffer in self.buffers])

    def close(self):
        for buffer in self.buffers:
            buffer.unlink()
            if self.closes:
                buffer.close()
        self.buffers = []


class Cured(Maze):
    closes = True
