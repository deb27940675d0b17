"""A robot in a graph of nodes: the node is registered under the name of the environment, for ever."""

import gymnasium
import numpy as np

NODES = {}


class Node:
    def __init__(self, name):
        if name in NODES:
            raise RuntimeError(f"the namespace /{name} is in use")
        self.name = name
        NODES[name] = self

    def shutdown(self):
        del NODES[self.name]


class Robot(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    shuts = False

    def __init__(self, name="robot"):
        self.node = Node(name)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.seen(), {}

    def step(self, action):
        self.steps += 1
        return self.seen(), 0.0, self.steps == 12, False, {}

    def seen(self):
        return self.np_random.uniform(-1.0, 1.0, 2).astype(np.float32)

    def close(self):
        if self.shuts and self.node is not None:
            self.node.shutdown()
            self.node = None


class Cured(Robot):
    shuts = True
    made = 0

    def __init__(self):
        Cured.made += 1
        super().__init__(f"robot-{self.made}")
