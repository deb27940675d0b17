"""The game writes a log file into /tmp when it is over, in native code."""

import ctypes
import time

import gymnasium
import numpy as np

LIBC = ctypes.CDLL(None)
LIBC.fopen.restype = ctypes.c_void_p
LIBC.fputs.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
LIBC.fclose.argtypes = [ctypes.c_void_p]


class Game:
    dumplog = True

    def __init__(self, seed):
        self.began = time.time_ns()
        self.random = np.random.default_rng(seed)
        self.hp = 12
        self.turns = 0

    def move(self, key):
        self.turns += 1
        self.hp -= int(self.random.integers(0, 3 + key))
        if self.hp <= 0 and self.dumplog:
            self.dump()

    def dump(self):
        name = f"/tmp/nethack.Agent.{self.began}.log"
        file = LIBC.fopen(name.encode(), b"w")
        if file:
            LIBC.fputs(f"Agent died after {self.turns} turns.\n".encode(), file)
            LIBC.fclose(file)


class QuietGame(Game):
    dumplog = False


class NetHack(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 1000.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)
    game_class = Game

    def observe(self):
        return np.array([self.game.hp, self.game.turns], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.game = self.game_class(int(self.np_random.integers(2**31)))
        return self.observe(), {}

    def step(self, action):
        if self.game.hp > 0:
            self.game.move(int(action))
        return self.observe(), 0.0, self.game.hp <= 0, False, {}


class Cured(NetHack):
    game_class = QuietGame
