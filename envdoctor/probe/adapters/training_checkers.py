"""The checkers of those who train: each is one call that stops at its first failure, so
TorchRL's is followed by a look at every entry.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

from envdoctor.probe import heartbeat
from envdoctor.probe.errors import error_value
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.tracing.instrument import Factory
from envdoctor.probe.wrappers import innermost

if TYPE_CHECKING:
    from torchrl.envs import EnvBase

MAX_TEXT = 400  # characters: TorchRL prints whole tensordicts
MOST = 20  # failures
TRIES = 12  # of the null environment

Failure = Tuple[str, Optional[BaseException]]


def check(
    name: str, factory: Factory, control: Factory, journal: Journal, ownership: Ownership
) -> None:
    """Journal one check fact a failure of the checker `name`, less what it says of a null
    environment with the same spaces.
    """
    package, checker = CHECKERS[name]
    failures = _failures(checker, factory)
    if not failures:
        return
    from importlib import metadata  # takes longer than most checks, and most find nothing

    theirs = _said_of_any(checker, control)
    for text, error in failures[:MOST]:
        if text in theirs:
            continue
        journal.write(
            "fact",
            key="check",
            value={
                "checker": name,
                "version": metadata.version(package),
                "part": "",
                "kind": "raised",
                "message": text,
                "error": error_value(error, ownership) if error is not None else None,
            },
        )


def _said_of_any(checker: Callable[[object], Iterator[Failure]], control: Factory) -> Set[str]:
    """Failures of a null environment: some spaces have values that a framework refuses, and
    chance decides when they come.
    """
    return {text for _ in range(TRIES) for text, _error in _failures(checker, control)}


def _failures(checker: Callable[[object], Iterator[Failure]], factory: Factory) -> List[Failure]:
    """Failures that a checker reports of one instance, each once."""
    environment = factory()
    try:
        with heartbeat.following(innermost(environment)):
            return list(dict(checker(environment)).items())
    finally:
        # A close() that raises is reported where close is examined.
        with contextlib.suppress(Exception):
            environment.close()


def _torchrl(environment: object) -> Iterator[Failure]:
    """check_env_specs(); where it fails, each entry that is not as its specification says, or
    its own words where all are.
    """
    from envdoctor.probe.adapters.torchrl.driving import accepted

    wrapped: object = None
    try:
        wrapped = accepted(environment)
        importlib.import_module("torchrl.envs.utils").check_env_specs(wrapped)
    except Exception as error:
        named = (
            list(_unlike_specification(wrapped))
            if isinstance(error, AssertionError) and wrapped is not None
            else []
        )
        yield from ((text, None) for text in named)
        if not named:
            yield _text(error), error


def _unlike_specification(environment: EnvBase) -> Iterator[str]:
    """Entries of a short rollout that are not as specified."""
    try:
        specified, returned = (
            _entries(environment.fake_tensordict()),
            _entries(environment.rollout(1)[..., 0]),
        )
    except Exception:  # it fails at more than its specification
        return
    for key in sorted(specified.keys() | returned.keys(), key=_root_first):
        name, wanted, actual = (
            "".join("[%r]" % part for part in key),
            specified.get(key),
            returned.get(key),
        )
        if key[0] == "next" and (wanted, actual) == (specified.get(key[1:]), returned.get(key[1:])):
            continue  # the step repeats what the reset showed
        if actual is None:
            yield "%s is specified, and not returned" % name
        elif wanted is None:
            yield "%s is returned, and not specified" % name
        elif wanted != actual:
            yield "%s is specified as %s, and returned as %s" % (name, wanted, actual)


def _root_first(key: Tuple[str, ...]) -> Tuple[bool, Tuple[str, ...]]:
    return key[0] == "next", key


def _entries(tensordict: object) -> Dict[Tuple[str, ...], str]:
    from envdoctor.probe.adapters.torchrl.tensordicts import parts

    return {
        path: "%s %s" % (str(leaf.dtype).rpartition(".")[2], tuple(leaf.shape))
        for path, leaf in parts(tensordict)
    }


def _sb3(environment: object) -> Iterator[Failure]:
    """check_env() without its advice, and without its look at rendering, which closes the
    environment and goes on.
    """
    try:
        checker = importlib.import_module("stable_baselines3.common.env_checker")
        checker.check_env(_plain_class()(environment), warn=False, skip_render_check=True)
    except Exception as error:
        yield _text(error), error


@functools.lru_cache(maxsize=None)
def _plain_class() -> type:
    """Made late, because the framework must not be imported for other libraries' environments,
    and once.
    """
    import gymnasium
    import numpy as np

    class Plain(gymnasium.Wrapper):  # type: ignore[misc]
        """Turns numbers of numpy into Python's, which Gymnasium does not ask for, nor SB3's
        vectorizers; the checker stops at them. What else it asks of the environment, the innermost
        one has: compute_reward() of those with goals.
        """

        def step(self, action: object) -> object:
            observation, *others, info = self.env.step(action)
            return (
                observation,
                *(value.item() if isinstance(value, np.generic) else value for value in others),
                info,
            )

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name == "env":
                raise AttributeError(name)
            return getattr(self.env.unwrapped, name)

    return Plain


def _text(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:MAX_TEXT]


CHECKERS: Dict[str, Tuple[str, Callable[[object], Iterator[Failure]]]] = {
    "torchrl": ("torchrl", _torchrl),
    "sb3": ("stable-baselines3", _sb3),
}
