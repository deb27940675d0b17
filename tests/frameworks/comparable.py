"""Environments of TorchRL's own kind whose answers are compared: by themselves, in one batch,
in workers.
"""

import threading

import torch
from batches import Lazy
from tensordict import TensorDict
from torchrl.data import Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase


class OneGenerator(Lazy):
    """Draws from PyTorch's global generator, which all instances of a process share, and seeds
    it.
    """

    def _set_seed(self, seed):
        self.random = torch.manual_seed(seed)


class SameSeed(Lazy):
    """A generator with a constant seed."""

    def _set_seed(self, seed):
        self.random.manual_seed(0)


class Doubles(Lazy):
    """Rewards of another type than is specified, which a batch's buffers make what it is."""

    def _step(self, tensordict):
        stepped = super()._step(tensordict)
        return stepped.set("reward", stepped["reward"].double())


class Stateless(EnvBase):
    """Keeps nothing: its state travels with what it returns. As TorchRL's guide to such
    environments has it.
    """

    def __init__(self):
        super().__init__()
        state = Bounded(-10.0, 10.0, shape=(2,), dtype=torch.float32)
        self.observation_spec = Composite(angle=state.clone(), speed=Unbounded(shape=(2,)))
        self.state_spec = self.observation_spec.clone()
        self.action_spec = Bounded(-1.0, 1.0, shape=(2,), dtype=torch.float32)
        self.reward_spec = Unbounded(shape=(1,))
        self.random = torch.Generator()

    def _set_seed(self, seed):
        self.random.manual_seed(seed)

    def _reset(self, tensordict=None, **_):
        return TensorDict({"angle": torch.rand(2, generator=self.random), "speed": torch.zeros(2)})

    def _step(self, tensordict):
        speed = tensordict["speed"] + tensordict["action"]
        angle = (tensordict["angle"] + 0.05 * speed).clamp(-10.0, 10.0)
        done = angle.abs().max().gt(1.3).unsqueeze(0)
        return TensorDict(
            {
                "angle": angle,
                "speed": speed,
                "reward": -angle.square().sum(0, keepdim=True),
                "done": done,
                "terminated": done.clone(),
            }
        )


class Agents(EnvBase):
    """Two agents: everything stands under their name, the actions are numbers."""

    def __init__(self):
        super().__init__()
        self.observation_spec = Composite(
            agents=Composite(seen=Unbounded(shape=(2, 3)), shape=(2,))
        )
        self.action_spec = Composite(
            agents=Composite(action=Categorical(5, shape=(2,)), shape=(2,))
        )
        self.reward_spec = Composite(agents=Composite(reward=Unbounded(shape=(2, 1)), shape=(2,)))
        self.done_spec = Composite(
            done=Categorical(2, dtype=torch.bool, shape=(1,)),
            terminated=Categorical(2, dtype=torch.bool, shape=(1,)),
        )
        self.random = torch.Generator()

    def _set_seed(self, seed):
        self.random.manual_seed(seed)

    def _reset(self, tensordict=None, **_):
        self.places = torch.rand(2, 3, generator=self.random)
        return TensorDict({"agents": TensorDict({"seen": self.places.clone()}, [2])})

    def _step(self, tensordict):
        self.places = self.places + 0.1 * tensordict["agents", "action"].unsqueeze(-1)
        agents = TensorDict(
            {"seen": self.places.clone(), "reward": self.places.sum(-1, keepdim=True)}, [2]
        )
        done = torch.tensor([bool(self.places.max() > 2.0)])
        return TensorDict({"agents": agents, "done": done, "terminated": done.clone()})


class Wider(Lazy):
    """Observations of another shape than is specified, which do not fit into a batch's buffers."""

    def _step(self, tensordict):
        stepped = super()._step(tensordict)
        return stepped.set("observation", torch.zeros(4)) if self.steps > 2 else stepped


class Differentiable(Lazy):
    """Observations that remember how they were computed, which a worker cannot write into a
    batch's buffers.
    """

    def __init__(self):
        super().__init__()
        self.friction = torch.tensor(0.9, requires_grad=True)

    def _step(self, tensordict):
        stepped = super()._step(tensordict)
        return stepped.set("observation", stepped["observation"] * self.friction)


class Handle(Lazy):
    """Returns its simulator beside what is specified: buffers have no place for it, a pipe
    would have to take it.
    """

    def _step(self, tensordict):
        return super()._step(tensordict).set_non_tensor("simulator", threading.Lock())
