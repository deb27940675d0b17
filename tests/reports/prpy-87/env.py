"""A simulator's thread goes on after close(), and holds the instance."""

import threading

import gymnasium
import numpy as np


class ServoSimulator:
    def __init__(self, robot):
        self.robot = robot
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.stopped.wait(0.05):
            self.robot.ticks = self.robot.ticks + 1

    def stop(self):
        self.stopped.set()
        self.thread.join()


class Herb(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-4.0, 4.0, (7,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (7,), np.float32)
    stops = False

    def __init__(self):
        self.ticks = 0
        self.simulator = ServoSimulator(self)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.joints = self.np_random.uniform(-1.0, 1.0, 7).astype(np.float32)
        return self.joints.copy(), {}

    def step(self, action):
        self.steps += 1
        self.joints = np.clip(self.joints + np.float32(0.1) * action, -4.0, 4.0)
        return self.joints.copy(), 0.0, False, self.steps == 30, {}

    def close(self):
        if self.stops and self.simulator is not None:
            self.simulator.stop()
            self.simulator = None


class Cured(Herb):
    stops = True
