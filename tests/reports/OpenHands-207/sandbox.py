"""A sandbox in which an agent runs commands, some of which are servers that never end."""

import os
import shlex
import signal
import subprocess
import time

import gymnasium
import numpy as np

COMMANDS = (
    "echo 3",
    "printf 'one two' | wc -w",
    "test -d / && echo yes",
    "while true; do echo .; sleep 1; done",
)


class Container:
    """Commands run in a group of its own, which remove() ends."""

    def __init__(self):
        self.groups = set()

    def exec_run(self, cmd):
        """Return the exit code and the output, when the command has ended."""
        with subprocess.Popen(
            ["/bin/bash", "-c", cmd],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            self.groups.add(process.pid)
            output = process.stdout.read()
        self.groups.discard(process.pid)
        return process.returncode, output

    def kill(self, pid):
        os.killpg(pid, signal.SIGKILL)

    def remove(self):
        for pid in self.groups:
            self.kill(pid)


class DockerInteractive:
    def __init__(self, timeout=120):
        self.timeout, self.container = timeout, Container()

    def execute(self, cmd):
        exit_code, logs = self.container.exec_run(cmd)
        return exit_code, logs.decode()

    def close(self):
        self.container.remove()


class CuredInteractive(DockerInteractive):
    """What takes longer than the time limit is ended, in the container."""

    def __init__(self, timeout=1):
        super().__init__(timeout)

    def execute(self, cmd):
        started = time.monotonic()
        exit_code, logs = self.container.exec_run(
            f"timeout {self.timeout} bash -c {shlex.quote(cmd)}"
        )
        if exit_code == 124:
            return -1, f"timed out after {time.monotonic() - started:.0f} s"
        return exit_code, logs.decode()


class Devin(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 1000.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(len(COMMANDS))
    sandbox_class = DockerInteractive

    def __init__(self):
        self.sandbox = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.close()
        self.sandbox = self.sandbox_class()
        self.turns = 0
        return np.zeros(2, np.float32), {}

    def step(self, action):
        exit_code, output = self.sandbox.execute(COMMANDS[int(action)])
        self.turns += 1
        observation = np.array([exit_code, len(output)], np.float32)
        return observation, float(exit_code == 0), False, self.turns == 5, {}

    def close(self):
        if self.sandbox is not None:
            self.sandbox.close()
            self.sandbox = None


class Cured(Devin):
    sandbox_class = CuredInteractive
