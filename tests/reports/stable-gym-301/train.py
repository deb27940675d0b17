"""The examples of a package make environments with a window, play some episodes, and say that they are done."""

import sys
import threading

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Window:
    """What a simulator shows, drawn by a thread of its own."""

    def __init__(self):
        self.closing = threading.Event()
        self.drawing = threading.Thread(target=self.closing.wait, daemon=True)
        self.drawing.start()

    def close(self):
        self.closing.set()
        self.drawing.join()


class QuadXHoverCost(gym.Env):
    observation_space = gym.spaces.Box(-10.0, 10.0, (3,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (3,), np.float32)
    metadata = {"render_modes": ["human"]}

    def __init__(self, render_mode=None):
        self.render_mode = render_mode
        self.window = Window() if render_mode == "human" else None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.steps = self.np_random.normal(size=3).astype(np.float32), 0
        return self.at.clip(-10, 10), {}

    def step(self, action):
        self.at += np.float32(0.1) * action
        self.steps += 1
        cost = float(np.square(self.at).sum())
        return self.at.clip(-10, 10), cost, False, self.steps == 40, {}

    def close(self):
        if self.window is not None:
            self.window.close()
            self.window = None


gym.register("QuadXHoverCost-v1", QuadXHoverCost)


def example(cost):
    env = gym.make("QuadXHoverCost-v1", render_mode="human")
    for episode in range(5):
        env.reset(seed=None if episode else 0)
        truncated = False
        while not truncated:
            _, reward, _, truncated, _ = env.step(env.action_space.sample())
            cost += reward
    if FIXED:
        env.close()
    return cost


if __name__ == "__main__":
    cost = 0.0
    for _ in range(6):
        cost = example(cost)
    print("Done", cost > 0)
