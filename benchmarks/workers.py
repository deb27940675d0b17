"""What a person would write to see whether Stable-Baselines3's workers start: one launch for each
of fork and spawn, a reset, some steps, the end. `workers.py SPEC`; speed.py compares `check` to it.
"""

from __future__ import annotations

import functools
import sys

import gymnasium
from stable_baselines3.common.vec_env import SubprocVecEnv

STEPS, WORKERS = 20, 2


def main(spec: str) -> None:
    for method in ("fork", "spawn"):
        vector = SubprocVecEnv([functools.partial(gymnasium.make, spec)] * WORKERS, method)
        vector.seed(0)
        vector.reset()
        for _ in range(STEPS):
            vector.step([vector.action_space.sample() for _ in range(WORKERS)])
        vector.close()


if __name__ == "__main__":
    main(sys.argv[1])
