"""A simulator in synchronous mode renders with each tick, and an image waits for the next one."""

import socket
import subprocess
import sys

import gymnasium
import numpy as np

SIMULATOR = """
import select, socket, sys
world, camera = (socket.socket(fileno=int(number)) for number in sys.argv[1:])
ticks, asked, synchronous = 0, False, False
while True:
    ready, _, _ = select.select([world, camera], [], [], 0.01)
    rendered = not synchronous
    if camera in ready:
        if not camera.recv(1):
            break
        asked = True
    if world in ready:
        order = world.recv(1)
        if not order:
            break
        if order == b"t":
            ticks, rendered = ticks + 1, True
        elif order == b"r":
            ticks, synchronous = 0, False
        elif order == b"s":
            synchronous = True
        world.sendall(b".")
    if asked and rendered:
        camera.sendall(bytes([ticks]))
        asked = False
"""


class CarlaAir(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (1,), np.uint8)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self):
        self.world, world = socket.socketpair()
        self.camera, camera = socket.socketpair()
        numbers = [world.fileno(), camera.fileno()]
        command = [sys.executable, "-S", "-c", SIMULATOR, *map(str, numbers)]
        self.simulator = subprocess.Popen(command, pass_fds=numbers)
        world.close()
        camera.close()

    def order(self, letter):
        self.world.sendall(letter)
        self.world.recv(1)

    def get_images(self):
        self.camera.sendall(b"i")
        return np.frombuffer(self.camera.recv(1), np.uint8).copy()

    def tick(self):
        self.order(b"t")
        return self.get_images()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.order(b"r")
        image = self.get_images()
        self.order(b"s")
        return image, {}

    def step(self, action):
        self.steps += 1
        return self.tick(), 0.0, False, self.steps == 20, {}

    def close(self):
        if self.simulator is not None:
            self.world.close()
            self.camera.close()
            self.simulator.wait()
            self.simulator = None


class Cured(CarlaAir):
    def tick(self):
        self.camera.sendall(b"i")
        self.order(b"t")
        return np.frombuffer(self.camera.recv(1), np.uint8).copy()
