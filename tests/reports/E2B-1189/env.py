"""close() ends the sandbox, and leaves the client's pool of connections to it."""

import socket
import subprocess
import sys

import gymnasium
import numpy as np

SANDBOX = """
import socket, sys
with socket.socket(fileno=int(sys.argv[1])) as connection:
    for line in connection.makefile("rb"):
        connection.sendall(b"%d\\n" % len(line))
"""


class Pool:
    """Its connections; a reference to the client, as for retries."""

    def __init__(self, client):
        self.client = client
        self.connections = []

    def connect(self):
        mine, theirs = socket.socketpair()
        self.connections.append(mine)
        return theirs

    def close(self):
        for connection in self.connections:
            connection.close()


class Client:
    def __init__(self):
        self.pool = Pool(self)

    def post(self, text):
        connection = self.pool.connections[0]
        connection.sendall(text.encode() + b"\n")
        return int(connection.recv(64))

    def close(self):
        self.pool.close()


class Sandbox:
    def __init__(self):
        self.client = Client()
        with self.client.pool.connect() as theirs:
            number = theirs.fileno()
            command = [sys.executable, "-S", "-c", SANDBOX, str(number)]
            self.process = subprocess.Popen(command, pass_fds=[number])

    def run(self, code):
        return self.client.post(code)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Code(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    programs = ("1", "1 + 1", "print()", "import this")

    def __init__(self):
        self.sandbox = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.sandbox is None:
            self.sandbox = Sandbox()
        self.turn = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.turn += 1
        size = self.sandbox.run(self.programs[int(action)])
        return np.array([size], np.float32), 0.0, False, self.turn == 10, {}

    def close(self):
        if self.sandbox is not None:
            self.sandbox.kill()
            self.sandbox = None


class Cured(Code):
    def close(self):
        if self.sandbox is not None:
            self.sandbox.client.close()
        super().close()
