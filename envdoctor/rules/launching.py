"""Lines of code that launch a manager, as a person writes them: for remedies."""

from __future__ import annotations

from typing import Any

from envdoctor.rules.view import View

Place = tuple[str, str | None]  # manager, start method
Options = tuple[tuple[str, Any], ...]  # what else its constructor was given

INSTANCES = 4
SB3_DEFAULT = "forkserver"  # what SubprocVecEnv takes where nobody names a start method
SB3_CLASSES = {"sb3-dummy": "DummyVecEnv", "sb3-subproc": "SubprocVecEnv"}
TORCHRL_DEFAULT = "spawn"  # what ParallelEnv takes, unless the script set another one for all of Python
TORCHRL_CLASSES = {"torchrl-serial": "SerialEnv", "torchrl-parallel": "ParallelEnv"}


def made(view: View) -> str:
    """The call that makes one of this subject, as a user would write it."""
    identifier = view.survey.get("id")
    package = view.survey.get("registered_by")
    known = f"{package}:{identifier}" if identifier and package and ":" not in str(identifier) else identifier
    name = view.subject.rpartition(":")[2]
    callable_name = name if name.isidentifier() else view.class_name if view.survey.get("env_class") else "make_env"
    return f'gymnasium.make("{known}")' if known else f"{callable_name}()"


def launch_piped(view: View) -> tuple[str, ...]:
    """The line that launches AsyncVectorEnv so that observations come through the pipe."""
    call = made(view)
    factory = f"lambda: {call}" if call.startswith("gymnasium.make(") else call.removesuffix("()")
    return launch_code((view.manager, view.start_method), factory, options=(("shared_memory", False),))


def launch_code(place: Place, factory: str, instances: int = INSTANCES, options: Options = ()) -> tuple[str, ...]:
    """The lines that launch the manager of a place on factories; `factory` is an expression for one of them."""
    manager, method = place
    if manager in TORCHRL_CLASSES:
        made = ("from torchrl.envs import GymWrapper", "def make_wrapped():", f"    return GymWrapper({_called(factory)})")
        return made + _batch(place, "make_wrapped", instances, options)
    kind = SB3_CLASSES.get(manager)
    if kind:
        chosen = f', start_method="{method}"' if method and method != SB3_DEFAULT else ""
        return (f"from stable_baselines3.common.vec_env import {kind}", f"envs = {kind}([{factory}] * {instances}{chosen})")
    chosen = "".join(f", {name}={value!r}" for name, value in options) + (f', context="{method}"' if method else "")
    kind = "AsyncVectorEnv" if method else "SyncVectorEnv"
    return (f"envs = gymnasium.vector.{kind}([{factory}] * {instances}{chosen})",)


def launch_id_code(place: Place, identifier: str, options: Options = ()) -> tuple[str, ...]:
    """The lines that launch the manager of a place on a registered id."""
    manager, method = place
    if manager in TORCHRL_CLASSES:
        factory = f'functools.partial(GymEnv, "{identifier}")'
        return ("import functools", "from torchrl.envs import GymEnv", *_batch(place, factory, INSTANCES, options))
    kind = SB3_CLASSES.get(manager)
    if kind is None:
        return launch_code(place, f'lambda: gymnasium.make("{identifier}")', options=options)
    chosen = f', vec_env_kwargs={{"start_method": "{method}"}}' if method and method != SB3_DEFAULT else ""
    return (
        "from stable_baselines3.common.env_util import make_vec_env",
        f"from stable_baselines3.common.vec_env import {kind}",
        f'envs = make_vec_env("{identifier}", n_envs={INSTANCES}, vec_env_cls={kind}{chosen})',
    )


def _batch(place: Place, factory: str, instances: int, options: Options) -> tuple[str, ...]:
    """The lines that launch a batch of TorchRL's."""
    manager, method = place
    kind = TORCHRL_CLASSES[manager]
    chosen = "".join(f", {name}={value!r}" for name, value in options)
    chosen += f', mp_start_method="{method}"' if method and method != TORCHRL_DEFAULT else ""
    return (f"from torchrl.envs import {kind}", f"envs = {kind}({instances}, {factory}{chosen})")


def _called(factory: str) -> str:
    """The call of a factory's expression: of `lambda: make(x)` what it returns."""
    return factory.partition("lambda: ")[2] or f"{factory}()"


def name_place(place: Place) -> str:
    """`sb3-subproc, forkserver`."""
    return ", ".join(filter(None, place))
