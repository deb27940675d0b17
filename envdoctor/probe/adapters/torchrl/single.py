"""One environment of TorchRL's without a batch, asked what an instance of a batch was asked."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List

from envdoctor.model.trajectory import Call
from envdoctor.probe.adapters.torchrl import driving
from envdoctor.probe.adapters.torchrl.tensordicts import returned, seen_in
from envdoctor.probe.comparison.frozen import freeze, thaw
from envdoctor.probe.system.deadline import Deadline

if TYPE_CHECKING:
    from torchrl.envs import EnvBase

IN_WORKER = 1  # threads that PyTorch has in a worker: sums over many numbers depend on it


def ask(factory: Callable[[], object], episode: List[Call], deadline: Deadline) -> List[Call]:
    """Answers of an instance, in TorchRL's own wrapper where it is not one of TorchRL's. Raises
    what the instance raises, and ValueError for an action that was too large to be kept.
    """
    environment = driving.accepted(factory())
    try:
        return _answers(environment, episode, deadline)
    finally:
        # A close() that raises is reported where close is examined.
        with contextlib.suppress(Exception):
            environment.close()


def ask_as_worker(
    factory: Callable[[], object], episode: List[Call], deadline: Deadline
) -> List[Call]:
    """Answers of an instance that has as few threads as a worker has."""
    with _threads(IN_WORKER):
        return ask(factory, episode, deadline)


def _answers(environment: EnvBase, episode: List[Call], deadline: Deadline) -> List[Call]:
    import torch
    from torchrl.envs.utils import step_mdp

    environment.set_seed(episode[0].seed)
    root = environment.reset()
    answers = [_record("reset", root, seed=episode[0].seed)]
    for asked in episode[1:]:
        tensordict = root.clone(recurse=False)
        for path, action in thaw(asked.action):
            tensordict.set(path, torch.as_tensor(action))
        stepped = environment.step(tensordict)
        answers.append(_record("step", stepped.get("next"), action=asked.action))
        if answers[-1].observation is None:
            answers.append(_at_end("final", stepped.get("next"), info={}))
            answers.append(_at_end("begun", environment.reset()))
            break
        if deadline.passed:
            break
        root = step_mdp(stepped)
    return answers


def _at_end(call: str, answer: object, **others: object) -> Call:
    """Call that belongs to the end of an episode."""
    values = {"observation": seen_in(answer), **others}
    frozen: Dict[str, Any] = {name: freeze(value) for name, value in values.items()}
    return Call(call, **frozen)


def _record(call: str, answer: object, **asked: Any) -> Call:
    frozen: Dict[str, Any] = {
        name: freeze(value) for name, value in returned(answer).values().items()
    }
    return Call(call, **asked, **frozen)


@contextlib.contextmanager
def _threads(count: int) -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
