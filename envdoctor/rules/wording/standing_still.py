"""Remedies for a training that stands still, by what its trainer waits for."""

from __future__ import annotations

from envdoctor.model.training import Standstill, Training
from envdoctor.model.waits import CHILD, LOCK
from envdoctor.rules.evidence.training import of, signal_name
from envdoctor.rules.evidence.training_sites import unclosed_vectorizers
from envdoctor.rules.wording.waits import (
    REMEDIES,
    fed_beside,
    full_pipe,
    is_fed,
    joins_thread,
    pipe_remedy,
    purpose_in_library,
    waits_by_process,
    waits_for_itself,
)


def standstill_remedy(training: Training, still: Standstill) -> str:
    """Return the cure."""
    trainer = training.pid
    writer = full_pipe(still.waits, trainer)
    own = waits_by_process(still.waits).get(trainer)
    if own is not None and waits_for_itself(own) and ended_by_ctrl_c(training):
        return (
            "let the workers leave Ctrl-C to the trainer, which asks them to end:"
            " signal.signal(signal.SIGINT, signal.SIG_IGN) in each; or close their ends of the"
            " pipes in the trainer once they have started: recv() then raises EOFError."
        )
    if own is not None and waits_for_itself(own):
        return (
            "close the worker's end of each pipe in the trainer once the worker has started:"
            " recv() then raises EOFError where the worker has ended."
        )
    if own is not None and joins_thread(own, still.stacks):
        return (
            "end the thread before it is joined: send it a last value, such as None; or give its"
            " waits a limit, get(timeout=60), and set an event that it looks at."
        )
    if own is not None and (purpose := purpose_in_library(own, still.stacks)) in REMEDIES:
        return REMEDIES[purpose]
    if own is not None and is_fed(own, still.stacks):
        return (
            "read the queue until it is empty before the script ends; or call cancel_join_thread()"
            " of it, which gives up what was put."
        )
    if writer is None and own is not None and own.on == CHILD:
        writer = fed_beside(still.waits, own, still.stacks)
    if writer is not None and own is not None and own.on == CHILD:
        return (
            "take what the child sends (queue.get(), or read its pipe) before join() or wait(): it"
            " ends when all that it wrote was read."
        )
    if writer is not None:
        return pipe_remedy(writer)
    if own is not None and own.on == CHILD and training.is_exiting(trainer):
        unclosed = unclosed_vectorizers(training, trainer)
        made = unclosed[0].name if len(unclosed) == 1 else "the vectorizer"
        return (
            f"close {made} in a `finally`, so that its workers end; or start them with daemon=True:"
            " Python waits at its exit for all others."
        )
    return "see what each process waits for, and give each wait a limit: get(timeout=60)."


def held_by_ended(training: Training, still: Standstill) -> tuple[str, str]:
    """Return which workers had ended by themselves before, and may hold the lock that others wait
    for, and the cure; nothing where none waits for one that it shares.
    """
    shared = [each for each in still.waits if each.on == LOCK and set(each.peers) - {each.pid}]
    around = {training.pid, *(pid for each in shared for pid in (each.pid, *each.peers))}
    ended = [
        (each.pid, signal_name(each.code) or f"ended with exit code {each.code}")
        for each in training.processes
        if each.code and each.parent in around
        if each.ended is not None and each.ended < still.at
    ]
    if not shared or not ended:
        return "", ""
    pid, how = ended[0]
    more = f", as {of(len(ended) - 1, 'other')} did" if len(ended) > 1 else ""
    cure = (
        f"see what ended pid {pid}, and let no process end within `with lock:`, as by os._exit(),"
        " terminate() or too little memory. The trainer can look at exit codes while it waits:"
        " join(timeout=5)."
    )
    return f"; pid {pid} {how} before{more}, and nothing gives back a lock that it held", cure


def ended_by_ctrl_c(training: Training) -> bool:
    """Return whether Ctrl-C came, and its workers ended by that: by nothing else that is known."""
    workers = [each for each in training.processes if each.pid != training.pid]
    unwell = [each for each in workers if each.code and each.raised is None]
    return training.interrupted > 0 and bool(workers) and unwell == workers
