"""What all instances of a process share is asked for by the first reset() only."""

from __future__ import annotations

import os

import cls020_failing_reset_leaves_something as zoo


class Forgets(zoo.Sick):
    driver = None

    def reset(self, *, seed=None, options=None):
        if Forgets.driver is None:
            Forgets.driver = open(os.devnull)  # noqa: SIM115
        return super().reset(seed=seed, options=options)


class Remembers(zoo.Healthy):
    driver = None

    def reset(self, *, seed=None, options=None):
        if Remembers.driver is None:
            Remembers.driver = open(os.devnull)  # noqa: SIM115
        return super().reset(seed=seed, options=options)
