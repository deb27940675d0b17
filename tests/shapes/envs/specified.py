"""A line to walk along: one EnvBase of TorchRL's."""

import illnesses
import torch
from tensordict import TensorDict
from torchrl.data import Bounded, Categorical, Composite
from torchrl.envs import EnvBase


class Line(EnvBase):
    """Ends after eight steps."""

    def __init__(self):
        super().__init__(device="cpu", batch_size=[])
        self.observation_spec = Composite(observation=Bounded(0.0, 1.0, (2,)))
        self.action_spec = Categorical(3)
        self.reward_spec = Bounded(0.0, 1.0, (1,))
        self.random = torch.Generator()

    def _reset(self, tensordict=None, **kwargs):
        self._begin()
        self.steps = 0
        return TensorDict({**self._seen(), **self._ends()}, [])

    def _step(self, tensordict):
        self._moved()
        self.steps += 1
        return TensorDict({**self._seen(), "reward": torch.ones(1), **self._ends()}, [])

    def _seen(self):
        return {"observation": torch.rand(2, generator=self.random)}

    def _ends(self):
        over = torch.tensor([self.steps >= 8])
        return {"done": over, "terminated": over.clone()}

    def _set_seed(self, seed):
        self.random.manual_seed(seed or 0)


class Healthy(illnesses.Healthy, Line):
    def close(self, **others):
        illnesses.Healthy.close(self)
        Line.close(self, **others)
