"""A training in which one side keeps what it should not: keeps.py WHERE CASE SECONDS. On a busy
machine it takes longer, until enough steps were made.
"""

import sys
import time

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

WHERE, CASE, SECONDS = sys.argv[1], sys.argv[2], float(sys.argv[3])
STEPS = 16_000  # at least
PAST = []


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (64,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.past, self.cache, self.steps = [], {}, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observed(), {}

    def observed(self):
        return self.np_random.uniform(-1, 1, 64).astype(np.float32)

    def step(self, action):
        self.steps += 1
        observation = self.observed()
        if CASE == "self":
            self.past.append([float(self.steps), [1]])
        if CASE == "global":
            PAST.append([float(self.steps), [1]])
        if CASE == "observation":
            self.past.append(observation)
        if CASE == "cache":
            self.cache[self.steps % 3000] = [self.steps]
        if CASE == "cycles":
            cycle = [self.steps]
            cycle.append(cycle)
        return observation, 0.0, self.steps % 20 == 0, False, {"steps": [self.steps]}


class Keeping(SyncVectorEnv):
    def __init__(self, factories):
        super().__init__(factories)
        self.kept = []

    def step(self, actions):
        answer = super().step(actions)
        if CASE == "vectorizer":
            self.kept.append([answer[4]])
        return answer


class Logger:
    def __init__(self):
        self.rows = []

    def log(self, **row):
        self.rows.append(row)


class Replay:
    def __init__(self, size):
        self.rows, self.size, self.added = [], size, 0

    def add(self, row):
        if len(self.rows) < self.size:
            self.rows.append(row)
        self.rows[self.added % self.size] = row
        self.added += 1


def main():
    in_workers = WHERE == "workers"
    envs = AsyncVectorEnv([Arm] * 2, context="fork") if in_workers else Keeping([Arm] * 2)
    envs.reset(seed=1)
    infos_kept, logger, replay = [], Logger(), Replay(2000)
    end, steps = time.monotonic() + SECONDS, 0
    while steps < STEPS or time.monotonic() < end:
        steps += 1
        observations, rewards, _, _, infos = envs.step(np.zeros(2, int))
        if CASE == "main":
            infos_kept.append([infos])
        if CASE == "logger":
            logger.log(reward=[float(rewards[0])])
        if CASE == "observations":
            logger.log(observations=observations)
        if CASE == "replay":
            replay.add([list(rewards), [float(observations[0][0])]])
    envs.close()


if __name__ == "__main__":
    main()
