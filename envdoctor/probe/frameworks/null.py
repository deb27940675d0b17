"""The control: an environment that does nothing, with the subject's spaces and of its shape."""

from __future__ import annotations

import copy
import pickle
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Dict, Iterable, Optional, Tuple

from envdoctor.probe.frameworks import shapes

if TYPE_CHECKING:
    from gymnasium.spaces import Space

    from envdoctor.probe.frameworks.shapes import Shape


def environment(spaces: str) -> object:
    """A null environment whose spaces are those pickled in the file `spaces`; without that
    file, the simplest ones.
    """
    name, nature = _read(spaces)
    if name:
        return shapes.named(name).null(nature)
    return _null_class()(*nature)


@lru_cache(maxsize=None)
def _null_class() -> type:
    """Made late, because Gymnasium must not be imported for other libraries' environments, and
    once: a class is garbage that only the collector brings back.
    """
    import gymnasium

    class NullEnv(gymnasium.Env):  # type: ignore[misc]
        """Returns observations of its space; every episode is endless."""

        metadata: ClassVar[Dict[str, object]] = {"render_modes": []}

        def __init__(self, observation_space: Optional[Space], action_space: object) -> None:
            self.observation_space = observation_space or gymnasium.spaces.Box(-1.0, 1.0, (1,))
            self.action_space = action_space or gymnasium.spaces.Discrete(2)
            self._samples = copy.deepcopy(self.observation_space)

        def reset(self, *, seed: object = None, options: object = None) -> object:
            super().reset(seed=seed)
            # None would make it begin anywhere, and TorchRL resets once more after it set the seed.
            if seed is not None:
                self._samples.seed(seed)
            return self._samples.sample(), {}

        def step(self, action: object) -> object:
            return self._samples.sample(), 0.0, False, False, {}

    return NullEnv


def _read(path: str) -> Tuple[str, Iterable[object]]:
    """The name of the shape, empty for a single environment, and what makes one of it."""
    try:
        with open(path, "rb") as file:
            name, nature = pickle.load(file)
            return name, nature
    except Exception:  # no file, or spaces that unpickle only with the subject's own code
        return "", (None, None)


def save_spaces(path: str, observation_space: object, action_space: object) -> bool:
    """Pickle the subject's spaces for the control; False when they do not pickle."""
    return _save(path, ("", (observation_space, action_space)))


def save_nature(path: str, environment: object, shape: Shape) -> bool:
    """Pickle the nature of an environment of a shape; False where it cannot be read or pickled."""
    try:
        nature = shape.nature(environment)
    except Exception:  # it is the environment's method
        return False
    return _save(path, (shape.NAME, nature))


def _save(path: str, values: Tuple[str, object]) -> bool:
    try:
        data = pickle.dumps(values)
    except Exception:
        return False
    with open(path, "wb") as file:
        file.write(data)
    return True
