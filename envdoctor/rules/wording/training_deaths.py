"""Sentences on how processes of a training ended, and what to do about it."""

from __future__ import annotations

from dataclasses import replace

from envdoctor.model.training import Raised, Training
from envdoctor.rules.evidence.training import of
from envdoctor.rules.evidence.training_deaths import KILL, Ending, TrainingDeath


def spawned_again(error: Raised, number: int) -> str:
    """Return what ended workers that would start workers, because the script has no guard."""
    were, do = ("it was", "imports") if number == 1 else ("they were", "import")
    return (
        f"{replace(error, message='').sentence}: {were} spawned, and {do} the script, which would"
        ' start workers there again: it has no `if __name__ == "__main__":`'
    )


def cause_of(ending: Ending) -> tuple[str, str]:
    """Return the cause of an exception where it is known, said after it, and the cure."""
    if ending.handed is not None:
        name, number = ending.handed.vectorizer, ending.handed.number
        kind = ending.handed.instance
        why = (
            f": {of(number, 'instance')} of {kind} {'was' if number == 1 else 'were'} handed to"
            f" {name}, which takes functions that make them"
        )
        cure = f"give {name} functions that make them: {name}([{kind}] * {number})."
        return why, cure
    if ending.closed:
        why = (
            f": its {of(ending.closed, 'worker')} had ended before, after their environments were"
            " closed"
        )
        cure = (
            "see what closes the vectorizer, and do not use it after that: make a new one, or let"
            " the code that made it close it, once."
        )
        return why, cure
    return "", "mend what raises there."


def remedy_of(training: Training, death: TrainingDeath) -> str:
    """Return what to do about a death."""
    code = death.process.code
    if code == -KILL:
        return (
            "see in the kernel's log (`dmesg`) whether memory ran out: SIGKILL mostly comes from"
            " there, or from a person or a job scheduler."
        )
    if death.outside:
        command = " ".join(training.command[1:]) or "train.py"
        return (
            "find the line with `python -X faulthandler"
            f" {command}`: the trainer's own code, or a library of it, crashed. What workers"
            " print after that (EOFError, BrokenPipeError) follows from it."
        )
    if death.process.raised is not None:
        send = (
            "; or catch it in the worker and send it to the trainer, which does not see it."
            if training.standstill
            else "."
        )
        return f"mend what raises there{send}"
    name = death.first.class_name if death.first is not None else "the environment"
    return f"find out what {name} does there: play it alone with `envdoctor check`."
