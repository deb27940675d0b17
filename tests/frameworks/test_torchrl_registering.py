"""Ids that a script has registered, and that workers of a ParallelEnv cannot know: the finding,
and the lines that cure it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.frameworks.test_torchrl import PYTHON, examined, found, messages_of, needs_torchrl
from tests.support.zoo import ENVS

BY_ID = Path(__file__).with_name("by_id.py")
REGISTERS = "reg003_missing_in_spawned_worker"
CODES = {"spawn": "REG003", "forkserver": "REG004"}

pytestmark = [needs_torchrl, pytest.mark.everything]

SCRIPT = """
import functools
if __name__ == "__main__":
{lines}
    print("reset to", envs.reset().batch_size)
    envs.close()
"""


def examined_by_id(spec: str, methods: str) -> dict[str, Any]:
    """As from a script that has imported the package."""
    arguments = (spec, "--import", REGISTERS, "--start-methods", methods, "--timeout", "60")
    return examined(*arguments, managers=("--managers", "torchrl-parallel"))[1]


def run(tmp_path: Path, lines: list[str]) -> str:
    """Run a script that consists of the lines of a remedy, as they were printed, and return its
    output.
    """
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.format(lines="\n".join(f"    {line}" for line in lines)))
    environment = {"PYTHONPATH": str(ENVS), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run(
        [PYTHON, str(script)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return done.stdout + done.stderr[-2000:]


def test_an_id_is_named_with_its_module_and_the_lines_run(tmp_path: Path) -> None:
    document = examined_by_id("ZooReg003-v0", ",".join(CODES))
    assert sorted(line.split()[0] for line in messages_of(document, "error", "warning")) == [
        "REG003",
        "REG004",
    ]
    for method, code in CODES.items():
        (finding,) = found(document, code)
        assert (finding["manager"], finding["start_method"], finding["blame"]) == (
            "torchrl-parallel",
            method,
            "interaction",
        )
        assert f'"{REGISTERS}:ZooReg003-v0"' in finding["remedy"]["text"]
        assert finding["remedy"]["text"].endswith(
            f"Verified: works with torchrl-parallel, {method}."
        )
        assert ("spawn is what ParallelEnv uses" in finding["remedy"]["text"]) == (
            method == "spawn"
        )
        assert finding["remedy"]["commands"][-1].startswith(
            f'envs = ParallelEnv(4, functools.partial(GymEnv, "{REGISTERS}:ZooReg003-v0")'
        )
        assert "reset to torch.Size([4])" in run(tmp_path, finding["remedy"]["commands"])
    cured = [
        scenario["outcome"] for scenario in document["scenarios"] if scenario["name"] == "cured"
    ]
    assert cured == ["finished", "finished"]


def test_a_factory_of_torchrls_own_imports_the_package_and_is_not_wrapped() -> None:
    document = examined_by_id(f"{BY_ID}:walker", "forkserver")
    assert [line.split()[0] for line in messages_of(document, "error", "warning")] == ["REG004"]
    (finding,) = found(document, "REG004")
    assert finding["remedy"]["text"].endswith("Verified: works with torchrl-parallel, forkserver.")
    assert finding["remedy"]["commands"][1:3] == [
        f"    import {REGISTERS}",
        "    return GymEnv(...)  # as before",
    ]
    assert not any("GymWrapper" in line for line in finding["remedy"]["commands"])


def test_the_healthy_twin_is_known_in_every_worker() -> None:
    exit_code, document = examined(
        f"{REGISTERS}:ZooReg003-v0",
        "--start-methods",
        ",".join(CODES),
        managers=("--managers", "torchrl-parallel"),
    )
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
