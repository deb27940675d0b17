"""For the tutorial on ids: only main() imports what registers the id."""

import argparse

import gymnasium as gym

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)


def main():
    import cranes  # noqa: F401

    envs = gym.make_vec("Crane-v0", num_envs=2, vectorization_mode="async")
    envs.reset(seed=parser.parse_args().seed)
    envs.close()


if __name__ == "__main__":
    main()
