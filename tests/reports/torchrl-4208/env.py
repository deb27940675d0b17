"""An environment of TorchRL that draws from a generator of its own."""

import torch
from tensordict import TensorDict
from torchrl.data import Binary, Bounded, Composite, Unbounded
from torchrl.envs import EnvBase


class Duck(EnvBase):
    def __init__(self, seed=0):
        super().__init__(device="cpu", batch_size=[])
        self.observation_spec = Composite(place=Unbounded((3,)))
        self.action_spec = Bounded(-1, 1, (1,))
        self.reward_spec = Unbounded((1,))
        self.done_spec = Composite(
            done=Binary(1, dtype=torch.bool), terminated=Binary(1, dtype=torch.bool)
        )
        self.set_seed(seed)

    def _set_seed(self, seed):
        self.generator = torch.Generator().manual_seed(seed or 0)

    def _reset(self, tensordict=None, **kwargs):
        self.left = 20
        return TensorDict({"place": torch.randn(3, generator=self.generator)}, [])

    def _step(self, tensordict):
        self.left -= 1
        over = torch.tensor([self.left == 0])
        place = torch.randn(3, generator=self.generator)
        return TensorDict(
            {"place": place, "reward": torch.zeros(1), "done": over, "terminated": over}, []
        )
