"""A baseline of a benchmark: a random agent, in runs with seeds."""

import sys

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv


class AbstractEnv(gymnasium.Env):
    def __init__(self, config):
        self.config = config
        self.observation_space = gymnasium.spaces.Box(-20.0, 20.0, (2,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if FIXED and seed is not None:
            self.action_space.seed(seed)
        self.c_step = 0
        return self.begin_instance(), {}


class SigmoidEnv(AbstractEnv):
    """The agent follows a curve that is another one in each episode."""

    def begin_instance(self):
        self.shift, self.slope = self.np_random.normal(5.0, 2.0), self.np_random.normal(0.0, 2.0)
        return np.clip([self.shift, self.slope], -20, 20).astype(np.float32)

    def step(self, action):
        self.c_step += 1
        target = 1.0 / (1.0 + np.exp(-self.slope * (self.c_step - self.shift)))
        reward = 1.0 - abs(target - float(action) / 3.0)
        done = self.c_step == self.config["cutoff"]
        observation = np.clip([self.shift - self.c_step, self.slope], -20, 20)
        return observation.astype(np.float32), float(reward), False, done, {}


class RandomAgent:
    def __init__(self, env):
        self.env = env

    def act(self, state, reward):
        return self.env.action_space.sample()


def run_benchmark(env, agent, num_episodes):
    total = 0.0
    for _ in range(num_episodes):
        state, _ = env.reset()
        done, reward = False, 0.0
        while not done:
            action = agent.act(state, reward)
            state, reward, _, done, _ = env.step(action)
            total += reward
    return total / num_episodes


def main():
    for seed in range(5):
        env = SigmoidEnv({"cutoff": 10})
        env.reset(seed=seed)
        mean = run_benchmark(env, RandomAgent(env), 20)
        print(f"seed {seed}: {mean:.3f}")
        env.close()


if __name__ == "__main__":
    main()
