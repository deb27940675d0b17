"""All workers of a batch are made from the same arguments, their seed among them."""

import torch
from env import Duck
from torchrl.envs import SerialEnv


def main():
    torch.set_num_threads(1)
    batch = SerialEnv(4, [lambda: Duck(seed=0) for _ in range(4)])
    for _ in range(30):
        batch.rollout(20)
    batch.close()


if __name__ == "__main__":
    main()
