"""Ctrl-C ends the workers, and the trainer waits in close() for their answers."""

import multiprocessing as mp

import gymnasium as gym


def work(number, remote):
    env = gym.make("CartPole-v1")
    env.reset(seed=number)
    while remote.recv() == "step":
        if env.step(1)[2]:
            env.reset()
        remote.send(True)
    env.close()
    remote.send("closed")


class ParallelEnvironment:
    def __init__(self, count, work=work):
        self.remotes = []
        self.kept = []  # the workers' ends stay open in the trainer, too
        for number in range(count):
            ours, theirs = mp.Pipe()
            mp.Process(target=work, args=(number, theirs), daemon=True).start()
            self.remotes.append(ours)
            self.kept.append(theirs)

    def step(self):
        for remote in self.remotes:
            remote.send("step")
        for remote in self.remotes:
            remote.recv()

    def close(self):
        for remote in self.remotes:
            remote.send("close")
        for remote in self.remotes:
            while remote.recv() != "closed":
                pass


def main(envs):
    try:
        while True:
            envs.step()
    except KeyboardInterrupt:
        print("closing", flush=True)
        envs.close()


if __name__ == "__main__":
    main(ParallelEnvironment(4))
