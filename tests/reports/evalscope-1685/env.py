"""A shell for an agent: a command that asks for input is waited for without a time-out."""

import os
import shutil
import subprocess

import gymnasium

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789- "


class Shell(gymnasium.Env):
    observation_space = gymnasium.spaces.Text(1000, charset=LETTERS)
    action_space = gymnasium.spaces.Text(1000, charset=LETTERS)

    def __init__(self):
        self.ends = []

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if not self.ends:
            self.ends = list(os.openpty())  # the terminal of the sandbox: nothing is typed there
        self.turns = 0
        return "ready", {}

    def _run(self, command):
        return subprocess.run(
            ["sh", "-c", command], stdin=self.ends[1], capture_output=True, check=False
        )

    def step(self, action):
        self.turns += 1
        result = self._run(action)
        return f"exit code {result.returncode}", 0.0, False, self.turns == 5, {}

    def close(self):
        while self.ends:
            os.close(self.ends.pop())


class Cured(Shell):
    def _run(self, command):
        limit = shutil.which("timeout") or "timeout"
        return subprocess.run(
            [limit, "--signal=KILL", "0.2", "sh", "-c", command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
