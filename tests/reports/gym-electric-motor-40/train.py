"""A controller runs a motor, which stops where its current gets too high, and has to be reset then."""

import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class ElectricMotor(gym.Env):
    observation_space = gym.spaces.Box(-1.0, 1.0, (3,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)
    reset_required = True

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.speed, self.current = 0.0, 0.0
        self.reference = float(self.np_random.uniform(0.2, 0.9))
        self.reset_required = False
        return self.look(), {}

    def step(self, action):
        if self.reset_required:
            raise RuntimeError("A reset is required before further steps")
        self.current += 0.2 * float(action[0])
        self.speed += 0.05 * self.current
        self.reference = float(np.clip(self.reference + self.np_random.normal() / 30, 0, 0.9))
        violated = abs(self.current) > 1.0
        self.reset_required = violated
        reward = -1.0 if violated else 0.0
        return self.look(), reward, violated, False, {}

    def look(self):
        state = (self.speed, self.current, self.reference)
        return np.clip(np.array(state, np.float32), -1.0, 1.0)


class PIController:
    def __init__(self):
        self.sum = 0.0

    def control(self, state):
        speed, _, reference = state
        self.sum += reference - speed
        return np.clip(np.array([2 * (reference - speed) + 0.1 * self.sum], np.float32), -1, 1)


def sick():
    env, controller = ElectricMotor(), PIController()
    state, _ = env.reset(seed=3)
    total = 0.0
    for _ in range(3000):
        action = controller.control(state)
        state, reward, _, _, _ = env.step(action)
        total += reward
    print(total)
    env.close()


def fixed():
    env, controller = ElectricMotor(), PIController()
    state, _ = env.reset(seed=3)
    total = 0.0
    for _ in range(3000):
        action = controller.control(state)
        state, reward, done, _, _ = env.step(action)
        total += reward
        if done:
            state, _ = env.reset()
            controller = PIController()
    print(total)
    env.close()


if __name__ == "__main__":
    fixed() if FIXED else sick()
