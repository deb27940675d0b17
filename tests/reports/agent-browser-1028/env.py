"""close() ends the session, and not the daemon: the next session gets the page of the last one."""

import os
import socket
import subprocess
import sys

import gymnasium
import numpy as np

DAEMON = """
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(chr(0) + sys.argv[1])
server.listen(16)
server.settimeout(60.0)
print("ready", flush=True)
contexts = []
ended = False
while not ended:
    client, _ = server.accept()
    with client:
        command, session, page = client.recv(200).decode().split()
        mine = [context for context in contexts if context["session"] == session]
        idle = [context for context in contexts if context["session"] is None]
        if command == "open" and mine:
            mine[0]["page"] = page
        elif command == "open" and idle:
            idle[0]["session"] = session  # its page stays in front
        elif command == "open":
            contexts.append({"session": session, "page": page})
        elif command == "screenshot":
            page = mine[0]["page"]
        elif command == "close":
            mine[0]["session"] = None
        elif command == "quit":
            contexts.remove(mine[0])
            if not contexts:
                ended, page = True, "ended"
                server.close()
        client.sendall(page.encode())
"""


class Browser(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1000.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    last = "close"
    daemon = None

    def __init__(self):
        self.address = f"agent-browser-{os.getpid()}"
        self.session = f"session-{id(self)}"
        self.is_open = False

    def ask(self, command, page="-"):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect("\0" + self.address)
            client.sendall(f"{command} {self.session} {page}".encode())
            return client.recv(200).decode()

    def open(self, page):
        try:
            self.ask("open", page)
        except ConnectionRefusedError:
            command = [sys.executable, "-S", "-c", DAEMON, self.address]
            Browser.daemon = subprocess.Popen(
                command, stdout=subprocess.PIPE, start_new_session=True
            )
            with Browser.daemon.stdout as ready:
                ready.readline()
            self.ask("open", page)
        self.is_open = True

    def screenshot(self):
        return np.array([int(self.ask("screenshot"))], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.page, self.clicks = int(self.np_random.integers(900)), 0
        self.open(self.page)
        return self.screenshot(), {}

    def step(self, action):
        self.clicks += 1
        self.open(self.page + self.clicks)
        return self.screenshot(), 0.0, False, self.clicks == 20, {}

    def close(self):
        if self.is_open:
            if self.ask(self.last) == "ended":
                Browser.daemon.wait()
            self.is_open = False


class Cured(Browser):
    last = "quit"
