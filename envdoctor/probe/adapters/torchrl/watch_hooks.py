"""Classes and methods of TorchRL that `watch` follows: its own environments. Those that wrap
another library's are followed there.
"""

from __future__ import annotations

MODULE = "torchrl.envs.common"
BASES = ("EnvBase",)
#: What a vectorizer calls in a worker, and step() and reset() outside of one.
METHODS = {"reset": "_reset", "step": "_step", "close": "close"}
WRAPPERS = (
    "torchrl.envs.common._EnvWrapper",
    "torchrl.envs.batched_envs.BatchedEnvBase",
    "torchrl.envs.transforms.transforms.TransformedEnv",
    "torchrl.envs.transforms._base.TransformedEnv",  # newer versions
)
#: By the class whose method makes an instance; a plain function is a worker's.
VECTORIZERS = {
    "torchrl.envs.batched_envs": {
        "SerialEnv": "torchrl-serial",
        "ParallelEnv": "torchrl-parallel",
        "": "torchrl-parallel",
    }
}
#: Methods, by module, that show progress where a trainer's process calls no environment.
PROGRESS_METHODS = {
    "torchrl.envs.batched_envs": ("ParallelEnv._step", "ParallelEnv.step_and_maybe_reset")
}
#: The methods in which vectorizers make their instances, or start their workers.
LAUNCHES = {"torchrl.envs.batched_envs": ("SerialEnv._start_workers", "ParallelEnv._start_workers")}
#: Packages whose objects are a trainer's, where they are nothing else.
TRAINERS = ("torchrl.", "tensordict.")
#: What reset() returns, and where it holds its parts.
CONTENTS = {"tensordict._td.TensorDict": "_tensordict"}
