"""A client of a physics engine, which controllers plan with."""

import mmap
import weakref

import numpy as np

CLIENTS = {}


def connect():
    """The number of a new client. The engine keeps its memory until it is disconnected."""
    number = next(number for number in range(1 << 20) if number not in CLIENTS)
    CLIENTS[number] = mmap.mmap(-1, 1 << 20)
    CLIENTS[number].write(b"\x01" * (1 << 20))
    return number


def disconnect(number):
    CLIENTS.pop(number).close()


class PyBulletSim:
    """The robot in a physics engine of its own."""

    def __init__(self, state):
        self._physics_client_id = connect()
        self.state = np.array(state, float)

    def set_state(self, state):
        self.state = np.array(state, float)

    def plan(self, target, steps=8):
        return np.linspace(self.state, target, steps)

    def close(self):
        disconnect(self._physics_client_id)


class CuredSim(PyBulletSim):
    def __init__(self, state):
        super().__init__(state)
        self._finalizer = weakref.finalize(self, disconnect, self._physics_client_id)

    def close(self):
        self._finalizer()
