"""Gymnasium's vectorizers: with_gymnasium.py sync|fork|spawn|forkserver. Prints a digest of what
they returned.
"""

import hashlib
import sys

from gymnasium.envs.classic_control import CartPoleEnv
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit
from tally import counting

Counting = counting(CartPoleEnv)


def make():
    return RecordEpisodeStatistics(TimeLimit(Counting(), 50))


if __name__ == "__main__":
    if sys.argv[1] == "sync":
        envs = SyncVectorEnv([make] * 3)
    else:
        envs = AsyncVectorEnv([make] * 3, context=sys.argv[1])
    digest = hashlib.sha256(envs.reset(seed=5)[0].tobytes())
    envs.action_space.seed(5)
    for _ in range(400):
        digest.update(envs.step(envs.action_space.sample())[0].tobytes())
    envs.close()
    print(digest.hexdigest())
