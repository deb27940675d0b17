"""A pendulum that needs torques of up to two to swing up."""

import sys

import gymnasium
import numpy as np
from iterators import DDPG, MinMaxActionScaler, fit_online

FIXED = "fixed" in sys.argv


class Pendulum(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-8.0, 8.0, (3,), np.float32)
    action_space = gymnasium.spaces.Box(-2.0, 2.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.angle, self.speed = self.np_random.uniform([-np.pi, -1.0], [np.pi, 1.0])
        self.steps = 0
        return self.look(), {}

    def look(self):
        return np.array([np.cos(self.angle), np.sin(self.angle), self.speed], np.float32)

    def step(self, action):
        torque = float(np.clip(action[0], -2.0, 2.0))
        angle = (self.angle + np.pi) % (2 * np.pi) - np.pi
        cost = angle**2 + 0.1 * self.speed**2 + 0.001 * torque**2
        self.speed += (15.0 * np.sin(self.angle) + 3.0 * torque) * 0.05
        self.speed = float(np.clip(self.speed, -8.0, 8.0))
        self.angle += self.speed * 0.05
        self.steps += 1
        return self.look(), -cost, False, self.steps == 200, {}


def main():
    env = Pendulum()
    ddpg = DDPG(observation_size=3, action_size=1)
    scaler = MinMaxActionScaler(env.action_space) if FIXED else None
    fit_online(ddpg, env, n_steps=5000, action_scaler=scaler)
    print(f"actor {ddpg.actor.round(2).tolist()}")
    env.close()


if __name__ == "__main__":
    main()
