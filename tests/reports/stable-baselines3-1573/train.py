"""set_attr() sets an attribute of the outermost wrapper: the environment below keeps its own."""

import sys

import gymnasium
import numpy as np
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv

FIXED = "fixed" in sys.argv
LEVELS, STEPS = 4, 300


class Maze(gymnasium.Env):
    """The way gets longer with each level of the curriculum."""

    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.difficulty = 0

    def observe(self):
        return np.array([self.place, self.goal], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        self.goal = int(self.np_random.integers(2, 4)) + 3 * self.difficulty
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        self.place += 2 * int(action) - 1
        done = self.place == self.goal
        return self.observe(), float(done), done, self.steps == 50, {"difficulty": self.difficulty}


def train(envs, rng):
    """Play until it is time for the next level, and return what the environments had."""
    difficulties = set()
    for _ in range(STEPS):
        actions = (rng.random(envs.num_envs) < 0.6).astype(int)
        *_, infos = envs.step(actions)
        difficulties.update(info["difficulty"] for info in infos)
    return sorted(difficulties)


def main():
    rng = np.random.default_rng(0)
    envs = make_vec_env(Maze, n_envs=2, seed=0, vec_env_cls=SubprocVecEnv)
    for level in range(LEVELS):
        if FIXED:
            envs.env_method("set_wrapper_attr", "difficulty", level)
        else:
            envs.set_attr("difficulty", level)
        envs.reset()
        difficulties = train(envs, rng)
        print(f"{envs.get_attr('difficulty')} is set, {difficulties} is played", flush=True)
    envs.close()


if __name__ == "__main__":
    main()
