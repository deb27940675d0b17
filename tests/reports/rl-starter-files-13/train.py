"""Four worlds are made, and then played at once."""

import sys

from penv import ParallelEnv
from world import MiniWorld


def main():
    envs = [MiniWorld] * 4 if "fixed" in sys.argv else [MiniWorld() for _ in range(4)]
    parallel = ParallelEnv(envs)
    parallel.ask("reset", seed=0)
    for _ in range(200):
        parallel.ask("step", action=1)
    parallel.close()


if __name__ == "__main__":
    main()
