"""Stable-Baselines3 trains on what the doctor calls healthy, and on the cured version of what
it called sick.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.interpreters import has, way_to
from tests.support.zoo import ENVS, PATIENCE, examine, messages_of

PYTHON = os.environ.get("ENVDOCTOR_SB3_PYTHON", sys.executable)

WITH_SB3 = has(PYTHON, "stable_baselines3")

pytestmark = [
    pytest.mark.skipif(not WITH_SB3, reason=way_to("ENVDOCTOR_SB3_PYTHON")),
    pytest.mark.everything,
]

# Two workers, 2,000 steps; forkserver is what SubprocVecEnv uses by itself.
TRAIN = """
import sys

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv

{setup}

if __name__ == "__main__":
    torch.set_num_threads(1)
    envs = {launch}
    model = PPO("MlpPolicy", envs, n_steps=250, batch_size=250, n_epochs=1, device="cpu")
    model.learn(2_000)
    envs.close()
    print("trained", model.num_timesteps)
"""

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")

CARTPOLE = 'make_vec_env("CartPole-v1", n_envs=2, vec_env_cls=SubprocVecEnv)'
HANDLES = "SubprocVecEnv([mak004_one_instance_per_process.{}] * 2)"
REGISTERED = 'make_vec_env("{}ZooReg004-v0", n_envs=2, vec_env_cls=SubprocVecEnv)'
NAMED = "reg004_missing_in_forkserver_worker:"


def train(setup: str, launch: str, tmp_path: os.PathLike[str]) -> subprocess.CompletedProcess[str]:
    """Run a training script, as a user would."""
    script = os.path.join(tmp_path, "train.py")
    with open(script, "w") as file:
        file.write(TRAIN.format(setup=setup, launch=launch))
    environment = {**os.environ, "PYTHONPATH": str(ENVS)}
    return subprocess.run(
        [PYTHON, script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize(
    ("spec", "setup", "launch"),
    [
        ("CartPole-v1", "", CARTPOLE),
        pytest.param(
            "mak004_one_instance_per_process.py:Healthy",
            "import mak004_one_instance_per_process",
            HANDLES.format("Healthy"),
            marks=needs_compiler,
        ),
        (
            f"{NAMED}ZooReg004-v0",
            "import reg004_missing_in_forkserver_worker",
            REGISTERED.format(NAMED),
        ),
    ],
    ids=["healthy", "MAK004 cured", "REG004 cured"],
)
def test_healthy_environment_can_be_trained_on(
    spec: str, setup: str, launch: str, tmp_path: os.PathLike[str]
) -> None:
    exit_code, document = examine(
        spec,
        "--python",
        PYTHON,
        "--managers",
        "sb3-dummy,sb3-subproc",
        "--start-methods",
        "forkserver",
    )
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    done = train(setup, launch, tmp_path)
    assert (done.returncode, done.stdout) == (0, "trained 2000\n"), done.stderr[-2000:]


@needs_compiler
def test_the_manager_that_was_recommended_trains_the_sick_one(tmp_path: os.PathLike[str]) -> None:
    """MAK004 without its cure: a process each is what the remedy names."""
    done = train("import mak004_one_instance_per_process", HANDLES.format("Sick"), tmp_path)
    assert (done.returncode, done.stdout) == (0, "trained 2000\n"), done.stderr[-2000:]


def test_without_the_cure_it_does_not_train(tmp_path: os.PathLike[str]) -> None:
    done = train("import gymnasium", REGISTERED.format(""), tmp_path)
    assert done.returncode != 0
    assert "ZooReg004" in done.stderr
