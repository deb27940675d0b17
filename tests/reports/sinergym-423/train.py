"""Each environment looks for the next free output folder, and makes it when its model is read."""

import multiprocessing
import sys
import tempfile
import time
from pathlib import Path

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv


def next_folder(parent):
    numbers = [int(path.name.rpartition("-res")[2]) for path in parent.glob("Eplus-env-*")]
    return parent / f"Eplus-env-5zone-res{max(numbers, default=0) + 1}"


class Eplus(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-50.0, 50.0, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(10)

    def __init__(self, parent):
        self.folder = next_folder(parent)
        time.sleep(0.5)  # the building and its weather are read
        while FIXED and self.folder.exists():
            self.folder = next_folder(parent)
            try:
                self.folder.mkdir()
            except FileExistsError:
                continue
            return
        self.folder.mkdir()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.look(), {}

    def step(self, action):
        self.steps += 1
        return self.look(), 0.0, False, self.steps == 24, {}

    def look(self):
        return self.np_random.uniform(-10.0, 30.0, 4).astype(np.float32)


def work(pipe, parent):
    env = Eplus(parent)
    pipe.send("ready")
    while True:
        order, value = pipe.recv()
        if order == "reset":
            pipe.send(env.reset(seed=value)[0])
        elif order == "step":
            pipe.send(env.step(value))
        else:
            env.close()
            return


def main(parent):
    context = multiprocessing.get_context("fork")
    pipes, processes = [], []
    for _ in range(4):
        mine, theirs = context.Pipe()
        process = context.Process(target=work, args=(theirs, parent), daemon=True)
        process.start()
        theirs.close()
        pipes.append(mine)
        processes.append(process)
    for pipe in pipes:
        pipe.recv()
    for number, pipe in enumerate(pipes):
        pipe.send(("reset", number))
    for pipe in pipes:
        pipe.recv()
    for step in range(24):
        for pipe in pipes:
            pipe.send(("step", step % 10))
        for pipe in pipes:
            pipe.recv()
    for pipe, process in zip(pipes, processes):
        pipe.send(("close", None))
        process.join()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder))
