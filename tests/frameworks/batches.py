"""Environments for TorchRL's managers."""

import threading

import gymnasium
import numpy as np
import torch
from tensordict import TensorDict
from torchrl.data import Bounded, Composite, Unbounded
from torchrl.envs import EnvBase


class Lazy(EnvBase):
    """As TorchRL's guide writes them: stateful, its simulator built at the first reset."""

    def __init__(self):
        super().__init__()
        self.observation_spec = Composite(
            observation=Bounded(-10.0, 10.0, shape=(3,), dtype=torch.float32)
        )
        self.action_spec = Bounded(-1.0, 1.0, shape=(1,), dtype=torch.float32)
        self.reward_spec = Unbounded(shape=(1,))
        self.simulator = None
        self.random = torch.Generator()
        self.steps = 0

    def _set_seed(self, seed):
        self.random.manual_seed(seed)

    def _reset(self, tensordict=None, **_):
        self.simulator = torch.rand(3, generator=self.random)
        self.steps = 0
        return TensorDict({"observation": self.simulator.clone()})

    def _step(self, tensordict):
        self.steps += 1
        self.simulator = (self.simulator + tensordict["action"]).clamp(-10.0, 10.0)
        done = torch.tensor([self.steps >= 10])
        return TensorDict(
            {
                "observation": self.simulator.clone(),
                "reward": -self.simulator.abs().sum(0, keepdim=True),
                "done": done,
                "terminated": done.clone(),
            }
        )

    def close(self, *, raise_if_closed=True):
        self.simulator = None
        super().close(raise_if_closed=raise_if_closed)


class Pictures(gymnasium.Env):
    """Observations with parts."""

    def __init__(self):
        self.observation_space = gymnasium.spaces.Dict(
            image=gymnasium.spaces.Box(0, 255, (8, 8, 3), np.uint8),
            place=gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float64),
        )
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.seen(), {}

    def step(self, action):
        self.steps += 1
        return self.seen(), 1.0, False, self.steps >= 15, {}

    def seen(self):
        return {
            "image": self.np_random.integers(0, 256, (8, 8, 3), dtype=np.uint8),
            "place": self.np_random.uniform(-1.0, 1.0, 2),
        }


class ForgetsThread(Pictures):
    """close() leaves a thread that waits for what never comes."""

    def __init__(self):
        super().__init__()
        self.ended = threading.Event()
        threading.Thread(target=self.ended.wait, daemon=True, name="recorder").start()


class ClosesWithoutRecorder(Pictures):
    """close() raises what TorchRL's wrapper swallows."""

    def close(self):
        self.recorder.save()


class FailsInWorkers(Pictures):
    """step() raises in other processes only, after the first episode began."""

    def step(self, action):
        import multiprocessing

        if self.steps > 3 and multiprocessing.parent_process() is not None:
            raise ValueError("no map for this worker")
        return super().step(action)


class NumbersFromOne(Pictures):
    """Healthy, but with a space that TorchRL's specifications cannot say, whatever the
    environment.
    """

    def __init__(self):
        super().__init__()
        self.observation_space = gymnasium.spaces.Dict(floor=gymnasium.spaces.Discrete(3, start=1))

    def seen(self):
        return {"floor": self.np_random.integers(1, 4)}


taken = []


class OnceAProcess(Pictures):
    """A simulator that can be started once in a process, and in none that was forked from one
    in which it was.
    """

    def __init__(self):
        super().__init__()
        if taken:
            raise RuntimeError("the simulator was started before")
        taken.append(self.observation_space)
