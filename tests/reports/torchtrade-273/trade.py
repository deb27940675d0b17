"""set_seed() reaches only the global generators; the episode's start comes from one of its own (torchtrade#273)."""

import numpy as np
import torch
from tensordict import TensorDict
from torchrl.data import Binary, Bounded, Composite, Unbounded
from torchrl.envs import EnvBase


class Trade(EnvBase):
    FIXED = False

    def __init__(self, seed=42, days=500, length=30):
        super().__init__(device="cpu", batch_size=[])
        self.prices = np.cumsum(np.sin(np.arange(days) / 7.0)) + 100
        self.length = length
        self.starts = np.random.default_rng(seed)
        self.cash = np.random.default_rng(seed)
        self.observation_spec = Composite(
            price=Unbounded((3,), dtype=torch.float32), cash=Unbounded((1,), dtype=torch.float32)
        )
        self.action_spec = Bounded(-1, 1, (1,), dtype=torch.float32)
        self.reward_spec = Unbounded((1,), dtype=torch.float32)
        self.done_spec = Composite(
            done=Binary(1, dtype=torch.bool), terminated=Binary(1, dtype=torch.bool)
        )

    def _set_seed(self, seed):
        np.random.seed(seed)
        torch.manual_seed(seed)
        if self.FIXED and seed is not None:
            self.starts = np.random.default_rng(seed)
            self.cash = np.random.default_rng(seed + 1)

    def _look(self):
        return torch.tensor(self.prices[self.day : self.day + 3], dtype=torch.float32)

    def _reset(self, tensordict=None, **kwargs):
        self.day = int(self.starts.integers(0, len(self.prices) - self.length - 4))
        self.last = self.day + self.length
        self.money = float(self.cash.integers(5_000, 15_000))
        return TensorDict({"price": self._look(), "cash": torch.tensor([self.money])}, [])

    def _step(self, tensordict):
        held = float(tensordict["action"][0])
        before = self.prices[self.day]
        self.day += 1
        gain = held * (self.prices[self.day] - before)
        self.money += gain
        over = torch.tensor([self.day >= self.last])
        return TensorDict(
            {
                "price": self._look(),
                "cash": torch.tensor([self.money], dtype=torch.float32),
                "reward": torch.tensor([gain], dtype=torch.float32),
                "done": over,
                "terminated": over.clone(),
            },
            [],
        )


class Cured(Trade):
    FIXED = True
