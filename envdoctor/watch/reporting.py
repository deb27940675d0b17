"""From a training to a report, by the same rules, verdict and reporters as an examination."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import replace

from envdoctor import __version__
from envdoctor.model.report import Report
from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import FILE, Subject
from envdoctor.model.trace import FINISHED, SIGNALLED, Outcome, Trace
from envdoctor.model.training import ASKED, TRAINING, WATCH, Training
from envdoctor.rules.engine.judging import Judgement
from envdoctor.rules.engine.registry import WHERE_WATCHED, Rule, all_rules
from envdoctor.rules.evidence.training import signal_name
from envdoctor.run.private_names import private
from envdoctor.verdict.diagnosis import (
    Examined,
    ObservationRecorder,
    Run,
    RunEvidence,
    judged,
    report_on,
)

Cures = Callable[[Training, Judgement], Mapping[str, object]]


def rules() -> tuple[Rule, ...]:
    """The rules that a training is judged by."""
    return tuple(rule for rule in all_rules().values() if rule.where == WHERE_WATCHED)


def begin(words: tuple[str, ...], recorder: ObservationRecorder) -> Run:
    """Begin the run of a training; `words` are the command line that watches it."""
    known = {"system": platform.system(), "release": platform.release()}
    known |= {"machine": platform.machine(), "python": platform.python_version()}
    run = Run(command=words, platform=known, version=__version__)
    recorder.begin(run, tuple(rule.code for rule in rules()))
    return run


def keep(training: Training, recorder: ObservationRecorder) -> tuple[Subject, Trace]:
    """Record a training, as it is now."""
    subject, trace = subject_of(training.command), _trace(training)
    recorder.trace(subject, trace)
    return subject, trace


def judgement_on(training: Training) -> Judgement:
    """Judge a training."""
    subject = subject_of(training.command)
    return judged(RunEvidence(subject, (_trace(training),)), rules())


def report(
    training: Training, run: Run, recorder: ObservationRecorder, cures: Cures | None = None
) -> Report:
    """The report on a training, with what became of `cures` for its findings. Paths in it are not
    shortened yet.
    """
    applied = rules()
    subject, trace = keep(training, recorder)
    observations = RunEvidence(subject, (trace,), seconds=training.seconds)
    judgement = judged(observations, applied)
    if cures is not None:
        read = cures(training, judgement)
        observations = replace(observations, read={**observations.read, **read})
        judgement = judged(observations, applied)
    recorder.over(observations)
    report = report_on(replace(run, seconds=training.seconds), [Examined(observations, judgement)])
    recorder.end(report)
    return report


def shown(report: Report) -> Report:
    """The report as it may be shown and kept."""
    return private(report, (), unnamed=False)


def subject_of(command: tuple[str, ...]) -> Subject:
    """The script of a training, as what is examined."""
    script = script_of(command)
    return Subject(script, FILE, path=os.path.abspath(script), directory=os.getcwd())


def script_of(command: tuple[str, ...]) -> str:
    """Return what a command runs: the first word that is a file of Python's, the module after -m,
    or else the program.
    """
    program = os.path.basename(command[0])
    is_python = program.startswith(("python", "pypy"))
    module = command.index("-m") + 1 if is_python and "-m" in command else len(command)
    script = next((word for word in command[:module] if word.endswith(".py")), "")
    if script or module < len(command):
        return script or command[module]
    return next(
        (word for word in command if word.endswith(".py")), program if is_python else command[0]
    )


def _trace(training: Training) -> Trace:
    code = training.code
    crashed = code < 0 and code not in ASKED
    outcome = Outcome(
        SIGNALLED if crashed else FINISHED,
        seconds=training.seconds,
        exit_code=None if crashed else code,
        signal=signal_name(code).removeprefix("was killed by ") if crashed else "",
    )
    value = training.as_dict()
    event = {"event": "fact", "t": 0.0, "pid": training.pid, "key": TRAINING, "value": value}
    return Trace(Scenario(WATCH, "", workers=0), outcome, (event,))
