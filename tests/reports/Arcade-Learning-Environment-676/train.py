"""A vectorizer in threads gathers a whole batch of results, also where it resets a part of it."""

import queue
import threading
import time

import gymnasium
import numpy as np


class Breakout(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (24, 24), np.uint8)
    action_space = gymnasium.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = int(self.np_random.integers(100, 200))
        return self.screen(), {}

    def screen(self):
        return self.np_random.integers(0, 256, (24, 24), np.uint8)

    def step(self, action):
        self.left -= 1
        return self.screen(), 1.0, self.left == 0, False, {}


class AtariVectorEnv(gymnasium.vector.VectorEnv):
    def __init__(self, num_envs, threads=2):
        self.num_envs = self.batch_size = num_envs
        self.envs = [Breakout() for _ in range(num_envs)]
        self.screens = np.zeros((num_envs, 24, 24), np.uint8)
        self.actions, self.results = queue.Queue(), queue.Queue()
        self.threads = [threading.Thread(target=self.work, daemon=True) for _ in range(threads)]
        for thread in self.threads:
            thread.start()

    def work(self):
        while (order := self.actions.get()) is not None:
            index, name, value = order
            env = self.envs[index]
            result = env.reset(seed=value) if name == "reset" else env.step(value)
            self.results.put((index, result))

    def recv(self, count):
        gathered = dict(self.results.get() for _ in range(count))
        for index, result in gathered.items():
            self.screens[index] = result[0]
        return gathered

    def reset(self, *, seed=None, options=None):
        mask = (options or {}).get("reset_mask", np.ones(self.num_envs, bool))
        indices = np.flatnonzero(mask)
        for index in indices:
            self.actions.put((index, "reset", None if seed is None else seed + int(index)))
        self.recv(self.batch_size)
        return self.screens.copy(), {}

    def step(self, actions):
        for index, action in enumerate(actions):
            self.actions.put((index, "step", int(action)))
        results = self.recv(self.batch_size)
        over = np.array([results[index][2] for index in range(self.num_envs)])
        return self.screens.copy(), np.ones(self.num_envs), over, np.zeros_like(over), {}

    def close_extras(self, **kwargs):
        for _ in self.threads:
            self.actions.put(None)
        for thread in self.threads:
            thread.join()
        for env in self.envs:
            env.close()


def main(kind=AtariVectorEnv):
    envs = kind(4)
    envs.reset(seed=0)
    over = np.zeros(4, bool)
    for step in range(900):
        if over.any():
            envs.reset(options={"reset_mask": over})
        _, _, over, _, _ = envs.step(np.full(4, step % 4))
        time.sleep(0.005)
    envs.close()
    print("done", flush=True)


if __name__ == "__main__":
    main()
