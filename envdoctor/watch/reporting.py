"""From a training to a report, by the same rules, verdict and reporters as an examination; and a
line on how it stands while it runs.
"""

from __future__ import annotations

import os
import platform
from dataclasses import replace

from envdoctor import __version__
from envdoctor.model.report import Report
from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import FILE, Subject
from envdoctor.model.trace import FINISHED, SIGNALLED, Outcome, Trace
from envdoctor.model.training import ASKED, LONG, TRAINING, WATCH, Training
from envdoctor.rules.engine.registry import WHERE_WATCHED, Rule, all_rules
from envdoctor.rules.evidence.training import of, signal_name
from envdoctor.run.private_names import private
from envdoctor.verdict.diagnosis import Examined, Recorder, Run, Seen, judged, report_on
from envdoctor.watch.following import Follower


def rules() -> tuple[Rule, ...]:
    """The rules that a training is judged by."""
    return tuple(rule for rule in all_rules().values() if rule.where == WHERE_WATCHED)


def report(training: Training, words: tuple[str, ...], recorder: Recorder) -> Report:
    """The report on a training; `words` are the command line that watched it."""
    applied = rules()
    known = {"system": platform.system(), "release": platform.release()}
    known |= {"machine": platform.machine(), "python": platform.python_version()}
    run = Run(command=words, platform=known, version=__version__)
    recorder.begin(run, tuple(rule.code for rule in applied))
    subject, trace = _subject(training.command), _trace(training)
    recorder.trace(subject, trace)
    seen = Seen(subject, (trace,), seconds=training.seconds)
    recorder.over(seen)
    found = report_on(
        replace(run, seconds=training.seconds), [Examined(seen, judged(seen, applied))]
    )
    recorder.end(found)
    return private(found, (subject,), unnamed=False)


def _subject(command: tuple[str, ...]) -> Subject:
    """The script of a command: its first word that is a file of Python's, or else the program."""
    script = next((word for word in command if word.endswith(".py")), command[0])
    return Subject(script, FILE, path=os.path.abspath(script), directory=os.getcwd())


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


def standing(follower: Follower, seconds: float) -> str:
    """A line on how a training stands."""
    seen = follower.instances
    made = sum(one.made for one in seen)
    steps = sum(one.step.ended for one in seen)
    resets = sum(one.reset.ended for one in seen)
    counts = (of(steps, "step"), of(resets, "reset"), f"{of(made, 'instance')} made")
    text = f"{_span(seconds)}: {', '.join(counts)}"
    rows = {(one.pid, one.row): one for one in seen}
    for call in follower.long_calls:
        one = rows.get((call.pid, call.row))
        if one is not None and call.seconds >= LONG:
            how = f"nothing ran for {call.still:.0f} s" if call.still >= 1 else "running"
            text += (
                f"; pid {call.pid} has been in {call.method}() of {one.class_name} for"
                f" {call.seconds:.0f} s, {how}"
            )
    return text


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds // 60:.0f} min"
