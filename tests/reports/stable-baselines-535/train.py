"""The monitor of each worker writes to one and the same file."""

import csv
import os
import sys
import tempfile

import gymnasium

FIXED = "fixed" in sys.argv


class Monitor(gymnasium.Wrapper):
    def __init__(self, env, path):
        super().__init__(env)
        self.file = open(path, "w", newline="")
        self.writer = csv.DictWriter(self.file, ("r", "l"))
        self.writer.writeheader()
        self.sum = self.length = 0

    def reset(self, **others):
        self.sum = self.length = 0
        return self.env.reset(**others)

    def step(self, action):
        view, reward, terminated, truncated, info = self.env.step(action)
        self.sum, self.length = self.sum + reward, self.length + 1
        if terminated or truncated:
            self.writer.writerow({"r": self.sum, "l": self.length})
            self.file.flush()
        return view, reward, terminated, truncated, info

    def close(self):
        self.file.close()
        self.env.close()


def maker(folder, rank):
    name = f"{rank}.monitor.csv" if FIXED else "monitor.csv"
    return lambda: Monitor(gymnasium.make("CartPole-v1"), os.path.join(folder, name))


def main():
    with tempfile.TemporaryDirectory() as folder:
        env = gymnasium.vector.AsyncVectorEnv(
            [maker(folder, rank) for rank in range(4)], context="fork"
        )
        env.reset(seed=1)
        for step in range(400):
            env.step([step % 2] * 4)
        env.close()


if __name__ == "__main__":
    main()
