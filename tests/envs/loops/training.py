"""Functions of a training: iterations that keep something, and some that do not."""

import ctypes
import os
import time

import gymnasium

LOSSES = []
LIBC = ctypes.CDLL(None)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
PRIVATE_PAGES, ANONYMOUS = 3, 0x22  # of Linux: read and write; private and anonymous


class Buffer:
    def reset(self):
        return None

    def step(self, action):
        return action

    def __call__(self):
        return self


BUILT = Buffer()


def keeps_its_losses():
    LOSSES.append([float(step) for step in range(3)])
    return LOSSES[-1][-1]


def forgets_a_descriptor():
    os.open(os.devnull, os.O_RDONLY)
    return True


class Graph:
    def __init__(self):
        self.itself = self
        self.values = bytearray(4 << 20)


def leaves_cycles():
    return len(Graph().values)


def maps_memory():
    return LIBC.mmap(None, 1 << 20, PRIVATE_PAGES, ANONYMOUS, -1, 0)


def keeps_nothing():
    return sum(step for step in range(100))


def fails():
    raise ValueError("no data")


def never_ends():
    while True:
        time.sleep(1.0)


def learns():
    model = gymnasium.make("CartPole-v1")
    model.learn(1_000_000)
    return model


def make_cart():
    return gymnasium.make("CartPole-v1")
