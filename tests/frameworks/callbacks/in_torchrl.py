"""A Trainer of TorchRL on CartPole: in_torchrl.py FOLDER. Prints what the environments counted
themselves after each batch, and the frames that were collected then.
"""

import json
import sys

import torch
from gymnasium.envs.classic_control import CartPoleEnv
from tally import counting
from tensordict import TensorDict
from torchrl.collectors import Collector
from torchrl.envs import GymWrapper, ParallelEnv
from torchrl.record.loggers.csv import CSVLogger
from torchrl.trainers import Trainer
from totals import totals

import envdoctor
from envdoctor.callbacks.torchrl import LogFigures

Cart = counting(CartPoleEnv)


def make():
    return GymWrapper(Cart())


class Loss(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = torch.nn.Linear(4, 1)

    def forward(self, batch):
        return TensorDict({"loss": self.network(batch["observation"]).pow(2).mean()})


def build(folder):
    loss = Loss()
    envs = ParallelEnv(2, make, mp_start_method="fork")
    return Trainer(
        collector=Collector(envs, None, frames_per_batch=100, total_frames=400),
        total_frames=400,
        frame_skip=1,
        optim_steps_per_batch=1,
        loss_module=loss,
        optimizer=torch.optim.Adam(loss.parameters()),
        logger=CSVLogger("cart", log_dir=folder),
        log_interval=0,
        progress_bar=False,
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    with envdoctor.watching():
        trainer = build(sys.argv[1])
        kept = set(trainer.state_dict())
        LogFigures(every=0).register(trainer)
        assert set(trainer.state_dict()) == kept

        def own(_batch):
            print(json.dumps({"timesteps": trainer.collected_frames, **totals()}))

        trainer.register_op("post_steps_log", own)
        trainer.train()
