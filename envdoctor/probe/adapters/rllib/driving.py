"""Driving RLlib's runner by its own `sample()`, with the player's actions in place of random
ones.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import weakref
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe.actions import Actions
from envdoctor.probe.adapters.gymnasium.driving import Outcomes, VectorHost
from envdoctor.probe.journal import Journal

if TYPE_CHECKING:
    from numpy import ndarray
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

RESTARTS = "restart_failed_sub_environments"
AS_CLASS = "as_class"
REGISTERED = "envdoctor-subject"

#: RLlib restarts without a limit. So many launches in one call are enough to see it.
MAX_LAUNCHES = 20
#: Steps that are sampled in one call once something was restarted: a fragment in which an
#: environment that fails early never comes to the end.
FRAGMENT = 20


def missing() -> str:
    """An empty text, or why RLlib's runner cannot be used here."""
    for package, name in (("ray.rllib", "ray[rllib]"), ("torch", "torch")):
        if not _is_there(package):
            return "%s is not installed in this interpreter" % name
    return ""


def _is_there(package: str) -> bool:
    """Return whether a package can be imported, without importing its parent."""
    parent, _, name = package.partition(".")
    spec = importlib.util.find_spec(parent)
    if spec is None or not name:
        return spec is not None
    places = list(spec.submodule_search_locations or ())
    return importlib.machinery.PathFinder.find_spec(package, places) is not None


def enter() -> None:
    """Import the framework, and PyTorch with it."""
    importlib.import_module("ray.rllib.algorithms.algorithm_config")
    importlib.import_module("ray.rllib.env.single_agent_env_runner")


class EndlessRestarts(BaseException):
    """Ends restarts that go on without a limit; no Exception, which RLlib would take for another
    failure. `original` is the environment's error.
    """

    def __init__(self, original: Optional[BaseException]) -> None:
        super().__init__("restarted without an end")
        self.original = original


class Creator:
    """Environment of the configuration: builds the instances of a launch one after
    the other, counts those of one call, and notes what their vector environment returns.
    """

    def __init__(self, factories: List[Callable[[], object]]) -> None:
        self.factories = factories
        self.launched = 0  # all of them
        self.built = 0  # in this call
        self.returned: List[object] = []  # in this call

    def __call__(self, _context: object) -> object:
        """The next instance. Raises EndlessRestarts where it is one too many."""
        if self.built == MAX_LAUNCHES * len(self.factories):
            raise EndlessRestarts(sys.exc_info()[1])
        factory = self.factories[self.launched % len(self.factories)]
        self.launched += 1
        self.built += 1
        return factory()

    def created(self, *, env_runner: SingleAgentEnvRunner, **_: object) -> None:
        """The callback of a runner that has built its vector environment, first or anew."""
        env_runner.env = noted_class()(env_runner.env, self.returned)

    def begin(self) -> None:
        """Begin a call."""
        self.built = 0
        self.returned.clear()

    def __reduce__(self) -> Tuple[object, ...]:
        """Itself. RLlib copies its configuration, and Ray pickles what is registered."""
        _creators[id(self)] = self
        return _same, (id(self),)


_creators: weakref.WeakValueDictionary[int, Creator] = weakref.WeakValueDictionary()


def _same(number: int) -> object:
    """The creator that was pickled in this process."""
    return _creators[number]


def _named(creator: Creator, options: LaunchOptions) -> object:
    """The environment of a configuration: a registered name, or with the option AS_CLASS what
    builds it.
    """
    if options.get(AS_CLASS):
        return creator
    from ray.tune.registry import register_env

    register_env(REGISTERED, creator)
    return REGISTERED


def runner(creator: Creator, options: LaunchOptions) -> SingleAgentEnvRunner:
    """One runner without a learner, which builds its instances in this process."""
    from ray.rllib.algorithms.algorithm_config import AlgorithmConfig
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

    config = AlgorithmConfig().environment(env=_named(creator, options))
    config = config.env_runners(num_envs_per_env_runner=len(creator.factories))
    config = config.callbacks(on_environment_created=creator.created)
    config = config.fault_tolerance(restart_failed_sub_environments=bool(options.get(RESTARTS)))
    return SingleAgentEnvRunner(config=config)


class GivenEnv:
    """In place of a space of actions: what was given is what it samples."""

    def __init__(self, actions: object) -> None:
        self.actions = actions

    def sample(self) -> object:
        """The player's actions."""
        return self.actions


@lru_cache(maxsize=None)
def noted_class() -> type:
    """Made late, because Gymnasium must not be imported for other libraries' environments."""
    from gymnasium.vector import VectorWrapper

    class Noted(VectorWrapper):  # type: ignore[misc]
        """The runner's vector environment. What its calls return is noted."""

        def __init__(self, env: object, returned: List[object]) -> None:
            super().__init__(env)
            self.returned = returned

        def reset(self, **arguments: object) -> object:
            """Reset all instances."""
            self.returned.append(super().reset(**arguments))
            return self.returned[-1]

        def step(self, actions: object) -> object:
            """Step all instances."""
            self.returned.append(super().step(actions))
            return self.returned[-1]

    return Noted


class RunnerHost(VectorHost):
    """A SingleAgentEnvRunner. One call of sample() may step twice: a step that only resets all
    instances counts as none.
    """

    def __init__(self, made: SingleAgentEnvRunner, creator: Creator, seed: int) -> None:
        self.runner = made
        self.creator = creator
        self.pending: List[Tuple[ndarray, ...]] = []  # steps that were taken, and not returned yet
        super().__init__(made.env, seed)

    def _sample(self, steps: int, actions: object = None, reset: bool = False) -> List[Any]:
        """Values that the vector environment returned in one call of sample()."""
        self.creator.begin()
        self.runner.env.action_space = GivenEnv(actions)
        try:
            self.runner.sample(num_timesteps=steps, random_actions=True, force_reset=reset)
        except EndlessRestarts as ended:
            self._tell_restarts(endless=True)
            raise (ended.original or ended) from None
        finally:
            self.vector = self.runner.env
            self.vector.action_space = None
        if self.creator.built:
            self._tell_restarts(endless=False)
        return list(self.creator.returned)

    def _tell_restarts(self, endless: bool) -> None:
        """Journal them. What has a gap must not be compared."""
        self.recorder = None
        journal = Journal(self.creator.factories[0].journal)  # type: ignore[attr-defined]
        asked = len(self.creator.factories)
        restarts = {"built": self.creator.built, "instances": asked, "endless": endless}
        journal.write("fact", key="restarts", value=restarts)

    def _reset(self, seed: Optional[int]) -> object:
        """It seeds its first reset only, with the seed of its configuration."""
        if seed is not None:
            self.actions = Actions(self.seed)
            self.runner._seed = seed
            self.runner._needs_initial_reset = True
        observations, _ = self._sample(0, reset=True)[-1]
        self.actions.look_at(self.vector.action_space)
        return observations

    def _play(self, actions: object) -> None:
        """One step, and what sample() does besides."""
        noted = self._each_noted(actions)
        self.pending = self._sample(1, actions)
        if self.creator.built:
            self.pending = []
            self._sample(FRAGMENT * self.instances, self._draw())
        while self.pending:
            self._advance(actions, noted)

    def _step(self, _actions: object) -> Tuple[object, object, Outcomes]:
        observations, rewards, terminations, truncations, infos = self.pending.pop(0)
        self.infos = infos if self.endings is not None else None
        outcomes = Outcomes(rewards, terminations, truncations)
        return observations, terminations | truncations, outcomes

    def _final(
        self, observations: object, infos: Sequence[Mapping[str, object]], slot: int
    ) -> Tuple[object, Dict[str, object]]:
        """Infos are a list here, one an instance."""
        return self._observation(observations, slot), dict(infos[slot])

    def close(self) -> None:
        """Stop the runner, which closes its vector environment."""
        self.runner.stop()
