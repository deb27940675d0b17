"""The four troubles from practice, each in the framework in which it was met: a sick environment
and a healthy one. Each examination plays only what its statements need.
"""

from __future__ import annotations

import os
import shutil
from typing import Any

import pytest

from envdoctor.model.scenario import verb_name
from tests.interpreters import way_to
from tests.support.zoo import ENVS, examine, messages_of

pytestmark = pytest.mark.always

SB3, TORCHRL, DING = (f"ENVDOCTOR_{name}_PYTHON" for name in ("SB3", "TORCHRL", "DING"))


def with_framework(variable: str) -> pytest.MarkDecorator:
    """Skip a test where its framework is not installed."""
    return pytest.mark.skipif(variable not in os.environ, reason=way_to(variable))


def examine_with(
    variable: str, *arguments: str, command: str = "check"
) -> tuple[int, dict[str, Any]]:
    """(exit code, JSON document) of an examination in the interpreter of a framework."""
    return examine(*arguments, "--python", os.environ[variable], command=command)


def places(findings: list[dict[str, Any]]) -> list[tuple[str, str, str | None]]:
    """(code, manager, start method) of findings or passed rules."""
    return [(item["code"], item["manager"], item["start_method"]) for item in findings]


def verbs_of(document: dict[str, Any]) -> set[str]:
    """The verbs of all scenarios that were played."""
    scripts = (scenario["script"] for scenario in document["scenarios"])
    return {verb_name(word) for script in scripts for word in script.split()}


def line_of(file: str, text: str) -> int:
    """The number of the first line of a file that contains a text."""
    lines = (ENVS / file).read_text().splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


# 1. close() of a DI-engine environment forgets what its lazy reset() took.

CRANE = "trouble_di_engine.py"
LAZY = (
    *("--managers", "ding-base,ding-subproc", "--start-methods", "fork"),
    *("--select", "CLS010"),
)
HOSTED = [("CLS010", "direct", None), ("CLS010", "ding-base", None)]
HOSTED += [("CLS010", "ding-subproc", "fork")]


@with_framework(DING)
def test_folder_of_a_lazy_reset_is_found_with_its_line_under_di_engine() -> None:
    _, document = examine_with(DING, f"{CRANE}:Sick", *LAZY)
    assert places(document["findings"]) == HOSTED, messages_of(document)
    for finding in document["findings"]:
        assert finding["blame"] == "environment"
        (site,) = finding["evidence"]["taken_at"]
        assert (site["file"], site["line"]) == (str(ENVS / CRANE), line_of(CRANE, "mkdtemp"))
        assert site["caller"]["function"] == "Healthy.reset"
        assert finding["location"]["line"] == line_of(CRANE, "def close")
        assert finding["remedy_verified"]
        code = finding["remedy"]["commands"]
        assert code[0].endswith(f"of {CRANE}, in Sick.close()")
        assert "shutil.rmtree(self._folder, ignore_errors=True)" in code[2]


@with_framework(DING)
def test_close_that_removes_the_folder_passes_under_di_engine() -> None:
    exit_code, document = examine_with(DING, f"{CRANE}:Healthy", *LAZY)
    assert (exit_code, messages_of(document)) == (0, [])
    assert places(document["passed"]) == HOSTED
    assert verbs_of(document) >= {"relaunch"}


# 2. A library that a process can use only once, under both vectorizers of Stable-Baselines3.

SIMULATOR = "mak004_one_instance_per_process.py"
ONE_A_PROCESS = (
    *("--managers", "sb3-dummy,sb3-subproc", "--start-methods", "fork"),
    *("--select", "MAK004", "--no-try-remedies"),
)
with_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


@with_framework(SB3)
@with_compiler
def test_one_instance_a_process_is_found_with_the_vectorizer_that_works() -> None:
    exit_code, document = examine_with(SB3, f"{SIMULATOR}:Sick", *ONE_A_PROCESS)
    assert (exit_code, places(document["findings"])) == (1, [("MAK004", "direct", None)])
    (finding,) = document["findings"]
    assert finding["blame"] == "environment"
    assert finding["location"]["file"] == str(ENVS / SIMULATOR)
    assert "the simulator is in use by another instance of this process" in finding["message"]
    assert "seen to work here with sb3-subproc, fork" in finding["remedy"]["text"]
    assert "sb3-dummy hosts all instances in one process" in finding["remedy"]["text"]
    assert (
        finding["remedy"]["commands"][-1]
        == 'envs = SubprocVecEnv([make_env] * 4, start_method="fork")'
    )


@with_framework(SB3)
@with_compiler
def test_one_handle_an_instance_passes_under_both_vectorizers() -> None:
    exit_code, document = examine_with(SB3, f"{SIMULATOR}:Healthy", *ONE_A_PROCESS)
    assert (exit_code, messages_of(document)) == (0, [])
    assert places(document["passed"]) == [("MAK004", "direct", None)]
    managers = {scenario["manager"] for scenario in document["scenarios"]}
    assert managers == {"direct", "sb3-dummy", "sb3-subproc"}
    assert {scenario["outcome"] for scenario in document["scenarios"]} == {"finished"}


# 3. An id that the script registers, and that spawned workers of Gymnasium cannot find.

MODULE = "reg003_missing_in_spawned_worker"
REGISTERED, CURED = "ZooReg003-v0", f"{MODULE}:ZooReg003-v0"
SPAWNED = (
    *("--import", MODULE, "--managers", "gymnasium-async", "--start-methods", "spawn"),
    *("--select", "REG003"),
)


@with_framework(SB3)
def test_id_that_spawned_workers_cannot_find_is_found_with_its_cure() -> None:
    exit_code, document = examine_with(SB3, REGISTERED, *SPAWNED)
    assert (exit_code, places(document["findings"])) == (
        1,
        [("REG003", "gymnasium-async", "spawn")],
    )
    (finding,) = document["findings"]
    assert finding["evidence"]["registered_by"] == MODULE
    assert finding["remedy"]["text"].endswith("Verified: works with gymnasium-async, spawn.")
    assert f'gymnasium.make("{CURED}")' in finding["remedy"]["commands"][-1]


@with_framework(SB3)
def test_id_that_names_its_module_passes_in_spawned_workers() -> None:
    exit_code, document = examine_with(SB3, CURED, *SPAWNED)
    assert (exit_code, messages_of(document)) == (0, [])
    assert places(document["passed"]) == [("REG003", "gymnasium-async", "spawn")]


# 4. A replay storage of TorchRL that grows past its capacity.

HISTORY = "buf002_grows_past_capacity.py"
STORAGE = ("--storage", "torchrl-list", "--capacity", "200", "--no-try-remedies")


@with_framework(TORCHRL)
def test_observations_that_grow_are_found_in_a_torchrl_storage() -> None:
    exit_code, document = examine_with(TORCHRL, f"{HISTORY}:Sick", *STORAGE, command="leak")
    assert (exit_code, places(document["findings"])) == (1, [("BUF002", "direct", None)])
    (finding,) = document["findings"]
    assert finding["blame"] == "environment"
    assert finding["message"].startswith("torchrl-list grows past its capacity of 200: ")
    assert "observations of Sick keep one size" in finding["remedy"]["text"]
    (storage,) = document["subjects"][0]["storages"]
    assert (storage["class"], storage["verdict"]) == ("ListStorage", "grows")


@with_framework(TORCHRL)
def test_observations_of_one_size_pass_in_a_torchrl_storage() -> None:
    exit_code, document = examine_with(TORCHRL, f"{HISTORY}:Healthy", *STORAGE, command="leak")
    assert (exit_code, messages_of(document)) == (0, [])
    assert {"BUF002", "BUF003"} <= {rule["code"] for rule in document["passed"]}
    (storage,) = document["subjects"][0]["storages"]
    assert (storage["verdict"], storage["read"], storage["wrong"]) == ("flat", 200, 0)
    assert verbs_of(document) >= {"empty", "fill", "forecast", "look", "past", "stock"}
