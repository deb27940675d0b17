"""Classes and methods of PufferLib that `watch` follows."""

from __future__ import annotations

from typing import Dict, Tuple

#: No class of its own is an environment that is followed.
MODULE = ""
BASES: Tuple[str, ...] = ()
METHODS: Dict[str, str] = {}
WRAPPERS: Tuple[str, ...] = (
    "pufferlib.emulation.GymnasiumPufferEnv",
    "pufferlib.emulation.PettingZooPufferEnv",
)
#: Environments that step several at once, without instances of one: their classes by module.
NATIVE = {"pufferlib.environment": ("PufferEnv",), "pufferlib.pufferlib": ("PufferEnv",)}
NATIVE_METHODS = {"reset": "reset", "step": "step", "close": "close"}
#: A worker has a Serial in it.
VECTORIZERS = {
    "pufferlib.vector": {
        "Serial": "puffer-serial",
        "Multiprocessing": "puffer-multiprocessing",
        "_worker_process": "puffer-multiprocessing",
    }
}
#: Methods, by module, that show progress where a trainer's process calls no environment.
PROGRESS_METHODS = {"pufferlib.vector": ("Multiprocessing.recv",)}
#: The methods in which vectorizers make their instances, or start their workers.
LAUNCHES = {"pufferlib.vector": ("Serial.__init__", "Multiprocessing.__init__")}
#: Packages whose objects are a trainer's, where they are nothing else.
TRAINERS = ("pufferlib.",)
