"""What only an instance that lives long shows: each is given up with all it has collected."""

from __future__ import annotations

from collections import deque

from plain import Plain

PLAYED = set()  # the numbers of all episodes of the process


class Remembers(Plain):
    """Every observation of its life."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.history = []

    def _observe(self):
        observation = super()._observe()
        self.history.append(observation)
        return observation


class CountsEpisodes(Plain):
    """Something of each episode, in a wrapper's place."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.episodes = {}

    def reset(self, *, seed=None, options=None):
        self.episodes[len(self.episodes)] = {"steps": self._steps}
        return super().reset(seed=seed, options=options)


class Clears(Remembers):
    """The observations of one episode."""

    def reset(self, *, seed=None, options=None):
        self.history = []
        return super().reset(seed=seed, options=options)


class Bounds(Remembers):
    """More than a leak check lasts, but no more than that."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.history = deque(maxlen=100_000)


class BoundsByHand(Remembers):
    """The same, without a container that knows its bound."""

    def _observe(self):
        observation = super()._observe()
        del self.history[:-500]
        return observation


class NumbersEpisodes(Plain):
    """The number of each episode: a small one is no new object."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.played = set()

    def reset(self, *, seed=None, options=None):
        self.played.add(len(self.played))
        return super().reset(seed=seed, options=options)


class NumbersAllEpisodes(Plain):
    """The same, for as long as the process lives."""

    def reset(self, *, seed=None, options=None):
        PLAYED.add(len(PLAYED))
        return super().reset(seed=seed, options=options)


class NumbersTheLast(Plain):
    """The number of each step, of the last five hundred."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.numbers = []

    def step(self, action):
        self.numbers.append(self._steps)
        del self.numbers[:-500]
        return super().step(action)
