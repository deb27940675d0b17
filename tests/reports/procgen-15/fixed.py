"""The same, where the process makes the environment."""

import multiprocessing as mp

from train import Coins


def play():
    env = Coins()
    env.reset(seed=0)
    for _ in range(500):
        if env.step(0)[2]:
            env.reset()
    env.close()


def main():
    process = mp.Process(target=play)
    process.start()
    process.join()


if __name__ == "__main__":
    main()
