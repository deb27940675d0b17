"""Rollouts of an agent are claimed by runners; one that takes too long is given to another one."""

import queue
import sys
import threading
import time

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv
LIMIT = 0.3  # seconds for a rollout


class Tools(gym.Env):
    observation_space = gym.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gym.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.number, self.calls = (options or {}).get("number", 0), 0
        return np.array([self.calls], np.float32), {}

    def step(self, action):
        self.calls += 1
        time.sleep(0.01)
        if self.number == 5 and self.calls == 3:
            time.sleep(0.5)  # a search that takes long now and then
        return np.array([self.calls], np.float32), 1.0, self.calls == 5, False, {}


class Server:
    def __init__(self):
        self.tasks, self.claimed, self.completed = queue.Queue(), {}, {}
        self.current = set()

    def submit(self, ids):
        self.completed, self.current = {}, set(ids)
        for task in ids:
            self.tasks.put(task)

    def claim(self):
        task = self.tasks.get()
        if task is not None:
            self.claimed[task] = time.monotonic()
        return task

    def receive(self, task, reward):
        if FIXED and task not in self.current:
            return
        self.completed[task] = reward
        self.claimed.pop(task, None)

    def requeue(self):
        for task, since in list(self.claimed.items()):
            if time.monotonic() - since > LIMIT:
                del self.claimed[task]
                self.tasks.put(task)


def run(server):
    env = Tools()
    while (task := server.claim()) is not None:
        env.reset(seed=task, options={"number": task})
        total, over = 0.0, False
        while not over:
            _, reward, over, _, _ = env.step(0)
            total += reward
        server.receive(task, total)
    env.close()


def main():
    server = Server()
    runners = [threading.Thread(target=run, args=(server,), daemon=True) for _ in range(3)]
    for runner in runners:
        runner.start()
    for batch in range(12):
        samples = {4 * batch + number: f"question {number}" for number in range(4)}
        server.submit(samples)
        while len(server.completed) < len(samples):
            server.requeue()
            time.sleep(0.02)
        for task, reward in server.completed.items():
            print(samples[task], reward)
    for _ in runners:
        server.tasks.put(None)
    for runner in runners:
        runner.join()


if __name__ == "__main__":
    main()
