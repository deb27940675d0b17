"""TorchRL: with_torchrl.py own|gymnasium parallel|collector. Prints a digest of what was collected."""

import hashlib
import logging
import sys

import torch
from gymnasium.envs.classic_control import CartPoleEnv
from tally import counting
from tensordict import TensorDict
from torchrl.data import Bounded, Categorical, Composite
from torchrl.envs import EnvBase, GymWrapper, ParallelEnv

try:
    from torchrl.collectors import Collector
except ImportError:
    from torchrl.collectors import SyncDataCollector as Collector


class Walk(EnvBase):
    """A walk that ends after 20 steps."""

    def __init__(self):
        super().__init__(device="cpu", batch_size=[])
        self.observation_spec = Composite(observation=Bounded(-1e3, 1e3, (2,)))
        self.action_spec = Categorical(3)
        self.reward_spec = Bounded(-1e3, 1e3, (1,))
        self.at = 0

    def _answer(self):
        return {"observation": torch.full((2,), float(self.at))}

    def _reset(self, tensordict=None, **kwargs):
        self.at = 0
        return TensorDict({**self._answer(), **self._ends()}, [])

    def _step(self, tensordict):
        self.at += 1
        return TensorDict({**self._answer(), "reward": torch.ones(1), **self._ends()}, [])

    def _ends(self):
        over = torch.tensor([self.at >= 20])
        return {"done": over, "terminated": over.clone()}

    def _set_seed(self, seed):
        torch.manual_seed(seed or 0)


Own = counting(Walk, "_reset", "_step")
Cart = counting(CartPoleEnv)


def make_own():
    return Own()


def make_cart():
    return GymWrapper(Cart())


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(7)
    logging.getLogger("torchrl").setLevel(logging.ERROR)  # it logs on standard output
    make = make_own if sys.argv[1] == "own" else make_cart
    envs = ParallelEnv(2, make, mp_start_method="fork")
    envs.set_seed(7)
    digest = hashlib.sha256()
    if sys.argv[2] == "parallel":
        seen = envs.rollout(150, break_when_any_done=False)
        digest.update(seen["next", "observation"].numpy().tobytes())
        envs.close()
    else:
        collector = Collector(envs, None, frames_per_batch=100, total_frames=400)
        for batch in collector:
            digest.update(batch["next", "observation"].numpy().tobytes())
        collector.shutdown()
    print(digest.hexdigest())
