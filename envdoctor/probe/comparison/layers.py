"""The layers of a wrapped environment, each played without what is around it: with which of them
the same seed gives another first observation, or what was returned is changed later.
"""

from __future__ import annotations

import contextlib
import functools
from collections import deque
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Set,
    Tuple,
)

from envdoctor.probe import environment_api
from envdoctor.probe.actions import Actions
from envdoctor.probe.comparison.aliasing import ACTION, Returned, ReturnedArrays
from envdoctor.probe.comparison.frozen import first_difference, freeze
from envdoctor.probe.growth.chains import own_namespace, type_name
from envdoctor.probe.wrappers import MAX_LAYERS, layers_of

if TYPE_CHECKING:
    from envdoctor.model.trajectory import Frozen

METHODS = ("reset", "step", "seed")
ENV = "env"  # by which a wrapper has what it wraps
CALLS = ("reset", "step")  # that make an environment
SEEDING = ("reset", "seed")  # methods that are given a seed
CONTAINERS = (list, tuple, deque)
CONSTANTS = (int, float, complex, str, bytes, type(None), type)  # which many have in common

Build = Callable[[], object]


class LayerResult(NamedTuple):
    """The findings on a layer: whether its first observations differ with one seed, and of what was
    changed later ("observation", "info") which the layer itself holds. ("action": it is written
    into.)
    """

    differs: bool
    changed: Dict[str, bool]


def describe_layers(build: Build, seed: int, steps: int) -> List[Dict[str, object]]:
    """Each layer as the journal has it (`model.facts.calls.PlayedLayer`), the outermost first;
    nothing of an environment without wrappers.
    """
    environment = build()
    layers = all_layers(environment)
    known = [_known(layer) for layer in layers] if len(layers) > 1 else []
    seeded = _seeded(environment, layers, seed, steps) if known else []
    _end(environment)
    del environment, layers
    for without, layer in enumerate(known):
        layer["seeded"] = without in seeded
        try:
            result = _play(build, without, seed, steps)
        except Exception as error:
            layer["failed"] = type(error).__name__
        else:
            layer.update(differs=result.differs, changed=result.changed)
    return known


def held_environment(environment: object) -> Tuple[str, object]:
    """The other environment that one without wrappers holds in an attribute, and its name: where a
    class of one's own does what a wrapper does. Nothing where it holds none, or several.
    """
    held = {
        id(value): (name, value)
        for name, value in (own_namespace(environment) or {}).items()
        if value is not environment and _is_environment(type(value))
    }
    return next(iter(held.values())) if len(held) == 1 else ("", None)


def _is_environment(kind: type) -> bool:
    return all(callable(getattr(kind, name, None)) for name in CALLS)


def all_layers(environment: object) -> List[object]:
    """The layers of an environment, also where the innermost one holds another environment."""
    layers = layers_of(environment)
    while len(layers) < MAX_LAYERS:
        _, held = held_environment(layers[-1])
        if held is None or any(each is held for each in layers):
            break
        layers += layers_of(held)
    return layers


def _end(environment: object) -> None:
    """Close it, where it has a method for that; what that raises is another rule's."""
    if callable(getattr(environment, "close", None)):
        with contextlib.suppress(Exception):
            environment_api.close(environment)


def _known(layer: object) -> Dict[str, Any]:
    """Its class, and where the methods are written that it has."""
    places: Dict[str, object] = {}
    for name in METHODS:
        code = getattr(getattr(type(layer), name, None), "__code__", None)
        if code is not None:
            places[name] = {
                "file": code.co_filename,
                "line": code.co_firstlineno,
                "function": getattr(code, "co_qualname", "%s.%s" % (type(layer).__name__, name)),
            }
    known = {"class": type_name(type(layer)), "methods": places}
    name = held_environment(layer)[0]
    return {**known, "holds": name} if name not in ("", ENV) else known


class _OwnArrays(ReturnedArrays):
    """Notes of what was returned and is changed later whether a layer alone holds it."""

    def __init__(self, layer: object) -> None:
        super().__init__(lambda _: None, lambda _: self.owned.update({ACTION: True}))
        self.layers = layers_of(layer)
        self.owned: Dict[str, bool] = {}

    def note(self, returned: Returned) -> None:
        """A later call changed what was returned, for the first time under its name."""
        own, *inner = self.layers
        self.owned[returned.name] = holds(own, returned.value) and not any(
            holds(each, returned.value) for each in inner
        )


class Episodes:
    """Asks a layer as the scenario `reuse` does."""

    def __init__(self, layer: object, seed: int, steps: int) -> None:
        self.layer = layer
        self.seed = seed
        self.steps = steps
        self.actions = Actions(seed)
        self.returned = _OwnArrays(layer)
        self.results: List[Frozen] = []  # of the last episode: what each call returned, frozen

    def begin(self, seed: Optional[int]) -> Frozen:
        """Reset, and play some steps; the first observation, frozen."""
        if seed is not None:
            self.actions = Actions(self.seed)
        observation, info = environment_api.reset(self.layer, seed, self.layer)
        first = freeze(observation)
        self.results = [first]
        self.returned.next("reset", observation, info)
        self.actions.see(observation)
        self.actions.look_at(environment_api.action_space(self.layer))
        for _ in range(self.steps):
            action = self.actions.draw(info)
            asked = freeze(action)
            observation, reward, ended, cut, info = environment_api.transition(self.layer, action)
            self.results.append(freeze((observation, reward, ended, cut)))
            self.actions.see(observation)
            self.returned.next("step", observation, info)
            self.returned.stepped(asked, action)
            if ended or cut:
                break
        return first


def _play(build: Build, without: int, seed: int, steps: int) -> LayerResult:
    """Play a layer without what is around it; that lives on meanwhile."""
    firsts = []
    for episode_count in (3, 1):
        outer = build()
        episodes = Episodes(all_layers(outer)[without], seed, steps)
        try:
            firsts.append(episodes.begin(seed))
            if episode_count > 1:
                episodes.begin(None)
                firsts.append(episodes.begin(seed))
                changed = episodes.returned.owned
        finally:
            _end(outer)
    differs = any(first_difference(firsts[0], other) is not None for other in firsts[1:])
    return LayerResult(differs, changed)


def _seeded(environment: object, layers: List[object], seed: int, steps: int) -> Set[int]:
    """The layers whose reset() or seed() was given the seed, by their places, when it was given
    again.
    """
    seeded_ids: Set[int] = set()
    stops = [
        _notice(kind, name, seed, seeded_ids.add)
        for kind in dict.fromkeys(map(type, layers))
        for name in SEEDING
        if callable(getattr(kind, name, None))
    ]
    try:
        episodes = Episodes(environment, seed, steps)
        episodes.begin(seed)
        episodes.begin(None)
        seeded_ids.clear()
        environment_api.reset(environment, seed, environment)
    except Exception:
        return set()
    finally:
        for stop in reversed(stops):
            stop()
    return {at for at, layer in enumerate(layers) if id(layer) in seeded_ids}


def _notice(
    kind: object, name: str, seed: int, note: Callable[[int], object]
) -> Callable[[], None]:
    """Have a method of a class report the objects that are given the seed. Returns a function that
    puts back what was there.
    """
    own, inherited = vars(kind).get(name), getattr(kind, name)

    @functools.wraps(inherited)
    def seeding(self: object, *args: object, **kwargs: object) -> object:
        if any(type(each) is int and each == seed for each in (*args, *kwargs.values())):
            note(id(self))
        return inherited(self, *args, **kwargs)

    def stop() -> None:
        if own is not None:
            setattr(kind, name, own)
        else:
            delattr(kind, name)

    setattr(kind, name, seeding)
    return stop


def holds(layer: object, value: object) -> bool:
    """Return whether an attribute of a layer is what was returned, a part or the base of it, or
    holds one of these; what the layer wraps is not looked at.
    """
    wanted = {id(each) for each in _parts(value) if not isinstance(each, CONSTANTS)}
    for name, kept in list((own_namespace(layer) or {}).items()):
        if name == ENV:
            continue
        inside = _parts(kept)
        if any(id(each) in wanted for each in (*inside, *_attributes(kept))):
            return True
    return False


def _parts(value: object) -> Iterator[object]:
    """A value, what it is a view of, and what it contains."""
    yield value
    base = getattr(value, "base", None) if type(value).__module__ == "numpy" else None
    if base is not None:
        yield base
    if type(value) is dict:
        yield from value.values()
    elif isinstance(value, CONTAINERS):
        yield from value


def _attributes(value: object) -> Iterator[object]:
    """The attributes of an object of the environment's own."""
    space = own_namespace(value)
    if type(space) is dict:
        yield from list(space.values())
