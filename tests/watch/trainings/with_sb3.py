"""Stable-Baselines3 on CartPole: with_sb3.py ppo-dummy|ppo-fork|ppo-spawn|ppo-forkserver|dqn
CHECKPOINT. Prints a digest of what was learned, and of what it saw last.
"""

import hashlib
import sys

import numpy as np
import torch
from gymnasium.envs.classic_control import CartPoleEnv
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv
from tally import counting

Counting = counting(CartPoleEnv)


def make():
    from gymnasium.wrappers import TimeLimit

    return Monitor(TimeLimit(Counting(), 200))


def train(name):
    algorithm, _, method = name.partition("-")
    if algorithm == "dqn":
        settings = {"buffer_size": 500, "learning_starts": 100}
        return DQN("MlpPolicy", DummyVecEnv([make]), seed=3, device="cpu", **settings)
    if method == "dummy":
        envs = DummyVecEnv([make] * 2)
    else:
        envs = SubprocVecEnv([make] * 2, start_method=method)
    return PPO("MlpPolicy", envs, n_steps=64, batch_size=64, n_epochs=2, seed=3, device="cpu")


if __name__ == "__main__":
    torch.set_num_threads(1)
    model = train(sys.argv[1])
    model.learn(1_000)
    model.save(sys.argv[2])
    evaluation = DummyVecEnv([make])
    evaluation.seed(4)
    reward = evaluate_policy(model, evaluation, n_eval_episodes=2)
    evaluation.close()
    model.get_env().close()
    digest = hashlib.sha256()
    for each in model.policy.state_dict().values():
        digest.update(each.numpy().tobytes())
    digest.update(np.asarray(model._last_obs).tobytes())
    print(model.num_timesteps, reward, digest.hexdigest())
