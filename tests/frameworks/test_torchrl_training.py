"""TorchRL's collector fills replay storages from what the doctor calls healthy."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.frameworks.test_torchrl import BATCHES, PYTHON, examined, needs_torchrl
from tests.support.zoo import PATIENCE, messages_of

pytestmark = [needs_torchrl, pytest.mark.everything]

COLLECT = """
import logging
import sys
import torch
try:
    from torchrl.collectors import Collector
except ImportError:
    from torchrl.collectors import SyncDataCollector as Collector
from torchrl.data import LazyMemmapStorage, LazyTensorStorage, ReplayBuffer
from torchrl.envs import GymEnv, ParallelEnv

{setup}

if __name__ == "__main__":
    torch.set_num_threads(1)
    logging.getLogger("torchrl").setLevel(logging.ERROR)  # it logs on standard output
    buffers = [ReplayBuffer(storage=storage(400), batch_size=32) for storage in (LazyTensorStorage, LazyMemmapStorage)]
    envs = ParallelEnv(2, make, mp_start_method="fork")
    collector = Collector(envs, None, frames_per_batch=100, total_frames=300)
    for batch in collector:
        for buffer in buffers:
            buffer.extend(batch.reshape(-1))
    collector.shutdown()
    print("collected", *(len(buffer) for buffer in buffers), *(buffer.sample().shape[0] for buffer in buffers))
"""

CARTPOLE = 'def make():\n    return GymEnv("CartPole-v1")'
LAZY = "from batches import Lazy\n\ndef make():\n    return Lazy()"


@pytest.mark.parametrize(
    ("spec", "setup"),
    [("CartPole-v1", CARTPOLE), (f"{BATCHES}:Lazy", LAZY)],
    ids=["gymnasium", "EnvBase"],
)
def test_healthy_environment_fills_storages(
    spec: str, setup: str, tmp_path: os.PathLike[str]
) -> None:
    exit_code, document = examined(spec, managers=("--managers", "torchrl-serial"))
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    script = os.path.join(tmp_path, "collect.py")
    with open(script, "w") as file:
        file.write(COLLECT.format(setup=setup))
    environment = {**os.environ, "PYTHONPATH": str(BATCHES.parent)}
    done = subprocess.run(
        [PYTHON, script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        0,
        "collected 300 300 32 32",
    ), done.stderr[-2000:]
