"""An agent is tried on web tasks. The site of one of them is down."""

import subprocess

import gymnasium
import numpy as np

TASKS = ["shop", "forum", "map", "wiki", "forge", "shop-admin"]
DOWN = {"wiki"}


class Browser:
    """A browser is a process."""

    def __init__(self):
        self.process = subprocess.Popen(["sleep", "600"])

    def new_context(self, site):
        if site in DOWN:
            raise TimeoutError(f"Timeout 30000ms exceeded: {site}")
        return Context(site)

    def close(self):
        self.process.terminate()
        self.process.wait()


class Context:
    def __init__(self, site):
        self.site = site
        self.pages = []

    def new_page(self):
        self.pages.append(f"https://{self.site}/")

    def close(self):
        self.pages.clear()


class Chat:
    def __init__(self):
        self.messages = []

    def close(self):
        self.messages.clear()


class Task:
    def __init__(self, site):
        self.site = site
        self.is_set_up = False

    def setup(self):
        self.is_set_up = True

    def teardown(self):
        self.is_set_up = False


class BrowserEnv(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 10.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self, site):
        self.site = site
        self.task = self.browser = self.context = self.chat = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.task:
            self.close()
        self.task = Task(self.site)
        self.browser = Browser()
        self.context = self.browser.new_context(self.site)
        self.chat = Chat()
        self.context.new_page()
        self.task.setup()
        self.steps = 0
        return self.look(), {}

    def look(self):
        return np.array([len(self.context.pages), self.steps], np.float32)

    def step(self, action):
        self.steps += 1
        return self.look(), float(action == 0), self.steps == 8, False, {}

    def close(self):
        if self.task:
            self.task.teardown()
            self.chat.close()
            self.context.close()
            self.browser.close()
            self.task = None


def play(env):
    env.reset(seed=0)
    over = False
    while not over:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        over = terminated or truncated


def main(make=BrowserEnv):
    for site in TASKS:
        env = make(site)
        try:
            play(env)
            print(f"{site}: done", flush=True)
        except TimeoutError as error:
            print(f"{site}: failed: {error}", flush=True)
        finally:
            env.close()


if __name__ == "__main__":
    main()
