"""The random generators that decide an episode: those of the process, and those that an instance
holds. No code of the user's runs for it.
"""

from __future__ import annotations

import gc
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

from envdoctor.model.page import NUMPY, OWN
from envdoctor.probe import loaded
from envdoctor.probe.generators import digest, digest_of, plain

MOST = 200  # objects that are looked at
MADE_BY_PYTHON = 1 << 9  # a flag of classes that are written in Python
LARGEST_GIVEN = 1 << 64  # what the operating system gives has 128 bits
UNKNOWN = object()
CHANCE = 1 << 16  # as many values at least, of which one is drawn
SPACES = "spaces"  # modules of what draws actions


class States(NamedTuple):
    """Digests of states by the sources of a page, and the id of the first generator held."""

    digests: Tuple[int, int, int, int]
    holds: int


def states(instance: object) -> States:
    """The states of the generators that an instance may draw from."""
    own = [(id(value), state) for value, state in _held(instance) if state]
    digests = (
        _state_of("random", "getstate"),
        _state_of("numpy.random", "get_state", legacy=False),
        digest(getattr(loaded.module("torch"), "default_generator", None)),
        digest_of([state for _, state in own]) if own else 0,
    )
    return States(digests, own[0][0] if own else 0)


def _state_of(module: str, function: str, **options: object) -> int:
    ask = getattr(loaded.module(module), function, None)
    return digest_of(plain(ask(**options))) if ask is not None else 0


def _held(instance: object) -> Iterator[Tuple[Any, int]]:
    """Return what an instance holds, and what its own objects do, with the states of generators.
    From Python 3.11 on, to ask for its dictionary would make its attributes slower.
    """
    looked = 0
    for value in referents(instance):
        state = digest(value)
        inner = referents(value) if not state and _is_own(value) else []
        for each, known in [(value, state), *((other, digest(other)) for other in inner)]:
            yield each, known
            looked += 1
            if looked >= MOST:
                return


def _is_own(value: object) -> bool:
    """Return whether an object is of a class that is written in Python, and draws no actions."""
    kind = type(value)
    return bool(kind.__flags__ & MADE_BY_PYTHON) and SPACES not in str(kind.__module__).split(".")


def referents(instance: object) -> List[Any]:
    """The values of its attributes, in the order in which they were set."""
    values: List[object] = []
    for value in gc.get_referents(instance):
        if type(value) is dict:
            values += list(value.values())
        elif not issubclass(type(value), type):
            values.append(value)
    return values


def seeded_with(instance: object, seed: int) -> bool:
    """Return whether a generator of numpy's that an instance holds was made of a seed, and was
    drawn from since.
    """
    return any(entropy == seed and drawn for entropy, drawn in _seeds_of(instance))


def has_first_draws(instance: object, seed: int, numbers: List[int]) -> bool:
    """Return whether whole numbers are those that a generator which an instance holds, and that was
    made of a seed, has drawn first: too many of them for chance.
    """
    numpy = loaded.module("numpy.random")
    low, high = min(numbers), max(numbers)
    if (high - low + 1) ** len(numbers) < CHANCE:
        return False
    for value, state in _held(instance):
        source = _source(value) if state else None
        if getattr(source, "entropy", None) == seed:
            fresh = numpy.Generator(type(value.bit_generator)(source))
            if fresh.integers(low, high + 1, len(numbers)).tolist() == numbers:
                return True
    return False


def unseeded(instance: object) -> int:
    """The generators of numpy's that the operating system seeded, as bits of the sources of a page:
    that of the process, and one that an instance holds and that was drawn from.
    """
    own = any(
        type(entropy) is int and entropy >= LARGEST_GIVEN and drawn
        for entropy, drawn in _seeds_of(instance)
    )
    return own << OWN | (is_seeded_globally() is False) << NUMPY


def is_seeded_globally() -> Optional[bool]:
    """Return whether numpy's global generator was seeded; None where that is not known. What
    numpy itself seeds it with is forgotten then.
    """
    generator = getattr(loaded.module("numpy.random.mtrand"), "_rand", None)
    bits = getattr(generator, "_bit_generator", None)
    source = getattr(bits, "_seed_seq", UNKNOWN)
    return None if source is UNKNOWN else source is None


def _seeds_of(instance: object) -> Iterator[Tuple[object, bool]]:
    """Return of what the generators of numpy's were made that an instance holds, and whether they
    were drawn from since.
    """
    for value, state in _held(instance):
        source = _source(value) if state else None
        if source is not None:
            bits = value.bit_generator
            drawn = plain(type(bits)(source).state) != plain(bits.state)
            yield getattr(source, "entropy", None), bool(drawn)


def entropy(value: object) -> Optional[object]:
    """A number, or several, that a generator of numpy's was made of; None of anything else."""
    return getattr(_source(value), "entropy", None)


def _source(value: object) -> object:
    """The sequence of seeds that a generator of numpy's was made of; None of anything else."""
    kind = getattr(loaded.module("numpy.random"), "Generator", None)
    if kind is None or not issubclass(type(value), kind):
        return None
    bits = getattr(value, "bit_generator", None)
    return getattr(bits, "seed_seq", None) or getattr(bits, "_seed_seq", None)
