"""SuperSuit takes an environment and pickles it: what it runs are copies. Here each copy is
traced as an instance of its own, in the process in which it is unpickled.
"""

from __future__ import annotations

import multiprocessing
import os
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, List, Tuple

from envdoctor.probe import wrappers
from envdoctor.probe.tracing.instrument import Factory

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from pettingzoo import ParallelEnv


class Numbers:
    """Number by which a launch knows its copies: where they are made in this process, in the order
    in which they are made; else that of their worker.
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.made = 0
        self.before = _number(multiprocessing.Process())

    def next(self) -> int:
        """That of the copy that is made now."""
        if os.getpid() != self.pid:
            return _number(multiprocessing.current_process()) - self.before - 1
        self.made += 1
        return self.made - 1


def _number(process: BaseProcess) -> int:
    """3 of `Process-3`, or of `Process-1:3` below another one."""
    return int(process.name.replace(":", "-").rpartition("-")[2])


def original(factories: List[Factory]) -> ParallelEnv:
    """The environment, as a ParallelEnv that SuperSuit takes. One of another class is handed over
    as it is, and refused by SuperSuit.
    """
    made = factories[0]()
    if not (factories[0].control or isinstance(wrappers.bare(made), _hosted_class().BASE)):
        return made
    return _hosted_class()(made, factories, Numbers())


def _copied(environment: object, factories: List[Factory], number: int) -> object:
    """A copy that was just unpickled."""
    factory = factories[number % len(factories)]
    return _hosted_class()(factory.trace(partial(_same, environment)), factories, Numbers())


def _same(environment: object) -> object:
    return environment


@lru_cache(maxsize=None)
def _hosted_class() -> Any:
    """Made late and once, as the null environment is."""
    from pettingzoo import ParallelEnv

    class Hosted(ParallelEnv):  # type: ignore[misc]
        """An environment that may be traced; all but the calls is its own."""

        BASE = ParallelEnv

        def __init__(
            self, environment: ParallelEnv, factories: List[Factory], numbers: Numbers
        ) -> None:
            self.hosted = environment
            self.factories = factories
            self.numbers = numbers

        def __reduce__(self) -> Tuple[object, ...]:
            environment = wrappers.bare(self.hosted)
            return _copied, (environment, self.factories, self.numbers.next())

        def __getattr__(self, name: str) -> object:
            return getattr(self.hosted, name)

        def reset(self, seed: object = None, options: object = None) -> object:
            return self.hosted.reset(seed=seed, options=options)

        def step(self, actions: object) -> object:
            return self.hosted.step(actions)

        def observation_space(self, agent: object) -> object:
            return self.hosted.observation_space(agent)

        def action_space(self, agent: object) -> object:
            return self.hosted.action_space(agent)

        def render(self) -> object:
            return self.hosted.render()

        def close(self) -> None:
            self.hosted.close()

    return Hosted
