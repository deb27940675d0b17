"""An on-policy training: what was collected is learned from as a whole, and dropped."""

import os
import resource
import sys

import gymnasium
import numpy as np
from collector import Collector, ReplayBuffer

FIXED = "fixed" in sys.argv
CELLS = 54006
STEPS = 200 if FIXED else 1000


class Map(gymnasium.Env):
    """A map of many cells, which step() returns as a list."""

    observation_space = gymnasium.spaces.Box(0.0, 1.0, (CELLS,), np.float64)
    action_space = gymnasium.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cells = self.np_random.random(CELLS)
        self.steps = 0
        return self.cells.tolist(), {}

    def step(self, action):
        self.cells[int(action)] = self.np_random.random()
        self.steps += 1
        return self.cells.tolist(), float(self.cells[:4].sum()), False, self.steps == 100, {}


class PPOPolicy:
    def __init__(self):
        self.values = np.zeros(4)

    def act(self, obs):
        return int(np.argmax(self.values + np.random.gumbel(size=4)))

    def update(self, batch_size, buffer):
        batch = buffer.sample(batch_size)
        baseline = batch["obs"][:, :4].mean()
        for action in range(4):
            chosen = batch["rew"][batch["act"] == action]
            self.values[action] += 0.1 * (chosen.mean() - baseline) if len(chosen) else 0.0


def limit_memory(mebibytes):
    """The machine has no more than this."""
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    limit = used + (mebibytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def onpolicy_trainer(policy, collector, max_epoch, collect_per_step):
    for epoch in range(max_epoch):
        collector.collect(n_step=collect_per_step)
        policy.update(0, collector.buffer)
        collector.buffer.reset()
        print(f"epoch {epoch}: {policy.values.round(3)}")


def main():
    np.random.seed(1)
    env, policy = Map(), PPOPolicy()
    collector = Collector(policy, env, ReplayBuffer(STEPS))
    limit_memory(700)
    onpolicy_trainer(policy, collector, max_epoch=3, collect_per_step=STEPS)
    env.close()


if __name__ == "__main__":
    main()
