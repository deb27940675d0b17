"""step() raises in a worker; the trainer fails in unpacking its answer, which is None."""

import multiprocessing as mp
import sys

import gymnasium as gym

FIXED = "fixed" in sys.argv


class Test(gym.Env):
    observation_space = gym.spaces.Discrete(20)
    action_space = gym.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = 0
        return self.x, {}

    def step(self, action):
        self.x += action
        if self.x >= 20 and not FIXED:
            raise ValueError(f"the agent left the board at {self.x}")
        return min(self.x, 19), 0.0, self.x >= 19, False, {}


def work(remote):
    env = Test()
    while True:
        order, value = remote.recv()
        try:
            if order == "close":
                env.close()
                remote.send((None, True))
                return
            if order == "reset":
                remote.send((env.reset(seed=value), True))
            else:
                result = env.step(value)
                if result[2]:
                    env.reset()
                remote.send((result, True))
        except Exception:
            remote.send((None, False))


class VectorEnv:
    def __init__(self, count):
        self.remotes = []
        for _ in range(count):
            ours, theirs = mp.Pipe()
            mp.Process(target=work, args=(theirs,), daemon=True).start()
            self.remotes.append(ours)

    def ask(self, order, values):
        for remote, value in zip(self.remotes, values):
            remote.send((order, value))
        results = []
        for remote in self.remotes:
            result, _ = remote.recv()
            if order == "step":
                _observation, _reward, _over, _cut, _info = result
            results.append(result)
        return results

    def close(self):
        self.ask("close", [None] * len(self.remotes))


def main():
    envs = VectorEnv(2)
    envs.ask("reset", (0, 1))
    for number in range(60):
        envs.ask("step", ((number * 7) % 4, (number * 5) % 4))
    envs.close()


if __name__ == "__main__":
    main()
