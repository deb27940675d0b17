"""Workers are forked after the trainer has used the threads of PyTorch, and play with a policy."""

import multiprocessing

import gymnasium
import numpy as np
import torch

N_TRAINING_THREADS = 2


class Overcooked(gymnasium.Env):
    """The partner is a policy of the population."""

    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (256,), np.float32)
    action_space = gymnasium.spaces.Discrete(6)

    def __init__(self):
        generator = torch.Generator().manual_seed(0)
        self.partner = torch.randn(256, 512, generator=generator)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 20
        return self.look(), {}

    def step(self, action):
        self.left -= 1
        reward = torch.tanh(self.partner + int(action)).mean().item()
        return self.look(), reward, self.left == 0, False, {}

    def look(self):
        return self.np_random.normal(size=256).clip(-10, 10).astype(np.float32)


def work(pipe):
    env = Overcooked()
    while True:
        order, value = pipe.recv()
        if order == "reset":
            pipe.send(env.reset(seed=value)[0])
        elif order == "step":
            pipe.send(env.step(value))
        else:
            env.close()
            return


def main():
    torch.set_num_threads(N_TRAINING_THREADS)
    policy = torch.nn.Linear(256, 512)
    policy(torch.zeros(512, 256)).tanh().sum().backward()  # the population is loaded and tried
    context = multiprocessing.get_context("fork")
    pipes, processes = [], []
    for _ in range(3):
        mine, theirs = context.Pipe()
        process = context.Process(target=work, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        pipes.append(mine)
        processes.append(process)
    for number, pipe in enumerate(pipes):
        pipe.send(("reset", number))
    for pipe in pipes:
        pipe.recv()
    print("training", flush=True)
    for step in range(20):
        for pipe in pipes:
            pipe.send(("step", step % 6))
        for pipe in pipes:
            pipe.recv()
    for pipe, process in zip(pipes, processes):
        pipe.send(("close", None))
        process.join()


if __name__ == "__main__":
    main()
