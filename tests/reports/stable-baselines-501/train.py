"""Learn a little, save, learn on: each learn() opens another TensorBoard file
(stable-baselines#501).
"""

import tempfile

import torch
from stable_baselines3 import A2C


def main(logs):
    torch.set_num_threads(1)
    model = A2C("MlpPolicy", "CartPole-v1", n_steps=20, tensorboard_log=logs, seed=1, device="cpu")
    for _ in range(80):
        model.learn(100, reset_num_timesteps=False, tb_log_name="run")
    model.get_env().close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
