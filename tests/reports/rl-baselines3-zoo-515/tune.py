"""A search over hyperparameters that remembers its models (rl-baselines3-zoo#515)."""

import resource
import sys

from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv

FIXED = "fixed" in sys.argv
finished = []


def trial(number):
    envs = make_vec_env(
        "CartPole-v1",
        n_envs=4,
        seed=number,
        vec_env_cls=SubprocVecEnv,
        vec_env_kwargs={"start_method": "fork"},
    )
    model = PPO("MlpPolicy", envs, n_steps=64, batch_size=64, n_epochs=1, seed=number, device="cpu")
    model.learn(512)
    envs.close()
    finished.append(model.num_timesteps if FIXED else model)


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (120, 120)) if "limit" in sys.argv else None
    for number in range(25):
        trial(number)


if __name__ == "__main__":
    main()
