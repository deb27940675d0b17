"""Driving DI-engine's environment managers."""

from __future__ import annotations

import importlib
import importlib.util
import multiprocessing
import time
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Set,
)

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api, loaded
from envdoctor.probe.actions import Actions
from envdoctor.probe.adapters import Host
from envdoctor.probe.comparison import batches, endings
from envdoctor.probe.frameworks.names import is_base_env
from envdoctor.probe.system import workers
from envdoctor.probe.system.deadline import Deadline
from envdoctor.probe.tracing.traced import RAISING

if TYPE_CHECKING:
    from typing import Type

    from ding.envs import BaseEnvManager, BaseEnvTimestep

Factories = List[Callable[[], object]]

# Seconds that a manager waits for a worker's reset() where its cfg says nothing: its default.
RESETS_AT_MOST = 60.0
# Seconds that threads of the manager get to reset an instance before close() is called beside them.
RESET_GRACE = 5.0
PAUSE = 0.001

#: What one launch is known to do, in all three managers (see adapters/__init__.py).
KNOWN = {"closes_again": False, "closes_hidden": False, "autoreset": "same-step"}


def missing() -> str:
    """An empty text, or why DI-engine's managers cannot be used here."""
    return (
        "" if importlib.util.find_spec("ding") else "DI-engine is not installed in this interpreter"
    )


def enter() -> None:
    """Import the framework, and PyTorch with it."""
    importlib.import_module("ding.envs")


class Accepted:
    """A factory whose environments its managers accept: a BaseEnv as it is, one of Gymnasium in the
    framework's wrapper. `slot` is the number by which the manager knows them.
    """

    def __init__(self, factory: Any, slot: int) -> None:
        self.factory = factory
        self.slot = slot

    def __call__(self) -> object:
        """One instance. Raises what the factory raises."""
        self.factory.tell_slot(self.slot)
        environment = self.factory()
        if is_base_env(getattr(environment, "unwrapped", environment)):
            return environment
        from envdoctor.probe.adapters.ding.wrapped import Wrapped

        return Wrapped(environment, outspoken=bool(self.factory.fault))


def launched(
    kind: Type[BaseEnvManager], factories: Factories, options: LaunchOptions, **arguments: object
) -> object:
    """A manager of a `kind`, seeded and launched. The arguments go into its cfg."""
    cfg = kind.default_config()
    cfg.update(arguments)
    cfg.update(options.arguments)
    manager = kind(list(_accepted(factories, options.fails_once)), cfg)
    manager.seed(options.seed, dynamic_seed=False)
    manager.launch(_for_each(range(len(factories)), options.reset_parameters))
    return manager


def _accepted(factories: Factories, failing: Optional[int]) -> Iterator[Callable[[], object]]:
    for slot, factory in enumerate(factories):
        accepted = Accepted(factory, slot)
        if slot == failing:
            from envdoctor.probe.tracing.failing_once import FailingOnce

            yield FailingOnce(accepted, accepted.factory.journal)
        else:
            yield accepted


def _for_each(
    slots: Iterable[int], parameters: Optional[Mapping[str, object]]
) -> Optional[Dict[int, Dict[str, object]]]:
    return None if parameters is None else {slot: dict(parameters) for slot in slots}


class ManagerHost(Host):
    """A launched manager. Its instances are asked by number, and reset by the manager as soon as an
    episode ends: in threads, where they live in workers. `parameters` are what each reset() is
    given.
    """

    def __init__(self, manager: BaseEnvManager, options: LaunchOptions) -> None:
        self.manager = manager
        self.seed = options.seed
        self.parameters = options.reset_parameters
        self.several = self._begin()
        # The last action of each, frozen: an answer may come later than it was asked for.
        self.asked: Dict[int, object] = {}
        self.over: Set[int] = set()  # instances whose first episode has ended

    @property
    def instances(self) -> int:
        """Number of instances that it runs."""
        return int(self.manager.env_num)

    def _begin(self) -> List[Actions]:
        return [Actions(self.seed + slot) for slot in range(self.manager.env_num)]

    def reset(self, seed: Optional[int]) -> None:
        """Reset all instances. With a seed, actions begin anew, too."""
        self._await_resets()
        if seed is not None:
            self.several = self._begin()
            self.manager.seed(seed, dynamic_seed=False)
        self.manager.reset(_for_each(range(self.manager.env_num), self.parameters))
        self.over.clear()
        for slot, observation in self.manager.ready_obs.items():
            self._tell(
                "reset", slot, observation, **({} if seed is None else {"seed": seed + slot})
            )

    def step(self) -> None:
        """One step of every instance that is ready."""
        self._play(self._draw)

    def mirror(self) -> None:
        """One step with one action for all."""
        action = self._draw(0)
        self._play(lambda _: action)

    def _draw(self, slot: int) -> object:
        self.several[slot].look_at(self.manager.env_ref.action_space)
        return self.several[slot].draw()

    def _play(self, action_for: Callable[[int], object]) -> None:
        self._await_resets()
        # An error closes it; to ask a closed one who is ready would wait for ever.
        self.manager._check_closed()
        self._renew()
        drawn = {slot: action_for(slot) for slot in self.manager.ready_obs}
        self.asked.update((slot, self._noted(action)) for slot, action in drawn.items())
        answers = self.manager.step(
            {slot: environment_api.as_policies_give_it(action) for slot, action in drawn.items()}
        )
        for slot, answer in answers.items():
            # At its end the next episode's may be there already.
            observation = () if answer.done else (answer.obs,)
            self._tell("step", slot, *observation, asked=self.asked[slot])
            self._follow(slot, answer)
            if answer.done:
                self.over.add(slot)

    def _follow(self, slot: int, answer: BaseEnvTimestep) -> None:
        """Note the end of an episode. The framework tells no truncation from a termination, and
        begins each episode with a seed: what the next one begins with does not belong to its end.
        """
        episode_ends = self.endings
        if episode_ends is None or slot in episode_ends.ends:
            return
        episode_ends.stepped((slot,))
        if answer.done and not getattr(self.manager.env_ref, "retyped", False):
            space = self.manager.observation_space
            # The buffer is written over as soon as a thread of the manager resets the instance.
            final = batches.as_seen(space, answer.obs), dict(answer.info)
            episode_ends.ended(slot, endings.DONE, lambda: final)
            episode_ends.waiting.discard(slot)

    def _renew(self) -> None:
        """Reset those that the manager leaves to its user."""
        waiting = self._in_state("NEED_RESET")
        if waiting:
            self.manager.reset(_for_each(waiting, self.parameters or {}))

    def _tell(self, call: str, slot: int, *observation: object, **values: Any) -> None:
        if (
            self.recorder is None
            or slot in self.over
            or getattr(self.manager.env_ref, "retyped", False)
        ):
            return
        try:
            for value in observation:
                values["observation"] = batches.as_seen(self.manager.observation_space, value)
            self.recorder.add(call, slot, **values)
        except Exception:  # what has a gap must not be compared
            self.recorder = None

    def _in_state(self, *names: str) -> List[int]:
        return [slot for slot, state in self.manager._env_states.items() if state.name in names]

    def _await_resets(self, patience: Optional[float] = None) -> None:
        """Until no thread of the manager is resetting an instance: what is asked of it in between
        would get the wrong answer. No longer than the manager itself waits, all retries together;
        the doctor's own limit on a verb is mostly shorter, and sees the stacks.
        """
        deadline = Deadline(self._longest_reset() if patience is None else patience)
        while self._in_state("RESET") and not deadline.passed and not self.manager.closed:
            time.sleep(PAUSE)

    def _longest_reset(self) -> float:
        # Its own __getattr__ asks the workers.
        known = partial(loaded.own, self.manager)
        once = known("_connect_timeout") or RESETS_AT_MOST
        pause, times = known("_retry_waiting_time") or 0.0, known("_max_retry")
        return float((once + pause) * (1 if times is None else times) + RESET_GRACE)

    def relaunch(self) -> None:
        """Close, and launch again."""
        self.close()
        self.manager.launch(_for_each(range(self.manager.env_num), self.parameters))

    def close(self) -> None:
        """Close the manager."""
        self._await_resets(RESET_GRACE)
        self.manager.close()


class DingHost(ManagerHost):
    """A manager whose instances live in processes of their own."""

    def read_workers(self) -> List[Dict[str, object]]:
        """Meters of each worker."""
        self._await_resets()
        return list(self.manager.envdoctor_holdings)

    def fail(self, name: str) -> None:
        """Raise in every worker. It carries no call there, only the name of an attribute."""
        getattr(self.manager, RAISING + name)

    def unwaited(self) -> Optional[int]:
        """Workers that had to end and have ended. Once counted they are waited for, as the
        start of any other process would: else each of these scenarios needed a probe of its own.
        """
        workers.wait_until_still()
        number = workers.zombies()
        multiprocessing.active_children()
        return number


def in_workers(
    kind: Type[BaseEnvManager],
    factories: Factories,
    start_method: Optional[str],
    options: LaunchOptions,
) -> DingHost:
    """A launched manager of a `kind` that has workers. Shared memory is of the default start
    method: with another one the framework cannot launch.
    """
    manager = launched(
        kind, factories, options, shared_memory=start_method == "fork", context=start_method
    )
    return DingHost(manager, options)
