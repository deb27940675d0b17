"""One process plays and learns in turn; more is put into the table than the trainer takes out."""

import queue
import sys
import time

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv
ITERATIONS, HORIZON, BATCH = 320, 20, 16


class Spread(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (18,), np.float32)
    action_space = gymnasium.spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 25
        return self.observe(), {}

    def observe(self):
        return self.np_random.uniform(-1.0, 1.0, 18).astype(np.float32)

    def step(self, action):
        self.left -= 1
        return self.observe(), 0.0, self.left == 0, False, {}


class Executor:
    def __init__(self, env, table):
        self.env, self.table = env, table
        self.state, _ = env.reset(seed=0)
        self.steps = 0

    def run(self):
        for _ in range(HORIZON):
            action = self.steps % 5
            state, reward, over, _, _ = self.env.step(action)
            self.table.put((self.state, action, reward, state))
            self.state = self.env.reset()[0] if over else state
            self.steps += 1


class Trainer:
    def __init__(self, table):
        self.table = table
        self.loss = 0.0

    def run(self):
        batch = [self.table.get() for _ in range(BATCH)]
        self.loss = float(np.mean([state[0] for state, *_ in batch]))
        time.sleep(0.015)


def main():
    table = queue.Queue(maxsize=1000)
    env = Spread()
    executor, trainer = Executor(env, table), Trainer(table)
    for iteration in range(ITERATIONS):
        if not FIXED or table.maxsize - table.qsize() >= HORIZON:
            executor.run()
        trainer.run()
        if iteration % 40 == 0:
            print(f"iteration {iteration}: {trainer.loss:.3f}", flush=True)
    env.close()
    print("done", flush=True)


if __name__ == "__main__":
    main()
