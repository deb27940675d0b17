"""Each worker of a batch is made with a seed of its own."""

import torch
from env import Duck
from torchrl.envs import SerialEnv


def main():
    torch.set_num_threads(1)
    batch = SerialEnv(4, [lambda rank=rank: Duck(seed=rank) for rank in range(4)])
    for _ in range(30):
        batch.rollout(20)
    batch.close()


if __name__ == "__main__":
    main()
