"""The workers end at "close" without closing their environments, whose last episodes are lost."""

import multiprocessing as mp
import tempfile

import gymnasium as gym


class Monitor(gym.Wrapper):
    """Writes the return of each episode to a file, which close() completes."""

    def __init__(self, env):
        super().__init__(env)
        self.file = tempfile.TemporaryFile("w")
        self.rewards = []

    def step(self, action):
        result = self.env.step(action)
        self.rewards.append(result[1])
        if result[2] or result[3]:
            self.file.write(f"{sum(self.rewards)}\n")
            self.rewards = []
        return result

    def close(self):
        self.file.close()
        super().close()


def work(remote, make):
    env = make()
    while True:
        order, value = remote.recv()
        if order == "reset":
            remote.send(env.reset(seed=value))
        elif order == "step":
            result = env.step(value)
            if result[2] or result[3]:
                env.reset()
            remote.send(result)
        else:
            remote.close()
            break


class SubprocVecEnv:
    def __init__(self, makes):
        self.workers = []
        for make in makes:
            ours, theirs = mp.Pipe()
            process = mp.Process(target=work, args=(theirs, make), daemon=True)
            process.start()
            theirs.close()
            self.workers.append((process, ours))

    def _ask(self, order, values):
        for (_, remote), value in zip(self.workers, values):
            remote.send((order, value))
        return [remote.recv() for _, remote in self.workers]

    def reset(self):
        return self._ask("reset", range(len(self.workers)))

    def step(self, actions):
        return self._ask("step", actions)

    def close(self):
        for process, remote in self.workers:
            remote.send(("close", None))
            process.join()
            remote.close()


def make():
    return Monitor(gym.make("CartPole-v1"))


def main():
    envs = SubprocVecEnv([make] * 4)
    envs.reset()
    for number in range(2000):
        envs.step([number % 2] * 4)
    envs.close()


if __name__ == "__main__":
    main()
