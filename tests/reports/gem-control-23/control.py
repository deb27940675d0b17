"""A controller that is designed for the motor of an environment."""

import sys

import gymnasium as gem
import motor
import numpy as np


class GemController:
    def __init__(self, limits, tau):
        self.gain = 1.0 / (limits * (0.1 + tau))

    @classmethod
    def make(cls, env):
        if "fixed" in sys.argv:
            env = env.unwrapped
        return cls(env.limits, env.tau)

    def control(self, state):
        return np.clip(self.gain * (state[2:] - state[:2]), -1.0, 1.0).astype(np.float32)


def control_environment(env, controller, episodes):
    total = 0.0
    for episode in range(episodes):
        state, _ = env.reset(seed=episode)
        over = False
        while not over:
            state, reward, terminated, truncated, _ = env.step(controller.control(state))
            total, over = total + reward, terminated or truncated
    return total / episodes


if __name__ == "__main__":
    assert motor
    env = gem.make("Cont-CC-PMSM-v0")
    controller = GemController.make(env)
    print(control_environment(env, controller, 10))
    env.close()
