"""Options are set for the environments, and lost where the vectorizer resets them by itself."""

import sys

import gymnasium
import numpy as np
from stable_baselines3.common.env_util import make_vec_env

FIXED = "fixed" in sys.argv
STEPS = 400


class Track(gymnasium.Env):
    """The options choose the level: the higher it is, the longer the track."""

    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def observe(self):
        return np.array([self.place, self.goal], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level = (options or {}).get("level", 0)
        self.place = 0
        self.goal = 3 + 4 * self.level + int(self.np_random.integers(0, 2))
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        self.place += 2 * int(action) - 1
        done = self.place == self.goal
        return self.observe(), float(done), done, self.steps == 60, {"level": self.level}


class KeepsOptions(gymnasium.Wrapper):
    """A reset() without options is one with those of the reset() before."""

    options = None

    def reset(self, *, seed=None, options=None):
        self.options = options or self.options
        return self.env.reset(seed=seed, options=self.options)


def main():
    rng = np.random.default_rng(0)
    envs = make_vec_env(Track, n_envs=2, seed=0, wrapper_class=KeepsOptions if FIXED else None)
    envs.set_options({"level": 2})
    envs.reset()
    levels = []
    for _ in range(STEPS):
        _, _, dones, infos = envs.step((rng.random(2) < 0.7).astype(int))
        levels += [info["level"] for info, done in zip(infos, dones, strict=True) if done]
    print(f"{len(levels)} episodes, {levels.count(2)} of them in level 2", flush=True)
    envs.close()


if __name__ == "__main__":
    main()
