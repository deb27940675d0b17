"""What TorchRL's checker refuses: a reward of another type than is specified, and an entry that
nobody specified.
"""

import torch
from tensordict import TensorDict
from torchrl.data import Bounded, Composite, Unbounded
from torchrl.envs import EnvBase

INTERPRETER = "ENVDOCTOR_TORCHRL_PYTHON"
ARGUMENTS = ("--managers", "direct")


class Healthy(EnvBase):
    def __init__(self):
        super().__init__()
        self.observation_spec = Composite(position=Unbounded((1,)))
        self.action_spec = Bounded(-1.0, 1.0, (1,))
        self.reward_spec = Unbounded((1,))
        self.position = torch.zeros(1)
        self.random = torch.Generator()

    def _set_seed(self, seed):
        self.random.manual_seed(seed)

    def _reset(self, tensordict=None, **_):
        self.position = torch.rand(1, generator=self.random)
        return TensorDict(self.observed())

    def _step(self, tensordict):
        self.position = self.position + tensordict["action"]
        return TensorDict(
            {
                **self.observed(),
                "reward": -self.position.abs(),
                "done": torch.zeros(1, dtype=torch.bool),
            }
        )

    def observed(self):
        return {"position": self.position.clone()}


class Sick(Healthy):
    def observed(self):
        return {"position": self.position.to(torch.float64), "mass": torch.ones(1)}
