"""GitHub's runner, as far as action.yml needs it: inputs, the steps in order, their
environments, conditions and outputs.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TIMEOUT = 900  # seconds for one step


@dataclass
class Job:
    """Outcome of the action: the code of the first step that failed, its log, and the arguments of
    the calls to other actions.
    """

    code: int = 0
    log: str = ""
    summary: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    called: list[tuple[str, dict[str, str]]] = field(default_factory=list)


@dataclass
class Runner:
    """Plays a composite action in `workspace`, with `temporary` for what a job keeps between
    steps.
    """

    action: Path
    workspace: Path
    temporary: Path
    variables: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def play(self, **inputs: str) -> Job:
        """The job; an input `fail-on` is given as `fail_on`."""
        import yaml  # type: ignore[import-untyped]

        described = yaml.safe_load((self.action / "action.yml").read_text())
        known = {
            f"inputs.{name}": str(entry.get("default", ""))
            for name, entry in described["inputs"].items()
        }
        chosen = {f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()}
        assert set(chosen) <= set(known), "an input that there is not"
        job, values = Job(), {**known, **chosen}
        for step in described["runs"]["steps"]:
            if self._wanted(step, values, job):
                self._step(step, values, job)
        job.outputs = {
            name: filled(entry["value"], values) for name, entry in described["outputs"].items()
        }
        return job

    def _wanted(self, step: dict[str, Any], values: dict[str, str], job: Job) -> bool:
        condition = step.get("if", "success()")
        functions = {"always()": "True", "success()": str(job.code == 0)}
        text = (
            re.sub(r"(always|success)\(\)", lambda match: functions[match[0]], condition)
            .replace("&&", " and ")
            .replace("||", " or ")
        )
        text = re.sub(
            r"\b(?:inputs|steps)\.[\w.-]+", lambda match: repr(values.get(match[0], "")), text
        )
        return bool(eval(text, {"__builtins__": {}})) and (job.code == 0 or "always()" in condition)

    def _step(self, step: dict[str, Any], values: dict[str, str], job: Job) -> None:
        if "uses" in step:
            job.called.append(
                (
                    step["uses"],
                    {name: filled(value, values) for name, value in step.get("with", {}).items()},
                )
            )
            return
        files = {
            name: self.temporary / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
        }
        for file in files.values():
            file.write_text("")
        environment = {
            **self.variables,
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(self.action),
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_TEMP": str(self.temporary),
            **{name: str(file) for name, file in files.items()},
            **{name: filled(value, values) for name, value in step.get("env", {}).items()},
        }
        script = self.temporary / "step.sh"
        script.write_text(step["run"])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace / filled(step.get("working-directory", "."), values),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        job.code, job.log, job.summary = (
            job.code or done.returncode,
            job.log + done.stdout,
            job.summary + files["GITHUB_STEP_SUMMARY"].read_text(),
        )
        for line in files["GITHUB_OUTPUT"].read_text().splitlines():
            name, _, value = line.partition("=")
            values[f"steps.{step['id']}.outputs.{name}"] = value


def filled(text: str, values: Mapping[str, str]) -> str:
    """`${{ inputs.python }}` becomes its value; what is not known is empty."""
    return re.sub(r"\$\{\{\s*([\w.-]+)\s*\}\}", lambda match: values.get(match[1], ""), text)
