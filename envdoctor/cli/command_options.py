"""The options of `check` and `leak`, in the order in which --help shows them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from envdoctor.cli import options


@dataclass(frozen=True, kw_only=True)
class Outlets:
    """The outputs of an examination, and what it is compared with."""

    format_: str = "terminal"
    output: Path | None = None
    reports: list[str] | None = None
    exit_zero: bool = False
    allow_inconclusive: bool = False
    save: Path | None = None
    result: Path | None = None
    baseline: Path | None = None
    config: Path | None = None
    no_config: bool = False
    diff: bool = False
    fix: bool = False
    quiet: int = 0
    verbose: int = 0


#: What every examination takes for its outlets, in the order of --help.
OUTLETS = {
    "format_": options.Format,
    "output": options.Output,
    "reports": options.Reports,
    "exit_zero": options.ExitZero,
    "anonymous": options.Anonymous,
    "no_try_remedies": options.NoTryRemedies,
    "diff": options.Diff,
    "fix": options.Fix,
    "cold": options.Cold,
    "save": options.Save,
    "baseline": options.Baseline,
    "config": options.Config,
    "no_config": options.NoConfig,
    "quiet": options.Quiet,
    "verbose": options.Verbose,
}

#: What `check` takes besides its own parameters.
CHECK = {
    "python": options.Python,
    "select": options.Select,
    "ignore": options.Ignore,
    "managers": options.Managers,
    "start_methods": options.StartMethods,
    "fail_on": options.FailOn,
    "timeout": options.Timeout,
    "budget": options.Budget,
    "memory_limit": options.MemoryLimit,
    "seed": options.Seed,
    "jobs": options.Jobs,
    "quick": options.Quick,
    "steps": options.Steps,
    "episodes": options.Episodes,
    "action": options.Action,
    "actions": options.Actions,
    "service_count": options.ServiceCount,
    "faults": options.Faults,
    "thorough": options.CheckThorough,
    **OUTLETS,
    "allow_inconclusive": options.AllowInconclusive,
    "result": options.ResultFile,
}

#: What `leak` takes besides its own parameters.
LEAK = {
    "python": options.Python,
    "callable_": options.Callable,
    "cycles": options.Cycles,
    "thorough": options.Thorough,
    "time_budget": options.TimeBudget,
    "save_memray": options.SaveMemray,
    "storage": options.Storage,
    "capacity": options.Capacity,
    "managers": options.LeakManagers,
    "start_methods": options.StartMethods,
    "fail_on": options.FailOn,
    "timeout": options.Timeout,
    "memory_limit": options.MemoryLimit,
    "seed": options.Seed,
    "steps": options.Steps,
    "episodes": options.Episodes,
    "action": options.Action,
    "actions": options.Actions,
    "service_count": options.ServiceCount,
    **OUTLETS,
}

#: What `workers`, `compare` and `sweep` ask of every examination.
WORKERS = {name: CHECK[name] for name in ("python", "managers", "start_methods", "timeout", "seed")}
COMPARE = {
    name: CHECK[name]
    for name in (
        "select",
        "ignore",
        "managers",
        "start_methods",
        "fail_on",
        "timeout",
        "memory_limit",
        "seed",
        "quick",
        "action",
        "actions",
    )
}
SWEEP = {
    name: CHECK[name]
    for name in ("python", *COMPARE, "budget", "thorough", "no_try_remedies", "cold")
}
