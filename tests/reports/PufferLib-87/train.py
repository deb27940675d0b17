"""A training on eight environments in four processes."""

import numpy as np
from ocean import Ocean
from vector import Multiprocessing


def main():
    vecenv = Multiprocessing([Ocean] * 8, [{"size": 512}] * 8, num_workers=4)
    random = np.random.default_rng(1)
    vecenv.reset(seed=1)
    total = 0.0
    for _ in range(1000):
        _, rewards = vecenv.step(random.integers(0, 4, 8))
        total += rewards.mean()
    print(f"mean reward {total / 1000:.1f}")
    vecenv.close()


if __name__ == "__main__":
    main()
