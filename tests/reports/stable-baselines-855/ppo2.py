"""A generator that is trained a little again and again, as one adversary of two."""

import sys
import tempfile

import gymnasium
import numpy as np
from base_class import TensorboardWriter

TensorboardWriter.closes = "fixed" in sys.argv


class Reacher(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.goal = 0.0, self.np_random.uniform(-2.0, 2.0)
        self.steps = 0
        return self.look(), {}

    def look(self):
        return np.array([self.place, self.goal], np.float32)

    def step(self, action):
        self.place += 0.2 * float(action[0])
        self.steps += 1
        return self.look(), -abs(self.place - self.goal), False, self.steps == 20, {}


class PPO2:
    def __init__(self, env, tensorboard_log):
        self.env, self.tensorboard_log = env, tensorboard_log
        self.weights, self.num_timesteps = np.zeros(2), 0
        self.generator = np.random.default_rng(1)

    def learn(self, total_timesteps, tb_log_name="PPO2"):
        with TensorboardWriter(self.tensorboard_log, tb_log_name) as writer:
            observation, _ = self.env.reset(seed=self.num_timesteps)
            for _ in range(total_timesteps):
                noise = self.generator.normal(0.0, 0.3)
                action = np.clip([observation @ self.weights + noise], -1.0, 1.0)
                observation, reward, _, truncated, _ = self.env.step(action.astype(np.float32))
                self.weights += 0.001 * reward * noise * observation
                self.num_timesteps += 1
                writer.add_summary(reward, self.num_timesteps)
                if truncated:
                    observation, _ = self.env.reset()


def main(logs):
    env = Reacher()
    gen_policy = PPO2(env, tensorboard_log=logs)
    for _ in range(250):
        gen_policy.learn(total_timesteps=60)
    print(f"{gen_policy.num_timesteps} steps, weights {gen_policy.weights.round(3)}")
    env.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
