"""The global random states. A side effect: a seed for them decides for the whole program."""

from __future__ import annotations

import random
from typing import Dict

from envdoctor.probe import loaded
from envdoctor.probe.generators import plain
from envdoctor.probe.sensors import Context

NAME = "random"
OF_PROCESS = True
APPEARS = True


def missing() -> str:
    """Python's own can be told everywhere; numpy's and torch's only where the subject has
    imported them.
    """
    return ""


def read(_context: Context) -> Dict[str, str]:
    """{library: digest of its state}."""
    states = {"random": "state %d" % abs(hash(random.getstate()))}
    get_state = getattr(loaded.module("numpy.random"), "get_state", None)
    if get_state is not None:
        states["numpy.random"] = "state %d" % abs(_numpy_digest(get_state(legacy=False)))
    generator: object = getattr(loaded.module("torch"), "default_generator", None)
    if hasattr(generator, "get_state"):
        states["torch"] = "state %d" % abs(hash(generator.get_state().numpy().tobytes()))
    return states


def _numpy_digest(state: object) -> int:
    return hash(plain(state))
