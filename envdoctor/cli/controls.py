"""Controls of a watched training: its environments without their trainer, played by `leak` when it
has ended.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envdoctor.model.report import SubjectReport
    from envdoctor.model.training import Training
    from envdoctor.model.training_growth import Control

PYTHON = "python"  # what the name of an interpreter begins with


def controlled(training: Training, say: Callable[[str], None]) -> Training:
    """The training, with a control of each environment that its growth may be of. Without such
    growth, nothing is played; `say` gets a sentence for each that is.
    """
    from envdoctor.rules.evidence.training import watched_view
    from envdoctor.rules.evidence.training_growth import in_question

    controls = []
    for spec in in_question(watched_view(training)):
        say(f"memory grows: {spec} is played without the trainer")
        controls.append(_control_of(spec, training.command[0]))
    return replace(training, controls=tuple(controls))


def _control_of(spec: str, program: str) -> Control:
    from envdoctor.errors import UsageError
    from envdoctor.model.training_growth import Control
    from envdoctor.request.building import for_leak
    from envdoctor.request.options import LeakOptions
    from envdoctor.request.settings import Settings
    from envdoctor.request.specs import parse
    from envdoctor.run.examine import examine

    python = program if Path(program).name.startswith(PYTHON) else None
    asked = LeakOptions(python=python, no_try_remedies=True)
    settings = Settings(None, frozenset(), os.getcwd(), command_line=True)
    try:
        report = examine(
            for_leak(settings, parse(spec, {}, (), os.getcwd()), asked), lambda _said: None
        )
    except UsageError as error:
        return Control(spec, unknown=str(error))
    if report.interrupted:
        return Control(spec, unknown="the control was interrupted")
    return _read(report.subjects[0], Control(spec))


def _read(subject: SubjectReport, begun: Control) -> Control:
    """Read the growth of a control from its report."""
    from envdoctor.analysis.growth.verdicts import FILLING, OPEN
    from envdoctor.model.training_growth import Kept

    measured = [growth for growth in subject.growth if growth.cycles]
    if not measured:
        return replace(begun, unknown="without the trainer it could not be measured")
    undecided = any(each.kind in (FILLING, OPEN) for growth in measured for each in growth.meters)
    if undecided and not any(growth.leaks for growth in measured):
        return replace(begun, unknown="without the trainer it was not decided")
    rates: dict[tuple[str, str], float] = {}
    for growth in measured:
        for leak in growth.leaks:
            for operation, share in leak.shares.items():
                kept = (leak.meter, operation)
                rates[kept] = max(share, rates.get(kept, 0.0))
    return replace(
        begun,
        cycles=max(growth.cycles for growth in measured),
        kept=tuple(Kept(*kept, rate) for kept, rate in rates.items()),
    )
