"""The client keeps a connection that the far end has closed, and uses it for all that follows."""

import json
import select
import socket
import subprocess
import sys

import gymnasium
import numpy as np

SERVER = """
import json, random, socket, socketserver, sys, threading
MESSAGES = 100  # after so many, what is between client and server closes the connection
game = {"random": random.Random(0), "place": 0.0, "goal": 0.0, "steps": 0}
class Connection(socketserver.StreamRequestHandler):
    def handle(self):
        for number in range(1, MESSAGES + 1):
            line = self.rfile.readline()
            if not line:
                return
            message = json.loads(line)
            if message["type"] == "reset":
                game["random"].seed(message["seed"])
                game["place"], game["goal"] = 0.0, round(game["random"].uniform(-5.0, 5.0), 3)
                game["steps"] = 0
            else:
                game["place"] += message["action"] - 1
                game["steps"] += 1
            if number == MESSAGES:  # the end of the stream is in the packet of the last answer
                self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
            self.wfile.write(json.dumps([game[key] for key in ("place", "goal", "steps")]).encode() + b"\\n")
server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Connection)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
"""


class ConnectionClosed(Exception):
    pass


class EnvClient:
    def __init__(self, port):
        self.port = port
        self._ws = None

    def connect(self):
        if self._ws is None:
            self._ws = socket.create_connection(("127.0.0.1", self.port), timeout=20.0)
            self._answers = self._ws.makefile("rb")

    def send(self, **message):
        self.connect()
        try:
            self._ws.sendall(json.dumps(message).encode() + b"\n")
            answer = self._answers.readline()
        except ConnectionError:
            answer = b""
        if not answer:
            raise ConnectionClosed("no close frame received or sent")
        return json.loads(answer)

    def close(self):
        if self._ws is not None:
            self._answers.close()
            self._ws.close()
            self._ws = None


class CuredClient(EnvClient):
    def connect(self):
        # Answers come to questions only: what can be read before one is the end of the stream.
        if self._ws is not None and select.select([self._ws], [], [], 0.0)[0]:
            self.close()
        super().connect()


class RemoteReach(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)
    client_class = EnvClient

    def __init__(self):
        self.server = None

    def start(self):
        command = [sys.executable, "-S", "-c", SERVER]
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.client = self.client_class(int(self.server.stdout.readline()))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.server is None:
            self.start()
        state = self.client.send(type="reset", seed=int(self.np_random.integers(2**31)))
        return np.array(state, np.float32), {}

    def step(self, action):
        place, goal, steps = self.client.send(type="step", action=int(action))
        reward = -abs(place - goal)
        return np.array([place, goal, steps], np.float32), reward, reward > -0.5, steps >= 20, {}

    def close(self):
        if self.server is not None:
            self.client.close()
            self.server.communicate()
            self.server = None


class Cured(RemoteReach):
    client_class = CuredClient
