"""A batch of games in four processes."""

import numpy as np
from breakout import Breakout
from pool import EnvPool


def main(make=Breakout):
    envs = EnvPool(make, batch_size=8, num_processes=4)
    draw = np.random.default_rng(0)
    for _ in range(2000):
        states = envs.step(draw.integers(0, 3, 8))
    print("done", states.mean())


if __name__ == "__main__":
    main()
