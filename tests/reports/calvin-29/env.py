"""A relative action is scaled in place, in parts that are views of what the policy handed over."""

import gymnasium
import numpy as np

REACH, TURN = np.float32(0.02), np.float32(0.05)


class PlayTable(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (7,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (7,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.pose = self.np_random.uniform(-0.5, 0.5, 7).astype(np.float32)
        return self.pose.copy(), {}

    def step(self, action):
        self.steps += 1
        self.move(*self.to_absolute(action))
        return self.pose.copy(), 0.0, False, self.steps == 40, {}

    def to_absolute(self, action):
        position, orientation, gripper = np.split(action, [3, 6])
        position *= REACH
        orientation *= TURN
        return self.pose[:3] + position, self.pose[3:6] + orientation, gripper

    def move(self, position, orientation, gripper):
        self.pose = np.concatenate([position, orientation, gripper])


class Cured(PlayTable):
    def to_absolute(self, action):
        return super().to_absolute(np.copy(action))
