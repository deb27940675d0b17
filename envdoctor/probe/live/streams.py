"""The random generators that decide an episode: those of the process, and those that an instance
holds. No code of the user's runs for it.
"""

from __future__ import annotations

import gc
from typing import Any, Iterator, List, NamedTuple, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.generators import digest, digest_of, plain

MOST = 200  # objects that are looked at
MADE_BY_PYTHON = 1 << 9  # a flag of classes that are written in Python
SPACES = "spaces"  # modules of what draws actions


class States(NamedTuple):
    """Digests of states by the sources of a page, and the id of the first generator held."""

    digests: Tuple[int, int, int, int]
    holds: int


def states(instance: Any) -> States:
    """The states of the generators that an instance may draw from."""
    own = [(id(value), state) for value, state in _held(instance) if state]
    digests = (
        _state_of("random", "getstate"),
        _state_of("numpy.random", "get_state", legacy=False),
        digest(getattr(loaded.module("torch"), "default_generator", None)),
        digest_of([state for _, state in own]) if own else 0,
    )
    return States(digests, own[0][0] if own else 0)


def _state_of(module: str, function: str, **options: Any) -> int:
    ask = getattr(loaded.module(module), function, None)
    return digest_of(plain(ask(**options))) if ask is not None else 0


def _held(instance: Any) -> Iterator[Tuple[Any, int]]:
    """Return what an instance holds, and what its own objects do, with the states of generators.
    From Python 3.11 on, to ask for its dictionary would make its attributes slower.
    """
    looked = 0
    for value in _referents(instance):
        state = digest(value)
        inner = _referents(value) if not state and _is_own(value) else []
        for each, known in [(value, state), *((other, digest(other)) for other in inner)]:
            yield each, known
            looked += 1
            if looked >= MOST:
                return


def _is_own(value: Any) -> bool:
    """Return whether an object is of a class that is written in Python, and draws no actions."""
    kind = type(value)
    return bool(kind.__flags__ & MADE_BY_PYTHON) and SPACES not in str(kind.__module__).split(".")


def _referents(instance: Any) -> List[Any]:
    """The values of its attributes, in the order in which they were set."""
    values: List[Any] = []
    for value in gc.get_referents(instance):
        if type(value) is dict:
            values += list(value.values())
        elif not issubclass(type(value), type):
            values.append(value)
    return values


def seeded_with(instance: Any, seed: int) -> bool:
    """Return whether a generator of numpy's that an instance holds was made of a seed, and was
    drawn from since.
    """
    numpy = loaded.module("numpy.random")
    for value, state in _held(instance):
        if state and issubclass(type(value), numpy.Generator):
            bits = value.bit_generator
            source = getattr(bits, "seed_seq", None) or getattr(bits, "_seed_seq", None)
            if getattr(source, "entropy", None) == seed:
                return bool(plain(type(bits)(source).state) != plain(bits.state))
    return False
