"""A search over hyperparameters that remembers what its models did (rl-baselines3-zoo#515)."""

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv

finished = []


def trial(number):
    fork = {"start_method": "fork"}
    envs = make_vec_env(
        "CartPole-v1", n_envs=2, seed=number, vec_env_cls=SubprocVecEnv, vec_env_kwargs=fork
    )
    model = PPO("MlpPolicy", envs, n_steps=64, batch_size=64, n_epochs=1, seed=number, device="cpu")
    model.learn(256)
    envs.close()
    finished.append(model.num_timesteps)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for number in range(32):
        trial(number)
