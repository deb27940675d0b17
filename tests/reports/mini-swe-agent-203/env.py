"""An environment whose shell is a container: it is stopped when the object is deleted."""

import subprocess

import gymnasium


def docker(*arguments):
    return subprocess.run(
        ["docker", *arguments], capture_output=True, text=True, check=True
    ).stdout.strip()


class Shell(gymnasium.Env):
    observation_space = gymnasium.spaces.Text(100)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self):
        self.container = None
        self.tools = {"run": self.run}  # the object refers to itself

    def run(self, command):
        return docker("exec", self.container, command)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.container = docker("run", "-d", "--rm", "swe", "sleep", "2h")
        self.steps = 0
        return "ready", {}

    def step(self, action):
        self.steps += 1
        return self.tools["run"](str(action)), 0.0, self.steps == 5, False, {}
