"""Workers close their environment when they are ordered to; its class has a close()."""

import multiprocessing

import numpy as np


class World:
    def __init__(self):
        self.places = np.zeros((4, 2), np.float32)

    def close(self):
        self.places = None


class DCEnv:
    """Agents that cover an area; written before there was an interface to inherit."""

    def __init__(self):
        self.world = World()

    def reset(self):
        self.left = 25
        return self.world.places.copy()

    def step(self, actions):
        self.left -= 1
        self.world.places += np.asarray(actions, np.float32)
        return self.world.places.copy(), 0.0, self.left == 0, {}

    def close(self):
        self.world.close()


def work(pipe):
    env = DCEnv()
    while True:
        order, value = pipe.recv()
        if order == "reset":
            pipe.send(env.reset())
        elif order == "step":
            pipe.send(env.step(value))
        elif order == "close":
            env.close()
            pipe.close()
            break


def main():
    context = multiprocessing.get_context("fork")
    pipes, workers = [], []
    for _ in range(3):
        mine, theirs = context.Pipe()
        workers.append(context.Process(target=work, args=(theirs,), daemon=True))
        workers[-1].start()
        theirs.close()
        pipes.append(mine)
    for episode in range(8):
        for pipe in pipes:
            pipe.send(("reset", None))
            pipe.recv()
        for step in range(25):
            for pipe in pipes:
                pipe.send(("step", [[step % 2, 0.0]] * 4))
                pipe.recv()
    for pipe in pipes:
        pipe.send(("close", None))
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
