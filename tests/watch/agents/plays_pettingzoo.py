"""Environments of PettingZoo that count for themselves, within wrappers and conversions."""

import copy
import json

from pettingzoo.utils.conversions import parallel_to_aec_wrapper
from pettingzoo.utils.env import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers.base_parallel import BaseParallelWrapper

COUNTS = {"made": 0, "resets": 0, "steps": 0, "closed": 0}


class Counting:
    metadata = {"name": "counting", "render_modes": []}
    render_mode = None
    possible_agents = agents = ("ann", "bob")

    def __init__(self):
        COUNTS["made"] += 1

    def observation_space(self, agent):
        return None

    action_space = observation_space

    def close(self):
        COUNTS["closed"] += 1


class Team(Counting, ParallelEnv):
    def reset(self, seed=None, options=None):
        COUNTS["resets"] += 1
        self.agents = list(self.possible_agents)
        return dict.fromkeys(self.agents, 0), {agent: {} for agent in self.agents}

    def step(self, actions):
        COUNTS["steps"] += 1
        ended = dict.fromkeys(self.agents, False)
        nothing = dict.fromkeys(self.agents, 0)
        return nothing, nothing, ended, ended, {agent: {} for agent in self.agents}


class Turns(Counting, AECEnv):
    def reset(self, seed=None, options=None):
        COUNTS["resets"] += 1

    def step(self, action):
        COUNTS["steps"] += 1


class Both(Turns, ParallelEnv):
    """Below two base classes, and one instance."""


if __name__ == "__main__":
    aec = parallel_to_aec_wrapper(BaseParallelWrapper(Team()))
    aec.reset(seed=1)
    for _ in range(6):
        aec.step(0)
    aec.close()
    for env in (Turns(), Both()):
        env.reset()
        env.step(0)
        env.close()
    COUNTS["made"] += 1  # a deep copy has no constructor
    other = copy.deepcopy(Team())
    other.reset()
    print(json.dumps(COUNTS))
