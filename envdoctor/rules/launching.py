"""Lines of code that launch a manager, as a person writes them: for remedies."""

from __future__ import annotations

from typing import Any

Place = tuple[str, str | None]  # manager, start method
Options = tuple[tuple[str, Any], ...]  # what else its constructor was given

INSTANCES = 4
SB3_DEFAULT = "forkserver"  # what SubprocVecEnv takes where nobody names a start method
SB3_CLASSES = {"sb3-dummy": "DummyVecEnv", "sb3-subproc": "SubprocVecEnv"}


def launch_code(place: Place, factory: str, instances: int = INSTANCES, options: Options = ()) -> tuple[str, ...]:
    """The lines that launch the manager of a place on factories; `factory` is an expression for one of them."""
    manager, method = place
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
    kind = SB3_CLASSES.get(manager)
    if kind is None:
        return launch_code(place, f'lambda: gymnasium.make("{identifier}")', options=options)
    chosen = f', vec_env_kwargs={{"start_method": "{method}"}}' if method and method != SB3_DEFAULT else ""
    return (
        "from stable_baselines3.common.env_util import make_vec_env",
        f"from stable_baselines3.common.vec_env import {kind}",
        f'envs = make_vec_env("{identifier}", n_envs={INSTANCES}, vec_env_cls={kind}{chosen})',
    )


def name_place(place: Place) -> str:
    """`sb3-subproc, forkserver`."""
    return ", ".join(filter(None, place))
