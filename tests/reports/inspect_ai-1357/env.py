"""A command that takes too long is given up: its client is ended, and the command runs on inside."""

import itertools
import os
import signal
import subprocess
import sys
import time

import gymnasium
import numpy as np

CONTAINER = """
import os, signal, socket, subprocess, sys, threading
server = socket.socket(socket.AF_UNIX)
server.bind(chr(0) + sys.argv[1])
server.listen(16)
def execute(client):
    with client:
        code = subprocess.call(client.recv(1000).decode().split(chr(0)), stdin=subprocess.DEVNULL)
        try:
            client.sendall(str(code).encode())
        except OSError:
            pass  # its client has been ended; the container goes on
def serve():
    while True:
        threading.Thread(target=execute, args=(server.accept()[0],), daemon=True).start()
threading.Thread(target=serve, daemon=True).start()
print("ready", flush=True)
sys.stdin.read()
os.killpg(0, signal.SIGKILL)
"""
EXEC = """
import socket, sys
client = socket.socket(socket.AF_UNIX)
client.connect(chr(0) + sys.argv[1])
client.sendall(chr(0).join(sys.argv[2:]).encode())
sys.exit(int(client.recv(20) or b"137"))
"""
TIMEOUT = 0.5
NUMBERS = itertools.count()


class DockerSandbox:
    def __init__(self):
        self.name = f"inspect-{os.getpid()}-{next(NUMBERS)}-{time.monotonic_ns()}"
        self.container = subprocess.Popen(
            [sys.executable, "-S", "-c", CONTAINER, self.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self.container.stdout.readline()

    def exec(self, command):
        client = subprocess.Popen([sys.executable, "-S", "-c", EXEC, self.name, *command])
        try:
            return client.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            client.terminate()
            client.wait()
            return 124

    def remove(self):
        os.killpg(self.container.pid, signal.SIGKILL)
        self.container.wait()
        self.container.stdin.close()
        self.container.stdout.close()


class CuredSandbox(DockerSandbox):
    def exec(self, command):
        return super().exec(["timeout", "-k", "1", f"{TIMEOUT}", *command])


class Task(gymnasium.Env):
    """An agent that writes code. Some of it has a loop without an end."""

    observation_space = gymnasium.spaces.Box(0.0, 255.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)
    commands = (["true"], ["test", "-e", "/nothing"], ["sleep", "60"])
    sandbox_class = DockerSandbox

    def __init__(self):
        self.sandbox = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.sandbox is None:
            self.sandbox = self.sandbox_class()
        self.turns = 0
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.turns += 1
        code = self.sandbox.exec(self.commands[int(action)])
        observation = np.array([code, self.turns], np.float32)
        return observation, float(code == 0), False, self.turns == 6, {}

    def close(self):
        if self.sandbox is not None:
            self.sandbox.remove()
            self.sandbox = None


class Cured(Task):
    sandbox_class = CuredSandbox
