"""Tianshou: with_tianshou.py dummy|subproc|shmem. Prints a digest of what came back."""

import hashlib
import sys

import numpy as np
from gymnasium.envs.classic_control import CartPoleEnv
from tally import counting
from tianshou.env import DummyVectorEnv, ShmemVectorEnv, SubprocVectorEnv

KINDS = {"dummy": DummyVectorEnv, "subproc": SubprocVectorEnv, "shmem": ShmemVectorEnv}
Counting = counting(CartPoleEnv)

if __name__ == "__main__":
    envs = KINDS[sys.argv[1]]([Counting] * 2)
    envs.seed([5, 6])
    digest = hashlib.sha256()
    digest.update(envs.reset()[0].tobytes())
    for _ in range(200):
        observations, _, terminated, truncated, _ = envs.step(np.array([0, 1]))
        digest.update(observations.tobytes())
        ended = np.where(terminated | truncated)[0]
        if len(ended):
            digest.update(envs.reset(ended)[0].tobytes())
    envs.close()
    print(digest.hexdigest())
