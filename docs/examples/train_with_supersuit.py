"""Ferries in two workers of SuperSuit, without a policy."""

import numpy as np
import supersuit
from ferries import Ferries


def main():
    rows = supersuit.pettingzoo_env_to_vec_env_v1(Ferries())
    envs = supersuit.concat_vec_envs_v1(rows, 2, num_cpus=2)
    envs.reset()
    for _ in range(1000):
        envs.step(np.zeros(envs.num_envs, np.int64))
    envs.close()


if __name__ == "__main__":
    main()
