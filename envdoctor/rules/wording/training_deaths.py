"""Sentences on how processes of a training ended, and what to do about it."""

from __future__ import annotations

import re
from dataclasses import replace

from envdoctor.frameworks import PACKAGES, defects, title_of
from envdoctor.frameworks.defects import defect_in
from envdoctor.frameworks.older_interfaces import meeting
from envdoctor.model.finding import Location
from envdoctor.model.training import Training
from envdoctor.model.training_instances import Instances, Raised
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.open_beside import beside, how_to_be_alone, open_beside
from envdoctor.rules.evidence.removed_segments import cure_of, removal, words_of
from envdoctor.rules.evidence.run_on import condition, left_over, reset_call
from envdoctor.rules.evidence.stacks import main_first
from envdoctor.rules.evidence.training import of
from envdoctor.rules.evidence.training_deaths import (
    KILL,
    METHOD_AGAIN,
    OTHER_LOOP,
    SEND,
    TEXT,
    EmptyWorkers,
    Ending,
    TrainingDeath,
    closed_before,
    crash_line,
    failed_before,
    imports_again,
    is_never_reset,
    what_raised,
)
from envdoctor.rules.remedies.missing_in_worker import UNKNOWN_ID
from envdoctor.rules.remedies.training_failures import CLOSED_HANDLE, NOT_DONE
from envdoctor.rules.wording.error_cures import MEND, plain_cure
from envdoctor.rules.wording.error_details import (
    called,
    circumstance,
    of_generator,
    unended_episode,
    wrapped_again,
)
from envdoctor.rules.wording.given_actions import given_action
from envdoctor.rules.wording.waits import place as place_of_wait
from envdoctor.rules.wording.waits import sentences, waits_by_process

RESET_FIRST = "call reset() before the first step(): it makes what step() works with."
WATCH_WORKERS = (
    "And let the trainer look, while it waits for a worker, whether it lives: Process.exitcode, or"
    " multiprocessing.connection.wait() with its sentinel."
)

LOCAL = re.compile("<lambda>|<locals>")  # of functions that have no name in a module
REGISTER = (
    "register the id in the worker, too: import the module that registers it, or call register(),"
    " in the function that makes the environment. Workers of spawn and forkserver, and actors, do"
    " not run the main block of the script. An id may name the module: `my_package:Arm-v0`."
)


def spawned_again(error: Raised, number: int) -> str:
    """Return what ended workers that would start workers, because the script has no guard."""
    were, do = ("it was", "imports") if number == 1 else ("they were", "import")
    again = "calls set_start_method()" if METHOD_AGAIN in error.message else "would start workers"
    return (
        f"{replace(error, message='').sentence}: {were} spawned, and {do} the script, which {again}"
        ' there again: it has no `if __name__ == "__main__":`'
    )


def who_died(training: Training, death: TrainingDeath) -> str:
    """`a worker`."""
    if death.outside:
        return "the trainer's process"
    return "the training" if death.process.pid == training.pid else "a worker"


def end_of_empty(workers: EmptyWorkers) -> tuple[str, str]:
    """Return a sentence on what ended workers in which no environment is known, and the cure."""
    number = workers.number
    who = "a worker" if number == 1 else of(number, "worker")
    after = f"; after that the training ended by {workers.fatal.sentence}" if workers.fatal else ""
    what, remedy = _end_of_empty(workers.error, number)
    return f"{who} ended by {what}{after}", remedy


def _end_of_empty(error: Raised, number: int) -> tuple[str, str]:
    if imports_again(error):
        guard = 'put the work of the script below `if __name__ == "__main__":`.'
        return spawned_again(error, number), guard
    them = "it" if number == 1 else "them"
    what = f"{error.sentence}, and no environment that can be followed was made in {them}"
    if error.type.rsplit(".", 1)[-1] not in UNKNOWN_ID:
        cure = plain_cure(error)
        return what, f"{cure[:-1]}: the trainer does not see it." if cure == MEND else cure
    known = circumstance(error)
    return (what + known[0], known[1]) if known is not None else (what, REGISTER)


def sentence_of(training: Training, ending: Ending) -> tuple[str, str, bool]:
    """Return the sentence on an exception that ended the script or a thread, the cure, and whether
    its cause is known.
    """
    error = ending.error
    counted = f", after {of(ending.steps, 'step')}" if training.instances else ""
    who = "the training" if ending.process.pid == training.pid else "a worker"
    who = f"a thread of {who}" if ending.is_thread else who
    said, after = _in_a_call(ending)
    why, remedy = _of_training(training, ending) or cause_of(ending)
    if error.method == SEND and ending.handed is None:
        why, remedy = _unsent(training, error)
    removed = removal(training, error, ending.process.pid)
    if removed is not None:
        why, remedy = words_of(removed), cure_of(removed)
    if error.origin is not None and error.method == TEXT:
        after = f", which reports an error at {line_of(error.origin)}"
    elif error.origin is not None and not ending.is_thread:
        after = f", raised in a{' forked' * ending.forked} worker ({line_of(error.origin)})"
    elif ending.wrapper:
        after = f" in {error.method}() of {ending.wrapper}"
        if error.called_at is not None:
            after += f", called at {line_of(error.called_at)}"
    if ending.unfollowed:
        counted = f" in {error.method}() of {ending.unfollowed}"
        why = "; it inherits from no class of a library that is followed, so no more is known of it"
    remedy = plain_cure(error) if remedy == MEND else remedy
    return f"{who} ended by {said}{after}{counted}{why}", remedy, bool(why)


def _in_a_call(ending: Ending) -> tuple[str, str]:
    """Return an exception, and the call of an instance that raised it, or the line of another file
    that called what did.
    """
    first, error = ending.instance, ending.error
    if first is None:
        return error.sentence, called(error)
    if _is_of_worker(ending):
        return _in_a_worker(error, first)
    known = first.error
    is_same = known is None or (
        known.type == error.type
        and (known.location == error.location or known.message == error.message)
    )
    return error.sentence, f" after {what_raised(first, without_error=is_same)}"


def _in_a_worker(error: Raised, first: Instances) -> tuple[str, str]:
    """Return the exception that ended the training after a call of an instance raised in a worker,
    and that call: the same exception may have come from there.
    """
    known = first.error
    if known is None or (known.type, known.message) != (error.type, error.message):
        return error.sentence, f" after {what_raised(first)} in a worker"
    at = f" and the trainer got at {line_of(error.location)}" if error.location else ""
    return known.sentence, f", which {what_raised(first, without_error=True)} in a worker{at}"


def _of_training(training: Training, ending: Ending) -> tuple[str, str] | None:
    """The episode that a monitor refuses to leave, or the other instance that was open where the
    first call of one raised, and the cure; None where another cause is known.
    """
    failed, known = ending.instance, cause_of(ending)
    again = wrapped_again(training, ending.error)
    if again is not None:
        return again
    if NOT_DONE.search(ending.error.message) and not known[0]:
        return unended_episode(training, ending.process.pid), known[1]
    if known != ("", MEND):
        return None
    other = open_beside(training, failed)
    misfit = given_action(training, failed)
    if misfit is not None:
        return misfit
    if is_never_reset(failed):
        return "", RESET_FIRST
    return (beside(failed, other), how_to_be_alone(failed)) if failed and other else None


def place_of(ending: Ending) -> Location | None:
    """Return the line that raised: that of a worker, where a call raised in one."""
    first, place = ending.instance, ending.error.origin or ending.error.location
    if ending.error.method == SEND:
        return ending.error.called_at or place
    if not _is_of_worker(ending) or first is None or first.error is None:
        return place
    return first.error.location or place


def _is_of_worker(ending: Ending) -> bool:
    return ending.instance is not None and ending.instance.pid != ending.process.pid


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
    place, earlier = closed_before(ending.instance), failed_before(ending.instance)
    if ending.instance is not None and earlier is not None:
        cure = (
            f"have close() of {ending.instance.class_name} give back what there is, also after a"
            f" {earlier.method}() that raised: each part of it may be missing then."
        )
        return "", cure
    over = left_over(ending.instance)
    if over is not None and over.location is not None and place is None:
        cure = (
            f"reset it where its episode has ended, before {line_of(over.location)} steps it again:"
            f" `if {condition(over)}: {reset_call(over)}`."
        )
        return "", cure
    if place is not None:
        cure = (
            f"leave close() in {short(place.file)}:{place.line} to the code that made the"
            " environment, which is used after that; or make a new one there."
        )
        return "", cure
    if ending.forked and ending.error.origin and "fork" in ending.error.message:
        return "", (
            'start these workers otherwise, as by multiprocessing.get_context("spawn"): what the'
            " trainer has opened on a device cannot be used in a process that was forked."
        )
    return _cause_by_message(ending)


def _cause_by_message(ending: Ending) -> tuple[str, str]:
    """Return the cause and the cure of an exception whose message, or circumstance, has them."""
    known = circumstance(ending.error, ending.steps)
    if known is not None:
        return known
    if OTHER_LOOP.search(ending.error.message):
        runs = ending.error.called_at
        at = f" at {line_of(runs)}" if runs is not None else ""
        return f": it belongs to an earlier event loop, and another one runs{at}", (
            "make what belongs to an event loop (locks, queues, clients, sessions) anew in each; or"
            " let one asyncio.run() play all of the training."
        )
    kind = ending.error.message.partition(":")[0].rsplit(".", 1)[-1]
    if ending.error.method == TEXT and kind in UNKNOWN_ID:
        return "; the id is not registered where that ran", REGISTER
    if NOT_DONE.search(ending.error.message):
        return "", (
            "let the episode end where the loop gives it up: put TimeLimit below the monitor, with"
            " as many steps as the loop makes; or play each episode to its end."
        )
    return known_cause(ending.error) or ("", MEND)


def known_cause(error: Raised) -> tuple[str, str] | None:
    """Return what an exception has missed that a framework raised, or that met another version of
    one, and the cure; None for another one.
    """
    defect = defect_in(defects(), error.message, error.within)
    if defect is not None:
        return f": {title_of(defect.package)} has a known defect: {defect.meaning}", defect.cure
    return meeting(error, error.within.partition(".")[0] in PACKAGES)


def _unsent(training: Training, error: Raised) -> tuple[str, str]:
    """Return what cannot go to another process, with the line that sends it, and the cure."""
    kind, _, attribute = error.unfollowed.partition(".")
    what = f"{kind}, whose {attribute} cannot be pickled," if kind else "it"
    who = line_of(error.called_at) if error.called_at is not None else "the script"
    why = f": {who} sends {what} to another process"
    generator, otherwise = of_generator(error, attribute)
    if kind in {each.class_name for each in training.instances}:
        return why + generator, (
            f"let each process make its own {kind} and keep it, and send actions and results only,"
            f" as vectorizers do; or let threads play them where they are.{otherwise}"
        )
    if CLOSED_HANDLE.search(error.message):
        return why, (
            "close no pipe of it before all processes are started; or send each process its own"
            " pipe only."
        )
    remedy = "send what it is made from, and make it in the process that needs it."
    if LOCAL.search(error.message):
        remedy = (
            "define the function that is sent with `def` at the top of a module, and give it its"
            " arguments by functools.partial(): a lambda, and a function within a function, cannot"
            " go to a process that is spawned."
        )
    return why + generator, remedy + otherwise


def line_of(place: Location) -> str:
    """`train.py:22 in analyze`."""
    return f"{short(place.file)}:{place.line} in {place.function}"


def remedy_of(training: Training, death: TrainingDeath) -> str:
    """Return what to do about a death."""
    code = death.process.code
    if code == -KILL:
        return (
            "see in the kernel's log (`dmesg`) whether memory ran out: SIGKILL mostly comes from"
            " there, or from a person or a job scheduler."
        )
    if death.beside:
        return (
            "let one thread at a time call what crashed there; or give each thread, or each"
            " instance, one of its own: most renderers and simulators belong to the thread that"
            " made them."
        )
    if death.is_at_exit:
        return (
            "the script itself was done: native code crashed that is freed at the exit. Give"
            " renderers and simulators back before the script ends, in the thread that made them,"
            " and what was made first as the last; `python -X faulthandler` shows a line where"
            " Python still runs."
        )
    if death.outside and crash_line(death.process) is not None:
        return (
            "native code crashed that the first line of the stacks calls, in the trainer's own code"
            " or in a library of it. What workers print after that (EOFError, BrokenPipeError)"
            " follows from it."
        )
    if death.outside:
        command = " ".join(training.command[1:]) or "train.py"
        return (
            "find the line with `python -X faulthandler"
            f" {command}`: the trainer's own code, or a library of it, crashed. What workers"
            " print after that (EOFError, BrokenPipeError) follows from it."
        )
    misfit = given_action(training, death.raised)
    if misfit is not None:
        return misfit[1]
    if death.process.raised is not None:
        return _remedy_of_error(training, death.process.pid, death.process.raised)
    name = death.first.class_name if death.first is not None else "the environment"
    if death.is_forked_copy:
        return (
            f"make each {name} in its worker, and give the vectorizer functions that do: what"
            " native code has opened cannot be used after a fork."
        )
    known = death.first.error if death.first is not None else None
    alone = "mend what raises there" if known else f"find out what {name} does there"
    alone = f"{alone}: play it alone with `envdoctor check`."
    if death.first is not None and death.first.is_forked_copy:
        alone = (
            f"make {name} in the process that plays it, as vectorizers do: it was made before the"
            " fork, which copies the instance, and not what a driver or a thread has for it."
        )
    return alone if training.standstill is None else f"{alone} {WATCH_WORKERS}"


def _remedy_of_error(training: Training, pid: int, error: Raised) -> str:
    removed = removal(training, error, pid)
    if removed is not None:
        return cure_of(removed)
    if error.method == SEND:
        return _unsent(training, error)[1]
    if training.standstill is None:
        _, cure = known_cause(error) or ("", plain_cure(error))
        return cure
    return (
        "mend what raises there; or catch it in the worker and send it to the trainer, which does"
        f" not see it. {WATCH_WORKERS}"
    )


def aftermath(training: Training, death: TrainingDeath) -> str:
    """That the training stood still after it, and whether the trainer waits for its answer: none
    of the others can give it. Or what had removed the shared memory that it missed.
    """
    still, raised = training.standstill, death.process.raised
    removed = removal(training, raised, death.process.pid) if raised is not None else None
    if removed is not None:
        return words_of(removed)
    if raised is not None and raised.method == SEND:
        return _unsent(training, raised)[0]
    words, _ = given_action(training, death.raised) or ("", "")
    if still is None or death.process.pid == training.pid:
        return words
    own = waits_by_process(still.waits).get(training.pid)
    at = place_of_wait(still.stacks, training.pid)
    waits = f", and the trainer waits{at}" if at else ""
    if own is not None and own.known and {training.pid}.issuperset(own.peers):
        waits = f", and the trainer waits for it{at}"
    error = None if training.is_exiting(training.pid) else training.exception
    end = f", until it ended by {error.sentence}" if error is not None and error.location else ""
    return f"{words}; nothing in the training ran after that{waits}{end}"


def evidence_of(training: Training, death: TrainingDeath) -> dict[str, object]:
    """The evidence on a death."""
    first, crash = death.first, death.process.crash
    return {
        "pid": death.process.pid,
        "vectorizer": first.by if first is not None else "",
        "instances": len(death.own),
        **({"stacks": main_first(crash)} if crash else {}),
        **_standstill_of(training),
    }


def _standstill_of(training: Training) -> dict[str, object]:
    """The evidence on a training that stands still; nothing of others."""
    if (still := training.standstill) is None:
        return {}
    waits = list(sentences(still.waits, still.stacks, training.pid))
    return {"seconds": still.seconds, "waits": waits, "stacks": main_first(still.stacks)}
