"""A robot arm that reaches for a point; the simulation draws it."""

import glfw
import gymnasium
import mujoco_py
import numpy as np


class SawyerReachEnv(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (6,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)

    def __init__(self, render_mode="rgb_array"):
        self.render_mode = render_mode
        self.sim = mujoco_py.MjSim()
        self.viewer = None

    def look(self):
        return np.concatenate([self.sim.qpos, self.goal]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sim.qpos = self.np_random.uniform(-0.1, 0.1, 3)
        self.goal = self.np_random.uniform(-0.9, 0.9, 3)
        self.steps = 0
        return self.look(), {}

    def step(self, action):
        self.sim.step(np.asarray(action))
        self.steps += 1
        distance = float(np.linalg.norm(self.sim.qpos - self.goal))
        return self.look(), -distance, distance < 0.05, self.steps == 150, {}

    def render(self):
        if self.viewer is None:
            self.viewer = mujoco_py.MjRenderContextOffscreen(self.sim)
        self.viewer.render()
        return self.viewer.read_pixels()[::-1]

    def close(self):
        if self.viewer is not None:
            self.viewer.finish()
            self.viewer = None


class Cured(SawyerReachEnv):
    def close(self):
        if self.viewer is not None:
            glfw.destroy_window(self.viewer.window)
            self.viewer = None
