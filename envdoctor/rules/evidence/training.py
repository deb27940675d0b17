"""Readings of a watched training for its rules, and the wording of places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from envdoctor.model.scenario import DIRECT, Scenario
from envdoctor.model.trace import FINISHED, Outcome, Trace
from envdoctor.model.training import TRAINING, WATCH, Training, training_in
from envdoctor.model.training_instances import Instances
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.deaths import KILLED, how_it_ended

Sum = tuple[str, str, str]


def training_of(view: View) -> Training:
    """The training of a view; an empty one where there is none."""
    return training_in(view.trace(WATCH)) or Training(())


NOT_MADE = "no environment was made"
ATTACHED = "it was attached to: calls and instances are not counted from outside"


def not_inside(view: View) -> str:
    """Return the reason why events inside of processes cannot be judged: they were looked at from
    outside.
    """
    return ATTACHED if training_of(view).attached else ""


def nothing_made(view: View) -> str:
    """Return why nothing can be judged: no environment was made that was followed."""
    training = training_of(view)
    return ATTACHED if training.attached else not_made(training)


def not_made(training: Training) -> str:
    """That no environment was made that was followed, with the exception that ended the script, or
    how else the training failed; nothing where one was.
    """
    if any(instances.made for instances in training.created_here):
        return ""
    trainer = training.process(training.pid)
    raised = trainer.raised if trainer is not None else None
    if raised is None and training.code:  # a launcher hands on how the script ended
        raised = next((each.raised for each in training.processes if each.raised), None)
    if raised is not None:
        return f"{NOT_MADE}: the script ended by {raised.sentence}"
    failed = signal_name(training.code) or f"ended with exit code {training.code}"
    how = f"; the training {failed}" if training.code and training.over else ""
    return f"{NOT_MADE} in a process that reports{how}"


def by_site(created: Iterable[Instances]) -> Iterator[list[Instances]]:
    """Instances of one class that were made by one line, in any process."""
    groups: dict[Sum, list[Instances]] = {}
    for instances in created:
        groups.setdefault((instances.type, instances.place, instances.by), []).append(instances)
    yield from groups.values()


def made_for_spaces(training: Training) -> Iterator[Instances]:
    """Instances that a vectorizer made, never called and never closed, besides others of the same
    class: of the same launch, or, where it made them before that, of any.
    """
    called = [instance for instance in training.created_here if instance.by and instance.is_called]
    for instance in training.created_here:
        if instance.by and not instance.is_called and not instance.closed:
            others = (each for each in called if each.type == instance.type)
            if any(instance.group in ("", each.group) for each in others):
                yield instance


def whose(group: list[Instances]) -> str:
    """`CartPoleEnv made at train.py:14`, or under which vectorizer where no line is the user's."""
    first = group[0]
    if first.place:
        return f"{first.class_name} made at {first.place}"
    return f"{first.class_name} made in {first.by or 'a library'}"


def watched_view(training: Training) -> View:
    """A view of a training: for examples."""
    return View("train.py", DIRECT, None, (watched_trace(training),))


def view_of(*instances: Instances) -> View:
    """A view of a training with these instances: for examples."""
    return watched_view(Training((), instances=instances))


def watched_trace(training: Training) -> Trace:
    """A training as a trace that holds it as it is: to encode all examples takes long."""
    event = {"event": "fact", "t": 0.0, "pid": training.pid, "key": TRAINING, "value": training}
    outcome = Outcome(FINISHED, seconds=training.seconds, exit_code=training.code)
    return Trace(Scenario(WATCH, "", workers=0), outcome, (event,))


def signal_name(code: int) -> str:
    """`was killed by SIGSEGV` of a negative exit code; nothing of another one."""
    return how_it_ended(code, KILLED) if code < 0 else ""


def of(number: int, noun: str, plural: str = "") -> str:
    """`1 instance`, `3 instances`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
