"""Stable-Baselines3 on CartPole: in_sb3.py ppo-dummy|ppo-fork|dqn FOLDER. Prints what the
environments counted themselves at the end of each rollout, and the steps of the model then.
"""

import json
import sys

import torch
from gymnasium.envs.classic_control import CartPoleEnv
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv
from tally import counting
from totals import totals

import envdoctor
from envdoctor.callbacks.stable_baselines3 import FiguresCallback

Counting = counting(CartPoleEnv)


class Own(BaseCallback):
    def _on_step(self):
        return True

    def _on_rollout_end(self):
        print(json.dumps({"timesteps": self.num_timesteps, **totals()}))


def build(name):
    if name == "dqn":
        settings = {"buffer_size": 500, "learning_starts": 100, "train_freq": 4}
        return DQN("MlpPolicy", DummyVecEnv([Counting]), seed=3, device="cpu", **settings)
    if name == "ppo-fork":
        envs = SubprocVecEnv([Counting] * 2, start_method="fork")
    else:
        envs = DummyVecEnv([Counting] * 2)
    return PPO("MlpPolicy", envs, n_steps=64, batch_size=64, n_epochs=1, seed=3, device="cpu")


if __name__ == "__main__":
    torch.set_num_threads(1)
    name, folder = sys.argv[1:]
    with envdoctor.watching():
        model = build(name)
        model.set_logger(configure(folder, ["csv", "log"]))
        model.learn(512, callback=[FiguresCallback(every=0), Own()], log_interval=1)
        model.get_env().close()
