"""The process of an environment: it plays episodes for an orchestrator, and logs into a file."""

import os
import sys

import gymnasium
import numpy as np


class WordGame(gymnasium.Env):
    """Letters are guessed; a word of the task list is broken."""

    observation_space = gymnasium.spaces.Box(0.0, 26.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(26)
    words = {0: "reinforce", 1: "learning", 2: "policy", 3: "reward", 4: "episode"}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.word, self.turns = self.words[(options or {}).get("task", 0)], 0
        return np.array([len(self.word), 0.0], np.float32), {}

    def step(self, action):
        self.turns += 1
        hits = self.word.count(chr(97 + int(action)))
        observation = np.array([len(self.word), hits], np.float32)
        return observation, float(hits), False, self.turns == 10, {}


def play(env, task):
    env.reset(options={"task": task})
    env.action_space.seed(task)
    total, cut = 0.0, False
    while not cut:
        _, reward, _, cut, _ = env.step(env.action_space.sample())
        total += reward
    return total


def run_env_server(log_file, requests, replies):
    log = open(log_file, "w", buffering=1)
    os.dup2(log.fileno(), sys.stdout.fileno())
    os.dup2(log.fileno(), sys.stderr.fileno())
    env = WordGame()
    for number, task in iter(requests.get, None):
        replies.put((number, play(env, task)))
    env.close()
    log.close()
