"""In the stage of reinforcement learning each epoch makes a pool of processes and closes none."""

import multiprocessing
import threading

import gymnasium
import numpy as np

EPOCHS, BATCHES = 40, 12


class Captions(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (50,), np.float32)
    action_space = gymnasium.spaces.MultiDiscrete([100] * 20)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = BATCHES
        return self.np_random.random(50, np.float32), {}

    def step(self, action):
        self.left -= 1
        return self.np_random.random(50, np.float32), 0.0, self.left == 0, False, {}


def tokenize(pipe):
    while (words := pipe.recv()) is not None:
        pipe.send([f"w{word}" for word in words])


class Pool:
    """As in Python 3.6: the thread that handles the results refers to the pool."""

    def __init__(self, size=2):
        context = multiprocessing.get_context("fork")
        pairs = [context.Pipe() for _ in range(size)]
        self.pipes = [mine for mine, _ in pairs]
        self.workers = [
            context.Process(target=tokenize, args=(its,), daemon=True) for _, its in pairs
        ]
        for worker, (_, its) in zip(self.workers, pairs):
            worker.start()
            its.close()
        self.closed = threading.Event()
        self.handler = threading.Thread(target=self.handle, daemon=True)
        self.handler.start()

    def handle(self):
        self.closed.wait()

    def map(self, items):
        for pipe, item in zip(self.pipes, items):
            pipe.send(item)
        return [pipe.recv() for pipe in self.pipes]

    def close(self):
        for pipe in self.pipes:
            pipe.send(None)
            pipe.close()
        for worker in self.workers:
            worker.join()
        self.closed.set()
        self.handler.join()


def train_scst(env):
    pool = Pool()
    env.reset()
    reward, over = 0.0, False
    while not over:
        action = env.action_space.sample()
        _, _, over, _, _ = env.step(action)
        generated, truth = pool.map([action.tolist(), list(range(20))])
        reward += len(set(generated) & set(truth))
    return reward / BATCHES


def main():
    env = Captions()
    pause = threading.Event()
    for epoch in range(EPOCHS):
        reward = train_scst(env)
        pause.wait(0.2)  # the evaluation of an epoch
        print(f"epoch {epoch}: reward {reward:.2f}", flush=True)
    env.close()


if __name__ == "__main__":
    main()
