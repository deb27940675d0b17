"""A simulated room, whose parameters are varied from episode to episode."""

import gymnasium
import numpy as np


class SimulationContext:
    """The physics of a scene; its buffers are as large as the scene."""

    def __init__(self, objects):
        self.buffers = np.zeros((objects, 1 << 20), np.uint8)


class VariationRecorder:
    """Records what was varied in each episode of the environment that it is bound to."""

    def __init__(self):
        self.rows = []

    def bind_env(self, env):
        self.env = env

    def record(self, mass):
        self.rows.append((self.env.episode, mass))


class ArenaEnv(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def __init__(self, env_cfg, variation_recorder=None):
        self.sim = SimulationContext(env_cfg["objects"])
        self.recorder = variation_recorder
        self.episode = 0
        if variation_recorder is not None:
            variation_recorder.bind_env(self)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.episode += 1
        self.mass = float(self.np_random.uniform(0.5, 2.0))
        self.state = self.np_random.uniform(-1.0, 1.0, 2)
        self.steps = 0
        if self.recorder is not None:
            self.recorder.record(self.mass)
        return self.state.astype(np.float32), {}

    def step(self, action):
        self.state = (self.state + np.asarray(action) / self.mass).clip(-10, 10)
        self.steps += 1
        return self.state.astype(np.float32), 0.0, False, self.steps == 20, {}
