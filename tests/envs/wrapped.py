"""Healthy environments in wrappers: what these leave is theirs."""

from __future__ import annotations

import gymnasium
import numpy as np
from plain import Plain

KEPT = []


class Hooked(gymnasium.Wrapper):
    """A method of its own is kept in itself: a reference cycle with a buffer."""

    def __init__(self, env):
        super().__init__(env)
        self.buffer = np.zeros(400_000)
        self.hook = self.note

    def note(self):
        pass

    def close(self):
        if not self.cuts:
            return super().close()
        self.hook = None
        return super().close()

    cuts = False


class Cut(Hooked):
    cuts = True


class Records(gymnasium.Wrapper):
    """Keeps what it saw."""

    forgets = False

    def __init__(self, env):
        super().__init__(env)
        self.log = []

    def reset(self, **options):
        if self.forgets:
            self.log.clear()
        return super().reset(**options)

    def step(self, action):
        answer = super().step(action)
        self.log.append(np.zeros(20))
        return answer


class Forgets(Records):
    forgets = True


class Registered(gymnasium.Wrapper):
    """The module keeps each of them."""

    leaves = False

    def __init__(self, env):
        super().__init__(env)
        KEPT.append(self)

    def close(self):
        if self.leaves and self in KEPT:
            KEPT.remove(self)
        return super().close()


class Leaves(Registered):
    leaves = True


class Tangles(gymnasium.Wrapper):
    """Each reset() makes frames that refer to themselves."""

    tangles = True

    def reset(self, **options):
        frame = {"pixels": np.zeros(300_000)}
        if self.tangles:
            frame["self"] = frame
        return super().reset(**options)


class Straight(Tangles):
    tangles = False


class Opens(gymnasium.Wrapper):
    """Its close() leaves a file open."""

    closes = False

    def __init__(self, env):
        super().__init__(env)
        self.file = open("/dev/null")  # noqa: SIM115

    def close(self):
        if self.closes:
            self.file.close()
        return super().close()


class Closes(Opens):
    closes = True


def hooked():
    return gymnasium.wrappers.TimeLimit(Hooked(Plain()), 50)


def cut():
    return gymnasium.wrappers.TimeLimit(Cut(Plain()), 50)


def records():
    return Records(Plain())


def forgets():
    return Forgets(Plain())


def registered():
    return Registered(Plain())


def leaves():
    return Leaves(Plain())


def tangles():
    return Tangles(Plain())


def straight():
    return Straight(Plain())


def opens():
    return Opens(Plain())


def closes():
    return Closes(Plain())
