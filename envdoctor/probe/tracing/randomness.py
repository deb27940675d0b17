"""The states of random generators, as digests: the global ones, and those that an instance
keeps in its attributes.
"""

from __future__ import annotations

import gc
import sys
from typing import Dict

from envdoctor.probe import generators, loaded
from envdoctor.probe.sensors import Context, random_state

MOST = 200  # attributes that are looked at
NP_RANDOM = "_np_random"  # where an Env has its generator


def states(base: object) -> Dict[str, str]:
    """{"numpy.random": digest, ..., "self.rng": digest} for an innermost object. Equal states have
    equal digests in all processes that hash alike.
    """
    digests: Dict[str, str] = {}
    torch = loaded.module("torch")
    try:
        digests.update(random_state.read(Context("")))
        if torch is not None:
            digests["torch"] = _text(generators.digest_of(torch.get_rng_state().numpy().tobytes()))
        digests.update(_of_modules(type(base)))
        attributes = list(_attributes(base).items())[:MOST]
    except Exception:  # it has slots, or is compiled; a library is half imported
        return digests
    for name, value in attributes:
        digest = _digest(value)
        if digest:
            digests["self.%s" % name] = digest
    return digests


def _of_modules(kind: type) -> Dict[str, str]:
    """Those that the modules of a class and of its bases keep: {"cars.GENERATOR": digest}."""
    digests: Dict[str, str] = {}
    for name in dict.fromkeys(str(each.__module__) for each in kind.__mro__):
        values = list(vars(loaded.module(name) or object).items())[:MOST]
        for key, value in values:
            digest = _digest(value)
            if digest:
                digests["%s.%s" % (name, key)] = digest
    return digests


def _attributes(base: object) -> Dict[str, object]:
    """The attributes among which generators may be. Since 3.11, to ask an instance for its
    dictionary makes all its later attribute look-ups slower: CartPole's steps by a tenth. So that
    is asked for only where it is there already, or needed.
    """
    if sys.version_info < (3, 11):
        return dict(vars(base))
    own = getattr(base, NP_RANDOM, None)
    held = [value for value in gc.get_referents(base) if not isinstance(value, type)]
    is_there = len(held) == 1 and type(held[0]) is dict  # else it holds the values themselves
    if is_there or any(value is not own and _digest(value) for value in held):
        return dict(vars(base))
    return {NP_RANDOM: own}


def _digest(value: object) -> str:
    """A generator's state, or nothing for any other value."""
    state = generators.digest(value)
    return _text(state) if state else ""


def _text(state: int) -> str:
    return "%08x" % state
