"""The same script with a guard."""

import functools

import gymnasium


class Walker(gymnasium.Env):
    """An environment of the script's own."""

    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        return 0, 0.0, False, False, {}


gymnasium.register("ZooScript-v0", entry_point=Walker)
make_env = functools.partial(gymnasium.make, "ZooScript-v0")

if __name__ == "__main__":
    envs = gymnasium.vector.AsyncVectorEnv([make_env] * 2, context="spawn")
    envs.reset(seed=0)
    for _ in range(20):
        envs.step(envs.action_space.sample())
    envs.close()
