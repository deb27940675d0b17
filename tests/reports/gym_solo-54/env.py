"""reset() removes the robot from the simulation and loads it again: its meshes stay in memory."""

import ctypes

import gymnasium
import numpy as np

C = ctypes.CDLL(None)
C.malloc.restype = ctypes.c_void_p
C.malloc.argtypes = [ctypes.c_size_t]
C.free.argtypes = [ctypes.c_void_p]
MESH = 60_000  # bytes, less than malloc gets from mmap()


class Client:
    """A physics engine in native code, which keeps the meshes that it has loaded in a chain."""

    def __init__(self):
        self.last = None
        self.bodies = {}
        self.made = 0

    def loadURDF(self, name):
        mesh = C.malloc(MESH)
        ctypes.memset(mesh, 1, MESH)
        ctypes.c_void_p.from_address(mesh).value = self.last
        self.last = mesh
        self.made += 1
        self.bodies[self.made] = name
        return self.made

    def removeBody(self, body):
        """Take it out of the scene. Its mesh is kept."""
        del self.bodies[body]

    def resetSimulation(self):
        while self.last:
            mesh, self.last = self.last, ctypes.c_void_p.from_address(self.last).value
            C.free(mesh)
        self.bodies.clear()


class Solo8(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (8,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (8,), np.float32)

    def __init__(self):
        self.client = Client()
        self.build()

    def build(self):
        self.plane = self.client.loadURDF("plane.urdf")
        self.load_bodies()

    def load_bodies(self):
        self.robot = self.client.loadURDF("solo8v2.urdf")

    def clear(self):
        self.client.removeBody(self.robot)
        self.load_bodies()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.clear()
        self.steps = 0
        self.joints = self.np_random.uniform(-0.1, 0.1, 8).astype(np.float32)
        return self.joints.copy(), {}

    def step(self, action):
        self.steps += 1
        self.joints = np.clip(self.joints + np.float32(0.02) * action, -10.0, 10.0)
        return self.joints.copy(), -float(np.abs(action).sum()), False, self.steps == 100, {}

    def close(self):
        self.client.resetSimulation()


class Cured(Solo8):
    def clear(self):
        self.client.resetSimulation()
        self.build()
