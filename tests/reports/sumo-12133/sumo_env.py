"""Traffic lights, in a simulator that is started anew for each episode."""

import itertools

import gymnasium
import numpy as np
import traci


class SumoEnv(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 11.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    label = "default"

    def __init__(self):
        self.conn = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.conn is not None:
            self.close()
        traci.start(self.label)
        self.conn = traci.getConnection(self.label)
        self.steps = 0
        return self.look(int(self.np_random.integers(0, 4))), {}

    def look(self, phase):
        return np.array([self.conn.simulationStep(phase)], np.float32)

    def step(self, action):
        self.steps += 1
        observation = self.look(int(action))
        return observation, -float(observation[0]), False, self.steps == 20, {}

    def close(self):
        if self.conn is not None:
            self.conn.close()
            self.conn = None


class Cured(SumoEnv):
    numbers = itertools.count()

    def __init__(self):
        super().__init__()
        self.label = f"simulation {next(self.numbers)}"

    def close(self):
        if self.conn is not None:
            traci.close(self.label)
            self.conn = None
