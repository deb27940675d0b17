"""Walks of two agents at once, as PettingZoo's ParallelEnv: what SuperSuit makes copies of."""

from __future__ import annotations

import subprocess
import time

import numpy as np
from gymnasium.spaces import Box, Discrete
from pettingzoo import ParallelEnv
from short_episodes import written


class Walks(ParallelEnv):
    metadata = {"name": "walks", "render_modes": []}
    render_mode = None

    def __init__(self):
        self.possible_agents = ["ann", "bob"]
        self.agents = []
        self.random = np.random.default_rng()

    def observation_space(self, agent):
        return Box(-1.0, 1.0, (3,))

    def action_space(self, agent):
        return Discrete(4)

    def reset(self, seed=None, options=None):
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.taken = 0
        return self.seen(), {agent: {} for agent in self.agents}

    def step(self, actions):
        self.taken += 1
        walked = list(self.agents)
        over = self.over()
        seen = self.seen()
        self.agents = [agent for agent in walked if not over[agent]]
        rewards = {agent: float(actions[agent]) for agent in walked}
        infos = {agent: {"taken": self.taken} for agent in walked}
        return seen, rewards, over, dict.fromkeys(walked, False), infos

    def over(self):
        return dict.fromkeys(self.agents, self.taken >= 12)

    def seen(self):
        return {agent: self.random.uniform(-1, 1, 3).astype(np.float32) for agent in self.agents}

    def close(self):
        self.agents = []


class HoldsAProcess(Walks):
    """From its constructor on, so that it does not pickle."""

    def __init__(self):
        super().__init__()
        self.simulator = subprocess.Popen(["sleep", "600"])

    def close(self):
        self.simulator.kill()
        self.simulator.wait()


class StartsAtReset(Walks):
    """Holds a process from its first reset() on, and ends it in close()."""

    simulator = None

    def reset(self, seed=None, options=None):
        if self.simulator is None:
            self.simulator = subprocess.Popen(["sleep", "600"])
        return super().reset(seed, options)

    def close(self):
        if self.simulator is not None:
            self.simulator.kill()
            self.simulator.wait()
            self.simulator = None


class ClosesSlowly(StartsAtReset):
    """Its simulator takes two seconds to end."""

    def close(self):
        if self.simulator is not None:
            time.sleep(2)
        super().close()


class OneLeaves(Walks):
    """Ann walks four steps, bob twelve."""

    def over(self):
        last = {"ann": 4, "bob": 12}
        return {agent: self.taken >= last[agent] for agent in self.agents}


class ShortWalks(Walks):
    """Episodes of two steps, whose calls are written down."""

    def __init__(self, log):
        super().__init__()
        self.log = log

    def reset(self, seed=None, options=None):
        written(self.log, self, "reset")
        return super().reset(seed, options)

    def step(self, actions):
        written(self.log, self, "step")
        return super().step(actions)

    def over(self):
        return dict.fromkeys(self.agents, self.taken >= 2)


class FailsInStep(Walks):
    def step(self, actions):
        if self.taken == 4:
            raise ValueError("out of range")
        return super().step(actions)


class DrawsAlike(Walks):
    """Every instance of a process and of its forks lives the same episodes."""

    def reset(self, seed=None, options=None):
        return super().reset(seed=None if seed is None else 3)


def rows():
    """Four rows of SuperSuit's, of two walks."""
    import supersuit

    walks = supersuit.pettingzoo_env_to_vec_env_v1(Walks())
    return supersuit.concat_vec_envs_v1(walks, 2, num_cpus=1)
