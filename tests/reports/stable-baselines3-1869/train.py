"""The ids are registered in the main block, which workers of forkserver do not run."""

import gymnasium
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import SubprocVecEnv

NAME = "DynamicObstacles-v0"


class Obstacles(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 5.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.agent = self.np_random.uniform(0.0, 5.0, 2).astype(np.float32)
        return self.agent.copy(), {}

    def step(self, action):
        self.steps += 1
        self.agent[0] = (self.agent[0] + action) % 5
        return self.agent.copy(), 1.0, False, self.steps == 30, {}


def register_environments():
    if NAME not in gymnasium.registry:
        gymnasium.register(NAME, entry_point=Obstacles)


def maker(rank):
    def make():
        env = gymnasium.make(NAME)
        env.reset(seed=rank)
        return env

    return make


def main():
    register_environments()
    env = SubprocVecEnv([maker(rank) for rank in range(2)])
    PPO("MlpPolicy", env, n_steps=32, batch_size=32, device="cpu", seed=1).learn(128)
    env.close()


if __name__ == "__main__":
    main()
