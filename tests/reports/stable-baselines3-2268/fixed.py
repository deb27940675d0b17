"""Runs with seeds 0, 1000, 2000, ... share no seed of their environments."""

from stable_baselines3 import A2C
from stable_baselines3.common.env_util import make_vec_env


def run(seed):
    envs = make_vec_env("CartPole-v1", n_envs=4, seed=1000 * seed)
    model = A2C("MlpPolicy", envs, n_steps=16, device="cpu")
    model.learn(4 * 16 * 4)
    envs.close()


def main():
    for seed in range(4):
        run(seed)


if __name__ == "__main__":
    main()
