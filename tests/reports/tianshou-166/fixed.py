"""The vectorizer is closed after the last collector that uses it."""

import multiprocessing as mp

import gymnasium as gym


def work(remote):
    env = gym.make("CartPole-v1")
    while True:
        order, value = remote.recv()
        if order == "close":
            env.close()
            remote.close()
            return
        if order == "reset":
            remote.send(env.reset(seed=value))
        else:
            result = env.step(value)
            if result[2] or result[3]:
                env.reset()
            remote.send(result)


class SubprocVectorEnv:
    def __init__(self, count):
        self.remotes, self.processes = [], []
        for _ in range(count):
            ours, theirs = mp.Pipe()
            process = mp.Process(target=work, args=(theirs,), daemon=True)
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


class Collector:
    def __init__(self, envs):
        self.envs = envs

    def collect(self):
        self.envs.ask("reset", range(4))
        for number in range(200):
            self.envs.ask("step", [number % 2] * 4)

    def close(self):
        pass


def main():
    envs = SubprocVectorEnv(4)
    for _ in range(3):
        collector = Collector(envs)
        collector.collect()
        collector.close()
    envs.close()


if __name__ == "__main__":
    main()
