"""Names of frameworks on the probe's side: packages, modules and classes."""

from __future__ import annotations

import sys

#: Packages with a registry of ids: the first one that knows an id makes it, and is imported first.
REGISTRIES = ("gymnasium", "gym")

#: Modules that read registries of another kind, asked where none of those knows an id.
OTHER_REGISTRIES = ("envdoctor.probe.adapters.pettingzoo.registry",)

#: Where the classes stand that journal what the environments of these packages do.
TRACED = {
    "gymnasium": ("envdoctor.probe.adapters.gymnasium.traced", "TracedGymnasium"),
    "gym": ("envdoctor.probe.adapters.gym.traced", "TracedGym"),
}
#: Environments with conventions of their own: (module, class).
LAZY_BASE = ("ding.envs.env.base_env", "BaseEnv")  # a gym.Env that is built at its first reset
LAZY_REAL = "_env"  # the attribute that keeps what was built
LAZY_ARGUMENT = "cfg"  # what its constructor takes
TENSOR_BASE = ("torchrl.envs", "EnvBase")
TRACED_TENSOR_BASE = ("envdoctor.probe.adapters.torchrl.traced", "TracedEnvBase")

#: Under which key an info says which actions are legal.
MASK = "action_mask"

#: Classes of single environments, (module, class).
SINGLE = (*((library, "Env") for library in REGISTRIES), TENSOR_BASE)

#: Packages whose versions are reported.
REPORTED = (
    "gymnasium",
    "gym",
    "numpy",
    "stable_baselines3",
    "torchrl",
    "ding",
    "tianshou",
    "pufferlib",
    "ray",
    "pettingzoo",
    "supersuit",
    "agilerl",
    "dm_env",
    "dm_control",
    "envpool",
    "textarena",
    "gem",
    "skyrl_gym",
    "openenv",
)
DISTRIBUTIONS = {  # where its name is another one
    "ding": "DI-engine",
    "gem": "gem-llm",
    "skyrl_gym": "skyrl-gym",
    "pufferlib": "pufferlib-core",
    "supersuit": "SuperSuit",
}
#: Modules of the classes that environments are derived from.
BASE_MODULES = ("gymnasium.core", "gym.core", LAZY_BASE[0], "openenv.core.env_server.interfaces")
#: Modules of wrappers that are in a reference cycle of their own.
CYCLIC_WRAPPERS = "torchrl.envs.libs."

#: Clients of servers: their module and class, what one is called, the attribute that is None where
#: it is not connected, and the attribute in which it holds another one of these, if it may.
CLIENTS = (
    ("openenv.core.sync_client", "SyncEnvClient", "OpenEnv client", "_loop", "_async"),
    ("openenv.core.env_client", "EnvClient", "OpenEnv client", "_ws", ""),
)
#: Modules whose calls return coroutines that they make themselves: (what these begin with, what
#: they end with) besides the name of the call.
MAKING_COROUTINES = {"openenv.core.env_client": ("_", "_async")}

#: Packages that host environments: a frame in them is never the cause, even when they are installed
#: from a checkout.
HOSTING = (
    "gymnasium",
    "gym",
    "stable_baselines3",
    "torchrl",
    "ding",
    "tianshou",
    "pufferlib",
    "supersuit",
    "agilerl",
    "ray",
    "openenv",
    "numpy",
    "torch",
    "multiprocessing",
)

#: Distributions that may register ids, by what they require.
REGISTERING = r"\bgym(nasium)?\b"


def is_instance_of(environment: object, library: str, name: str) -> bool:
    """Return whether it is an instance of `library.name`, without importing a library that was
    not imported.
    """
    kind = getattr(sys.modules.get(library), name, None)
    return isinstance(kind, type) and isinstance(environment, kind)


def is_base_env(environment: object) -> bool:
    """Return whether it is one of DI-engine's: a gym.Env whose conventions are its own."""
    return is_instance_of(environment, *LAZY_BASE)
