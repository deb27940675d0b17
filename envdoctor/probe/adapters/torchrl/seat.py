"""What `watch` sees of TorchRL: its own environments. Those that wrap another library's are
followed there.
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
)
VECTORIZERS = {"torchrl.envs.batched_envs": "torchrl-parallel"}
