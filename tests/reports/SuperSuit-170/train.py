"""close() of the outer wrapper does not reach the vectorizer, whose workers wait for orders."""

import multiprocessing as mp
import sys

import gymnasium as gym

FIXED = "fixed" in sys.argv


def work(remote, others):
    for other in others:
        other.close()
    env = gym.make("CartPole-v1")
    while True:
        order, value = remote.recv()
        if order == "close":
            env.close()
            return
        if order == "reset":
            remote.send(env.reset(seed=value))
        else:
            result = env.step(value)
            remote.send(env.reset() if result[2] else result)


class ConcatVec:
    def __init__(self, count):
        self.remotes, self.processes = [], []
        for _ in range(count):
            ours, theirs = mp.Pipe()
            process = mp.Process(target=work, args=(theirs, [*self.remotes, ours]))
            process.start()
            theirs.close()
            self.remotes.append(ours)
            self.processes.append(process)

    def ask(self, order, values):
        for remote, value in zip(self.remotes, values):
            remote.send((order, value))
        return [remote.recv() for remote in self.remotes]

    def close(self):
        for remote in self.remotes:
            remote.send(("close", None))
        for process in self.processes:
            process.join()


class Wrapper:
    def __init__(self, venv):
        self.venv = venv

    def reset(self):
        return self.venv.ask("reset", range(4))

    def step(self, actions):
        return self.venv.ask("step", actions)

    def close(self):
        if FIXED:
            self.venv.close()


if __name__ == "__main__":
    envs = Wrapper(ConcatVec(4))  # of the module: it is there until Python has exited
    envs.reset()
    for number in range(1000):
        envs.step([number % 2] * 4)
    envs.close()
    print("trained", flush=True)
    sys.exit()
