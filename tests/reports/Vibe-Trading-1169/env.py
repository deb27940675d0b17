"""A tool runs a command with a time limit, and kills the shell alone when it is over."""

import os
import signal
import subprocess

import gymnasium

COMMANDS = ("echo 3 trades", "ls /", "sleep 600 | cat")
CHARACTERS = frozenset(map(chr, range(256)))


class Bash(gymnasium.Env):
    observation_space = gymnasium.spaces.Text(4000, min_length=0, charset=CHARACTERS)
    action_space = gymnasium.spaces.Discrete(len(COMMANDS))
    limit = 0.3

    def start(self, command):
        return subprocess.Popen(command, shell=True, stdout=subprocess.PIPE, text=True)

    def kill(self, process):
        process.kill()

    def run(self, command):
        process = self.start(command)
        with process:
            try:
                output, _ = process.communicate(timeout=self.limit)
            except subprocess.TimeoutExpired:
                self.kill(process)
                output, _ = process.communicate()  # as subprocess.run() does on Windows
                return output + "tool_timeout"
        return output

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.calls = 0
        return "ready", {}

    def step(self, action):
        self.calls += 1
        output = self.run(COMMANDS[action])
        return output[:4000], 0.0, self.calls == 6, False, {}


class Cured(Bash):
    def start(self, command):
        return subprocess.Popen(
            command, shell=True, stdout=subprocess.PIPE, text=True, start_new_session=True
        )

    def kill(self, process):
        os.killpg(process.pid, signal.SIGKILL)
