"""DI-engine collects 1,000 steps with its subprocess manager from what the doctor calls healthy.

Its collector imports every policy that it has, and those import einops, which an installation
without its pins does not bring. Where that is missing, a policy of PyTorch's is asked in the
manager's own loop, as the collector does it.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.frameworks.test_ding import PYTHON, needs_ding
from tests.support.zoo import ENVS, PATIENCE

STEPS = 1000

SCRIPT = """
import warnings
warnings.simplefilter("ignore")
import torch
from di_engine import Healthy
from ding.envs import SyncSubprocessEnvManager
from ding.torch_utils import to_ndarray
from easydict import EasyDict

STEPS = {steps}

def with_collector(manager):
    from ding.policy import DQNPolicy
    from ding.worker import SampleSerialCollector
    cfg = DQNPolicy.default_config()
    cfg.cuda, cfg.model = False, EasyDict(obs_shape=2, action_shape=3, encoder_hidden_size_list=[16])
    policy = DQNPolicy(cfg, enable_field=["collect"])
    settings = SampleSerialCollector.default_config()
    settings.unroll_len = 1
    collector = SampleSerialCollector(settings, manager, policy.collect_mode, exp_name="trained")
    return collector.collect(n_sample=STEPS, policy_kwargs={{"eps": 0.5}})

def in_its_own_loop(manager):
    network, steps = torch.nn.Linear(2, 3), []
    manager.launch()
    while len(steps) < STEPS:
        seen = manager.ready_obs
        chosen = network(torch.as_tensor([obs.tolist() for obs in seen.values()])).argmax(-1, keepdim=True)
        actions = dict(zip(seen, to_ndarray(chosen)))
        answers = manager.step(actions)
        steps += [(seen[slot], actions[slot], answer.reward, answer.obs, answer.done) for slot, answer in answers.items()]
    return steps[:STEPS]

if __name__ == "__main__":
    torch.set_num_threads(1)
    manager = SyncSubprocessEnvManager([lambda: Healthy(EasyDict())] * 2, SyncSubprocessEnvManager.default_config())
    manager.seed(0)
    try:
        import einops
        steps, how = with_collector(manager), "collector"
    except ImportError:
        steps, how = in_its_own_loop(manager), "loop"
    manager.close()
    print("collected", len(steps), how)
"""


@pytest.mark.everything
@needs_ding
def test_collector_runs_on_healthy_environment(tmp_path: Path) -> None:
    """That the doctor calls it healthy under this manager is in test_ding.py."""
    script = tmp_path / "collect.py"
    script.write_text(SCRIPT.format(steps=STEPS))
    environment = {**os.environ, "PYTHONPATH": str(ENVS)}
    done = subprocess.run(
        [PYTHON, str(script)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] in (
        f"collected {STEPS} collector",
        f"collected {STEPS} loop",
    )
