"""PufferLib: with_puffer.py Serial|Multiprocessing. Prints a digest of what came back."""

import hashlib
import sys

import numpy as np
import pufferlib.emulation
import pufferlib.vector
from gymnasium.envs.classic_control import CartPoleEnv
from tally import counting

Counting = counting(CartPoleEnv)


def make(buf=None, seed=0):
    return pufferlib.emulation.GymnasiumPufferEnv(env=Counting(), buf=buf, seed=seed)


if __name__ == "__main__":
    backend = getattr(pufferlib.vector, sys.argv[1])
    workers = {"num_workers": 2} if sys.argv[1] == "Multiprocessing" else {}
    envs = pufferlib.vector.make(make, num_envs=2, backend=backend, **workers)
    digest = hashlib.sha256()
    digest.update(envs.reset(seed=5)[0].tobytes())
    for _ in range(200):
        digest.update(envs.step(np.array([0, 1]))[0].tobytes())
    envs.close()
    print(digest.hexdigest())
