"""A command that takes too long is given up by the host, and runs on in the container."""

import asyncio
import os
import signal
import subprocess
import sys
import time

import gymnasium
import numpy as np

LIMIT = 0.3
COMMANDS = (["true"], ["expr", "3", "+", "4"], ["sleep", "30"])
DAEMON = """
import socket, subprocess, sys, threading
def execute(client):
    with client:
        command = client.recv(1000).decode().split(chr(0))
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        try:
            client.sendall(b"%d " % result.returncode + result.stdout)
        except OSError:
            pass  # the host has given it up
with socket.socket(socket.AF_UNIX) as server:
    server.bind(chr(0) + sys.argv[1])
    server.listen(16)
    print("ready", flush=True)
    while True:
        threading.Thread(target=execute, args=(server.accept()[0],), daemon=True).start()
"""


class Container:
    def __init__(self):
        self.name = f"enclave-{os.getpid()}-{time.monotonic_ns()}"
        self.daemon = subprocess.Popen(
            [sys.executable, "-S", "-c", DAEMON, self.name],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self.daemon.stdout.readline()

    async def exec(self, command):
        reader, writer = await asyncio.open_unix_connection(chr(0) + self.name)
        try:
            writer.write(chr(0).join(command).encode())
            code, _, output = (await reader.read()).partition(b" ")
        finally:
            writer.close()
        return int(code), output

    def remove(self):
        os.killpg(self.daemon.pid, signal.SIGKILL)
        self.daemon.wait()
        self.daemon.stdout.close()


class ShellExecutor:
    """The tool that an agent calls."""

    async def execute(self, container, command, limit):
        try:
            return await asyncio.wait_for(container.exec(command), limit)
        except TimeoutError:
            return 1, b""


class CuredExecutor(ShellExecutor):
    async def execute(self, container, command, limit):
        wrapped = ["timeout", "-k", "5", f"{limit}", *command]
        code, output = await super().execute(container, wrapped, limit + 10)
        return (-1 if code == 124 else code), output


class EnclaveAgent(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 255.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(len(COMMANDS))
    executor_class = ShellExecutor

    def __init__(self):
        self.container, self.executor = None, self.executor_class()
        self.loop = asyncio.new_event_loop()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.container is None:
            self.container = Container()
        self.turns = 0
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.turns += 1
        command = COMMANDS[int(action)]
        code, output = self.loop.run_until_complete(
            self.executor.execute(self.container, command, LIMIT)
        )
        observation = np.array([code, len(output)], np.float32)
        return observation, float(code == 0), False, self.turns == 6, {}

    def close(self):
        if self.container is not None:
            self.container.remove()
            self.container = None
            self.loop.close()


class Cured(EnclaveAgent):
    executor_class = CuredExecutor
