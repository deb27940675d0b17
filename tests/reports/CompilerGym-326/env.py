"""A service in a process of its own, which lives on where the environment's process is killed."""

import os
import socket
import subprocess
import sys

import gymnasium
import numpy as np

SERVICE = """
import os, select, sys, socket
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen(8)
parent = os.getppid()
print("ready", flush=True)
while True:
    readable, _, _ = select.select([server], [], [], 0.5)
    if not readable:
        if "watch" in sys.argv and os.getppid() != parent:
            break
        continue
    client, _ = server.accept()
    line = client.recv(16)
    client.sendall(b"1")
    client.close()
    if line == b"quit":
        break
"""


class Compiler(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    arguments = ()

    def __init__(self):
        self.service = None

    def _ask(self, line):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(self.address)
            client.sendall(line)
            client.recv(16)
        return np.array([self.steps], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        if self.service is None:
            self.address = f"\0compiler-{os.getpid()}-{id(self)}"
            name = self.address.replace("\0", "\\0")
            program = SERVICE.replace("sys.argv[1]", f'"{name}"')
            self.service = subprocess.Popen(
                [sys.executable, "-c", program, *self.arguments],
                stdout=subprocess.PIPE,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
            self.service.stdout.readline()
        return self._ask(b"reset"), {}

    def step(self, action):
        self.steps += 1
        return self._ask(b"step"), 0.0, False, self.steps == 20, {}

    def close(self):
        if self.service is not None:
            self._ask(b"quit")
            self.service.wait()
            self.service.stdout.close()
            self.service = None


class Cured(Compiler):
    arguments = ("watch",)
