"""Learn a little, save, learn on: each learn() opens another TensorBoard file (stable-baselines#501)."""

import sys

import torch
from stable_baselines3 import A2C

FIXED = "fixed" in sys.argv


def main():
    torch.set_num_threads(1)
    model = A2C(
        "MlpPolicy", "CartPole-v1", n_steps=20, tensorboard_log="logs", seed=1, device="cpu"
    )
    for n in range(int(sys.argv[1])):
        model.learn(100, reset_num_timesteps=False, tb_log_name="run")
        model.save("latest")
        if FIXED:
            model.logger.close()


if __name__ == "__main__":
    main()
