"""An action space that each access makes anew, so that its seed() has no effect."""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

from envdoctor.probe import environment_api
from envdoctor.probe.comparison.frozen import freeze
from envdoctor.probe.growth.chains import type_name
from envdoctor.probe.sources import source_of
from envdoctor.probe.wrappers import layers_of

SPACE = "action_space"
SEED = 1
DRAWS = 32  # two equal lists of so many actions of a Discrete(2) by chance: 1 in 4,000,000,000

Access = Callable[[], Any]


def remade_space(environment: object) -> Optional[Dict[str, object]]:
    """The innermost layer that makes its action space anew at each access, as the journal has it
    (`model.facts.calls.RemadeSpace`); None where the space is kept, or its seed is.
    """
    if not environment_api.seeds_its_spaces(environment):
        return None
    for layer in reversed(layers_of(environment)):
        for name, access in _accesses(layer):
            with contextlib.suppress(Exception):  # a space that fails is reported where it is used
                if is_seed_lost(access):
                    place = source_of(_code(type(layer)))
                    return {"space": name, "class": type_name(type(layer)), "place": place}
    return None


def _accesses(layer: object) -> Iterator[Tuple[str, Access]]:
    """The ways to the action spaces of a layer: one, or one an agent."""
    if not callable(getattr(layer, SPACE, None)):
        yield SPACE, lambda: getattr(layer, SPACE)
        return
    for agent in getattr(layer, "possible_agents", ()):
        yield "%s(%r)" % (SPACE, agent), functools.partial(getattr(layer, SPACE), agent)


def is_seed_lost(access: Access) -> bool:
    """Return whether each access makes another space, and one does not draw as if it had the seed
    that another one was given.
    """
    kept, other = access(), access()
    if kept is other or kept is None or other is None:
        return False
    kept.seed(SEED)
    seeded = [freeze(kept.sample()) for _ in range(DRAWS)]
    access().seed(SEED)
    return seeded != [freeze(access().sample()) for _ in range(DRAWS)]


def _code(kind: type) -> object:
    """The function behind the attribute of a class."""
    attribute = next((vars(base)[SPACE] for base in kind.__mro__ if SPACE in vars(base)), None)
    return getattr(attribute, "fget", None) or attribute
